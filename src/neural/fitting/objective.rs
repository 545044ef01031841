//! `Objective`: a network seen as a function of one vector.

use super::FitError;
use crate::{Field, Network, Shape, Stored, Symbol, Tensorial};

/// A parameter and its place in the vector.
#[derive(Clone, Debug)]
struct Slot {
    symbol: Symbol,
    shape: Shape,
    path: String,
    start: usize,
    count: usize,
}

/// The parameters that something depends on, row-major and one behind another in the order of their
/// recording, on a fork that derivatives can be recorded on.
pub(super) struct Objective<P: Tensorial<Element = f64>> {
    pub(super) fork: Network<P>,
    pub(super) feeds: Vec<(Symbol, P)>,
    slots: Vec<Slot>,
    /// The gradient of the sum of the target's elements where the fit starts: what makes generations.
    field: Field<P>,
}

impl<P: Tensorial<Element = f64>> Objective<P> {
    /// The function that `target`, of any shape, is of the parameters of `network`.
    #[track_caller]
    pub(super) fn new(
        method: &'static str,
        network: &Network<P>,
        target: Symbol,
        feeds: Vec<(Symbol, P)>,
    ) -> Result<Self, FitError> {
        let fork = network.clone();
        let total = fork.try_resolve(target)?.sum();
        let evaluation = fork.try_forward_for([total], feeds.iter().cloned())?;
        let field = evaluation.try_backward(total.symbol())?;
        let mut slots = Vec::new();
        let mut start = 0;
        for (path, parameter) in fork.parameters() {
            let (symbol, shape) = (parameter.symbol(), parameter.shape().clone());
            let count = shape.iter().fold(1, |count, extent| count * extent);
            if field.contains(symbol) && count > 0 {
                slots.push(Slot { symbol, shape, path, start, count });
                start += count;
            }
        }
        if slots.is_empty() {
            return Err(FitError::NoParameters { method });
        }
        Ok(Self { fork, feeds, slots, field })
    }

    /// The number of elements of the vector.
    pub(super) fn len(&self) -> usize {
        self.slots.last().map_or(0, |slot| slot.start + slot.count)
    }

    /// The parameters.
    pub(super) fn symbols(&self) -> impl Iterator<Item = Symbol> {
        self.slots.iter().map(|slot| slot.symbol)
    }

    /// The parameters of a generation as a vector.
    pub(super) fn vector(&self, network: &Network<P>) -> Result<Vec<f64>, FitError> {
        let mut vector = Vec::with_capacity(self.len());
        for slot in &self.slots {
            if let Some(payload) = network.try_resolve(slot.symbol)?.payload() {
                push(&mut vector, &payload);
            }
        }
        Ok(vector)
    }

    /// The gradient of a run as a vector.
    pub(super) fn gradient(&self, gradient: &Field<P>) -> Result<Vec<f64>, FitError> {
        let mut vector = Vec::with_capacity(self.len());
        for slot in &self.slots {
            push(&mut vector, &gradient.try_of(slot.symbol)?);
        }
        Ok(vector)
    }

    /// The generation of a network, or of the fork, that has these parameters.
    pub(super) fn at(&self, network: &Network<P>, vector: &[f64]) -> Result<Network<P>, FitError> {
        // Both are in the order of the recording.
        let mut slots = self.slots.iter().peekable();
        let generation = network.try_update_each(&self.field, |symbol, parameter, _| {
            let Some(slot) = slots.next_if(|slot| slot.symbol == symbol) else {
                return parameter.clone();
            };
            let elements = vector[slot.start..slot.start + slot.count].to_vec();
            let payload = P::from_stored(&slot.shape, Stored::Dense(elements));
            payload.expect("invariant: as many elements as the shape says")
        })?;
        Ok(generation)
    }

    /// The name of each element of the vector: the parameter's path, with the position where it has
    /// several elements.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names = Vec::with_capacity(self.len());
        for slot in &self.slots {
            if slot.shape.rank() == 0 {
                names.push(slot.path.clone());
                continue;
            }
            for element in 0..slot.count {
                let mut index = vec![0; slot.shape.rank()];
                let mut rest = element;
                for (at, extent) in index.iter_mut().zip(slot.shape.iter()).rev() {
                    (*at, rest) = (rest % extent, rest / extent);
                }
                names.push(format!("{}{index:?}", slot.path));
            }
        }
        names
    }

    /// The error of a start that is not finite, with the value that the interpreter meets first.
    pub(super) fn not_finite(
        &self,
        what: &'static str,
        values: &[f64],
        target: Symbol,
    ) -> FitError {
        let position = values.iter().position(|value| !value.is_finite()).unwrap_or(0);
        let evaluation = self.fork.try_forward_for([target], self.feeds.iter().cloned());
        let first = evaluation.ok().and_then(|evaluation| evaluation.first_nonfinite());
        // Where the values are finite, a slope is not: the field is the gradient at the start.
        let first = first.or_else(|| self.field.first_nonfinite());
        FitError::NotFinite { what, position, origin: first.map(|first| first.to_string()) }
    }
}

/// The elements of a payload, row-major.
pub(super) fn push<P: Tensorial<Element = f64>>(vector: &mut Vec<f64>, payload: &P) {
    payload.for_each(&mut |element| vector.push(*element));
}
