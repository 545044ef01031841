//! `Layer`: an affine map and an activation.

use super::Activation;
use crate::{Network, Shape, ShapeError, Symbol, Tensorial, Value};

/// A parameter from an initialiser, whose payload must have the shape that was asked for.
#[track_caller]
pub(super) fn parameter<'n, P: Tensorial>(
    network: &'n Network<P>,
    shape: &Shape,
    init: &mut impl FnMut(&Shape) -> P,
) -> Value<'n, P> {
    let payload = init(shape);
    let found = payload.shape();
    assert!(found == *shape, "init: a parameter of shape {shape} was given the shape {found}");
    network.parameter(payload)
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
    /// Where `init` returns another shape.
    #[track_caller]
    pub fn new<P: Tensorial>(
        network: &Network<P>,
        inputs: usize,
        outputs: usize,
        activation: Activation,
        mut init: impl FnMut(&Shape) -> P,
    ) -> Self {
        let weight = parameter(network, &Shape::from([inputs, outputs]), &mut init);
        let bias = parameter(network, &Shape::from([outputs]), &mut init);
        Self {
            weight: weight.named("weight").symbol(),
            bias: bias.named("bias").symbol(),
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

    /// The twin of [`Layer::express`] that returns the refusal of a shape.
    ///
    /// # Errors
    ///
    /// Where `input` is not `[batch, inputs]`; nothing is recorded then.
    ///
    /// # Panics
    ///
    /// Where the parameters are not of this network.
    #[track_caller]
    pub fn try_express<'n, P: Tensorial>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        let (weight, bias) = (network.resolve(self.weight), network.resolve(self.bias));
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
