//! `makemore_mlp` with its hidden layer normalised over the batch.
//!
//! What it teaches: a layer with statistics has no hidden state. `BatchNorm::express` normalises by the
//! batch at hand and returns its mean and variance, which the training plan hands out beside the loss;
//! `RunningStatistics` remembers them in the training loop, and `express_with` takes what it remembers
//! where a name is judged or written by itself.
//!
//!     cargo run --release --example makemore_mlp_batchnorm
//!     cargo run --release --example makemore_mlp_batchnorm -- --data names.txt

use poorgrad::{
    Activation, BatchNorm, Embedding, Flatten, Layer, Module, Network, Optimizer, Random,
    RunningStatistics, Sequential, Sgd, ShapeError, Tensor, Value, init,
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

/// The parts in front of the normalisation, itself, and the scores.
struct Model {
    before: Sequential<Tensor>,
    norm: BatchNorm,
    scores: Layer,
    /// What a model in use normalises by; a training normalises by its batch.
    running: Option<RunningStatistics<Tensor>>,
}

impl Model {
    fn new(network: &Network<Tensor>, classes: usize, seed: u64) -> Self {
        let inputs = CONTEXT * EMBEDDING;
        let letters = init::normal(0.0, 1.0, seed);
        let before = Sequential::new()
            .then(network, "letters", |n| Embedding::new(n, classes, EMBEDDING, letters))
            .then(network, "row", |_| Flatten)
            .then(network, "hidden", |n| {
                Layer::new(n, inputs, HIDDEN, Activation::Identity, init::xavier(seed))
            });
        let norm = {
            let _scope = network.scope("norm");
            BatchNorm::new(network, HIDDEN)
        };
        let _scope = network.scope("scores");
        let quiet = init::scaled(0.1, init::xavier(seed + 1));
        let scores = Layer::new(network, HIDDEN, classes, Activation::Identity, quiet);
        Self { before, norm, scores, running: None }
    }
}

impl Module<Tensor> for Model {
    fn record<'n>(
        &self,
        network: &'n Network<Tensor>,
        contexts: Value<'n, Tensor>,
    ) -> Result<Value<'n, Tensor>, ShapeError> {
        let hidden = self.before.record(network, contexts)?;
        let normal = match &self.running {
            Some(running) => {
                let [mean, variance] = [running.mean(), running.variance()];
                let (mean, variance) = (network.leaf(mean), network.leaf(variance));
                self.norm.try_express_with(network, hidden, mean, variance)?
            }
            None => self.norm.try_express(network, hidden)?.output,
        };
        self.scores.try_express(network, normal.tanh())
    }
}

fn main() {
    let options =
        Arguments::new("makemore_mlp_batchnorm", "makemore_mlp with batch statistics.", 40_000)
            .data("A text file with a name a line [default: the built-in names]")
            .positive("rate", 0.2, "Learning rate of the first step; it falls to a hundredth")
            .parse();
    let names = Spelling::open(&options, CONTEXT);
    let classes = names.vocabulary.size();
    let mut network = Network::new();
    let mut model = Model::new(&network, classes, options.seed);
    let step = Loss::new(&network, &model, classes, [BATCH, CONTEXT]);
    println!("{}", names.summary(&network));

    let statistics = ["batch_mean", "batch_variance"];
    let statistics = statistics.map(|name| network.find(name).expect("the batch has it").symbol());
    let plan = network.compile_training(step.loss, statistics);
    let mut running = RunningStatistics::new(HIDDEN).momentum(0.01);
    let mut random = Random::new(options.seed);
    let mut optimizer = Sgd::new(options.number("rate"));
    let (mut losses, watch) = (Vec::with_capacity(options.steps), Stopwatch::start());
    let progress = Progress::new("training", options.steps);
    for number in 0..options.steps {
        let picks = [(); BATCH].map(|()| random.below(names.train.len()));
        let results = plan.forward(&network, step.feeds(&names.train.gather(&picks)));
        losses.push(f64::from(results.of(step.loss).item()));
        let [mean, variance] = statistics.map(|statistic| results.of(statistic));
        running.update(&mean, &variance, BATCH).expect("the batch has many rows");
        let fallen = 1.0 - 0.99 * number as f64 / options.steps as f64;
        optimizer.set_learning_rate(options.number("rate") * fallen);
        network = optimizer.step(network, &results.backward(step.loss));
        progress.step(losses[number]);
    }
    progress.finish();
    println!("{} in {:.1} s", counted(options.steps, "step"), watch.seconds());
    println!("fingerprint {}", network.fingerprint());
    println!("weights {}", weights(&network));
    Chart::new("makemore_mlp_batchnorm")
        .losses(&losses)
        .target("counting pairs", names.counts)
        .print();
    model.running = Some(running);
    names.report(&network, &model);
    names.invent(&network, &model, 20, &mut random);
}
