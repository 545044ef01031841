//! What is measured in more than one place, beside `models`: the makemore network on a fixed batch, a
//! graph of scalars, and functions of very many elements.

use crate::makemore::{CONTEXT, Loss, Model};
use crate::models::Recorded;
use poorgrad::{Activation, Network, Neuron, Symbol, Tensor, init};

/// The makemore network on a batch of `rows`; its loss stands for the scores too.
#[must_use]
pub fn makemore(rows: usize) -> Recorded {
    const LETTERS: usize = 27;
    let network = Network::new();
    let model = Model::new(&network, LETTERS, 1);
    let loss = Loss::new(&network, &model, rows);
    let contexts: Vec<usize> = (0..rows * CONTEXT).map(|i| i * 7 % LETTERS).collect();
    let targets: Vec<usize> = (0..rows).map(|i| i * 7 % LETTERS).collect();
    let feeds = loss.feeds_of(&model, &contexts, &targets).to_vec();
    let loss = loss.loss;
    Recorded { network, loss, scores: loss, feeds }
}

/// The scalar network 2-16-16-1 of `relu` on 100 points of two half circles: the mean hinge loss.
#[must_use]
pub fn moons() -> (Network<f64>, Symbol) {
    let network = Network::new();
    let mut init = init::xavier(1);
    let mut layer = |inputs: usize, outputs: usize, activation| -> Vec<Neuron> {
        (0..outputs).map(|_| Neuron::new(&network, inputs, activation, &mut init)).collect()
    };
    let layers = [
        layer(2, 16, Activation::Relu),
        layer(16, 16, Activation::Relu),
        layer(16, 1, Activation::Identity),
    ];
    let mut loss = network.leaf(0.0);
    for point in 0..100 {
        let (side, at) = (point % 2, f64::from(point) * 0.02 - 1.0);
        let height = (1.0 - at * at).sqrt();
        let (x, y) = if side == 0 { (at, height) } else { (at + 1.0, 0.5 - height) };
        let mut values = vec![network.leaf(x), network.leaf(y)];
        for layer in &layers {
            values = layer.iter().map(|neuron| neuron.express(&network, &values)).collect();
        }
        let side = if side == 0 { 1.0 } else { -1.0 };
        loss = loss + (1.0 - values[0] * side).relu();
    }
    let loss = (loss * 0.01).symbol();
    (network, loss)
}

/// `y = tanh(x w + b) sigmoid(x)` over ten million elements.
#[derive(Debug)]
pub struct Gate {
    /// The network; nothing is fed.
    pub network: Network<Tensor>,
    /// The sum of `y`.
    pub loss: Symbol,
    /// The elements.
    pub y: Symbol,
    /// `x`, `w` and `b`.
    pub wrt: [Symbol; 3],
}

/// Records the gate.
#[must_use]
pub fn gate() -> Gate {
    const COUNT: usize = 10_000_000;
    let network = Network::new();
    let x = network.input(Tensor::from_fn([COUNT], |i| (i[0] % 1000) as f32 * 0.004 - 2.0));
    let w = network.parameter(Tensor::scalar(0.7));
    let b = network.parameter(Tensor::scalar(0.1));
    let y = (x * w.broadcast_like(x) + b.broadcast_like(x)).tanh() * x.sigmoid();
    let (loss, wrt) = (y.sum().symbol(), [x, w, b].map(|value| value.symbol()));
    let y = y.symbol();
    Gate { network, loss, y, wrt }
}
