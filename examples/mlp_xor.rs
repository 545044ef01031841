//! Learns exclusive or: the smallest problem that no single layer can solve.
//!
//! What it teaches: `Mlp` holds symbols and is expressed on a network, an `Optimizer` turns
//! gradients into the next generation, and the prediction is read from the same tape that trained
//! it. A single layer stands beside it, to show where it stays.
//!
//!     cargo run --release --example mlp_xor

use poorgrad::{Mlp, Network, Optimizer, Sgd, Tensor, init};
use zoo::{chart::Chart, cli::Arguments};

const POINTS: [[f64; 2]; 4] = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
const TARGETS: [[f64; 1]; 4] = [[0.0], [1.0], [1.0], [0.0]];

/// The losses of a training, and the predictions at its end.
fn train(sizes: &[usize], steps: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let network = Network::new();
    let model = Mlp::new(&network, sizes, init::xavier(seed));
    let x = network.leaf(Tensor::from(POINTS));
    let y = network.leaf(Tensor::from(TARGETS));
    let prediction = model.express(&network, x);
    let loss = prediction.mean_squared_error(y).symbol();
    let prediction = prediction.symbol();

    let mut network = network;
    let mut optimizer = Sgd::new(0.1).momentum(0.9);
    let mut losses = Vec::with_capacity(steps);
    for _ in 0..steps {
        let evaluation = network.forward();
        losses.push(evaluation.of(loss).item());
        network = optimizer.step(network, &evaluation.backward(loss));
    }
    (losses, network.forward().of(prediction).to_vec())
}

fn main() {
    let options = Arguments::new("mlp_xor", "Learns exclusive or.", 400).parse();
    let (losses, predictions) = train(&[2, 8, 1], options.steps, options.seed);
    let (flat_losses, flat) = train(&[2, 1], options.steps, options.seed);

    println!("  x0   x1   target   two layers   one layer");
    for (index, ([x0, x1], [y])) in POINTS.iter().zip(TARGETS).enumerate() {
        let (deep, flat) = (predictions[index], flat[index]);
        println!("{x0:4} {x1:4} {y:8} {deep:12.4} {flat:11.4}");
    }
    let points = |losses: Vec<f64>| losses.into_iter().enumerate().map(|(i, y)| (i as f64, y));
    Chart::new("mean squared error of exclusive or")
        .curve("two layers", points(losses))
        .curve("one layer", points(flat_losses))
        .logarithmic()
        .print();
    let right = predictions.iter().zip(TARGETS).filter(|(p, [y])| (**p - y).abs() < 0.5).count();
    println!("{right} of 4 right");
}
