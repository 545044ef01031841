//! Generations: the next state of the parameters over the same recorded structure.

use super::field::Field;
use crate::graph::chain::Chain;
use crate::graph::error::{NetworkError, describe, resolved};
use crate::graph::network::State;
use crate::graph::{Network, Symbol};
use crate::kernel::Elementary;
use crate::payload::Tensorial;

impl<P: Tensorial> Network<P> {
    /// The next generation: every parameter replaced by `rule(parameter, gradient)`, with a zero
    /// gradient outside the field's support. The recorded structure is shared, and this
    /// generation stays usable.
    ///
    /// COST: O(parameters).
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let w = network.parameter(1.0_f64);
    /// let loss = w * w;
    /// let gradients = network.forward().backward(loss);
    /// let next = network.update(&gradients, |w, g| w - 0.1 * g);
    /// assert_eq!(next.resolve(w).payload(), Some(0.8));
    /// assert_eq!(w.payload(), Some(1.0));
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Network::try_update`] errs.
    #[must_use]
    #[track_caller]
    pub fn update(&self, gradients: &Field<P>, rule: impl FnMut(&P, &P) -> P) -> Self {
        resolved(self.try_update(gradients, rule))
    }

    /// The next generation.
    ///
    /// # Errors
    ///
    /// Where the field is of another network, or older than a parameter, or the rule changes a
    /// shape. This generation stays as it is.
    pub fn try_update(
        &self,
        gradients: &Field<P>,
        mut rule: impl FnMut(&P, &P) -> P,
    ) -> Result<Self, NetworkError> {
        self.try_update_each(gradients, |_, parameter, gradient| rule(parameter, gradient))
    }

    /// [`Network::update`] with a rule that also sees which parameter it is given.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let (w, b) = (network.parameter(3.0_f64), network.parameter(1.0));
    /// let loss = w * b;
    /// let gradients = network.forward().backward(loss);
    /// let rate = |symbol| if symbol == b.symbol() { 0.0 } else { 0.5 }; // b is frozen
    /// let next = network.update_each(&gradients, |symbol, p, g| p - rate(symbol) * g);
    /// assert_eq!([w, b].map(|p| next.resolve(p).payload()), [Some(2.5), Some(1.0)]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Network::try_update_each`] errs.
    #[must_use]
    #[track_caller]
    pub fn update_each(&self, gradients: &Field<P>, rule: impl FnMut(Symbol, &P, &P) -> P) -> Self {
        resolved(self.try_update_each(gradients, rule))
    }

    /// [`Network::update`] with a rule that also sees which parameter it is given.
    ///
    /// # Errors
    ///
    /// As [`Network::try_update`].
    pub fn try_update_each(
        &self,
        gradients: &Field<P>,
        mut rule: impl FnMut(Symbol, &P, &P) -> P,
    ) -> Result<Self, NetworkError> {
        // The fork first: what this generation records meanwhile is not the next one's.
        let next = self.clone();
        let mut states: Vec<State<P>> =
            self.parameters.iter(next.parameters.len()).cloned().collect();
        next.replace("update", gradients, &mut states, |symbol, slot, gradient| {
            *slot = rule(symbol, slot, gradient);
        })?;
        Ok(Self::from_chains(next.lineage, next.nodes, Chain::from_items(states)))
    }

    /// The consuming twin of [`Network::update`]: the rule owns the parameter and can reuse its
    /// buffer (`w - 0.1 * g` on a tensor does, where nothing else holds it).
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let mut network = Network::new();
    /// let w = network.parameter(4.0_f64).symbol();
    /// let loss = (network.resolve(w) * network.resolve(w)).symbol();
    /// for _ in 0..3 {
    ///     let gradients = network.forward().backward(loss);
    ///     network = network.step(&gradients, |w, g| w - 0.25 * g);
    /// }
    /// assert_eq!(network.resolve(w).payload(), Some(0.5));
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Network::try_step`] errs.
    #[must_use]
    #[track_caller]
    pub fn step(self, gradients: &Field<P>, rule: impl FnMut(P, &P) -> P) -> Self {
        resolved(self.try_step(gradients, rule))
    }

    /// The consuming twin of [`Network::update`].
    ///
    /// # Errors
    ///
    /// Where the field is of another network, or older than a parameter, or the rule changes a
    /// shape. This generation is consumed all the same: keep it by a clone, or call
    /// [`Network::try_update`].
    pub fn try_step(
        self,
        gradients: &Field<P>,
        mut rule: impl FnMut(P, &P) -> P,
    ) -> Result<Self, NetworkError> {
        let mut states: Vec<State<P>> =
            self.parameters.iter(self.parameters.len()).cloned().collect();
        let (lineage, nodes) = (self.lineage, self.nodes.clone());
        // Lets this generation's hold on the payloads go, so that they are unique where nobody
        // else has them; the structure goes on in place.
        let shell = Self::from_chains(lineage, nodes.clone(), Chain::new());
        drop(self);
        shell.replace("step", gradients, &mut states, |_, slot, gradient| {
            let zero = P::full(&crate::payload::Shape::scalar(), P::Element::zero());
            let owned = std::mem::replace(slot, zero);
            *slot = rule(owned, gradient);
        })?;
        Ok(Self::from_chains(lineage, nodes, Chain::from_items(states)))
    }

    /// Runs `change` on every parameter's payload with its gradient, and checks the shapes.
    fn replace(
        &self,
        operation: &'static str,
        gradients: &Field<P>,
        states: &mut [State<P>],
        mut change: impl FnMut(Symbol, &mut P, &P),
    ) -> Result<(), NetworkError> {
        let tape = self.tape();
        let known = tape.common_prefix(&gradients.tape);
        // The field is checked before the first rule runs: a refused update calls none.
        if let Some(state) = states.iter().find(|state| state.index as usize >= known) {
            if known == 0 {
                return Err(NetworkError::FieldForeign { operation });
            }
            let index = state.index as usize;
            let parameter = describe(index, tape.node(index));
            return Err(NetworkError::FieldTooOld { operation, parameter });
        }
        for State { index, payload } in states {
            let index = *index as usize;
            let node = tape.node(index);
            let symbol = tape.symbol(index);
            match gradients.entry(index) {
                Some(gradient) => change(symbol, payload, gradient),
                None => change(symbol, payload, &P::full(&node.shape, P::Element::zero())),
            }
            let found = payload.shape();
            if found != *node.shape {
                let (parameter, expected) = (describe(index, node), (*node.shape).clone());
                return Err(NetworkError::UpdateShape { operation, parameter, expected, found });
            }
        }
        Ok(())
    }
}
