//! The law of growth: what a planned step takes, and compiling it, over three decades of rows, layers and nodes.
//!
//!     cargo bench --bench scale
//!
//! A column is one size; a line ends in the exponent between its first and its last column: 1 is linear. Times are
//! the fastest of several runs, a unit each.

use poorgrad::{Network, Symbol, Tensor, Tensorial, Value, set_threads};
use zoo::models::residual;
use zoo::stopwatch::Stopwatch;
use zoo::workloads::makemore;

/// Seconds of the fastest of at least three runs, of as many as go into a fifth of a second.
fn fastest(mut work: impl FnMut()) -> f64 {
    let (start, mut best, mut runs) = (Stopwatch::start(), f64::INFINITY, 0);
    while runs < 3 || start.seconds() < 0.2 {
        let one = Stopwatch::start();
        work();
        let seconds = one.seconds();
        best = if seconds < best { seconds } else { best };
        runs += 1;
    }
    best
}

/// What is measured of one size.
struct Point {
    size: usize,
    compile: f64,
    step: f64,
    interpreter: f64,
    bytes: f64,
}

fn point<P: Tensorial>(
    size: usize,
    network: &Network<P>,
    loss: Symbol,
    feeds: &[(Symbol, P)],
) -> Point {
    let compile = fastest(|| drop(network.compile_training(loss, [])));
    let plan = network.compile_training(loss, []);
    let feeds = || feeds.iter().cloned();
    let step = fastest(|| drop(plan.forward(network, feeds()).backward(loss)));
    let interpreter = fastest(|| drop(network.forward_for([loss], feeds()).backward(loss)));
    let description = plan.describe();
    let memory = description.memory;
    let slots = description.flat.map_or(0, |[_, slots]| slots * 8);
    let bytes = (memory.arena + memory.results) as f64 + slots as f64;
    Point { size, compile, step, interpreter, bytes }
}

/// A chain of scalars.
fn scalars(nodes: usize) -> (Network<f64>, Symbol) {
    let network = Network::new();
    let w = network.parameter(0.5_f64);
    let mut x: Value<'_, f64> = w * 1.0;
    for at in 0..nodes / 2 {
        x = if at % 2 == 0 { (x * w).tanh() } else { (x + w).sigmoid() };
    }
    let loss = x.symbol();
    (network, loss)
}

/// A line's title, what it shows of a point, and in which unit.
type Line = (&'static str, fn(&Point) -> f64, f64);

#[expect(clippy::disallowed_methods, reason = "an exponent is printed, no result depends on it")]
fn print(title: &str, points: &[Point]) {
    println!("{title}");
    print!("  {:<22}", "");
    points.iter().for_each(|point| print!("{:>12}", point.size));
    println!("    exponent");
    let lines: [Line; 4] = [
        ("compile, us", |point| point.compile, 1e6),
        ("step by plan, us", |point| point.step, 1e6),
        ("step interpreted, us", |point| point.interpreter, 1e6),
        ("memory of plan, KiB", |point| point.bytes, 1.0 / 1024.0),
    ];
    for (name, of, unit) in lines {
        print!("  {name:<22}");
        points.iter().for_each(|point| print!("{:>12.1}", of(point) * unit));
        let (first, last) = (&points[0], &points[points.len() - 1]);
        let (low, high) = (of(first), of(last));
        let exponent = (high / low).log(last.size as f64 / first.size as f64);
        println!("{:>12}", if low > 0.0 { format!("{exponent:.2}") } else { String::from("-") });
    }
}

fn main() {
    set_threads(1);
    let rows = [16, 128, 1024, 16_384].map(|rows| {
        let model = makemore(rows);
        point::<Tensor>(rows, &model.network, model.loss, &model.feeds)
    });
    print("rows of makemore", &rows);
    let layers = [2, 20, 200, 2_000].map(|layers| {
        let model = residual(16, layers, 32);
        point::<Tensor>(layers, &model.network, model.loss, &model.feeds)
    });
    print("residual layers of 32, 16 rows", &layers);
    let nodes = [1_000, 10_000, 100_000, 1_000_000].map(|nodes| {
        let (network, loss) = scalars(nodes);
        point(nodes, &network, loss, &[])
    });
    print("nodes of a chain of scalars", &nodes);
}
