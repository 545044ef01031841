//! `makemore_mlp` from ready-made parts: the same model, the same bits, and less to write.
//!
//! What it teaches: parts of a model are no more than names for what `makemore_mlp` writes out. A
//! `Sequential` of an `Embedding`, `Flatten` and two `Layer`s, trained by `Sgd`, ends with the same
//! parameters to the bit as the raw form does with the same seed: compare the line `weights`.
//!
//!     cargo run --release --example makemore_mlp_facade
//!     cargo run --release --example makemore_mlp_facade -- --data names.txt

use poorgrad::{
    Activation, Embedding, Flatten, Layer, Network, Optimizer, Random, Sequential, Sgd, Tensor,
    init,
};
use zoo::{
    chart::Chart,
    cli::Arguments,
    counted,
    makemore::{BATCH, CONTEXT, EMBEDDING, HIDDEN},
    progress::Progress,
    spelling::{Loss, Spelling, weights},
    stopwatch::Stopwatch,
};

fn model(network: &Network<Tensor>, classes: usize, seed: u64) -> Sequential<Tensor> {
    let inputs = CONTEXT * EMBEDDING;
    // A quiet last layer: the first guess is close to "every letter is as likely".
    let quiet = init::scaled(0.1, init::xavier(seed + 1));
    Sequential::new()
        .then(network, "letters", |n| {
            Embedding::new(n, classes, EMBEDDING, init::normal(0.0, 1.0, seed))
        })
        .then(network, "row", |_| Flatten)
        .then(network, "hidden", |n| {
            Layer::new(n, inputs, HIDDEN, Activation::Tanh, init::xavier(seed))
        })
        .then(network, "scores", |n| Layer::new(n, HIDDEN, classes, Activation::Identity, quiet))
}

fn main() {
    let options = Arguments::new("makemore_mlp_facade", "makemore_mlp from ready parts.", 40_000)
        .data("A text file with a name a line [default: the built-in names]")
        .positive("rate", 0.2, "Learning rate of the first step; it falls to a hundredth")
        .parse();
    let names = Spelling::open(&options, CONTEXT);
    let classes = names.vocabulary.size();
    let mut network = Network::new();
    let model = model(&network, classes, options.seed);
    let step = Loss::new(&network, &model, classes, [BATCH, CONTEXT]);
    println!("{}", names.summary(&network));

    let plan = network.compile_training(step.loss, []);
    let mut random = Random::new(options.seed);
    let mut optimizer = Sgd::new(options.number("rate"));
    let (mut losses, watch) = (Vec::with_capacity(options.steps), Stopwatch::start());
    let progress = Progress::new("training", options.steps);
    for number in 0..options.steps {
        let picks = [(); BATCH].map(|()| random.below(names.train.len()));
        let results = plan.forward(&network, step.feeds(&names.train.gather(&picks)));
        losses.push(f64::from(results.of(step.loss).item()));
        let fallen = 1.0 - 0.99 * number as f64 / options.steps as f64;
        optimizer.set_learning_rate(options.number("rate") * fallen);
        network = optimizer.step(network, &results.backward(step.loss));
        progress.step(losses[number]);
    }
    progress.finish();
    println!("{} in {:.1} s", counted(options.steps, "step"), watch.seconds());
    println!("fingerprint {}", network.fingerprint());
    println!("weights {}", weights(&network));
    Chart::new("makemore_mlp_facade")
        .losses(&losses)
        .target("counting pairs", names.counts)
        .print();
    names.report(&network, &model);
    names.invent(&network, &model, 20, &mut random);
}
