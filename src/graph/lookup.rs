//! Values found by what a reader sees of them: their label and their operation.

use super::network::Network;
use super::value::Value;
use crate::payload::Tensorial;

impl<P: Tensorial> Network<P> {
    /// The first value in tape order with this label: its name behind its scopes, as
    /// [`Value::label`] gives it. How the values of a parsed network are found.
    ///
    /// COST: O(nodes); keep the symbol of what is needed often.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let x = network.input(2.0_f64).named("x");
    /// assert_eq!(network.find("x").map(|value| value.symbol()), Some(x.symbol()));
    /// assert!(network.find("y").is_none());
    /// ```
    #[must_use]
    pub fn find(&self, label: &str) -> Option<Value<'_, P>> {
        self.values().find(|value| {
            let node = self.node(value.index);
            let Some(name) = node.name.get() else { return false };
            let scope = node.scope.as_deref().map(String::as_str);
            let rest = match scope {
                Some(scope) => label.strip_prefix(scope).and_then(|rest| rest.strip_prefix('.')),
                None => Some(label),
            };
            rest == Some(&**name)
        })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// The name of the operation that computes this value: `leaf`, `parameter` and `input` for
    /// values that hold a payload instead.
    ///
    /// # Example
    ///
    /// ```
    /// let network = poorgrad::Network::new();
    /// let x = network.input(1.0_f64);
    /// assert_eq!(x.operation(), "input");
    /// assert_eq!(x.exp().operation(), "exp");
    /// ```
    #[must_use]
    pub fn operation(self) -> &'static str {
        self.network.node(self.index).function.name()
    }
}
