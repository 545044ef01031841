//! Plans against the interpreter on the same tapes: one step of training each.
//!
//!     cargo bench --bench plan

use divan::counter::ItemsCount;
use poorgrad::{Activation, Network, Neuron, Plan, Symbol, Tensor, init};
use zoo::makemore::{CONTEXT, Loss, Model};

fn main() {
    divan::main();
}

const LETTERS: usize = 27;

/// The makemore network on a batch of `rows`, with feeds.
fn makemore(rows: usize) -> (Network<Tensor>, Symbol, Vec<(Symbol, Tensor)>) {
    let network = Network::new();
    let model = Model::new(&network, LETTERS, 1);
    let loss = Loss::new(&network, &model, rows);
    let contexts: Vec<usize> = (0..rows * CONTEXT).map(|i| i * 7 % LETTERS).collect();
    let targets: Vec<usize> = (0..rows).map(|i| i * 5 % LETTERS).collect();
    let feeds = loss.feeds_of(&model, &contexts, &targets).to_vec();
    (network, loss.loss, feeds)
}

#[divan::bench(args = [32, 1024])]
fn makemore_interpreter(bencher: divan::Bencher, rows: usize) {
    let (network, loss, feeds) = makemore(rows);
    let mut network = Some(network);
    bencher.bench_local(|| {
        let now = network.take().expect("the last step's network");
        let evaluation = now.forward_for([loss], feeds.iter().cloned());
        let gradients = evaluation.backward(loss);
        drop(evaluation);
        network = Some(now.step(&gradients, |w, g| w - 0.01 * g));
    });
}

#[divan::bench(args = [32, 1024])]
fn makemore_plan(bencher: divan::Bencher, rows: usize) {
    let (network, loss, feeds) = makemore(rows);
    let plan = network.compile_training(loss, []);
    let mut network = Some(network);
    bencher.bench_local(|| {
        let now = network.take().expect("the last step's network");
        let results = plan.forward(&now, feeds.iter().cloned());
        network = Some(now.step(&results.backward(loss), |w, g| w - 0.01 * g));
    });
}

/// The scalar network 2-16-16-1 on 100 points of two half circles: the sum of squared errors.
fn moons() -> (Network<f64>, Symbol) {
    let network = Network::new();
    let mut init = init::xavier(1);
    let mut layer = |inputs: usize, outputs: usize, activation| -> Vec<Neuron> {
        (0..outputs).map(|_| Neuron::new(&network, inputs, activation, &mut init)).collect()
    };
    let layers = [
        layer(2, 16, Activation::Tanh),
        layer(16, 16, Activation::Tanh),
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
        let error = values[0] - if side == 0 { 1.0 } else { -1.0 };
        loss = loss + error * error;
    }
    let loss = loss.symbol();
    (network, loss)
}

#[divan::bench]
fn moons_interpreter(bencher: divan::Bencher) {
    let (network, loss) = moons();
    let nodes = network.len();
    let mut network = Some(network);
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| {
        let now = network.take().expect("the last step's network");
        let gradients = now.forward().backward(loss);
        network = Some(now.step(&gradients, |w, g| w - 0.001 * g));
    });
}

#[divan::bench]
fn moons_plan(bencher: divan::Bencher) {
    let (network, loss) = moons();
    let nodes = network.len();
    let plan = network.compile_training(loss, []);
    let mut network = Some(network);
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| {
        let now = network.take().expect("the last step's network");
        let results = plan.forward(&now, []);
        network = Some(now.step(&results.backward(loss), |w, g| w - 0.001 * g));
    });
}

#[divan::bench(sample_count = 10)]
fn moons_compile(bencher: divan::Bencher) {
    let (network, loss) = moons();
    bencher.bench_local(|| -> Plan<f64> { network.compile_training(loss, []) });
}

/// `y = tanh(x w + b) sigmoid(x)` over ten million elements, and its gradients to `x`, `w`, `b`.
fn gate() -> (Network<Tensor>, Symbol, [Symbol; 3]) {
    const COUNT: usize = 10_000_000;
    let network = Network::new();
    let x = network.input(Tensor::from_fn([COUNT], |i| (i[0] % 1000) as f32 * 0.004 - 2.0));
    let w = network.parameter(Tensor::scalar(0.7));
    let b = network.parameter(Tensor::scalar(0.1));
    let y = (x * w.broadcast_like(x) + b.broadcast_like(x)).tanh() * x.sigmoid();
    let loss = y.sum();
    let symbols = [x, w, b].map(|value| value.symbol());
    let loss = loss.symbol();
    (network, loss, symbols)
}

#[divan::bench(sample_count = 7)]
fn gate_interpreter(bencher: divan::Bencher) {
    let (network, loss, wrt) = gate();
    bencher
        .bench_local(|| network.forward_for([loss], poorgrad::no_feeds()).backward_for(loss, wrt));
}

#[divan::bench(sample_count = 7)]
fn gate_plan(bencher: divan::Bencher) {
    let (network, loss, [x, ..]) = gate();
    let plan = poorgrad::Compile::new(&network).loss(loss).gradients_of(x).plan();
    bencher.bench_local(|| plan.forward(&network, []));
}
