//! A service that answers on many threads while it learns.
//!
//! What it teaches: a network is shared and never locked. Training makes a new generation of the
//! parameters out of an old one, which stays usable: a service answers each question by the newest
//! generation that was handed over, and whoever still computes with an older one goes on undisturbed.
//! An answer is that of one generation, whole: some are computed again at the end, on one thread, and
//! compared to the bit. The same questions are answered without training first, then with it.
//!
//!     cargo run --release --example serving
//!     cargo run --release --example serving -- --threads 3 --steps 20000
//!     cargo run --release --example serving -- --data samples.csv

use poorgrad::{Adam, Batches, Mlp, Network, Optimizer, Plan, Random, Symbol, Tensor, init};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use zoo::{
    cli::{Arguments, Options, fail},
    counted,
    progress::Progress,
    stopwatch::Stopwatch,
    table,
};

/// Numbers of a question.
const NUMBERS: usize = 16;
/// Units of the model: what is asked, two layers, the answer.
const SIZES: [usize; 4] = [NUMBERS, 64, 64, 1];
/// Samples of a training step, and of all where no file is given.
const BATCH: usize = 64;
const SAMPLES: usize = 4096;
/// Questions of each thread in a round; one in so many is kept for the comparison.
const QUESTIONS: usize = 20_000;
const KEPT: usize = 1_000;

/// What all threads share.
struct Service {
    /// The generation that answers. The lock is held for as long as a pointer is copied.
    newest: RwLock<Arc<Network<Tensor>>>,
    plan: Plan<Tensor>,
    question: Symbol,
    answer: Symbol,
}

