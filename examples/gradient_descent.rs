//! Fits a line to noisy points, with threads, at three learning rates.
//!
//! What it teaches: a run takes no lock and an `Evaluation` owns what it needs, so that any number
//! of threads run one network at once, each with feeds of its own. The gradients of the parts are
//! added in a fixed order: the result has the bits of the serial one. `clone` is an O(1) fork: each
//! learning rate trains a fork, in a thread of its own, and all of them share one recorded tape.
//!
//!     cargo run --release --example gradient_descent

use std::thread;

use poorgrad::{Gradients, Network, Symbol, Tensor, init};
use zoo::{chart::Chart, cli::Arguments};

const PARTS: usize = 4;
const POINTS: usize = 250;
const SLOPE: f64 = 1.5;
const INTERCEPT: f64 = -0.7;

/// `POINTS` inputs and outputs of the line, with noise.
type Part = [Tensor<f64>; 2];

struct Line {
    x: Symbol,
    y: Symbol,
    parameters: [Symbol; 2],
    loss: Symbol,
}

impl Line {
    fn record(network: &Network<Tensor<f64>>) -> Self {
        let slope = network.parameter(Tensor::scalar(0.0)).named("slope");
        let intercept = network.parameter(Tensor::scalar(0.0)).named("intercept");
        let x = network.input(Tensor::zeros([POINTS]));
        let y = network.input(Tensor::zeros([POINTS]));
        let line = slope.broadcast_like(x) * x + intercept.broadcast_like(x);
        let loss = line.mean_squared_error(y).named("loss").symbol();
        let parameters = [slope.symbol(), intercept.symbol()];
        Self { x: x.symbol(), y: y.symbol(), parameters, loss }
    }

    /// The loss of one part of the points, and its gradient.
    fn run(&self, network: &Network<Tensor<f64>>, [x, y]: &Part) -> (f64, Gradients<Tensor<f64>>) {
        let evaluation = network.forward_with([(self.x, x.clone()), (self.y, y.clone())]);
        let gradients = evaluation.backward_for(self.loss, self.parameters);
        (evaluation.of(self.loss).item(), gradients)
    }

    /// The same for all parts: a thread for each, on one shared network.
    fn threaded(
        &self,
        network: &Network<Tensor<f64>>,
        parts: &[Part],
    ) -> (f64, Gradients<Tensor<f64>>) {
        let runs = thread::scope(|scope| {
            let threads = Vec::from_iter(
                parts.iter().map(|part| scope.spawn(move || self.run(network, part))),
            );
            Vec::from_iter(threads.into_iter().map(|run| run.join().expect("a run does not panic")))
        });
        mean(runs)
    }

    fn serial(
        &self,
        network: &Network<Tensor<f64>>,
        parts: &[Part],
    ) -> (f64, Gradients<Tensor<f64>>) {
        mean(parts.iter().map(|part| self.run(network, part)).collect())
    }
}

/// Losses and gradients averaged in the order of the parts, whichever thread was first.
fn mean(runs: Vec<(f64, Gradients<Tensor<f64>>)>) -> (f64, Gradients<Tensor<f64>>) {
    let share = 1.0 / runs.len() as f64;
    let sum = runs.into_iter().reduce(|(loss, sum), (next, more)| (loss + next, &sum + &more));
    let (loss, gradients) = sum.expect("there is a part");
    (loss * share, gradients.scale(share))
}

fn main() {
    let about = "Fits a line to noisy points, with threads, at three learning rates.";
    let options = Arguments::new("gradient_descent", about, 60).parse();
    let mut inputs = init::uniform(-1.0, 1.0, options.seed);
    let mut noise = init::normal::<Tensor<f64>>(0.0, 0.1, options.seed + 1);
    let parts = Vec::from_iter((0..PARTS).map(|_| {
        let x: Tensor<f64> = inputs(&[POINTS].into());
        let y = SLOPE * &x + INTERCEPT + noise(&[POINTS].into());
        [x, y]
    }));

    let network = Network::new();
    let line = Line::record(&network);
    let (threaded, serial) = (line.threaded(&network, &parts), line.serial(&network, &parts));
    let identical = line
        .parameters
        .iter()
        .all(|&parameter| threaded.1.of(parameter).is_identical(&serial.1.of(parameter)));
    println!("{PARTS} threads and one give the same bits: {identical}");

    let rates = [0.03, 0.1, 0.5];
    let curves = thread::scope(|scope| {
        let fits = rates.map(|rate| {
            let (mut fork, line, parts) = (network.clone(), &line, &parts);
            scope.spawn(move || {
                let mut losses = Vec::with_capacity(options.steps);
                for _ in 0..options.steps {
                    let (loss, gradients) = line.threaded(&fork, parts);
                    losses.push(loss);
                    fork = fork.step(&gradients, |w, g| w - rate * g);
                }
                (fork, losses)
            })
        });
        fits.map(|fit| fit.join().expect("a fit does not panic"))
    });

    let mut chart = Chart::new("mean squared error").logarithmic();
    for (rate, (fork, losses)) in rates.iter().zip(&curves) {
        let [slope, intercept] =
            line.parameters.map(|parameter| fork.forward().of(parameter).item());
        println!("rate {rate}: y = {slope:.3} x {intercept:+.3}");
        let points = losses.iter().enumerate().map(|(step, &loss)| (step as f64, loss));
        chart = chart.curve(&format!("rate {rate}"), points);
    }
    println!("the points: y = {SLOPE:.3} x {INTERCEPT:+.3}, and noise");
    chart.print();
    let untouched = line.parameters.map(|parameter| network.forward().of(parameter).item());
    println!("the network that all of them forked from: {untouched:?}");
}
