//! `Sequential` and `Residual`: parts put together.

use super::{Activation, Layer, Mlp, Module};
use crate::{Network, ShapeError, Tensorial, Value};
use std::fmt;
use std::sync::Arc;

/// A part that others hold.
type Part<P> = Arc<dyn Module<P> + Send + Sync>;

/// Parts in a row, each in a scope of its own.
///
/// # Example
///
/// ```
/// use poorgrad::{
///     Activation, Conv2d, Flatten, Layer, MaxPool, Module, Network, Sequential, Tensor, Window, init,
/// };
///
/// let network = Network::<Tensor>::new();
/// let mut init = init::kaiming(42);
/// let model = Sequential::new()
///     .then(&network, "conv", |n| Conv2d::new(n, [1, 6], [5, 5], Window::new(), &mut init))
///     .then(&network, "relu", |_| Activation::Relu)
///     .then(&network, "pool", |_| MaxPool::halving())
///     .then(&network, "flat", |_| Flatten)
///     .then(&network, "head", |n| Layer::new(n, 864, 10, Activation::Identity, &mut init));
/// let x = network.input(Tensor::zeros([2, 1, 28, 28]));
/// assert_eq!(*model.express(&network, x).shape(), [2, 10]);
/// let paths: Vec<String> = network.parameters().map(|(path, _)| path).collect();
/// assert_eq!(paths, ["conv.weight", "conv.bias", "head.weight", "head.bias"]);
/// ```
pub struct Sequential<P: Tensorial> {
    parts: Vec<(String, Part<P>)>,
}

impl<P: Tensorial> Clone for Sequential<P> {
    fn clone(&self) -> Self {
        Self { parts: self.parts.clone() }
    }
}

impl<P: Tensorial> Default for Sequential<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Tensorial> fmt::Debug for Sequential<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sequential").field(&Vec::from_iter(self.names())).finish()
    }
}

impl<P: Tensorial> Sequential<P> {
    /// No part yet: what goes in comes out.
    #[must_use]
    pub fn new() -> Self {
        Self { parts: Vec::new() }
    }

    /// With a part behind the others. `make` makes it in a scope of this name, which is open again
    /// whenever the part is recorded.
    #[must_use]
    #[track_caller]
    pub fn then<M: Module<P> + Send + Sync + 'static>(
        mut self,
        network: &Network<P>,
        name: &str,
        make: impl FnOnce(&Network<P>) -> M,
    ) -> Self {
        let part = {
            let _scope = network.scope(name);
            make(network)
        };
        self.parts.push((name.to_owned(), Arc::new(part)));
        self
    }

    /// The names of the parts.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|(name, _)| &**name)
    }
}

impl<P: Tensorial> Module<P> for Sequential<P> {
    #[track_caller]
    fn record<'n>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        let mut value = input;
        for (name, part) in &self.parts {
            let _scope = network.scope(name);
            value = part.record(network, value)?;
        }
        Ok(value)
    }
}

/// A part beside a path that leaves its input alone: `x + part(x)` (He, Zhang, Ren and Sun, "Deep
/// residual learning for image recognition", 2016).
///
/// # Example
///
/// ```
/// use poorgrad::{Activation, Module, Network, Residual, Tensor};
///
/// let network = Network::new();
/// let block = Residual::new(Activation::Relu);
/// let x = network.input(Tensor::from([-1.0_f32, 2.0]));
/// let y = block.express(&network, x);
/// assert_eq!(network.forward().of(y).to_vec(), [-1.0, 4.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residual<M> {
    part: M,
}

impl<M> Residual<M> {
    /// Beside this part, whose result must have the shape of its input.
    #[must_use]
    pub fn new(part: M) -> Self {
        Self { part }
    }

    /// The part.
    #[must_use]
    pub fn part(&self) -> &M {
        &self.part
    }
}

impl<P: Tensorial, M: Module<P>> Module<P> for Residual<M> {
    #[track_caller]
    fn record<'n>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        let output = self.part.record(network, input)?;
        if output.shape() != input.shape() {
            let problem = "the part changes the shape of its input";
            return Err(ShapeError::refusal("Residual", problem, &[input, output]));
        }
        input.try_add(output)
    }
}

impl<P: Tensorial, M: Module<P> + ?Sized> Module<P> for Arc<M> {
    #[track_caller]
    fn record<'n>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        (**self).record(network, input)
    }
}

impl<P: Tensorial, M: Module<P> + ?Sized> Module<P> for Box<M> {
    #[track_caller]
    fn record<'n>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        (**self).record(network, input)
    }
}

impl<P: Tensorial> Module<P> for Activation {
    #[track_caller]
    fn record<'n>(
        &self,
        _: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        Ok(self.apply(input))
    }
}

impl<P: Tensorial> Module<P> for Layer {
    #[track_caller]
    fn record<'n>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        self.try_express(network, input)
    }
}

impl<P: Tensorial> Module<P> for Mlp {
    #[track_caller]
    fn record<'n>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        self.try_express(network, input)
    }
}
