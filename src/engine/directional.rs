//! Derivatives along a direction, from reverse mode alone.

use crate::graph::{Network, Symbol, Value};
use crate::kernel::Elementary;
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
    /// Where a symbol is not of this network, or a tangent has another shape than its value.
    #[must_use]
    #[track_caller]
    pub fn jvp<S: Into<Symbol>, T: Into<Symbol>>(
        &self,
        target: impl Into<Symbol>,
        tangents: impl IntoIterator<Item = (S, T)>,
    ) -> Value<'_, P> {
        let target = self.resolve(target.into());
        // Where the pull-back is linear in the cotangent its value does not matter: zero would
        // be absorbed, so that it is one.
        let cotangent = self.leaf(P::full(target.shape(), P::Element::one()));
        let (wrt, tangents): (Vec<Symbol>, Vec<Symbol>) =
            tangents.into_iter().map(|(value, tangent)| (value.into(), tangent.into())).unzip();
        let pulled = self.vjp(target, cotangent, wrt);
        match self.inner_product("jvp", &pulled, &tangents) {
            Some(product) => self.differentiate(product, [cotangent])[0],
            None => target.literal(0.0),
        }
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
    /// Where a symbol is not of this network, the target has not exactly one element, or a
    /// tangent has another shape than its value.
    #[must_use]
    #[track_caller]
    pub fn hvp<S: Into<Symbol>, T: Into<Symbol>>(
        &self,
        target: impl Into<Symbol>,
        tangents: impl IntoIterator<Item = (S, T)>,
    ) -> Vec<Value<'_, P>> {
        let (wrt, tangents): (Vec<Symbol>, Vec<Symbol>) =
            tangents.into_iter().map(|(value, tangent)| (value.into(), tangent.into())).unzip();
        let gradient = self.differentiate(target.into(), wrt.iter());
        match self.inner_product("hvp", &gradient, &tangents) {
            Some(product) => self.differentiate(product, wrt.iter()),
            None => Vec::new(),
        }
    }

    /// The sum of the products of values with their tangents, `None` where there are none.
    #[track_caller]
    fn inner_product<'n>(
        &'n self,
        operation: &str,
        values: &[Value<'n, P>],
        tangents: &[Symbol],
    ) -> Option<Value<'n, P>> {
        let mut total: Option<Value<'n, P>> = None;
        for (value, tangent) in values.iter().zip(tangents) {
            let tangent = self.resolve(tangent);
            let (expected, found) = (value.shape(), tangent.shape());
            assert!(expected == found, "{operation}: a value of shape {expected} has a tangent of {found}");
            let product = (*value * tangent).sum();
            total = Some(match total {
                Some(total) => total + product,
                None => product,
            });
        }
        total
    }
}
