//! Networks that benches and tests train: a plain one, a deep one, and two of convolutions.

use poorgrad::{Extent, Network, Shape, Symbol, Tensor, Value, Window, init};

/// A recorded model with a batch to train it on.
#[derive(Debug)]
pub struct Recorded {
    /// The network.
    pub network: Network<Tensor>,
    /// The mean cross-entropy of a batch.
    pub loss: Symbol,
    /// The scores `[batch, classes]`.
    pub scores: Symbol,
    /// The images and their classes, as a run is fed.
    pub feeds: Vec<(Symbol, Tensor)>,
}

/// What a model is recorded with.
struct Builder<'n> {
    network: &'n Network<Tensor>,
    weights: Box<dyn FnMut(&Shape) -> Tensor>,
}

impl<'n> Builder<'n> {
    fn new(network: &'n Network<Tensor>) -> Self {
        Self { network, weights: Box::new(init::kaiming(1)) }
    }

    fn parameter(&mut self, shape: Shape) -> Value<'n, Tensor> {
        let payload = (self.weights)(&shape);
        self.network.parameter(payload)
    }

    fn bias(&self, extent: usize) -> Value<'n, Tensor> {
        self.network.parameter(Tensor::from_fn([extent], |_| 0.0))
    }

    /// `x w + b`.
    fn affine(&mut self, x: Value<'n, Tensor>, outputs: usize) -> Value<'n, Tensor> {
        let inputs = x.shape()[1];
        let product = x.matmul(self.parameter(Shape::from([inputs, outputs])));
        product + self.bias(outputs).broadcast_like(product)
    }

    /// A convolution with a bias for each filter.
    fn conv(
        &mut self,
        x: Value<'n, Tensor>,
        filters: usize,
        size: usize,
        padding: usize,
    ) -> Value<'n, Tensor> {
        let channels = x.shape()[1];
        let weights = self.parameter(Shape::from([filters, channels, size, size]));
        let window = Window::new().padding([[padding; 2]; 2]);
        let y = x.conv2d(weights, &window);
        let bias = self.bias(filters).reshape([filters, 1, 1]);
        y + bias.broadcast_like(y)
    }
}

