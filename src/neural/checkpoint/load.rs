//! From networks and optimisers to entries, and back.

use super::contents::{Checkpoint, Entry};
use super::{Array, CheckpointError, Loader, Mismatch, Real};
use crate::{Network, Optimizer, OptimizerState, Shape, StateError, Stored, Tensorial};
use std::borrow::Cow;

/// What the names of an optimiser's state begin with.
const STATE: &str = "optimizer.";
/// The note that names the optimiser.
const OPTIMIZER: &str = "optimizer";

/// The elements of a payload as an array.
///
/// # Errors
///
/// Where it has more axes than files keep.
fn array_of<P: Tensorial<Element: Real>>(payload: &P) -> Result<Array<'static>, CheckpointError> {
    use crate::Elementary as _;
    let (shape, dtype) = (payload.shape(), P::Element::DTYPE);
    let volume = shape.volume().expect("invariant: a payload's volume was checked");
    let mut bytes = Vec::with_capacity(volume * dtype.size());
    payload.for_each(&mut |element| element.write_bytes(&mut bytes));
    Array::new(dtype, shape, bytes)
}

/// The payload of this shape that an array holds.
pub(super) fn payload_of<P: Tensorial<Element: Real>>(
    shape: &Shape,
    array: &Array<'_>,
) -> Option<P> {
    P::from_stored(shape, Stored::Dense(P::Element::read(array)?))
}

impl<'b> Checkpoint<'b> {
    /// Adds a payload that belongs to no network, such as running statistics.
    ///
    /// # Errors
    ///
    /// As [`Checkpoint::insert`], and where it has more than 64 axes.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Tensor, checkpoint::Checkpoint};
    ///
    /// let mut checkpoint = Checkpoint::new();
    /// checkpoint.put("mean", &Tensor::from([0.5_f32, -1.0])).unwrap();
    /// let mean: Tensor<f32> = checkpoint.payload("mean").unwrap();
    /// assert_eq!(mean, Tensor::from([0.5, -1.0]));
    /// ```
    pub fn put<P: Tensorial<Element: Real>>(
        &mut self,
        name: impl Into<String>,
        payload: &P,
    ) -> Result<(), CheckpointError> {
        self.insert(name, array_of(payload)?)
    }

    /// The payload of this name, in the shape that it has.
    ///
    /// # Errors
    ///
    /// Where there is none, or it holds no floating-point numbers, or the payload type cannot have its
    /// shape.
    pub fn payload<P: Tensorial<Element: Real>>(&self, name: &str) -> Result<P, CheckpointError> {
        let (path, owned) = (name.to_owned(), name.to_owned());
        let problem = match self.array(name) {
            None => Mismatch::Missing { path, name: owned },
            Some(array) => match payload_of(&array.shape(), &array) {
                Some(payload) => return Ok(payload),
                None if P::holds(&array.shape()) => {
                    Mismatch::Dtype { path, name: owned, found: array.dtype() }
                }
                None => {
                    let (expected, found) = (Shape::scalar(), array.shape());
                    Mismatch::Shape { path, name: owned, expected, found }
                }
            },
        };
        Err(CheckpointError::Mismatch { problems: vec![problem] })
    }

    /// The parameters of a network, each by its path, without notes.
    ///
    /// # Errors
    ///
    /// Where two parameters have one path, a path is no name for an entry, or a parameter has more than
    /// 64 axes.
    pub fn of<P: Tensorial<Element: Real>>(network: &Network<P>) -> Result<Self, CheckpointError> {
        let mut checkpoint = Self::new();
        checkpoint.put_network(network)?;
        Ok(checkpoint)
    }

    /// Adds the parameters of a network, each by its path.
    ///
    /// # Errors
    ///
    /// Where two parameters have one path, a path is no name for an entry or begins with `optimizer.`, or
    /// a parameter has more than 64 axes; nothing is added then.
    pub fn put_network<P: Tensorial<Element: Real>>(
        &mut self,
        network: &Network<P>,
    ) -> Result<(), CheckpointError> {
        let mut arrays = Vec::new();
        for (path, parameter) in network.parameters() {
            if path.starts_with(STATE) {
                let problem = "begins as the state of an optimiser does";
                return Err(CheckpointError::Name { name: path, problem });
            }
            let payload = parameter.payload().expect("invariant: a parameter has a payload");
            arrays.push(Entry { name: Cow::Owned(path), array: array_of(&payload)? });
        }
        self.extend(arrays)
    }

