//! What the interpreter costs beyond the arithmetic: nanoseconds a node. The bars are 25 for a
//! scalar node and 150 for a tensor node.
//!
//!     cargo bench --bench run

use divan::counter::ItemsCount;
use poorgrad::{Evaluation, Network, Symbol, Tensor};

const NODES: usize = 10_000;

fn main() {
    divan::main();
}

fn scalar_chain() -> (Network<f64>, Symbol) {
    let network = Network::new();
    let x = network.parameter(1.0e-9_f64);
    let mut y = x;
    for _ in 0..NODES / 2 {
        y = y * x + x;
    }
    let y = y.symbol();
    (network, y)
}

#[divan::bench]
fn scalar_forward(bencher: divan::Bencher) {
    let (network, _) = scalar_chain();
    bencher.counter(ItemsCount::new(NODES)).bench_local(|| network.forward());
}

#[divan::bench]
fn scalar_backward(bencher: divan::Bencher) {
    let (network, y) = scalar_chain();
    let evaluation = network.forward();
    bencher.counter(ItemsCount::new(NODES)).bench_local(|| evaluation.backward(y));
}

/// Additions of `extent` elements: the time a node at extent 1 is the interpreter's own.
fn tensor_chain(extent: usize) -> (Network<Tensor<f32>>, Symbol) {
    let network = Network::new();
    let x = network.parameter(Tensor::from_fn([extent], |i| i[0] as f32 * 1e-9));
    let mut y = x;
    for _ in 0..NODES {
        y = y + x;
    }
    let y = y.sum().symbol();
    (network, y)
}

#[divan::bench(args = [1, 16, 256])]
fn tensor_forward(bencher: divan::Bencher, extent: usize) {
    let (network, _) = tensor_chain(extent);
    bencher.counter(ItemsCount::new(NODES)).bench_local(|| network.forward());
}

#[divan::bench(args = [1, 16, 256])]
fn tensor_backward(bencher: divan::Bencher, extent: usize) {
    let (network, y) = tensor_chain(extent);
    let evaluation: Evaluation<Tensor<f32>> = network.forward();
    bencher.counter(ItemsCount::new(NODES)).bench_local(|| evaluation.backward(y));
}

/// The arithmetic alone: what `tensor_forward` would cost without the interpreter, every result
/// kept as an evaluation keeps it.
#[divan::bench(args = [1, 16, 256])]
fn tensor_arithmetic(bencher: divan::Bencher, extent: usize) {
    let x = vec![1e-9_f32; extent];
    bencher.counter(ItemsCount::new(NODES)).bench_local(|| {
        let mut values: Vec<Vec<f32>> = vec![x.clone()];
        for at in 0..NODES {
            let next = values[at].iter().zip(&x).map(|(y, x)| y + x).collect();
            values.push(next);
        }
        values
    });
}

/// A feed and a read of one element on a network of two nodes: the bar is a microsecond each.
#[divan::bench]
fn feed_and_read(bencher: divan::Bencher) {
    let network = Network::new();
    let x = network.input(1.0_f64);
    let y = x + x;
    let (x, y) = (x.symbol(), y.symbol());
    bencher.bench_local(|| network.forward_with([(x, 2.0)]).of(y));
}
