//! `Embedding`: a row of numbers for each of some things.

use super::Module;
use super::layer::{initial, parameter};
use crate::{Network, Shape, ShapeError, Symbol, Tensorial, Value};

/// A table of rows, `[count, width]`, looked up by a selection: `[.., count]` to `[.., width]`.
///
/// Rows that are not selected have no influence and get a gradient of zero.
///
/// # Example
///
/// ```
/// use poorgrad::{Embedding, Module, Network, Tensor, init};
///
/// let network = Network::<Tensor>::new();
/// let embedding = Embedding::new(&network, 27, 10, init::normal(0.0, 1.0, 42));
/// let letters = network.input(Tensor::selection_shaped([2, 3], &[0, 5, 13, 5, 13, 1], 27));
/// assert_eq!(*embedding.express(&network, letters).shape(), [2, 3, 10]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Embedding {
    weight: Symbol,
}

impl Embedding {
    /// Records the parameter `weight`; `init` is called with its shape.
    ///
    /// # Panics
    ///
    /// Where `init` returns another shape; nothing is recorded then.
    #[track_caller]
    pub fn new<P: Tensorial>(
        network: &Network<P>,
        count: usize,
        width: usize,
        mut init: impl FnMut(&Shape) -> P,
    ) -> Self {
        let weight = initial(&Shape::from([count, width]), &mut init);
        Self { weight: network.parameter(weight).named("weight").symbol() }
    }

    /// The table, `[count, width]`.
    #[must_use]
    pub fn weight(&self) -> Symbol {
        self.weight
    }
}

impl<P: Tensorial> Module<P> for Embedding {
    #[track_caller]
    fn record<'n>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        parameter(network, self.weight, "Embedding", "weight")?.try_gather(input)
    }
}
