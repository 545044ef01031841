//! What recording costs: nanoseconds a node, the bar being 150.
//!
//!     cargo bench --bench record

use divan::counter::ItemsCount;
use poorgrad::{Network, Tensor};

const NODES: usize = 100_000;

fn main() {
    divan::main();
}

/// A chain of binary operations on a scalar network.
#[divan::bench]
fn scalar_chain(bencher: divan::Bencher) {
    bencher.counter(ItemsCount::new(NODES)).bench_local(|| {
        let network = Network::new();
        let x = network.parameter(1.0_f64);
        let mut y = x;
        for _ in 0..NODES {
            y = y + x;
        }
        network
    });
}

/// Every second node a literal, as `y * 0.5` records it.
#[divan::bench]
fn scalar_literals(bencher: divan::Bencher) {
    bencher.counter(ItemsCount::new(NODES)).bench_local(|| {
        let network = Network::new();
        let mut y = network.parameter(1.0_f64);
        for _ in 0..NODES / 2 {
            y = y * 0.5;
        }
        network
    });
}

/// A layer's three operations on tensors, shapes checked and inferred.
#[divan::bench]
fn tensor_layer(bencher: divan::Bencher) {
    bencher.counter(ItemsCount::new(NODES)).bench_local(|| {
        let network = Network::new();
        let w = network.parameter(Tensor::<f32>::zeros([8, 8]));
        let mut y = network.input(Tensor::zeros([4, 8]));
        for _ in 0..NODES / 3 {
            y = (y.matmul(w) + y).tanh();
        }
        network
    });
}
