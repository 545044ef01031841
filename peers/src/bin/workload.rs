//! Ours of `tools/workloads.py`: runs one workload whenever it is asked to, and says what a step took.
//!
//!     cargo run --release -p peers --bin workload -- WORKLOAD THREADS [exact|fast]
//!
//! It prints `ready`; then each line that it reads is a number of seconds to run for, and it answers
//! with the seconds of a step. `profile` in the place of a number prints the plan's profile.

use poorgrad::{
    Adam, Compile, Network, Numerics, Optimizer, Plan, Symbol, Tensor, init,
    scaled_dot_product_attention,
};
use std::io::BufRead;
use std::sync::Arc;
use std::time::Instant;
use zoo::models::{Recorded, lenet, plain, vgg};
use zoo::workloads::{Gate, gate, makemore, moons};

/// Something to do again and again.
struct Workload {
    step: Box<dyn FnMut()>,
    profile: Box<dyn Fn() -> String>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let usage = "WORKLOAD THREADS [exact|fast]";
    let name = arguments.next().expect(usage);
    let threads = arguments.next().and_then(|word| word.parse().ok()).expect(usage);
    poorgrad::set_threads(threads);
    let numerics = match arguments.next().as_deref() {
        Some("fast") => Numerics::Fast,
        _ => Numerics::Exact,
    };
    let mut workload = workload(&name, numerics);
    (workload.step)();
    println!("ready");
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line");
        let Ok(seconds) = line.trim().parse::<f64>() else {
            println!("{}", (workload.profile)());
            continue;
        };
        let (start, mut steps) = (Instant::now(), 0);
        while steps == 0 || start.elapsed().as_secs_f64() < seconds {
            (workload.step)();
            steps += 1;
        }
        println!("{:e}", start.elapsed().as_secs_f64() / f64::from(steps));
    }
}

fn workload(name: &str, numerics: Numerics) -> Workload {
    match name {
        "a32" => descent(&makemore(32), numerics),
        "a1024" => descent(&makemore(1024), numerics),
        "b" => training(&plain(128), numerics, &Adam::new(1e-4)),
        "c" => descent(&lenet(64), numerics),
        "d" => descent(&vgg(32), numerics),
        "f" => epoch(),
        "g" => logistic(numerics),
        "h" => gated(numerics),
        "i" => attention(numerics),
        _ => panic!("no workload {name}: a32, a1024, b, c, d, f, g, h, i"),
    }
}

/// Gradient descent by a training plan.
fn descent(model: &Recorded, numerics: Numerics) -> Workload {
    let Recorded { network, loss, feeds, .. } = model;
    let plan = Arc::new(Compile::new(network).loss(*loss).numerics(numerics).plan());
    let (loss, feeds) = (*loss, feeds.clone());
    let profile = profiled(&plan, network, &feeds);
    let mut network = Some(network.clone());
    let step = move || {
        let now = network.take().expect("the last step's network");
        let results = plan.forward(&now, feeds.iter().cloned());
        network = Some(now.step(&results.backward(loss), |w, g| w - 0.01 * g));
    };
    Workload { step: Box::new(step), profile }
}

/// Training by a plan of which the optimiser's step is a part.
fn training(model: &Recorded, numerics: Numerics, optimizer: &dyn Optimizer<Tensor>) -> Workload {
    let Recorded { network, loss, feeds, .. } = model;
    let network = network.clone();
    let parameters: Vec<_> =
        network.parameters().map(|(_, parameter)| parameter.symbol()).collect();
    let wrt: Vec<_> = parameters.iter().map(|&symbol| network.resolve(symbol)).collect();
    let gradients = network.differentiate(network.resolve(*loss), wrt);
    let pairs: Vec<_> = parameters
        .iter()
        .copied()
        .zip(gradients.iter().map(|gradient| gradient.symbol()))
        .collect();
    let mut recorded = optimizer.record(&network, &pairs).expect("an optimiser's step");
    let compile = Compile::new(&network).target(*loss).numerics(numerics);
    let plan = Arc::new(recorded.results().fold(compile, Compile::target).plan());
    let feeds = feeds.clone();
    let all: Vec<_> = feeds.iter().cloned().chain(recorded.feeds()).collect();
    let profile = profiled(&plan, &network, &all);
    let mut network = Some(network);
    let step = move || {
        let now = network.take().expect("the last step's network");
        let results = plan.forward(&now, feeds.iter().cloned().chain(recorded.feeds()));
        network = Some(recorded.advance(now, &results));
    };
    Workload { step: Box::new(step), profile }
}

