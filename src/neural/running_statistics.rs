//! `RunningStatistics`: what a training remembers of its batches' means and variances.

use super::algebra::{Algebra, Now, scalar};
use crate::{Elementary, Shape, Tensorial};
use std::error::Error;
use std::fmt;

/// Estimates of the mean and the variance of each feature, moved a little towards those of every batch:
/// what a [`BatchNorm`](crate::BatchNorm) is given once a model is in use.
///
/// `r <- (1 - momentum) r + momentum s`, with a momentum of 0.1 unless told otherwise; the mean begins
/// at 0 and the variance at 1. The variance is tracked unbiased, as PyTorch does, unless
/// [`RunningStatistics::biased`] says otherwise.
///
/// # Example
///
/// ```
/// use poorgrad::{RunningStatistics, Tensor};
///
/// let (mean, variance) = (Tensor::from([2.5_f64]), Tensor::from([1.25]));
/// let mut running = RunningStatistics::new(1);
/// running.update(&mean, &variance, 4).unwrap();
/// assert!((running.variance().to_vec()[0] - 1.066_666_666_666_666_7).abs() < 1e-15);
/// let mut running = RunningStatistics::new(1).biased();
/// running.update(&mean, &variance, 4).unwrap();
/// assert_eq!(running.variance().to_vec(), [1.025]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RunningStatistics<P> {
    momentum: f64,
    biased: bool,
    mean: P,
    variance: P,
}

impl<P: Tensorial> RunningStatistics<P> {
    /// Of so many features: means of 0, variances of 1.
    #[must_use]
    pub fn new(features: usize) -> Self {
        let full = |element| P::full(&Shape::from([features]), element);
        Self::from_parts(full(P::Element::zero()), full(P::Element::one()))
    }

    /// From statistics that were kept, such as those of a file.
    #[must_use]
    pub fn from_parts(mean: P, variance: P) -> Self {
        Self { momentum: 0.1, biased: false, mean, variance }
    }

    /// With another weight of the newest batch.
    #[must_use]
    pub fn momentum(self, momentum: f64) -> Self {
        Self { momentum, ..self }
    }

    /// Tracking the biased variance.
    #[must_use]
    pub fn biased(self) -> Self {
        Self { biased: true, ..self }
    }

    /// The estimates of the means.
    #[must_use]
    pub fn mean(&self) -> P {
        self.mean.clone()
    }

    /// The estimates of the variances.
    #[must_use]
    pub fn variance(&self) -> P {
        self.variance.clone()
    }

    /// Moves on by the mean and the biased variance of a batch, as
    /// [`BatchNorm::express`](crate::BatchNorm::express) returns them, of `count` numbers a feature: the
    /// batch, times rows and columns of an image.
    ///
    /// # Errors
    ///
    /// Where a shape is not that of the estimates, or a single number has no unbiased variance; nothing
    /// changes then.
    pub fn update(&mut self, mean: &P, variance: &P, count: usize) -> Result<(), StatisticsError> {
        let expected = self.mean.shape();
        for found in [mean.shape(), variance.shape()] {
            if found != expected {
                return Err(StatisticsError::Shape { expected, found });
            }
        }
        let now = Now::<P>::new();
        let mut variance = variance.clone();
        if !self.biased {
            if count < 2 {
                return Err(StatisticsError::TooFew { count });
            }
            // One rounding of the count's quotient, one of the product.
            let factor = now.div(&scalar(count as f64), &scalar((count - 1) as f64));
            variance = now.mul(&now.spread(&factor, &variance), &variance);
        }
        let moved = |old: &P, new: &P| {
            now.add(&now.scaled(1.0 - self.momentum, old), &now.scaled(self.momentum, new))
        };
        (self.mean, self.variance) = (moved(&self.mean, mean), moved(&self.variance, &variance));
        Ok(())
    }
}

/// Statistics of a batch that estimates cannot be moved by.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatisticsError {
    /// Another number of features.
    Shape {
        /// The shape of the estimates.
        expected: Shape,
        /// The shape of a statistic.
        found: Shape,
    },
    /// Too few numbers for an unbiased variance.
    TooFew {
        /// How many there are.
        count: usize,
    },
}

impl fmt::Display for StatisticsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape { expected, found } => {
                write!(f, "RunningStatistics: the statistics are {found}, the estimates {expected}")
            }
            Self::TooFew { count } => write!(
                f,
                "RunningStatistics: of {count} a feature there is no unbiased variance; use larger \
                 batches, or track the biased one"
            ),
        }
    }
}
impl Error for StatisticsError {}