impl Service {
    fn newest(&self) -> Arc<Network<Tensor>> {
        self.newest.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn hand_over(&self, network: Network<Tensor>) {
        *self.newest.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(network);
    }

    fn answer(&self, network: &Network<Tensor>, question: Tensor) -> f32 {
        self.plan.forward(network, [(self.question, question)]).of(self.answer).item()
    }
}

/// A question that was answered: by which generation, and what.
type Kept = (Arc<Network<Tensor>>, Tensor, f32);

fn main() {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let options = Arguments::new("serving", "Answers on many threads while it learns.", 4_000)
        .data("Samples: 16 numbers and what they should give, `x0,..,x15,y` in the first line")
        // Learning takes a core of its own.
        .positive("threads", cores.max(2) as f64 - 1.0, "Threads that answer")
        .positive("rate", 1e-3, "Learning rate")
        .parse();
    let threads = (options.number("threads") as usize).max(1);
    let questions = if options.smoke { KEPT } else { QUESTIONS };
    // An answer, or a step, is the work of a thread: it is not split once more.
    poorgrad::set_threads(1);

    let network = Network::new();
    let model = Mlp::new(&network, &SIZES, init::xavier(options.seed));
    let question = network.input(Tensor::zeros([1, NUMBERS])).named("question");
    let answer = model.express(&network, question);
    let batch = network.input(Tensor::zeros([BATCH, NUMBERS])).named("batch");
    let truth = network.input(Tensor::zeros([BATCH, 1])).named("truth");
    let loss = model.express(&network, batch).mean_squared_error(truth);
    let [question, answer, batch, truth, loss] =
        [question, answer, batch, truth, loss].map(|value| value.symbol());
    let (plan, learning) = (network.compile([answer], []), network.compile_training(loss, []));
    let service = Service { newest: RwLock::new(Arc::new(network)), plan, question, answer };

    let (samples, values) = samples(&options);
    let count = values.shape()[0];
    let mut batches =
        Batches::try_new(count, BATCH, options.seed).unwrap_or_else(|error| fail(&error));

    let alone = round(&service, threads, questions, options.seed, || {});
    report("without training", &alone);

    let mut losses = [f64::NAN; 2];
    let busy = round(&service, threads, questions, options.seed + 1, || {
        let mut network = (*service.newest()).clone();
        let mut optimizer = Adam::new(options.number("rate"));
        let (progress, watch) = (Progress::new("learning", options.steps), Stopwatch::start());
        for number in 0..options.steps {
            let rows = Tensor::selection(batches.at(number), count);
            let feeds = [(batch, rows.matmul(&samples)), (truth, rows.matmul(&values))];
            let results = learning.forward(&network, feeds);
            let lost = f64::from(results.of(loss).item());
            losses = [if number == 0 { lost } else { losses[0] }, lost];
            // By value: but for the service, nobody holds on to the old generation.
            network = optimizer.step(network, &results.backward(loss));
            service.hand_over(network.clone());
            progress.step(lost);
        }
        progress.finish();
        println!("{} in {:.1} s", counted(options.steps, "step"), watch.seconds());
    });
    report("with training", &busy);
    // A clock may not have moved: no time is below a nanosecond.
    let ratio = (percentile(&busy, 0.99) + 1e-3) / (percentile(&alone, 0.99) + 1e-3);
    println!("p99 with training is {ratio:.2} times that without it (a time in us by one in us)");

    let kept = alone.iter().chain(&busy).flat_map(|(_, kept)| kept);
    let same = kept.clone().all(|(generation, question, answer)| {
        service.answer(generation, question.clone()).to_bits() == answer.to_bits()
    });
    println!("each answer is that of one generation, to the bit: {same}");
    println!("loss {:.6} at first, {:.6} at last", losses[0], losses[1]);
    println!("fingerprint {}", service.newest().fingerprint());
}

/// Answers questions on so many threads, at least so many on each and until `meanwhile` is over: the
/// times in microseconds, and what was kept.
fn round(
    service: &Service,
    threads: usize,
    questions: usize,
    seed: u64,
    meanwhile: impl FnOnce(),
) -> Vec<(Vec<f64>, Vec<Kept>)> {
    let over = AtomicBool::new(false);
    let over = &over;
    let serve = move |number: u64| {
        let mut random = Random::new(seed).split(number);
        let (mut times, mut kept) = (Vec::new(), Vec::new());
        while times.len() < questions || !over.load(Ordering::Relaxed) {
            let numbers = Vec::from_iter((0..NUMBERS).map(|_| random.normal() as f32));
            let question = Tensor::new([1, NUMBERS], numbers);
            let watch = Stopwatch::start();
            let network = service.newest();
            let answer = service.answer(&network, question.clone());
            times.push(watch.seconds() * 1e6);
            if times.len() % KEPT == 0 && kept.len() < 100 {
                kept.push((network, question, answer));
            }
        }
        (times, kept)
    };
    thread::scope(|scope| {
        let serving = Vec::from_iter((0..threads).map(|n| scope.spawn(move || serve(n as u64))));
        meanwhile();
        over.store(true, Ordering::Relaxed);
        let joined = serving.into_iter().map(|thread| thread.join());
        joined.map(|served| served.expect("answering does not panic")).collect()
    })
}

/// The time that a part of the answers stays below.
fn percentile(served: &[(Vec<f64>, Vec<Kept>)], part: f64) -> f64 {
    let mut times = Vec::from_iter(served.iter().flat_map(|(times, _)| times.iter().copied()));
    times.sort_by(f64::total_cmp);
    times[((times.len() - 1) as f64 * part) as usize]
}

fn report(name: &str, served: &[(Vec<f64>, Vec<Kept>)]) {
    let answers = served.iter().map(|(times, _)| times.len()).fold(0, |sum, count| sum + count);
    println!(
        "{name}: {answers} answers on {}, p50 {:.1} us, p99 {:.1} us",
        counted(served.len(), "thread"),
        percentile(served, 0.5),
        percentile(served, 0.99),
    );
}

/// What is to be learned: the samples of a file, or sums of waves over random numbers.
fn samples(options: &Options) -> (Tensor, Tensor) {
    if let Some(path) = &options.data {
        let names = Vec::from_iter((0..NUMBERS).map(|number| format!("x{number}")));
        let names = Vec::from_iter(names.iter().map(String::as_str).chain(["y"]));
        let rows = table::read(path, &names).unwrap_or_else(|error| fail(&error));
        let samples = Tensor::from_fn([rows.len(), NUMBERS], |at| rows[at[0]][at[1]] as f32);
        return (samples, Tensor::from_fn([rows.len(), 1], |at| rows[at[0]][NUMBERS] as f32));
    }
    let mut random = Random::new(options.seed).split(u64::MAX);
    let samples = Tensor::from_fn([SAMPLES, NUMBERS], |_| random.normal() as f32);
    let waves = Network::new();
    let x = waves.input(samples.clone());
    let value = x.sin().mean_along(&[1]).unsqueeze(1).symbol();
    let values = waves.forward().of(value);
    (samples, values)
}
