//! `Batches`: which samples a step sees, by seed and number.

use super::Random;
use std::error::Error;
use std::fmt;

/// Which samples each step of a training sees: every epoch goes through all of them in a random order
/// of its own, in batches of one size.
///
/// A batch is a function of the seed and its number alone, so that a run goes on at any step as if it
/// had never stopped. What is left over at the end of an epoch, less than a batch, is left out unless
/// [`Batches::with_rest`] asks for it; the next epoch orders anew, so that no sample is left out for
/// long.
///
/// Epoch `e` puts `0, 1, ..` in order by [`Random::shuffle`] of `Random::new(seed).split(e)`.
///
/// # Example
///
/// ```
/// use poorgrad::Batches;
///
/// let mut batches = Batches::new(10, 4, 42);
/// assert_eq!(batches.per_epoch(), 2);
/// let third = batches.at(3).to_vec();
/// assert_eq!(third, batches.order(1)[4..8]);
/// // Another run, begun at step 3.
/// assert_eq!(Batches::new(10, 4, 42).at(3), third);
/// // Written down, such as a note of a checkpoint, they read back as the same.
/// assert_eq!(batches.to_string(), "10 in 4 by 42");
/// assert_eq!(batches.to_string().parse(), Ok(batches));
/// ```
#[derive(Clone, Debug)]
pub struct Batches {
    count: usize,
    size: usize,
    seed: u64,
    with_rest: bool,
    /// The order of the epoch that was asked for last: a memory, no state.
    last: Option<(usize, Vec<usize>)>,
}

impl Batches {
    /// Batches of `size` out of `count` samples.
    ///
    /// # Panics
    ///
    /// Where [`Batches::try_new`] errs.
    #[must_use]
    #[track_caller]
    pub fn new(count: usize, size: usize, seed: u64) -> Self {
        match Self::try_new(count, size, seed) {
            Ok(batches) => batches,
            Err(error) => panic!("{error}"),
        }
    }

    /// The twin of [`Batches::new`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where there are no samples, or `size` is 0. Whether fewer samples than `size` make a batch is
    /// for [`Batches::with_rest`] to say: see [`Batches::try_per_epoch`].
    pub fn try_new(count: usize, size: usize, seed: u64) -> Result<Self, BatchesError> {
        if size == 0 || count == 0 {
            return Err(BatchesError { count, size });
        }
        Ok(Self { count, size, seed, with_rest: false, last: None })
    }

    /// With what is left over at the end of an epoch as a last, smaller batch: the only one, where there
    /// are fewer samples than `size`.
    #[must_use]
    pub fn with_rest(self) -> Self {
        Self { with_rest: true, ..self }
    }

    /// The number of samples.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The number of samples in a batch.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The seed of all orders.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    pub(super) fn has_rest(&self) -> bool {
        self.with_rest
    }

    /// The number of batches in an epoch, at least 1.
    ///
    /// # Panics
    ///
    /// Where [`Batches::try_per_epoch`] errs.
    #[must_use]
    #[track_caller]
    pub fn per_epoch(&self) -> usize {
        match self.try_per_epoch() {
            Ok(batches) => batches,
            Err(error) => panic!("{error}"),
        }
    }

    /// The twin of [`Batches::per_epoch`] that returns what it would panic with: ask it once, and no
    /// step is refused.
    ///
    /// # Errors
    ///
    /// Where there are fewer samples than make a batch, without [`Batches::with_rest`].
    pub fn try_per_epoch(&self) -> Result<usize, BatchesError> {
        let Self { count, size, .. } = *self;
        match if self.with_rest { count.div_ceil(size) } else { count / size } {
            0 => Err(BatchesError { count, size }),
            batches => Ok(batches),
        }
    }

    /// The epoch of a step, and the number of the step in it.
    ///
    /// # Panics
    ///
    /// Where [`Batches::try_per_epoch`] errs.
    #[must_use]
    #[track_caller]
    pub fn place(&self, step: usize) -> [usize; 2] {
        [step / self.per_epoch(), step % self.per_epoch()]
    }

    /// All samples, in the order in which an epoch sees them.
    #[must_use]
    pub fn order(&self, epoch: usize) -> Vec<usize> {
        let mut order = Vec::from_iter(0..self.count);
        Random::new(self.seed).split(epoch as u64).shuffle(&mut order);
        order
    }

    /// The samples of a step, counted from the first step of the first epoch.
    ///
    /// # Panics
    ///
    /// Where [`Batches::try_per_epoch`] errs.
    #[track_caller]
    pub fn at(&mut self, step: usize) -> &[usize] {
        let [epoch, batch] = self.place(step);
        let order = match self.last.take() {
            Some((last, order)) if last == epoch => order,
            _ => self.order(epoch),
        };
        let (_, order) = self.last.insert((epoch, order));
        let start = batch * self.size;
        &order[start..start.saturating_add(self.size).min(self.count)]
    }
}

