//! `Dropout`: zeros by chance, which is fed.

use super::algebra::{Algebra, Now};
use super::{Module, Random};
use crate::{Elementary, Network, Shape, ShapeError, Tensorial, Value};

/// Some elements zero, the others larger by as much: `x mask`, where the mask is a fed input (Srivastava
/// et al., "Dropout", 2014).
///
/// Nothing random is hidden in a network. [`Dropout::mask`] draws a mask of `0` and `1 / (1 - rate)` from
/// a generator; where none is fed the mask is 1 everywhere, and the part is the identity, bit for bit:
/// a model in use needs no other tape.
///
/// # Example
///
/// ```
/// use poorgrad::{Dropout, Module, Network, Random, Tensor};
///
/// let network = Network::new();
/// let dropout = Dropout::new(0.5);
/// let x = network.input(Tensor::from([1.0_f32, 2.0, 3.0, 4.0]));
/// let y = {
///     let _scope = network.scope("drop");
///     dropout.express(&network, x)
/// };
/// assert_eq!(network.forward().of(y).to_vec(), [1.0, 2.0, 3.0, 4.0]);
///
/// let mask = network.find("drop.mask").unwrap();
/// let drawn = dropout.mask(mask.shape(), &mut Random::new(42));
/// let dropped = network.forward_with([(mask, drawn)]).of(y);
/// assert!(dropped.iter().zip(1..).all(|(y, x)| y == 0.0 || y == 2.0 * x as f32));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dropout {
    rate: f64,
}

impl Dropout {
    /// With this chance of an element to be dropped.
    ///
    /// # Panics
    ///
    /// Where `rate` is not of `[0, 1)`.
    #[must_use]
    #[track_caller]
    pub fn new(rate: f64) -> Self {
        assert!((0.0..1.0).contains(&rate), "Dropout: a rate of {rate} is not of [0, 1)");
        Self { rate }
    }

    /// The chance of an element to be dropped.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// A mask: each element is 0 with the chance `rate`, else `1 / (1 - rate)`, by one draw.
    ///
    /// # Panics
    ///
    /// Where the payload type cannot hold the shape.
    #[must_use]
    #[track_caller]
    pub fn mask<P: Tensorial>(&self, shape: &Shape, random: &mut Random) -> P {
        let kept = 1.0 - self.rate;
        Now::new().scaled(1.0 / kept, &random.mask(shape, kept))
    }

    /// Records the product with a mask of one's own.
    ///
    /// # Errors
    ///
    /// Where the shapes differ; nothing is recorded then.
    #[track_caller]
    pub fn try_express_with<'n, P: Tensorial>(
        &self,
        input: Value<'n, P>,
        mask: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        input.try_mul(mask).map_err(|error| error.named("Dropout"))
    }
}

/// With an input `mask` of the input's shape, by default 1 everywhere.
impl<P: Tensorial> Module<P> for Dropout {
    #[track_caller]
    fn record<'n>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        let mask = network.input(P::full(input.shape(), P::Element::one())).named("mask");
        self.try_express_with(input, mask)
    }
}
