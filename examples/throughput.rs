//! Steps of training a second, by the interpreter and by a plan, over sizes.
//!
//! What it teaches: what a plan saves, and where. A network of single numbers pays for every node, so
//! that a flat program is many times as fast; a network of tensors pays for kernels and memory, of
//! which fusion saves a part. Both compute the same bits, which is checked after the last step.
//! Times are those of this machine, now: each line is one run, to be read beside its neighbour.
//!
//!     cargo run --release --example throughput
//!     cargo run --release --example throughput -- --steps 1000

use poorgrad::{Activation, Network, Neuron, Plan, Random, Symbol, Tensor, Tensorial, init};
use zoo::{
    cli::Arguments,
    makemore::{CONTEXT, Loss, Model},
    stopwatch::Stopwatch,
};

/// Letters that the makemore networks know.
const LETTERS: usize = 27;

/// A network, its loss and what a step is fed.
struct Case<P: Tensorial> {
    name: String,
    network: Network<P>,
    loss: Symbol,
    feeds: Vec<(Symbol, P)>,
    rate: f64,
}

fn main() {
    let about = "Steps of training a second, by the interpreter and by a plan.";
    let options = Arguments::new("throughput", about, 200).parse();
    println!(
        "network            nodes runs by            time        steps/s     ns/node  speed-up"
    );
    for points in [1, 10, 100] {
        compare(&scalars(points, options.seed), options.steps, |w, g, rate| w - rate * g);
    }
    for rows in [8, 32, 256] {
        let rule = |w: &Tensor, g: &Tensor, rate| w - rate as f32 * g;
        compare(&makemore(rows, options.seed), options.steps, rule);
    }
}

/// A network of neurons, 2-8-8-1, on so many points: the sum of squared errors.
fn scalars(points: usize, seed: u64) -> Case<f64> {
    let network = Network::new();
    let mut init = init::xavier(seed);
    let mut layer = |inputs: usize, outputs: usize, activation| {
        Vec::from_iter((0..outputs).map(|_| Neuron::new(&network, inputs, activation, &mut init)))
    };
    let layers = [
        layer(2, 8, Activation::Tanh),
        layer(8, 8, Activation::Tanh),
        layer(8, 1, Activation::Identity),
    ];
    let mut random = Random::new(seed);
    let mut number = || random.below(2_000) as f64 * 1e-3 - 1.0;
    let mut loss = network.leaf(0.0);
    for _ in 0..points {
        let (x, y) = (number(), number());
        let mut values = vec![network.leaf(x), network.leaf(y)];
        for layer in &layers {
            values = Vec::from_iter(layer.iter().map(|neuron| neuron.express(&network, &values)));
        }
        let error = values[0] - x * y;
        loss = loss + error * error;
    }
    let (name, loss, rate) = (format!("scalars, {points}"), loss.symbol(), 1e-3);
    Case { name, network, loss, feeds: Vec::new(), rate }
}

/// The network of the makemore examples on a batch of `rows`.
fn makemore(rows: usize, seed: u64) -> Case<Tensor> {
    let network = Network::new();
    let model = Model::new(&network, LETTERS, seed);
    let loss = Loss::new(&network, &model, rows);
    let mut random = Random::new(seed);
    let mut letters = |count| Vec::from_iter((0..count).map(|_| random.below(LETTERS)));
    let (contexts, targets) = (letters(rows * CONTEXT), letters(rows));
    let feeds = loss.feeds_of(&model, &contexts, &targets).to_vec();
    Case { name: format!("makemore, {rows}"), network, loss: loss.loss, feeds, rate: 0.1 }
}

/// Seconds that can be divided by: a clock may not have moved.
fn measurable(seconds: f64) -> f64 {
    if seconds > 1e-9 { seconds } else { 1e-9 }
}

/// Trains twice, by the interpreter and by a plan, and prints a line for each.
fn compare<P: Tensorial>(case: &Case<P>, steps: usize, rule: impl Fn(&P, &P, f64) -> P) {
    let Case { name, network: start, loss, feeds, rate } = case;
    let nodes = start.len();
    let train = |plan: Option<&Plan<P>>| {
        let (mut network, watch) = (start.clone(), Stopwatch::start());
        for _ in 0..steps {
            let feeds = feeds.iter().cloned();
            let gradients = match plan {
                Some(plan) => plan.forward(&network, feeds).backward(*loss),
                None => network.forward_for([*loss], feeds).backward(*loss),
            };
            network = network.step(&gradients, |w, g| rule(&w, g, *rate));
        }
        (network.fingerprint(), watch.seconds())
    };
    let plan = start.compile_training(*loss, []);
    let (interpreted, slow) = train(None);
    let (planned, fast) = train(Some(&plan));
    for (by, seconds) in [("interpreter", slow), ("plan", fast)] {
        let each = seconds / steps.max(1) as f64;
        let (rate, node) = (1.0 / measurable(each), each * 1e9 / nodes as f64);
        println!(
            "{name:<17} {nodes:>6} {by:<12} {steps} steps in {seconds:>7.3} s {rate:>10.0} \
             {node:>11.1} {:>8.2}x",
            slow / measurable(seconds)
        );
    }
    println!("{name:<17} fingerprint {planned}, the interpreter's: {}", interpreted == planned);
}
