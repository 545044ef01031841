//! `LayerNorm` and `RmsNorm`: each row of the last axis at a scale of its own.

use super::Module;
use super::layer::parameter;
use crate::{Elementary, Network, Shape, ShapeError, Symbol, Tensorial, Value};

/// What the roots of all normalisations are kept from zero by, unless told otherwise.
pub(super) const EPSILON: f64 = 1e-5;

/// A parameter `[features]` that begins as one number.
pub(super) fn constant<P: Tensorial>(
    network: &Network<P>,
    features: usize,
    number: f64,
    name: &str,
) -> Symbol {
    let payload = P::full(&Shape::from([features]), P::Element::from_f64(number));
    network.parameter(payload).named(name).symbol()
}

/// `x / sqrt(square + epsilon)`, the denominator along the last axis.
#[track_caller]
fn over_root<'n, P: Tensorial>(
    x: Value<'n, P>,
    square: Value<'n, P>,
    epsilon: f64,
) -> Result<Value<'n, P>, ShapeError> {
    let last = x.shape().rank() - 1;
    let root = (square + square.literal(epsilon)).sqrt();
    x.try_div(root.try_broadcast_along(&[last], x)?)
}

/// Refuses what has no last axis of this many features.
#[track_caller]
fn check<P: Tensorial>(
    input: Value<'_, P>,
    features: &Shape,
    model: &'static str,
) -> Result<(), ShapeError> {
    match &**input.shape() {
        [.., last] if *last == features[0] => Ok(()),
        _ => {
            let problem = format!("the last axis must have {} features", features[0]);
            Err(ShapeError::refusal(model, problem, &[input]))
        }
    }
}

/// Rows of mean 0 and variance 1, times a weight, plus a bias: `(x - mean) / sqrt(variance + eps) w + b`
/// over the last axis (Ba, Kiros and Hinton, "Layer normalization", 2016). The variance is biased and
/// taken in two passes, so that a distant mean takes no digits away.
///
/// # Example
///
/// ```
/// use poorgrad::{LayerNorm, Module, Network, Tensor};
///
/// let network = Network::new();
/// let norm = LayerNorm::new(&network, 4);
/// let x = network.input(Tensor::from([[40_000.0_f32, 40_001.0, 40_002.0, 40_003.0]]));
/// let y = norm.express(&network, x);
/// let expected = [-1.341_635_5, -0.447_211_8, 0.447_211_8, 1.341_635_5];
/// let found = network.forward().of(y);
/// assert!(found.iter().zip(expected).all(|(y, x)| (y - x).abs() < 1e-6));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerNorm {
    weight: Symbol,
    bias: Symbol,
    epsilon: f64,
}

impl LayerNorm {
    /// Records the parameters `weight`, ones, and `bias`, zeros, of so many features; `eps` is 1e-5.
    #[track_caller]
    pub fn new<P: Tensorial>(network: &Network<P>, features: usize) -> Self {
        let weight = constant(network, features, 1.0, "weight");
        Self { weight, bias: constant(network, features, 0.0, "bias"), epsilon: EPSILON }
    }

    /// With another term under the root.
    #[must_use]
    pub fn epsilon(self, epsilon: f64) -> Self {
        Self { epsilon, ..self }
    }

    /// The weight, `[features]`.
    #[must_use]
    pub fn weight(&self) -> Symbol {
        self.weight
    }

    /// The bias, `[features]`.
    #[must_use]
    pub fn bias(&self) -> Symbol {
        self.bias
    }
}

impl<P: Tensorial> Module<P> for LayerNorm {
    #[track_caller]
    fn record<'n>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        let weight = parameter(network, self.weight, "LayerNorm", "weight")?;
        let bias = parameter(network, self.bias, "LayerNorm", "bias")?;
        check(input, weight.shape(), "LayerNorm")?;
        let last = [input.shape().rank() - 1];
        let distance =
            input.try_sub(input.try_mean_along(&last)?.try_broadcast_along(&last, input)?)?;
        let variance = (distance * distance).try_mean_along(&last)?;
        let normal = over_root(distance, variance, self.epsilon)?;
        Ok(normal * weight.broadcast_like(input) + bias.broadcast_like(input))
    }
}

/// Rows of mean square 1, times a weight: `x / sqrt(mean(x x) + eps) w` over the last axis (Zhang and
/// Sennrich, "Root mean square layer normalization", 2019).
///
/// # Example
///
/// ```
/// use poorgrad::{Module, Network, RmsNorm, Tensor};
///
/// let network = Network::new();
/// let norm = RmsNorm::new(&network, 2).epsilon(0.0);
/// let x = network.input(Tensor::from([[1.0_f64, 7.0]]));
/// let y = norm.express(&network, x);
/// assert_eq!(network.forward().of(y).to_vec(), [0.2, 1.4]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RmsNorm {
    weight: Symbol,
    epsilon: f64,
}

impl RmsNorm {
    /// Records the parameter `weight`, ones, of so many features; `eps` is 1e-5.
    #[track_caller]
    pub fn new<P: Tensorial>(network: &Network<P>, features: usize) -> Self {
        Self { weight: constant(network, features, 1.0, "weight"), epsilon: EPSILON }
    }

    /// With another term under the root.
    #[must_use]
    pub fn epsilon(self, epsilon: f64) -> Self {
        Self { epsilon, ..self }
    }

    /// The weight, `[features]`.
    #[must_use]
    pub fn weight(&self) -> Symbol {
        self.weight
    }
}

impl<P: Tensorial> Module<P> for RmsNorm {
    #[track_caller]
    fn record<'n>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        let weight = parameter(network, self.weight, "RmsNorm", "weight")?;
        check(input, weight.shape(), "RmsNorm")?;
        let square = (input * input).try_mean_along(&[input.shape().rank() - 1])?;
        Ok(over_root(input, square, self.epsilon)? * weight.broadcast_like(input))
    }
}
