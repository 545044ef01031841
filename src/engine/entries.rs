//! Fields from payloads: what was computed elsewhere, or read from a file.

use super::Field;
use crate::graph::error::{NetworkError, describe, resolved};
use crate::graph::{Network, Symbol};
use crate::payload::Tensorial;
use std::collections::BTreeMap;

impl<P: Tensorial> Field<P> {
    /// The field that has these payloads; of equal values the last counts.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Field, Network};
    ///
    /// let network = Network::new();
    /// let (a, b) = (network.parameter(2.0_f64), network.parameter(3.0));
    /// let step = Field::new(&network, [(a, 0.5)]);
    /// assert_eq!((step.of(a), step.of(b)), (0.5, 0.0));
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Field::try_new`] errs.
    #[must_use]
    #[track_caller]
    pub fn new<S: Into<Symbol>>(
        network: &Network<P>,
        entries: impl IntoIterator<Item = (S, P)>,
    ) -> Self {
        resolved(Self::try_new(network, entries))
    }

    /// The twin of [`Field::new`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where a value is not of this network, or its payload has another shape.
    pub fn try_new<S: Into<Symbol>>(
        network: &Network<P>,
        entries: impl IntoIterator<Item = (S, P)>,
    ) -> Result<Self, NetworkError> {
        let (tape, operation) = (network.tape(), "field");
        let mut sorted = BTreeMap::new();
        for (value, payload) in entries {
            let index = tape.position(value.into(), operation)?;
            let (node, found) = (tape.node(index), payload.shape());
            if found != *node.shape {
                let (value, expected) = (describe(index, node), (*node.shape).clone());
                return Err(NetworkError::DirectionShape { operation, value, expected, found });
            }
            sorted.insert(index as u32, payload);
        }
        Ok(Self::of_values(tape, sorted.into_iter().collect()))
    }
}
