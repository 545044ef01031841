//! Derivatives along a direction, from reverse mode alone.

use super::differentiate::direction;
use super::forward::positions;
use crate::graph::error::{NetworkError, resolved};
use crate::graph::{Network, Symbol, Value};
use crate::payload::Tensorial;

impl<P: Tensorial> Network<P> {
    /// Records the Jacobian-vector product: the derivative of `target`, of any shape, when each
    /// value moves along its tangent. Two reverse passes: the pull-back is linear in its
    /// cotangent, and its transpose is the push-forward.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let (x, y) = (network.input(3.0_f64), network.input(5.0));
    /// let (dx, dy) = (network.leaf(1.0), network.leaf(10.0));
    /// let along = network.jvp(x * y, [(x, dx), (y, dy)]);
    /// assert_eq!(network.forward().of(along), 35.0);
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Network::try_jvp`] errs.
    #[must_use]
    #[track_caller]
    pub fn jvp<S: Into<Symbol>, T: Into<Symbol>>(
        &self,
        target: impl Into<Symbol>,
        tangents: impl IntoIterator<Item = (S, T)>,
    ) -> Value<'_, P> {
        resolved(self.try_jvp(target, tangents))
    }

    /// Records the Jacobian-vector product.
    ///
    /// # Errors
    ///
    /// Where a symbol is not of this network, or a tangent has another shape than its value;
    /// nothing is recorded then.
    #[track_caller]
    pub fn try_jvp<S: Into<Symbol>, T: Into<Symbol>>(
        &self,
        target: impl Into<Symbol>,
        tangents: impl IntoIterator<Item = (S, T)>,
    ) -> Result<Value<'_, P>, NetworkError> {
        let index = self.tape().position(target.into(), "jvp")? as u32;
        let target = Value { network: self, index };
        let (wrt, tangents) = self.directions("jvp", tangents)?;
        // The pull-back is linear in the cotangent, so that its derivative is the same at any
        // cotangent (at zero too: that of an absorbing product is its second operand, A17).
        let cotangent = target.literal(1.0);
        let pulled = self.try_vjp(target, cotangent, wrt)?;
        Ok(match inner_product(&pulled, &tangents) {
            Some(product) => self.differentiated(product.symbol(), [cotangent], "jvp")?[0],
            None => target.literal(0.0),
        })
    }

    /// Records the Hessian-vector products: the derivatives, with respect to each value, of the
    /// gradient of `target` (of exactly one element) along the tangents.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let x = network.input(2.0_f64);
    /// let v = network.leaf(1.0);
    /// let product = network.hvp(x * x * x, [(x, v)])[0];
    /// assert_eq!(network.forward().of(product), 12.0);
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Network::try_hvp`] errs.
    #[must_use]
    #[track_caller]
    pub fn hvp<S: Into<Symbol>, T: Into<Symbol>>(
        &self,
        target: impl Into<Symbol>,
        tangents: impl IntoIterator<Item = (S, T)>,
    ) -> Vec<Value<'_, P>> {
        resolved(self.try_hvp(target, tangents))
    }

    /// Records the Hessian-vector products.
    ///
    /// # Errors
    ///
    /// Where a symbol is not of this network, the target has not exactly one element, or a
    /// tangent has another shape than its value; nothing is recorded then.
    #[track_caller]
    pub fn try_hvp<S: Into<Symbol>, T: Into<Symbol>>(
        &self,
        target: impl Into<Symbol>,
        tangents: impl IntoIterator<Item = (S, T)>,
    ) -> Result<Vec<Value<'_, P>>, NetworkError> {
        let (wrt, tangents) = self.directions("hvp", tangents)?;
        let gradient = self.differentiated(target.into(), wrt.iter(), "hvp")?;
        match inner_product(&gradient, &tangents) {
            Some(product) => self.differentiated(product.symbol(), wrt.iter(), "hvp"),
            None => Ok(Vec::new()),
        }
    }

    /// Values and their tangents, of equal shapes.
    fn directions<S: Into<Symbol>, T: Into<Symbol>>(
        &self,
        operation: &'static str,
        pairs: impl IntoIterator<Item = (S, T)>,
    ) -> Result<(Vec<Symbol>, Vec<Value<'_, P>>), NetworkError> {
        let tape = self.tape();
        let pairs = pairs.into_iter().map(|(value, tangent)| (value.into(), tangent.into()));
        let (values, tangents): (Vec<Symbol>, Vec<Symbol>) = pairs.unzip();
        let at = positions(&tape, values.iter(), operation)?;
        let along = positions(&tape, tangents, operation)?;
        for (&value, &tangent) in at.iter().zip(&along) {
            direction(operation, &tape, value, tangent)?;
        }
        let tangents = along.into_iter().map(|index| Value { network: self, index: index as u32 });
        Ok((values, tangents.collect()))
    }
}

/// The sum of the products of values with their tangents, `None` where there are none.
#[track_caller]
fn inner_product<'n, P: Tensorial>(
    values: &[Value<'n, P>],
    tangents: &[Value<'n, P>],
) -> Option<Value<'n, P>> {
    let mut total: Option<Value<'n, P>> = None;
    for (value, tangent) in values.iter().zip(tangents) {
        let product = (*value * *tangent).sum();
        total = Some(match total {
            Some(total) => total + product,
            None => product,
        });
    }
    total
}
