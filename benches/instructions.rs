//! Ten micro-workloads for an instruction counter: `cargo xtask callgrind` runs each of them a few times
//! and many times under valgrind, and compares the difference with `benches/instructions.txt`.
//!
//! Times depend on the machine and the hour; a count of instructions does not, so that a slow-down of
//! some percent is seen. One thread, no clock, no random numbers: a workload executes the same
//! instructions in every run.
//!
//!     cargo bench --bench instructions -- NAME TIMES

use poorgrad::{Adam, LevenbergMarquardt, Mlp, Network, Optimizer, Tensor, Window, init};
use std::hint::black_box;

/// A workload: prepared once, then run any number of times.
type Workload = (&'static str, fn(times: usize));

const WORKLOADS: [Workload; 10] = [
    ("record_scalars", record_scalars),
    ("interpret_scalars", interpret_scalars),
    ("backward_scalars", backward_scalars),
    ("interpret_layers", interpret_layers),
    ("train_layers", train_layers),
    ("train_by_plan", train_by_plan),
    ("compile", compile),
    ("product", product),
    ("convolution", convolution),
    ("fit", fit),
];

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let [name, times] = &arguments[..] else {
        // What `cargo bench` alone asks for: the names.
        WORKLOADS.iter().for_each(|(name, _)| println!("{name}"));
        return;
    };
    let times = times.parse().expect("how many times to run is a number");
    let found = WORKLOADS.iter().find(|(known, _)| known == name);
    let (_, workload) = found.unwrap_or_else(|| panic!("no workload is called {name}"));
    workload(times);
}

/// A chain of a thousand scalar operations.
fn chain(network: &Network<f64>) -> poorgrad::Symbol {
    let x = network.parameter(1e-3);
    let mut y = x;
    for _ in 0..500 {
        y = y * x + x;
    }
    y.symbol()
}

fn record_scalars(times: usize) {
    for _ in 0..times {
        let network = Network::new();
        black_box(chain(&network));
    }
}

fn interpret_scalars(times: usize) {
    let network = Network::new();
    chain(&network);
    for _ in 0..times {
        black_box(network.forward());
    }
}

fn backward_scalars(times: usize) {
    let network = Network::new();
    let y = chain(&network);
    let evaluation = network.forward();
    for _ in 0..times {
        black_box(evaluation.backward(y));
    }
}

/// A classifier of 32 rows.
fn layers() -> (Network<Tensor<f32>>, poorgrad::Symbol) {
    let network = Network::new();
    let model = Mlp::new(&network, &[16, 64, 64, 10], init::xavier(1));
    let x = network.input(Tensor::from_fn([32, 16], |i| (i[0] * 16 + i[1]) as f32 * 1e-3));
    let labels: Vec<usize> = (0..32).map(|row| row % 10).collect();
    let targets = network.input(Tensor::selection(&labels, 10));
    let loss = model.express(&network, x).cross_entropy(targets).symbol();
    (network, loss)
}

fn interpret_layers(times: usize) {
    let (network, loss) = layers();
    for _ in 0..times {
        black_box(network.forward().of(loss));
    }
}

fn train_layers(times: usize) {
    let (mut network, loss) = layers();
    let mut adam = Adam::new(1e-3);
    for _ in 0..times {
        let gradients = network.forward().backward(loss);
        network = adam.step(network, &gradients);
    }
    black_box(network);
}

fn train_by_plan(times: usize) {
    let (mut network, loss) = layers();
    let plan = network.compile_training(loss, []);
    for _ in 0..times {
        let gradients = plan.forward(&network, []).backward(loss);
        network = network.step(&gradients, |w, g| w - 1e-3_f32 * g);
    }
    black_box(network);
}

fn compile(times: usize) {
    let (network, loss) = layers();
    for _ in 0..times {
        black_box(network.compile_training(loss, []));
    }
}

fn product(times: usize) {
    let a = Tensor::from_fn([96, 80], |i| (i[0] + i[1]) as f32 * 1e-2);
    let b = Tensor::from_fn([80, 112], |i| (i[0] * 2 + i[1]) as f32 * 1e-2);
    for _ in 0..times {
        black_box(a.matmul(&b));
    }
}

fn convolution(times: usize) {
    let network = Network::new();
    let images = network.parameter(Tensor::from_fn([4, 3, 16, 16], |i| i[3] as f32 * 1e-2));
    let weights = network.parameter(Tensor::from_fn([8, 3, 3, 3], |i| i[0] as f32 * 1e-2));
    let loss = images.conv2d(weights, &Window::default()).relu().sum();
    let plan = network.compile_training(loss, []);
    for _ in 0..times {
        black_box(plan.forward(&network, []).backward(loss));
    }
}

fn fit(times: usize) {
    let network = Network::new();
    let (rate, start) =
        (network.parameter(Tensor::scalar(0.1)), network.parameter(Tensor::scalar(1.0)));
    let time = network.leaf(Tensor::from_fn([20], |i| i[0] as f64 * 0.25));
    let measured = network.leaf(Tensor::from_fn([20], |i| 5.0 / (1.0 + i[0] as f64 * 0.2)));
    let model = start.broadcast_like(time) * (-rate.broadcast_like(time) * time).exp();
    for _ in 0..times {
        let fitted = LevenbergMarquardt::new().fit(&network, model - measured, []);
        black_box(fitted.expect("the residuals are finite"));
    }
}
