//! `makemore_mlp` on all cores: one network, one plan, and a part of every batch for each thread.
//!
//! What it teaches: a plan holds no parameters and takes no lock while it runs, so that any number of
//! threads run it on one network at once. Each step draws eight parts of 32 rows; the threads take
//! parts as they come, and their gradients, `Field`s of one lineage, are added in the order of the
//! parts. That order says what the sum is, not who was done first: the fingerprint after training
//! is the same for any number of threads. The training runs on one thread, then on several.
//!
//!     cargo run --release --example makemore_mlp_parallel
//!     cargo run --release --example makemore_mlp_parallel -- --threads 4

use poorgrad::{Gradients, Network, Random, Results, Tensor, set_threads};
use rayon::prelude::*;
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

/// Parts of a step. They, and not the threads, say which sums are computed.
const PARTS: usize = 8;

fn main() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let about = "Trains one network on all cores, with the bits of one.";
    let options = Arguments::new("makemore_mlp_parallel", about, 1_500)
        .data("A text file with a name a line [default: the built-in names]")
        .positive("rate", 0.3, "Learning rate of the first step; it falls to a hundredth")
        .positive("threads", cores as f64, "Threads that share each step")
        .parse();
    let corpus = Corpus::open(options.data.as_deref()).unwrap_or_else(|error| fail(&error));
    let vocabulary = Vocabulary::of(corpus.names());
    let split = corpus.split(options.seed);
    let all = "the vocabulary has every letter of the corpus";
    let train = vocabulary.windows(&split.train, CONTEXT).expect(all);
    let dev = vocabulary.windows(&split.dev, CONTEXT).expect(all);

    let start = Network::new();
    let model = Model::new(&start, vocabulary.size(), options.seed);
    let loss = Loss::new(&start, &model, BATCH);
    let plan = start.compile_training(loss.loss, []);
    // A part is the work of a thread: what it computes is not split once more.
    set_threads(1);

    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.unwrap_or_else(|error| fail(&error));
        let mut network: Network<Tensor> = start.clone();
        let mut random = Random::new(options.seed);
        let (mut losses, watch) = (Vec::with_capacity(options.steps), Stopwatch::start());
        let progress = Progress::new(&counted(threads, "thread"), options.steps);
        for number in 0..options.steps {
            let feeds = Vec::from_iter((0..PARTS).map(|_| {
                let picks = [(); BATCH].map(|()| random.below(train.len()));
                loss.feeds(&model, &train.gather(&picks))
            }));
            let results: Vec<Results<Tensor>> = pool.install(|| {
                feeds.into_par_iter().map(|feeds| plan.forward(&network, feeds)).collect()
            });
            // Both folds go through the parts in their order.
            let mean = |sum: f64| sum / PARTS as f64;
            let lost = results.iter().map(|part| f64::from(part.of(loss.loss).item()));
            losses.push(mean(lost.fold(0.0, |sum, part| sum + part)));
            let gradients = results.iter().map(|part| part.backward(loss.loss));
            let sum = gradients.reduce(|sum: Gradients<Tensor>, part| sum.zip(&part, |a, b| a + b));
            let gradients = sum.expect("a step has parts").scale(mean(1.0));
            // A run holds on to what it handed back: without it `step` reuses more buffers.
            drop(results);
            let falls = 1.0 - 0.99 * number as f64 / options.steps as f64;
            let rate = (options.number("rate") * falls) as f32;
            network = network.step(&gradients, |w, g| w - rate * g);
            progress.step(losses[number]);
        }
        progress.finish();
        (network, losses, watch.seconds())
    };

    let threads = (options.number("threads") as usize).max(1);
    let (alone, losses, one) = run(1);
    let (network, _, several) = run(threads);
    let steps = counted(options.steps, "step");
    println!("1 thread: {steps} in {one:.2} s");
    let ratio = one / several;
    println!("{}: {steps} in {several:.2} s, {ratio:.2} times as fast", counted(threads, "thread"));
    let same = alone.fingerprint() == network.fingerprint();
    println!("the same bits: {same}");
    println!("fingerprint {}", network.fingerprint());
    Chart::new("makemore_mlp_parallel").losses(&losses).print();
    for (name, part) in
        [("train", &train), ("dev", &dev)].into_iter().filter(|(_, p)| !p.is_empty())
    {
        println!("{name} loss {:.4}", mean_loss(&network, &model, part));
    }
}
