//! Tells two moons apart: a small network, and the border that it draws.
//!
//! What it teaches: a classifier from `Mlp`, `cross_entropy` and `Adam`, trained by one plan over the whole
//! batch; the same parameters expressed a second time for other points, to judge by points that were
//! not trained on, and a third time over a grid, whose scores are drawn as the border between the
//! moons.
//!
//!     cargo run --release --example moons
//!     cargo run --release --example moons -- --noise 0.3
//!     cargo run --release --example moons -- --data points.csv

use poorgrad::{Adam, Mlp, Network, Optimizer, Symbol, Tensor, init};
use zoo::{
    chart::Chart,
    cli::{Arguments, fail},
    counted,
    moons::Moons,
    plane::Plane,
    progress::Progress,
};

const POINTS: usize = 400;

/// The share of points whose larger score is that of their moon.
fn accuracy(scores: &Tensor<f64>, labels: &[usize]) -> f64 {
    let found = scores.argmax_along(1);
    let right = found.iter().zip(labels).filter(|(found, label)| found == label).count();
    100.0 * right as f64 / labels.len() as f64
}

fn main() {
    let about = "Tells two moons apart, and draws the border.";
    let options = Arguments::new("moons", about, 400)
        .data(
            "Points: `x,y,moon` a line below these words, moon 0 or 1; one of four is to judge by",
        )
        .positive("noise", 0.15, "Standard deviation of the points off their half circles")
        .positive("rate", 0.02, "Learning rate of Adam")
        .parse();
    let noise = options.number("noise");
    let [train, test] = match &options.data {
        Some(path) => Moons::read(path).unwrap_or_else(|error| fail(&error)),
        None => [0, 1].map(|more| Moons::new(POINTS, noise, options.seed.wrapping_add(more))),
    };
    let map = Plane::new("two moons").points("upper", test.of(0)).points("lower", test.of(1));
    let grid = map.grid();

    let network = Network::new();
    let model = Mlp::new(&network, &[2, 16, 16, 2], init::xavier(options.seed));
    let scores = |points: Tensor<f64>| model.express(&network, network.leaf(points)).symbol();
    let trained = scores(train.inputs());
    let tested = scores(test.inputs());
    let everywhere = scores(Tensor::new([grid.len(), 2], grid.concat()));
    let targets = network.leaf(train.targets());
    let loss = network.resolve(trained).cross_entropy(targets).symbol();
    let plan = network.compile_training(loss, []);

    let mut network = network;
    let mut adam = Adam::new(options.number("rate"));
    let mut losses = Vec::with_capacity(options.steps);
    let progress = Progress::new("training", options.steps);
    for _ in 0..options.steps {
        let results = plan.forward(&network, []);
        losses.push(results.of(loss).item());
        network = adam.step(network, &results.backward(loss));
        progress.step(losses[losses.len() - 1]);
    }
    progress.finish();
    Chart::new("cross-entropy").losses(&losses).logarithmic().print();

    let evaluation = network.forward();
    let read = |scores: Symbol| evaluation.of(scores);
    // How much the upper moon's score is above the lower one's: the border is where neither is.
    let lead: Vec<f64> =
        read(everywhere).to_vec().chunks_exact(2).map(|pair| pair[0] - pair[1]).collect();
    map.border(&lead, 0.0).print();
    println!(
        "{} and {}: {:.2} % of the points right, {:.2} % of those not trained on",
        counted(options.steps, "step"),
        counted(train.points.len(), "point"),
        accuracy(&read(trained), &train.labels),
        accuracy(&read(tested), &test.labels),
    );
    println!("fingerprint {}", network.fingerprint());
}
