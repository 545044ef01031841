//! Networks of scalars: a step by the interpreter and by the flat program that they compile to, for each node.
//!
//!     cargo bench --bench scalar

use divan::counter::ItemsCount;
use poorgrad::{Network, Plan, Symbol};
use zoo::workloads::moons;

fn main() {
    divan::main();
}

/// An epoch of the network of neurons, and a polynomial in so many nodes.
fn network(nodes: usize) -> (Network<f64>, Symbol) {
    if nodes == 0 {
        return moons();
    }
    let network = Network::new();
    let x = network.parameter(0.5);
    let mut sum = network.leaf(0.25);
    for _ in 0..nodes / 3 {
        sum = sum * x + 0.125;
    }
    let loss = sum.symbol();
    (network, loss)
}

/// 0 is the epoch of the network of neurons.
const SIZES: [usize; 4] = [0, 100, 1_000, 100_000];

#[divan::bench(args = SIZES)]
fn interpreter(bencher: divan::Bencher, nodes: usize) {
    let (network, loss) = network(nodes);
    let count = network.len();
    let mut network = Some(network);
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let now = network.take().expect("the last step's network");
        let gradients = now.forward().backward(loss);
        network = Some(now.step(&gradients, |w, g| w - 0.001 * g));
    });
}

#[divan::bench(args = SIZES)]
fn plan(bencher: divan::Bencher, nodes: usize) {
    let (network, loss) = network(nodes);
    let count = network.len();
    let plan = network.compile_training(loss, []);
    let mut network = Some(network);
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let now = network.take().expect("the last step's network");
        let results = plan.forward(&now, []);
        network = Some(now.step(&results.backward(loss), |w, g| w - 0.001 * g));
    });
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn compile(bencher: divan::Bencher, nodes: usize) {
    let (network, loss) = network(nodes);
    let count = network.len();
    bencher
        .counter(ItemsCount::new(count))
        .bench_local(|| -> Plan<f64> { network.compile_training(loss, []) });
}
