//! `Layer`: an affine map and an activation.

use super::Activation;
use crate::{Network, Shape, ShapeError, Symbol, Tensorial, Value};
use std::fmt::Display;

/// An initial payload, which must have the shape that was asked for.
///
/// INVARIANT: all payloads of a layer or a model are made before its first parameter is recorded,
/// so that an initialiser that fails leaves none behind.
#[track_caller]
pub(super) fn initial<P: Tensorial>(shape: &Shape, init: &mut impl FnMut(&Shape) -> P) -> P {
    let payload = init(shape);
    let found = payload.shape();
    assert!(found == *shape, "init: a parameter of shape {shape} was given the shape {found}");
    payload
}

/// The initial payloads of a layer, weight and bias.
#[track_caller]
pub(super) fn initial_layer<P: Tensorial>(
    inputs: usize,
    outputs: usize,
    init: &mut impl FnMut(&Shape) -> P,
) -> [P; 2] {
    [initial(&Shape::from([inputs, outputs]), init), initial(&Shape::from([outputs]), init)]
}

/// A parameter of a model, in this network: where it is none of it, the refusal says of which model
/// and which parameter.
pub(super) fn parameter<'n, P: Tensorial>(
    network: &'n Network<P>,
    symbol: Symbol,
    model: &'static str,
    name: impl Display,
) -> Result<Value<'n, P>, ShapeError> {
    network.try_resolve(symbol).map_err(|error| {
        let message = error.to_string();
        let problem = message.split_once(": ").map_or(&*message, |(_, problem)| problem);
        ShapeError::refusal::<P>(model, format!("{name}: {problem}"), &[])
    })
}

/// A dense layer: `activation(x.matmul(w) + b)` with one weight matrix `[inputs, outputs]` and one
/// bias `[outputs]`, broadcast over the batch.
///
/// It holds symbols and no payloads: one layer serves every generation and fork of its network,
/// and any number of inputs.
///
/// # Example
///
/// ```
/// use poorgrad::{Activation, Layer, Network, Tensor, init};
///
/// let network = Network::new();
/// let layer = {
///     let _scope = network.scope("hidden");
///     Layer::new(&network, 3, 2, Activation::Tanh, init::xavier(42))
/// };
/// let x = network.input(Tensor::<f32>::zeros([5, 3]));
/// let y = layer.express(&network, x);
/// assert_eq!(*y.shape(), [5, 2]);
/// let paths: Vec<String> = network.parameters().map(|(path, _)| path).collect();
/// assert_eq!(paths, ["hidden.weight", "hidden.bias"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer {
    weight: Symbol,
    bias: Symbol,
    activation: Activation,
}

impl Layer {
    /// Records the parameters, named `weight` and `bias`; `init` is called with the shape of each,
    /// in this order.
    ///
    /// # Panics
    ///
    /// Where `init` returns another shape; nothing is recorded then.
    #[track_caller]
    pub fn new<P: Tensorial>(
        network: &Network<P>,
        inputs: usize,
        outputs: usize,
        activation: Activation,
        mut init: impl FnMut(&Shape) -> P,
    ) -> Self {
        Self::of(network, initial_layer(inputs, outputs, &mut init), activation)
    }

    #[track_caller]
    pub(super) fn of<P: Tensorial>(
        network: &Network<P>,
        [weight, bias]: [P; 2],
        activation: Activation,
    ) -> Self {
        Self {
            weight: network.parameter(weight).named("weight").symbol(),
            bias: network.parameter(bias).named("bias").symbol(),
            activation,
        }
    }

    /// Records the layer of a batch `[batch, inputs]`, whose result is `[batch, outputs]`.
    ///
    /// # Panics
    ///
    /// Where `input` does not have this shape, or the parameters are not of this network.
    #[must_use]
    #[track_caller]
    pub fn express<'n, P: Tensorial>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Value<'n, P> {
        match self.try_express(network, input) {
            Ok(output) => output,
            Err(error) => error.raise(),
        }
    }

    /// The twin of [`Layer::express`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `input` is not `[batch, inputs]`, or the parameters are not of this network; nothing
    /// is recorded then.
    #[track_caller]
    pub fn try_express<'n, P: Tensorial>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        let weight = parameter(network, self.weight, "Layer", "weight")?;
        let bias = parameter(network, self.bias, "Layer", "bias")?;
        let product = input.try_matmul(weight)?;
        Ok(self.activation.apply(product + bias.broadcast_like(product)))
    }

    /// The weight matrix, `[inputs, outputs]`.
    #[must_use]
    pub fn weight(&self) -> Symbol {
        self.weight
    }

    /// The bias, `[outputs]`.
    #[must_use]
    pub fn bias(&self) -> Symbol {
        self.bias
    }

    /// The activation.
    #[must_use]
    pub fn activation(&self) -> Activation {
        self.activation
    }
}
