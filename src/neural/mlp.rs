//! `Mlp`: dense layers in a row.

use super::layer::{initial_layer, parameter};
use super::{Activation, Layer};
use crate::{Network, Shape, ShapeError, Tensorial, Value};

/// A multi-layer perceptron: `tanh` layers, and an affine one at the end.
///
/// # Example
///
/// ```
/// use poorgrad::{Mlp, Network, Tensor, init};
///
/// let network = Network::new();
/// let model = Mlp::new(&network, &[3, 4, 4, 1], init::xavier(42));
/// let x = network.input(Tensor::from([[2.0_f64, 3.0, -1.0], [0.5, 1.0, 1.0]]));
/// let y = model.express(&network, x);
/// assert_eq!(*y.shape(), [2, 1]);
/// let paths: Vec<String> = network.parameters().map(|(path, _)| path).collect();
/// assert_eq!(paths[..3], ["layer0.weight", "layer0.bias", "layer1.weight"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mlp {
    layers: Vec<Layer>,
}

impl Mlp {
    /// Records the parameters of a layer for each pair of neighbouring `sizes`, each in a scope
    /// `layer0`, `layer1`, ..; `init` is called with each parameter's shape in turn.
    ///
    /// # Panics
    ///
    /// Where there are fewer than two sizes, or `init` returns another shape; nothing is recorded
    /// then.
    #[track_caller]
    pub fn new<P: Tensorial>(
        network: &Network<P>,
        sizes: &[usize],
        init: impl FnMut(&Shape) -> P,
    ) -> Self {
        Self::with_activation(network, sizes, Activation::Tanh, init)
    }

    /// As [`Mlp::new`], with another activation of all layers but the last.
    ///
    /// # Panics
    ///
    /// As [`Mlp::new`].
    #[track_caller]
    pub fn with_activation<P: Tensorial>(
        network: &Network<P>,
        sizes: &[usize],
        hidden: Activation,
        mut init: impl FnMut(&Shape) -> P,
    ) -> Self {
        assert!(sizes.len() >= 2, "Mlp: the sizes {sizes:?} make no layer; name at least two");
        let last = sizes.len() - 2;
        let mut payloads = Vec::with_capacity(last + 1);
        for pair in sizes.windows(2) {
            payloads.push(initial_layer(pair[0], pair[1], &mut init));
        }
        let mut layers = Vec::with_capacity(last + 1);
        for (index, payloads) in payloads.into_iter().enumerate() {
            let _scope = network.scope(&format!("layer{index}"));
            let activation = if index == last { Activation::Identity } else { hidden };
            layers.push(Layer::of(network, payloads, activation));
        }
        Self { layers }
    }

    /// Records the model of a batch `[batch, sizes[0]]`.
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

    /// The twin of [`Mlp::express`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `input` is not `[batch, sizes[0]]`, or the parameters are not of this network; nothing
    /// is recorded then.
    #[track_caller]
    pub fn try_express<'n, P: Tensorial>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        for (index, layer) in self.layers.iter().enumerate() {
            let parts = [(layer.weight(), "weight"), (layer.bias(), "bias")];
            for (symbol, part) in parts {
                parameter(network, symbol, "Mlp", format_args!("layer{index}.{part}"))?;
            }
        }
        let mut value = input;
        for (index, layer) in self.layers.iter().enumerate() {
            let _scope = network.scope(&format!("layer{index}"));
            value = layer.try_express(network, value)?;
        }
        Ok(value)
    }

    /// The layers, from the input on.
    #[must_use]
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }
}