/// Samples that make no batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchesError {
    count: usize,
    size: usize,
}

impl fmt::Display for BatchesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, size } = self;
        match size {
            0 => f.write_str("Batches: a batch needs at least one sample"),
            _ => write!(
                f,
                "Batches: {count} samples make no batch of {size}; choose smaller batches, give more \
                 samples, or take what there is by `with_rest`"
            ),
        }
    }
}
impl Error for BatchesError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_sees_every_sample_once_and_another_order_each_time() {
        let mut batches = Batches::new(23, 5, 7).with_rest();
        assert_eq!(batches.per_epoch(), 5);
        let mut epochs = [0, 1].map(|epoch| {
            let steps = epoch * 5..(epoch + 1) * 5;
            steps.flat_map(|step| batches.at(step).to_vec()).collect::<Vec<_>>()
        });
        assert_ne!(epochs[0], epochs[1]);
        assert_eq!(epochs[1], batches.order(1));
        for epoch in &mut epochs {
            epoch.sort_unstable();
            assert_eq!(*epoch, Vec::from_iter(0..23));
        }
        assert_eq!(batches.at(4).len(), 3);
    }

    #[test]
    fn a_batch_depends_on_the_seed_and_its_number_alone() {
        let mut batches = Batches::new(100, 8, 1);
        let forward = Vec::from_iter((0..40).map(|step| batches.at(step).to_vec()));
        let mut backward = Vec::from_iter((0..40).rev().map(|step| batches.at(step).to_vec()));
        backward.reverse();
        assert_eq!(forward, backward);
        assert!(forward.iter().all(|batch| batch.len() == 8));
        assert_eq!(Batches::new(100, 8, 1).at(29), forward[29]);
        assert_ne!(Batches::new(100, 8, 2).at(29), forward[29]);
        assert_eq!(batches.place(29), [2, 5]);
    }

    #[test]
    fn golden_order() {
        assert_eq!(Batches::new(8, 2, 42).order(0), [4, 2, 5, 1, 7, 0, 6, 3]);
    }

    #[test]
    fn the_ends_of_the_range_are_safe() {
        assert_eq!(Batches::new(1, 1, 0).at(usize::MAX), [0]);
        assert_eq!(Batches::new(3, 3, 0).with_rest().per_epoch(), 1);
        let error = Batches::try_new(3, 0, 0).unwrap_err();
        assert!(error.to_string().contains("at least one sample"));
        assert!(Batches::try_new(0, 1, 0).is_err());
        let mut one = Batches::new(1, usize::MAX, 0).with_rest();
        assert_eq!((one.at(usize::MAX).to_vec(), one.per_epoch()), (vec![0], 1));
    }

    #[test]
    fn fewer_samples_than_a_batch_are_one_where_the_rest_is_asked_for() {
        let mut batches = Batches::new(3, 4, 7).with_rest();
        assert_eq!((batches.try_per_epoch(), batches.place(2)), (Ok(1), [2, 0]));
        for epoch in 0..3 {
            let order = batches.order(epoch);
            assert_eq!(batches.at(epoch), order);
        }
        let none = Batches::new(3, 4, 7);
        let error = none.try_per_epoch().unwrap_err();
        assert!(
            error.to_string().starts_with("Batches: 3 samples make no batch of 4; "),
            "{error}"
        );
        assert!(error.to_string().ends_with("by `with_rest`"));
    }

    #[test]
    #[should_panic(expected = "Batches: 3 samples make no batch of 4; ")]
    fn a_step_of_no_batch_is_refused() {
        let _ = Batches::new(3, 4, 7).at(0);
    }
}
