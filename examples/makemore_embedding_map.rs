//! What a model makes of letters: a map of its embedding, before and after it has learned.
//!
//! What it teaches: an embedding is a table of numbers like any other parameter. With two numbers a
//! letter it can be drawn as it is: letters begin anywhere, and those that are used alike end up near
//! each other, vowels among them.
//!
//!     cargo run --release --example makemore_embedding_map
//!     cargo run --release --example makemore_embedding_map -- --data names.txt

use poorgrad::{
    Activation, Embedding, Flatten, Layer, Network, Optimizer, Random, Schedule, Sequential, Sgd,
    Tensor, init,
};
use zoo::{
    chart::Chart,
    cli::Arguments,
    counted,
    makemore::{BATCH, CONTEXT},
    plane::Plane,
    progress::Progress,
    spelling::{Loss, Spelling, weights},
    stopwatch::Stopwatch,
};

const HIDDEN: usize = 100;

/// The letters where their two numbers put them; `.` is the end of a name.
fn places(network: &Network<Tensor>, names: &Spelling) -> Vec<(String, [f64; 2])> {
    let (_, table) = network.parameters().next().expect("the embedding was recorded first");
    let table = table.payload().expect("a parameter has a payload");
    let place = |row| [0, 1].map(|at| f64::from(table.get(&[row, at]).expect("two numbers a row")));
    let letter = |row: usize| match row {
        0 => ".".to_owned(),
        _ => names.vocabulary.decode(&[row]),
    };
    (0..names.vocabulary.size()).map(|row| (letter(row), place(row))).collect()
}

fn main() {
    let options =
        Arguments::new("makemore_embedding_map", "Draws what a model makes of letters.", 20_000)
            .data("A text file with a name a line [default: the built-in names]")
            .positive("rate", 0.2, "Learning rate of the first step; it falls along a cosine")
            .parse();
    let names = Spelling::open(&options, CONTEXT);
    let (classes, seed) = (names.vocabulary.size(), options.seed);
    let mut network = Network::new();
    let quiet = init::scaled(0.1, init::xavier(seed + 1));
    let model = Sequential::new()
        .then(&network, "letters", |n| Embedding::new(n, classes, 2, init::normal(0.0, 1.0, seed)))
        .then(&network, "row", |_| Flatten)
        .then(&network, "hidden", |n| {
            Layer::new(n, 2 * CONTEXT, HIDDEN, Activation::Tanh, init::xavier(seed))
        })
        .then(&network, "scores", |n| Layer::new(n, HIDDEN, classes, Activation::Identity, quiet));
    let step = Loss::new(&network, &model, classes, [BATCH, CONTEXT]);
    println!("{}", names.summary(&network));
    Plane::new("before").labels(places(&network, &names)).print();

    let plan = network.compile_training(step.loss, []);
    let mut random = Random::new(seed);
    let schedule = Schedule::cosine(options.number("rate"), 1e-3, options.steps);
    let mut optimizer = Sgd::new(options.number("rate"));
    let (mut losses, watch) = (Vec::with_capacity(options.steps), Stopwatch::start());
    let progress = Progress::new("training", options.steps);
    for number in 0..options.steps {
        let picks = [(); BATCH].map(|()| random.below(names.train.len()));
        let results = plan.forward(&network, step.feeds(&names.train.gather(&picks)));
        losses.push(f64::from(results.of(step.loss).item()));
        optimizer.set_learning_rate(schedule.at(number));
        network = optimizer.step(network, &results.backward(step.loss));
        progress.step(losses[number]);
    }
    progress.finish();
    println!("{} in {:.1} s", counted(options.steps, "step"), watch.seconds());
    println!("fingerprint {}", network.fingerprint());
    println!("weights {}", weights(&network));
    Chart::new("makemore_embedding_map").losses(&losses).print();
    Plane::new("after").labels(places(&network, &names)).print();
    names.report(&network, &model);
}
