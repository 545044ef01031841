//! `makemore_mlp` by a plan: the same model, the same bits, and faster.
//!
//! What it teaches: a tape that is recorded once can be compiled once. `compile_training` records the
//! chain rule on a copy of the tape, fuses what can run together and gives every value its place in
//! one arena; each step of training is then one run of the plan. The first step is checked against
//! the interpreter bit for bit, and `--describe` prints the schedule.
//!
//!     cargo run --release --example makemore_mlp_compiled
//!     cargo run --release --example makemore_mlp_compiled -- --describe

use poorgrad::{Network, Random};
use zoo::{
    chart::Chart,
    cli::{Arguments, fail},
    corpus::Corpus,
    counted,
    makemore::{BATCH, CONTEXT, Loss, Model, mean_loss},
    progress::Progress,
    stopwatch::Stopwatch,
    vocabulary::Vocabulary,
};

fn main() {
    let options = Arguments::new("makemore_mlp_compiled", "Trains makemore_mlp by a plan.", 40_000)
        .data("A text file with a name a line [default: the built-in names]")
        .positive("rate", 0.2, "Learning rate of the first step; it falls to a hundredth")
        .switch("describe", "Print the plan")
        .parse();
    let corpus = Corpus::open(options.data.as_deref()).unwrap_or_else(|error| fail(&error));
    let vocabulary = Vocabulary::of(corpus.names());
    let split = corpus.split(options.seed);
    let all = "the vocabulary has every letter of the corpus";
    let train = vocabulary.windows(&split.train, CONTEXT).expect(all);
    let dev = vocabulary.windows(&split.dev, CONTEXT).expect(all);

    let mut network = Network::new();
    let model = Model::new(&network, vocabulary.size(), options.seed);
    let step = Loss::new(&network, &model, BATCH);
    let watch = Stopwatch::start();
    let plan = network.compile_training(step.loss, []);
    let compiled = watch.seconds() * 1e3;
    let description = plan.describe();
    println!("a plan of {} steps in {compiled:.2} ms", description.steps.len());
    if options.switch("describe") {
        print!("{description}");
    }
    let kibibytes = |bytes: u64| bytes as f64 / 1024.0;
    println!(
        "at most {:.0} KiB alive in an arena of {:.0} KiB, where the interpreter keeps {:.0} KiB",
        kibibytes(description.memory.peak),
        kibibytes(description.memory.arena),
        kibibytes(description.memory.recorded),
    );

    let mut random = Random::new(options.seed);
    let (mut losses, watch) = (Vec::with_capacity(options.steps), Stopwatch::start());
    let progress = Progress::new("training", options.steps);
    for number in 0..options.steps {
        let picks = [(); BATCH].map(|()| random.below(train.len()));
        let feeds = step.feeds(&model, &train.gather(&picks));
        if number == 0
            && let Err(divergence) = plan.check(&network, feeds.clone())
        {
            fail(&divergence);
        }
        let results = plan.forward(&network, feeds);
        losses.push(f64::from(results.of(step.loss).item()));
        let rate = options.number("rate") * (1.0 - 0.99 * number as f64 / options.steps as f64);
        network = network.step(&results.backward(step.loss), |w, g| w - rate as f32 * g);
        progress.step(losses[number]);
    }
    progress.finish();
    println!("{} in {:.1} s", counted(options.steps, "step"), watch.seconds());
    println!("fingerprint {}", network.fingerprint());
    Chart::new("makemore_mlp_compiled").losses(&losses).print();
    for (name, part) in
        [("train", &train), ("dev", &dev)].into_iter().filter(|(_, part)| !part.is_empty())
    {
        println!("{name} loss {:.4}", mean_loss(&network, &model, part));
    }
}
