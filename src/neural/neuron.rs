//! `Neuron`: one unit of scalars, for graphs that are read number by number.

use super::Activation;
use super::layer::{initial, parameter};
use crate::{Network, Shape, Symbol, Tensorial, Value};
use std::fmt::Arguments;

/// A neuron of scalar weights: `activation(w0 x0 + w1 x1 + .. + b)`, summed in ascending order.
///
/// It holds symbols: the same neuron serves every generation of its network.
///
/// # Example
///
/// ```
/// use poorgrad::{Activation, Network, Neuron, init};
///
/// let network = Network::new();
/// let neuron = Neuron::new(&network, 2, Activation::Tanh, init::uniform(-1.0, 1.0, 42));
/// let x = [network.input(1.0_f64), network.input(-0.5)];
/// let y = neuron.express(&network, &x);
/// let gradients = network.forward().backward(y);
/// assert_ne!(gradients.of(neuron.weights()[0]), 0.0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neuron {
    weights: Vec<Symbol>,
    bias: Symbol,
    activation: Activation,
}

impl Neuron {
    /// Records the parameters, named `weight0`, `weight1`, .. and `bias`; `init` is called with
    /// their shape, `[]`, in this order.
    ///
    /// # Panics
    ///
    /// Where `init` returns another shape; nothing is recorded then.
    #[track_caller]
    pub fn new<P: Tensorial>(
        network: &Network<P>,
        inputs: usize,
        activation: Activation,
        mut init: impl FnMut(&Shape) -> P,
    ) -> Self {
        let payloads = (0..inputs).map(|_| initial(&Shape::scalar(), &mut init));
        let payloads = payloads.collect::<Vec<_>>();
        let bias = initial(&Shape::scalar(), &mut init);
        let mut weights = Vec::with_capacity(inputs);
        for (index, payload) in payloads.into_iter().enumerate() {
            let weight = network.parameter(payload).named(&format!("weight{index}"));
            weights.push(weight.symbol());
        }
        let bias = network.parameter(bias).named("bias").symbol();
        Self { weights, bias, activation }
    }

    /// Records the neuron of as many scalar inputs as it has weights.
    ///
    /// # Panics
    ///
    /// Where the number of inputs differs, an input is no scalar, or the parameters are not of
    /// this network.
    #[must_use]
    #[track_caller]
    pub fn express<'n, P: Tensorial>(
        &self,
        network: &'n Network<P>,
        inputs: &[Value<'n, P>],
    ) -> Value<'n, P> {
        let (expected, found) = (self.weights.len(), inputs.len());
        assert!(expected == found, "Neuron: {expected} weights, {found} inputs");
        let mut sum: Option<Value<'n, P>> = None;
        let resolved = |symbol, name: Arguments<'_>| parameter(network, symbol, "Neuron", name);
        for (index, (&weight, &input)) in self.weights.iter().zip(inputs).enumerate() {
            let product = match resolved(weight, format_args!("weight{index}")) {
                Ok(weight) => weight * input,
                Err(error) => error.raise(),
            };
            sum = Some(match sum {
                Some(sum) => sum + product,
                None => product,
            });
        }
        let bias = match resolved(self.bias, format_args!("bias")) {
            Ok(bias) => bias,
            Err(error) => error.raise(),
        };
        self.activation.apply(match sum {
            Some(sum) => sum + bias,
            None => bias,
        })
    }

    /// The weights, in the order of the inputs.
    #[must_use]
    pub fn weights(&self) -> &[Symbol] {
        &self.weights
    }

    /// The bias.
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