fn halved(x: Value<'_, Tensor>) -> Value<'_, Tensor> {
    x.max_pool([2, 2], &Window::new().step([2, 2]))
}

fn flat(x: Value<'_, Tensor>) -> Value<'_, Tensor> {
    let rest = x.shape()[1..].iter().product();
    x.reshape([Extent::Keep(0), Extent::Exactly(rest)])
}

/// Numbers between -1 and 1 without a pattern that a kernel could profit from.
fn pixels(shape: Shape) -> Tensor {
    let mut state = 1_u32;
    Tensor::from_fn(shape, |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    })
}

/// A model of images of `shape` (batch first) to 10 classes.
fn record(
    shape: Shape,
    model: impl for<'n> Fn(&mut Builder<'n>, Value<'n, Tensor>) -> Value<'n, Tensor>,
) -> Recorded {
    let network = Network::new();
    let batch = shape[0];
    let labels: Vec<usize> = (0..batch).map(|i| i * 7 % 10).collect();
    let (images, classes) = (pixels(shape), Tensor::selection(&labels, 10));
    let (x, y) = (network.input(images.clone()), network.input(classes.clone()));
    let scores = model(&mut Builder::new(&network), x);
    let loss = scores.cross_entropy(y).symbol();
    let (scores, feeds) = (scores.symbol(), vec![(x.symbol(), images), (y.symbol(), classes)]);
    Recorded { network, loss, scores, feeds }
}

/// Layers of 512 with `relu` on 784 pixels: 784-512-512-10.
#[must_use]
pub fn plain(batch: usize) -> Recorded {
    record(Shape::from([batch, 784]), |model, x| {
        let hidden = model.affine(x, 512).relu();
        let hidden = model.affine(hidden, 512).relu();
        model.affine(hidden, 10)
    })
}

/// So many residual layers `x + tanh(x w + b)` of `width`.
#[must_use]
pub fn residual(batch: usize, layers: usize, width: usize) -> Recorded {
    record(Shape::from([batch, width]), |model, x| {
        let deep = (0..layers).fold(x, |x, _| x + model.affine(x, width).tanh());
        model.affine(deep, 10)
    })
}

/// LeNet (LeCun, Bottou, Bengio and Haffner, 1998) with `relu` and maximum pools on 28 by 28 pixels.
#[must_use]
pub fn lenet(batch: usize) -> Recorded {
    record(Shape::from([batch, 1, 28, 28]), |model, x| {
        let x = halved(model.conv(x, 6, 5, 0).relu());
        let x = halved(model.conv(x, 16, 5, 0).relu());
        let x = model.affine(flat(x), 120).relu();
        let x = model.affine(x, 84).relu();
        model.affine(x, 10)
    })
}

/// Three stages of two 3 by 3 convolutions, in the style of VGG (Simonyan and Zisserman, 2015), on 32
/// by 32 pixels of three colours.
#[must_use]
pub fn vgg(batch: usize) -> Recorded {
    record(Shape::from([batch, 3, 32, 32]), |model, mut x| {
        for filters in [32, 64, 128] {
            x = model.conv(x, filters, 3, 1).relu();
            x = halved(model.conv(x, filters, 3, 1).relu());
        }
        model.affine(flat(x), 10)
    })
}

/// A block of a transformer in the style of GPT-2 (Radford et al., 2019) with its head: so many
/// tokens, of `width` numbers in `heads` parts, from recorded operations alone.
///
/// # Panics
///
/// Where the heads do not divide the width.
#[must_use]
pub fn transformer(tokens: usize, width: usize, heads: usize) -> Recorded {
    const LETTERS: usize = 16;
    assert!(width.is_multiple_of(heads), "{heads} heads do not divide {width}");
    let network = Network::new();
    let select = |step: usize| {
        let letters: Vec<usize> = (0..tokens).map(|at| (at * step + step) % LETTERS).collect();
        Tensor::selection(&letters, LETTERS)
    };
    let (context, next) = (select(5), select(7));
    let (letters, y) = (network.input(context.clone()), network.input(next.clone()));
    let mut model = Builder::new(&network);
    let embedded = model.parameter(Shape::from([LETTERS, width])).gather(letters);
    let x = embedded + model.parameter(Shape::from([tokens, width]));
    // Layer norm: two passes over rows, a gain and a bias.
    let centred = x - x.mean_along(&[1]).broadcast_along(&[1], x);
    let deviation = (x.variance_along(&[1]) + 1e-5).sqrt().broadcast_along(&[1], x);
    let gain = network.parameter(Tensor::full([width], 1.0)).broadcast_like(x);
    let normal = centred / deviation * gain + model.bias(width).broadcast_like(x);
    let mut part = || {
        let all = model.affine(normal, width).reshape([tokens, heads, width / heads]);
        all.permute(&[1, 0, 2])
    };
    let (queries, keys, values) = (part(), part(), part());
    let mask = network.leaf(poorgrad::causal_mask(tokens));
    let mixed = poorgrad::scaled_dot_product_attention(queries, keys, values, Some(mask));
    let mixed = mixed.permute(&[1, 0, 2]).reshape([tokens, width]);
    let x = x + model.affine(mixed, width);
    // RMS norm.
    let root = ((x * x).mean_along(&[1]) + 1e-5).sqrt().broadcast_along(&[1], x);
    let hidden = model.affine(x / root, 4 * width).gelu();
    let x = x + model.affine(hidden, width);
    let scores = model.affine(x, LETTERS);
    let loss = scores.cross_entropy(y).symbol();
    let feeds = vec![(letters.symbol(), context), (y.symbol(), next)];
    let scores = scores.symbol();
    Recorded { network, loss, scores, feeds }
}