    /// Adds what an optimiser carries from step to step: payloads as entries and numbers as notes,
    /// their names behind `optimizer.`.
    ///
    /// # Errors
    ///
    /// Where the optimiser has no form in which it can be written down, or one is there already.
    pub fn put_optimizer<P: Tensorial<Element: Real>>(
        &mut self,
        network: &Network<P>,
        optimizer: &dyn Optimizer<P>,
    ) -> Result<(), CheckpointError> {
        let state = optimizer.state(network)?;
        let entry = |(name, payload): (&str, &P)| {
            Ok(Entry { name: Cow::Owned(format!("{STATE}{name}")), array: array_of(payload)? })
        };
        let arrays: Result<_, CheckpointError> = state.payloads().map(entry).collect();
        self.extend(arrays?)?;
        self.set_note(OPTIMIZER, state.optimizer());
        // Rust prints a number such that it reads back as the same.
        state.numbers().for_each(|(name, number)| self.set_note(format!("{STATE}{name}"), number));
        Ok(())
    }

    /// The next generation of `network` with the parameters of this checkpoint. Names are the
    /// parameters' paths; see [`Checkpoint::loader`] for others.
    ///
    /// # Errors
    ///
    /// Where entries are missing, left over, or of another shape or kind: all of them are named.
    pub fn network<P: Tensorial<Element: Real>>(
        &self,
        network: &Network<P>,
    ) -> Result<Network<P>, CheckpointError> {
        self.loader().network(network)
    }

    /// Gives `optimizer` the state that [`Checkpoint::put_optimizer`] wrote. The network is the one
    /// that is trained, in whatever generation.
    ///
    /// # Errors
    ///
    /// Where the state is missing, another optimiser's, or does not fit. The optimiser is as it was.
    pub fn optimizer<P: Tensorial<Element: Real>>(
        &self,
        network: &Network<P>,
        optimizer: &mut dyn Optimizer<P>,
    ) -> Result<(), CheckpointError> {
        let mut state = OptimizerState::new(self.note::<String>(OPTIMIZER)?);
        for (name, _) in self.notes() {
            if let Some(short) = name.strip_prefix(STATE) {
                state = state.with_number(short, self.note::<f64>(&name)?);
            }
        }
        let mut problems = Vec::new();
        for (name, array) in self.state() {
            match payload_of(&array.shape(), &array) {
                Some(payload) => state = state.with_payload(&name[STATE.len()..], payload),
                None => {
                    let (path, name, found) = (name.to_string(), name.into_owned(), array.dtype());
                    problems.push(Mismatch::Dtype { path, name, found });
                }
            }
        }
        if !problems.is_empty() {
            return Err(CheckpointError::Mismatch { problems });
        }
        Ok(optimizer.restore(network, &state)?)
    }

    /// Both at once, as a run goes on: [`Checkpoint::network`] and [`Checkpoint::optimizer`].
    ///
    /// # Errors
    ///
    /// As theirs, or [`CheckpointError::Both`]: what does not fit the network and what does not fit the
    /// optimiser are named together. Neither has changed then.
    pub fn resume<P: Tensorial<Element: Real>>(
        &self,
        network: &Network<P>,
        optimizer: &mut dyn Optimizer<P>,
    ) -> Result<Network<P>, CheckpointError> {
        match self.network(network) {
            Ok(next) => self.optimizer(&next, optimizer).map(|()| next),
            Err(error) => match self.refusal(network, optimizer) {
                Err(other) => {
                    let (network, optimizer) = (Box::new(error), Box::new(other));
                    Err(CheckpointError::Both { network, optimizer })
                }
                Ok(()) => Err(error),
            },
        }
    }

    /// Whether an optimiser would take its state, which it has as before when this returns.
    fn refusal<P: Tensorial<Element: Real>>(
        &self,
        network: &Network<P>,
        optimizer: &mut dyn Optimizer<P>,
    ) -> Result<(), CheckpointError> {
        let before = optimizer.state(network)?;
        self.optimizer(network, optimizer)?;
        Ok(optimizer.restore(network, &before)?)
    }

    /// Loading with other names than the parameters' paths, or from a file that has more than them.
    #[must_use]
    pub fn loader(&self) -> Loader<'_, 'b> {
        Loader::new(self)
    }

    /// The entries of an optimiser's state, where there is one.
    pub(super) fn state(&self) -> impl Iterator<Item = (Cow<'_, str>, Array<'_>)> {
        let any = self.note::<String>(OPTIMIZER).is_ok();
        self.arrays().filter(move |(name, _)| any && name.starts_with(STATE))
    }
}

impl From<StateError> for CheckpointError {
    fn from(error: StateError) -> Self {
        Self::State(error)
    }
}
