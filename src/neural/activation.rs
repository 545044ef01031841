//! Activations as values: what a layer applies behind its affine part.

use crate::{Tensorial, Value};

/// A function that a layer applies to each element.
///
/// # Example
///
/// ```
/// use poorgrad::{Activation, Network};
///
/// let network = Network::new();
/// let x = network.leaf(-2.0_f64);
/// let y = Activation::Relu.apply(x);
/// assert_eq!(network.forward().of(y), 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Activation {
    /// The value itself.
    Identity,
    /// [`Value::tanh`].
    Tanh,
    /// [`Value::relu`].
    Relu,
    /// [`Value::sigmoid`].
    Sigmoid,
    /// [`Value::gelu`].
    Gelu,
    /// [`Value::gelu_tanh`], the form of GPT-2.
    GeluTanh,
    /// [`Value::silu`].
    Silu,
    /// [`Value::softplus`].
    Softplus,
}

impl Activation {
    /// Records the activation of a value.
    #[must_use]
    #[track_caller]
    pub fn apply<P: Tensorial>(self, value: Value<'_, P>) -> Value<'_, P> {
        match self {
            Self::Identity => value,
            Self::Tanh => value.tanh(),
            Self::Relu => value.relu(),
            Self::Sigmoid => value.sigmoid(),
            Self::Gelu => value.gelu(),
            Self::GeluTanh => value.gelu_tanh(),
            Self::Silu => value.silu(),
            Self::Softplus => value.softplus(),
        }
    }

    /// The factor for the weights in front of this activation that keeps the scale of what passes
    /// through, for [`init::scaled`](crate::init::scaled) over
    /// [`init::xavier`](crate::init::xavier): [`init::kaiming`](crate::init::kaiming) holds that of
    /// `relu` already.
    ///
    /// 1 for the identity, `sqrt 2` for `relu`; `1 / sqrt(E[f(z)^2])` of a standard normal `z` for
    /// `gelu` and `silu`; by convention 5/3 for `tanh` (a little more than that expectation asks,
    /// against its shrinking through many layers) and 1 for `sigmoid` and `softplus`.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Activation;
    ///
    /// assert_eq!(Activation::Tanh.gain(), 5.0 / 3.0);
    /// assert_eq!(Activation::Relu.gain(), std::f64::consts::SQRT_2);
    /// ```
    #[must_use]
    pub fn gain(self) -> f64 {
        match self {
            Self::Identity | Self::Sigmoid | Self::Softplus => 1.0,
            Self::Tanh => 5.0 / 3.0,
            Self::Relu => std::f64::consts::SQRT_2,
            Self::Gelu => 1.533_530_441_195,
            Self::GeluTanh => 1.533_580_521_666,
            Self::Silu => 1.676_532_470_331,
        }
    }
}