fn profiled(
    plan: &Arc<Plan<Tensor>>,
    network: &Network<Tensor>,
    feeds: &[(Symbol, Tensor)],
) -> Box<dyn Fn() -> String> {
    let (plan, network, feeds) = (plan.clone(), network.clone(), feeds.to_vec());
    Box::new(move || plan.profile(&network, feeds.iter().cloned(), 15).to_string())
}

/// An epoch of the graph of scalars.
fn epoch() -> Workload {
    let (network, loss) = moons();
    let plan = Arc::new(network.compile_training(loss, []));
    let mut network = Some(network);
    let step = move || {
        let now = network.take().expect("the last step's network");
        let results = plan.forward(&now, []);
        network = Some(now.step(&results.backward(loss), |w, g| w - 0.001 * g));
    };
    Workload { step: Box::new(step), profile: Box::new(|| String::from("a flat program")) }
}

/// A step of logistic regression of 100,000 rows on 50 numbers, in `f64`.
fn logistic(numerics: Numerics) -> Workload {
    const ROWS: usize = 100_000;
    let network = Network::<Tensor<f64>>::new();
    let noise = |at: usize| ((at * 7919 + 13) % 10_007) as f64 / 5003.0 - 1.0;
    let x = network.input(Tensor::from_fn([ROWS, 50], |i| noise(i[0] * 50 + i[1])));
    let y = network.input(Tensor::from_fn([ROWS], |i| f64::from(noise(i[0]) > 0.0)));
    let w = network.parameter(Tensor::zeros([50, 1])).named("w");
    let b = network.parameter(Tensor::scalar(0.0)).named("b");
    let z = x.matmul(w).reshape([ROWS]);
    let z = z + b.broadcast_like(z);
    let loss = (z.softplus() - y * z).mean().symbol();
    let plan = Arc::new(Compile::new(&network).loss(loss).numerics(numerics).plan());
    let of_profile = (plan.clone(), network.clone());
    let profile = move || of_profile.0.profile(&of_profile.1, [], 15).to_string();
    let mut network = Some(network);
    let step = move || {
        let now = network.take().expect("the last step's network");
        let results = plan.forward(&now, []);
        network = Some(now.step(&results.backward(loss), |w, g| w - 0.1 * g));
    };
    Workload { step: Box::new(step), profile: Box::new(profile) }
}

/// The gate's elements and its gradients to `x`, `w` and `b`.
fn gated(numerics: Numerics) -> Workload {
    let Gate { network, loss, y, wrt: [x, ..] } = gate();
    let plan = Arc::new(
        Compile::new(&network).loss(loss).keep(y).gradients_of(x).numerics(numerics).plan(),
    );
    let profile = profiled(&plan, &network, &[]);
    let step = move || drop(plan.forward(&network, []));
    Workload { step: Box::new(step), profile }
}

/// An attention block of 4 heads of 64 on 256 positions, and its gradients.
fn attention(numerics: Numerics) -> Workload {
    const POSITIONS: usize = 256;
    const HEADS: usize = 4;
    const DEPTH: usize = 64;
    let width = HEADS * DEPTH;
    let network = Network::new();
    let mut init = init::xavier(1);
    let x = network.input(init::normal(0.0, 1.0, 2)(&[POSITIONS, width].into()));
    let mut project = |x: poorgrad::Value<'_, Tensor>| -> Symbol {
        let w = network.parameter(init(&[width, width].into()));
        network.resolve(x.symbol()).matmul(w).symbol()
    };
    let heads = |symbol: Symbol| {
        network.resolve(symbol).reshape([POSITIONS, HEADS, DEPTH]).permute(&[1, 0, 2])
    };
    let [q, k, v] = [project(x), project(x), project(x)].map(heads);
    let mask = network.leaf(poorgrad::causal_mask(POSITIONS));
    let seen = scaled_dot_product_attention(q, k, v, Some(mask));
    let joined = seen.permute(&[1, 0, 2]).reshape([POSITIONS, width]);
    let out = network.resolve(project(joined));
    let loss = (out * out).mean().symbol();
    let (x, feeds) = (x.symbol(), Vec::new());
    let plan =
        Arc::new(Compile::new(&network).loss(loss).gradients_of(x).numerics(numerics).plan());
    let profile = profiled(&plan, &network, &feeds);
    let step = move || drop(plan.forward(&network, []));
    Workload { step: Box::new(step), profile }
}
