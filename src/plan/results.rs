//! `Results`: what one run of a plan hands back.

use super::error::{PlanError, planned};
use crate::engine::Field;
use crate::graph::Symbol;
use crate::graph::error::{NetworkError, describe};
use crate::graph::tape::Tape;
use crate::payload::Tensorial;
use std::sync::Arc;

/// Which results a plan hands back, in the order of its program's results.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// How many targets there are; they come first.
    pub(super) targets: usize,
    /// The node of each value that is handed back: targets, then losses and what is kept.
    pub(super) values: Vec<u32>,
    /// The same by ascending node, with the number of the result: of a node that is named twice
    /// either, as both are its value.
    pub(super) by_node: Vec<(u32, usize)>,
    /// The losses, each with the nodes whose gradients follow the values, in order.
    pub(super) losses: Vec<(u32, Vec<u32>)>,
}

/// What one run of a plan hands back: its targets, what was kept, and gradients.
///
/// # Example
///
/// ```
/// use poorgrad::{Network, no_feeds};
///
/// let network = Network::new();
/// let x = network.parameter(3.0_f64);
/// let (square, cube) = (x * x, x * x * x);
/// let plan = network.compile([square, cube], []);
/// let results = plan.forward(&network, []);
/// assert_eq!(results.of(cube), 27.0);
/// assert_eq!(results.targets(), [9.0, 27.0]);
/// # let _ = no_feeds::<f64>();
/// ```
pub struct Results<P: Tensorial> {
    tape: Tape<P>,
    names: Arc<Names>,
    values: Vec<P>,
    gradients: Vec<Field<P>>,
}

impl<P: Tensorial> Results<P> {
    pub(super) fn new(tape: Tape<P>, names: Arc<Names>, mut handed: Vec<P>) -> Self {
        let mut rest = handed.split_off(names.values.len()).into_iter();
        let gradients = names.losses.iter().map(|(loss, of)| {
            let entries = of.iter().copied().zip(rest.by_ref()).collect();
            Field::of_target(tape.clone(), entries, *loss as usize)
        });
        let gradients = gradients.collect();
        Self { tape, names, values: handed, gradients }
    }

    /// The targets' payloads, in the order in which they were declared.
    #[must_use]
    pub fn targets(&self) -> &[P] {
        &self.values[..self.names.targets]
    }

    /// The payload of a target, a loss, or a value that was kept.
    ///
    /// # Panics
    ///
    /// Where [`Results::try_of`] errs.
    #[must_use]
    #[track_caller]
    pub fn of(&self, value: impl Into<Symbol>) -> P {
        planned(self.try_of(value))
    }

    /// The payload of a target, a loss, or a value that was kept.
    ///
    /// # Errors
    ///
    /// Where the value is not of this network, or the plan does not hand it back.
    pub fn try_of(&self, value: impl Into<Symbol>) -> Result<P, PlanError> {
        let index = self.tape.position(value.into(), "results")?;
        let found = self.names.by_node.binary_search_by_key(&(index as u32), |(node, _)| *node);
        match found {
            Ok(at) => Ok(self.values[self.names.by_node[at].1].clone()),
            Err(_) => Err(PlanError::NotHanded { value: describe(index, self.tape.node(index)) }),
        }
    }

    /// The field that has, for each first value, the payload of the second one: recorded gradients or
    /// next parameters in the form that [`Network::step`](crate::Network::step) takes.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let w = network.parameter(3.0_f64);
    /// let gradient = network.differentiate(w * w, [w])[0];
    /// let results = network.compile([gradient], []).forward(&network, []);
    /// assert_eq!(results.field([(w.symbol(), gradient.symbol())]).of(w), 6.0);
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Results::try_field`] errs.
    #[must_use]
    #[track_caller]
    pub fn field(&self, pairs: impl IntoIterator<Item = (Symbol, Symbol)>) -> Field<P> {
        planned(self.try_field(pairs))
    }

    /// The field that has, for each first value, the payload of the second one; of equal first values
    /// the last counts.
    ///
    /// # Errors
    ///
    /// Where a value is not of this network, the plan does not hand the second of a pair back, or the
    /// two differ in shape.
    pub fn try_field(
        &self,
        pairs: impl IntoIterator<Item = (Symbol, Symbol)>,
    ) -> Result<Field<P>, PlanError> {
        let mut entries = std::collections::BTreeMap::new();
        for (of, value) in pairs {
            let index = self.tape.position(of, "field")?;
            let payload = self.try_of(value)?;
            let (node, found) = (self.tape.node(index), payload.shape());
            if found != *node.shape {
                let (value, expected) = (describe(index, node), (*node.shape).clone());
                let operation = "field";
                return Err(
                    NetworkError::DirectionShape { operation, value, expected, found }.into()
                );
            }
            entries.insert(index as u32, payload);
        }
        Ok(Field::of_values(self.tape.clone(), entries.into_iter().collect()))
    }

    /// The gradient of a loss of the plan: with respect to the parameters that it depends on, and to
    /// what `Compile::gradients_of` named. They are computed already: this costs nothing. Everything else reads as
    /// zero, also an input that the loss depends on: `Field::contains` tells them apart.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let w = network.parameter(3.0_f64);
    /// let loss = w * w;
    /// let plan = network.compile_training(loss, []);
    /// let results = plan.forward(&network, []);
    /// assert_eq!(results.of(loss), 9.0);
    /// assert_eq!(results.backward(loss).of(w), 6.0);
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Results::try_backward`] errs.
    #[must_use]
    #[track_caller]
    pub fn backward(&self, loss: impl Into<Symbol>) -> Field<P> {
        planned(self.try_backward(loss))
    }

    /// The gradient of a loss of the plan.
    ///
    /// # Errors
    ///
    /// Where the value is not of this network or no loss of the plan, or the plan has none.
    pub fn try_backward(&self, loss: impl Into<Symbol>) -> Result<Field<P>, PlanError> {
        let index = self.tape.position(loss.into(), "backward")?;
        if self.names.losses.is_empty() {
            return Err(PlanError::ForwardOnly);
        }
        let found = self.names.losses.iter().position(|(loss, _)| *loss as usize == index);
        match found {
            Some(number) => Ok(self.gradients[number].clone()),
            None => Err(PlanError::NotALoss { value: describe(index, self.tape.node(index)) }),
        }
    }
}

impl<P: Tensorial> std::fmt::Debug for Results<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (values, gradients) = (self.values.len(), self.gradients.len());
        f.debug_struct("Results").field("values", &values).field("losses", &gradients).finish()
    }
}
