//! Ours of `tools/train_peers.py`: milliseconds of a step of training of each model, by the
//! interpreter, by an exact plan and by a fast one, on one thread; the median of some steps.
//!
//!     cargo run --release -p peers --bin train_rows [MODEL [exact|fast]]
//!
//! With a model's name it prints the profile of that model's plan instead.

use poorgrad::{Compile, Network, Numerics, Symbol, Tensor};
use std::time::Instant;
use zoo::makemore::{CONTEXT, Loss, Model};
use zoo::models::{Recorded, lenet, plain, residual, vgg};

fn makemore(rows: usize) -> Recorded {
    const LETTERS: usize = 27;
    let network = Network::new();
    let model = Model::new(&network, LETTERS, 1);
    let loss = Loss::new(&network, &model, rows);
    let contexts: Vec<usize> = (0..rows * CONTEXT).map(|i| i * 7 % LETTERS).collect();
    let targets: Vec<usize> = (0..rows).map(|i| i * 7 % LETTERS).collect();
    let feeds = loss.feeds_of(&model, &contexts, &targets).to_vec();
    let loss = loss.loss;
    Recorded { network, loss, scores: loss, feeds }
}

/// The median of as many steps as half a second has, five at least.
fn median(mut step: impl FnMut()) -> f64 {
    step();
    let (mut times, start) = (Vec::new(), Instant::now());
    while times.len() < 5 || start.elapsed().as_secs_f64() < 0.5 {
        let before = Instant::now();
        step();
        times.push(before.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn rule(w: Tensor, g: &Tensor) -> Tensor {
    w - 1e-3 * g
}

fn interpreted(model: &Recorded) -> f64 {
    let mut network = Some(model.network.clone());
    median(|| {
        let now = network.take().expect("the last step's network");
        let evaluation = now.forward_for([model.loss], feeds(model));
        let gradients = evaluation.backward(model.loss);
        drop(evaluation);
        network = Some(now.step(&gradients, rule));
    })
}

fn planned(model: &Recorded, numerics: Numerics) -> f64 {
    let plan = Compile::new(&model.network).loss(model.loss).numerics(numerics).plan();
    let mut network = Some(model.network.clone());
    median(|| {
        let now = network.take().expect("the last step's network");
        let results = plan.forward(&now, feeds(model));
        network = Some(now.step(&results.backward(model.loss), rule));
    })
}

fn feeds(model: &Recorded) -> Vec<(Symbol, Tensor)> {
    model.feeds.clone()
}

/// Records a model.
type Build = fn() -> Recorded;

fn main() {
    poorgrad::set_threads(1);
    let models: [(&str, Build); 6] = [
        ("makemore32", || makemore(32)),
        ("makemore1024", || makemore(1024)),
        ("plain", || plain(128)),
        ("residual", || residual(64, 32, 256)),
        ("lenet", || lenet(64)),
        ("vgg", || vgg(32)),
    ];
    let mut arguments = std::env::args().skip(1);
    if let Some(wanted) = arguments.next() {
        let numerics = match arguments.next().as_deref() {
            Some("fast") => Numerics::Fast,
            _ => Numerics::Exact,
        };
        let (_, model) = models.iter().find(|(name, _)| *name == wanted).expect("a model's name");
        let model = model();
        let plan = Compile::new(&model.network).loss(model.loss).numerics(numerics).plan();
        println!("{}", plan.profile(&model.network, feeds(&model), 31));
        return;
    }
    for (name, model) in models {
        let model = model();
        let times = [
            interpreted(&model),
            planned(&model, Numerics::Exact),
            planned(&model, Numerics::Fast),
        ];
        println!("{name} {:.4} {:.4} {:.4}", times[0], times[1], times[2]);
    }
}
