//! `Conv2d`: filters that walk over images.

use super::Module;
use super::layer::{initial, parameter};
use crate::{Network, Shape, ShapeError, Symbol, Tensorial, Value, Window};

/// A convolution of images `[n, c, h, w]`, without flipping: a weight `[f, c / groups, kh, kw]` and a
/// bias `[f]`.
///
/// # Example
///
/// ```
/// use poorgrad::{Conv2d, Module, Network, Tensor, Window, init};
///
/// let network = Network::<Tensor>::new();
/// let same = Window::new().padding([[1, 1]; 2]);
/// let conv = Conv2d::new(&network, [3, 8], [3, 3], same, init::kaiming(42));
/// let x = network.input(Tensor::zeros([2, 3, 32, 32]));
/// assert_eq!(*conv.express(&network, x).shape(), [2, 8, 32, 32]);
/// assert_eq!(*network.resolve(conv.weight()).shape(), [8, 3, 3, 3]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conv2d {
    weight: Symbol,
    bias: Option<Symbol>,
    window: Window,
}

impl Conv2d {
    /// Records the parameters `weight` and `bias` of filters of `size` from `channels[0]` channels to
    /// `channels[1]`; `init` is called with the shape of each, in this order.
    ///
    /// Stride, dilation, padding (which may differ on all four sides) and groups are those of the
    /// window.
    ///
    /// # Panics
    ///
    /// Where the groups do not divide both numbers of channels, or `init` returns another shape;
    /// nothing is recorded then.
    #[track_caller]
    pub fn new<P: Tensorial>(
        network: &Network<P>,
        channels: [usize; 2],
        size: [usize; 2],
        window: Window,
        mut init: impl FnMut(&Shape) -> P,
    ) -> Self {
        let weight = initial(&weights(channels, size, &window), &mut init);
        let bias = initial(&Shape::from([channels[1]]), &mut init);
        let weight = network.parameter(weight).named("weight").symbol();
        let bias = Some(network.parameter(bias).named("bias").symbol());
        Self { weight, bias, window }
    }

    /// As [`Conv2d::new`], without a bias: in front of a normalisation, which would take it away.
    ///
    /// # Panics
    ///
    /// As [`Conv2d::new`].
    #[track_caller]
    pub fn without_bias<P: Tensorial>(
        network: &Network<P>,
        channels: [usize; 2],
        size: [usize; 2],
        window: Window,
        mut init: impl FnMut(&Shape) -> P,
    ) -> Self {
        let weight = initial(&weights(channels, size, &window), &mut init);
        Self { weight: network.parameter(weight).named("weight").symbol(), bias: None, window }
    }

    /// The weight, `[f, c / groups, kh, kw]`.
    #[must_use]
    pub fn weight(&self) -> Symbol {
        self.weight
    }

    /// The bias, `[f]`.
    #[must_use]
    pub fn bias(&self) -> Option<Symbol> {
        self.bias
    }

    /// Stride, dilation, padding and groups.
    #[must_use]
    pub fn window(&self) -> Window {
        self.window
    }
}

#[track_caller]
fn weights([inputs, filters]: [usize; 2], size: [usize; 2], window: &Window) -> Shape {
    let groups = window.groups;
    assert!(
        groups > 0 && inputs.is_multiple_of(groups) && filters.is_multiple_of(groups),
        "Conv2d: {groups} groups do not divide {inputs} channels and {filters} filters"
    );
    Shape::from([filters, inputs / groups, size[0], size[1]])
}

impl<P: Tensorial> Module<P> for Conv2d {
    #[track_caller]
    fn record<'n>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        let weight = parameter(network, self.weight, "Conv2d", "weight")?;
        let output = input.try_conv2d(weight, &self.window)?;
        let Some(bias) = self.bias else { return Ok(output) };
        let bias = parameter(network, bias, "Conv2d", "bias")?;
        // One number for each filter, over rows and columns.
        Ok(output + bias.unsqueeze(1).unsqueeze(2).broadcast_like(output))
    }
}
