//! Activations and small functions recorded from other operations.

use crate::graph::{ShapeError, Value, error::recorded};
use crate::ops::rule;
use crate::payload::Tensorial;

impl<P: Tensorial> Value<'_, P> {
    /// The magnitude, `relu(x) + relu(-x)`: its derivative at 0 is 0.
    ///
    /// # Example
    ///
    /// ```
    /// let network = poorgrad::Network::new();
    /// let y = network.leaf(-2.0_f64).abs();
    /// assert_eq!(network.forward().of(y), 2.0);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn abs(self) -> Self {
        self.relu() + (-self).relu()
    }

    /// 1 where the value is at least `threshold`, else 0. No gradient passes.
    #[must_use]
    #[track_caller]
    pub fn step(self, threshold: f64) -> Self {
        self.ge(self.literal(threshold))
    }

    /// The smaller of two values of one shape, `-maximum(-a, -b)`; the left one gets the gradient
    /// of a tie.
    ///
    /// # Panics
    ///
    /// Where the shapes differ.
    #[must_use]
    #[track_caller]
    pub fn minimum(self, rhs: Self) -> Self {
        recorded(self.try_minimum(rhs))
    }

    /// The twin of [`Value::minimum`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where the shapes differ.
    #[track_caller]
    pub fn try_minimum(self, rhs: Self) -> Result<Self, ShapeError> {
        self.try_together(rhs, "minimum")?;
        if self.shape() != rhs.shape() {
            let nodes = [self, rhs].map(|value| value.network.node(value.index));
            return Err(ShapeError::new("minimum", rule::shapes_differ(), &nodes));
        }
        Ok(-(-self).maximum(-rhs))
    }

    /// The value kept between two bounds; outside them the gradient is exactly 0.
    ///
    /// # Example
    ///
    /// ```
    /// let network = poorgrad::Network::new();
    /// let y = network.leaf(7.0_f64).clamp(-1.0, 1.0);
    /// assert_eq!(network.forward().of(y), 1.0);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn clamp(self, low: f64, high: f64) -> Self {
        recorded(self.try_clamp(low, high))
    }

    /// The twin of [`Value::clamp`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where the tape is full (2^32 nodes).
    #[track_caller]
    pub fn try_clamp(self, low: f64, high: f64) -> Result<Self, ShapeError> {
        // Two bounds, each a leaf and a broadcast, and the operations of the extrema.
        self.network.check_room(|| "clamp", 9)?;
        let raised = self.maximum(self.literal(low));
        Ok(raised.minimum(raised.literal(high)))
    }

    /// `ln(sigmoid(x))` without underflow, `-softplus(-x)`.
    #[must_use]
    #[track_caller]
    pub fn log_sigmoid(self) -> Self {
        -(-self).softplus()
    }

    /// `x sigmoid(x)`, as an absorbing product: `+0` where the sigmoid is 0, at `-inf` too (where the
    /// gradient is NaN all the same).
    ///
    /// # Example
    ///
    /// ```
    /// let network = poorgrad::Network::new();
    /// let y = network.leaf(f64::NEG_INFINITY).silu();
    /// assert_eq!(network.forward().of(y).to_bits(), 0.0_f64.to_bits());
    /// ```
    #[must_use]
    #[track_caller]
    pub fn silu(self) -> Self {
        self.sigmoid().absorb(self)
    }

    /// `x Phi(x)` with the normal distribution function `Phi` (Hendrycks and Gimpel, "Gaussian
    /// Error Linear Units", 2016), by `erf`.
    ///
    /// Far below 0 the factor `1 + erf(..)` cancels: the result is accurate absolutely, not
    /// relatively, and NaN at `-inf`.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let [low, zero, high] = [-1.0_f64, 0.0, 1.0].map(|x| network.leaf(x).gelu());
    /// let run = network.forward();
    /// assert_eq!(run.of(zero), 0.0);
    /// assert!((run.of(high) - 0.841344746).abs() < 1e-9); // Phi(1)
    /// assert!((run.of(low) + 0.158655254).abs() < 1e-9); // -Phi(-1)
    /// ```
    #[must_use]
    #[track_caller]
    pub fn gelu(self) -> Self {
        let cdf = (self * self.literal(std::f64::consts::FRAC_1_SQRT_2)).erf();
        self.literal(0.5) * self * (self.literal(1.0) + cdf)
    }

    /// The `tanh` form of [`Value::gelu`], which GPT-2 uses.
    #[must_use]
    #[track_caller]
    pub fn gelu_tanh(self) -> Self {
        const SQRT_2_OVER_PI: f64 = 0.797_884_560_802_865_4;
        let cubic = self + self.literal(0.044_715) * self * self * self;
        let cdf = (self.literal(SQRT_2_OVER_PI) * cubic).tanh();
        self.literal(0.5) * self * (self.literal(1.0) + cdf)
    }
}
