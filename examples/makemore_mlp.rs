//! Learns how names are spelled, and makes new ones: the model of Bengio et al. (2003) on letters.
//!
//! What it teaches: parameters are plain values on the tape, and so is every use of them. Three
//! letters select rows of an embedding (`gather`), the rows are laid side by side (`reshape`), a
//! `tanh` layer reads them, and `cross_entropy` compares its 27 scores with the letter that follows.
//! The same parameters are expressed once for each size of batch: 32 rows to train, up to 4,096 rows
//! of a part of the corpus to judge (all of them, turn by turn), and a single row to write names.
//! Nothing is recorded in the loop.
//!
//!     cargo run --release --example makemore_mlp
//!     cargo run --release --example makemore_mlp -- --data names.txt

use poorgrad::{Extent, Network, Shape, Symbol, Tensor, Value, init};
use zoo::{
    bigram::Bigram,
    chart::Chart,
    cli::{Arguments, fail},
    corpus::Corpus,
    counted,
    progress::Progress,
    random::SplitMix64,
    stopwatch::Stopwatch,
    vocabulary::{Vocabulary, Windows},
};

const CONTEXT: usize = 3;
const EMBEDDING: usize = 10;
const HIDDEN: usize = 200;
const BATCH: usize = 32;
/// Rows that are judged at once.
const TURN: usize = 4096;

/// The parameters. Symbols outlive every generation of the network.
struct Model {
    classes: usize,
    embedding: Symbol,
    hidden: [Symbol; 2],
    output: [Symbol; 2],
}

impl Model {
    fn new(network: &Network<Tensor>, classes: usize, seed: u64) -> Self {
        let mut letters = init::normal(0.0, 1.0, seed);
        let mut weights = init::xavier(seed);
        // A quiet last layer: the first guess is close to "every letter is as likely".
        let mut quiet = init::scaled(0.1, init::xavier(seed + 1));
        let parameter = |name: &str, shape: Shape, init: &mut dyn FnMut(&Shape) -> Tensor| {
            network.parameter(init(&shape)).named(name).symbol()
        };
        Self {
            classes,
            embedding: parameter("embedding", Shape::from([classes, EMBEDDING]), &mut letters),
            hidden: [
                parameter("w1", Shape::from([CONTEXT * EMBEDDING, HIDDEN]), &mut weights),
                parameter("b1", Shape::from([HIDDEN]), &mut weights),
            ],
            output: [
                parameter("w2", Shape::from([HIDDEN, classes]), &mut quiet),
                parameter("b2", Shape::from([classes]), &mut quiet),
            ],
        }
    }

    /// Scores `[rows, classes]` of the next letter, from a selection `[rows * CONTEXT, classes]`.
    fn scores<'n>(
        &self,
        network: &'n Network<Tensor>,
        contexts: Value<'n, Tensor>,
    ) -> Value<'n, Tensor> {
        let affine = |x: Value<'n, Tensor>, [w, b]: [Symbol; 2]| {
            let product = x.matmul(network.resolve(w));
            product + network.resolve(b).broadcast_like(product)
        };
        let rows = network.resolve(self.embedding).gather(contexts);
        let x = rows.reshape([Extent::Infer, Extent::Exactly(CONTEXT * EMBEDDING)]);
        affine(affine(x, self.hidden).tanh(), self.output)
    }

    fn parameters(&self) -> [Symbol; 5] {
        let [w1, b1] = self.hidden;
        let [w2, b2] = self.output;
        [self.embedding, w1, b1, w2, b2]
    }

    /// A selection of the letters of whole rows.
    fn contexts(&self, tokens: &[usize]) -> Tensor {
        Tensor::selection(tokens, self.classes)
    }
}

/// The mean loss of a batch of a fixed number of rows.
struct Loss {
    contexts: Symbol,
    targets: Symbol,
    loss: Symbol,
}

impl Loss {
    fn new(network: &Network<Tensor>, model: &Model, rows: usize) -> Self {
        let contexts = network.input(model.contexts(&vec![0; rows * CONTEXT])).named("contexts");
        let targets = network.input(model.contexts(&vec![0; rows])).named("targets");
        let loss = model.scores(network, contexts).cross_entropy(targets).named("loss");
        Self { contexts: contexts.symbol(), targets: targets.symbol(), loss: loss.symbol() }
    }

    fn feeds(&self, model: &Model, batch: &Windows) -> [(Symbol, Tensor); 2] {
        [
            (self.contexts, model.contexts(batch.contexts())),
            (self.targets, model.contexts(batch.targets())),
        ]
    }

    fn of(&self, network: &Network<Tensor>, model: &Model, batch: &Windows) -> f64 {
        let evaluation = network.forward_for([self.loss], self.feeds(model, batch));
        f64::from(evaluation.of(self.loss).item())
    }
}

/// The loss over all rows of a part, in turns of equal size and one for what is left.
fn mean_loss(network: &Network<Tensor<f32>>, model: &Model, part: &Windows) -> f64 {
    let mut total = 0.0;
    let mut turns = Vec::from_iter(0..part.len());
    let rest = turns.split_off(turns.len() / TURN * TURN);
    let mut add = |losses: &Loss, rows: &[usize]| {
        total += losses.of(network, model, &part.gather(rows)) * rows.len() as f64;
    };
    if !turns.is_empty() {
        let losses = Loss::new(network, model, TURN);
        turns.chunks(TURN).for_each(|rows| add(&losses, rows));
    }
    if !rest.is_empty() {
        add(&Loss::new(network, model, rest.len()), &rest);
    }
    total / part.len() as f64
}

fn main() {
    let options =
        Arguments::new("makemore_mlp", "Learns how names are spelled, and makes new ones.", 40_000)
            .data("A text file with a name a line [default: the built-in names]")
            .positive("rate", 0.2, "Learning rate of the first step; it falls to a hundredth")
            .parse();
    let corpus = Corpus::open(options.data.as_deref()).unwrap_or_else(|error| fail(&error));
    let vocabulary = Vocabulary::of(corpus.names());
    let split = corpus.split(options.seed);
    let all = "the vocabulary has every letter of the corpus";
    let train = vocabulary.windows(&split.train, CONTEXT).expect(all);
    let dev = vocabulary.windows(&split.dev, CONTEXT).expect(all);
    let counts = Bigram::count(&vocabulary, corpus.names()).expect(all).loss(0.0);

    let mut network = Network::new();
    let model = Model::new(&network, vocabulary.size(), options.seed);
    let step = Loss::new(&network, &model, BATCH);
    let weights =
        network.parameters().fold(0, |count, (_, w)| count + w.shape().volume().unwrap_or(0));
    println!(
        "{}, {} to train on, {}",
        counted(corpus.names().len(), "name"),
        counted(train.len(), "letter"),
        counted(weights, "parameter"),
    );

    let mut random = SplitMix64::new(options.seed);
    let (mut losses, watch) = (Vec::with_capacity(options.steps), Stopwatch::start());
    let progress = Progress::new("training", options.steps);
    for number in 0..options.steps {
        let picks = [(); BATCH].map(|()| random.below(train.len()));
        let feeds = step.feeds(&model, &train.gather(&picks));
        let evaluation = network.forward_for([step.loss], feeds);
        let gradients = evaluation.backward_for(step.loss, model.parameters());
        losses.push(f64::from(evaluation.of(step.loss).item()));
        // The run holds on to the parameters that it read: without it `step` reuses their buffers.
        drop(evaluation);
        let rate = options.number("rate") * (1.0 - 0.99 * number as f64 / options.steps as f64);
        network = network.step(&gradients, |w, g| w - rate as f32 * g);
        progress.step(losses[number]);
    }
    progress.finish();
    println!("{} in {:.1} s", counted(options.steps, "step"), watch.seconds());
    println!("fingerprint {}", network.fingerprint());
    Chart::new("makemore_mlp").losses(&losses).target("a model that counts pairs", counts).print();

    // Fewer than ten names leave nothing to judge by.
    for (name, part) in
        [("train", &train), ("dev", &dev)].into_iter().filter(|(_, p)| !p.is_empty())
    {
        let loss = mean_loss(&network, &model, part);
        println!("{name} loss {loss:.4}");
        if !loss.is_finite() {
            // There are no chances to draw names from.
            fail(&"the training diverged; try a smaller --rate");
        }
    }

    // The single-row twin: the same parameters, one context.
    let context = network.input(model.contexts(&[0; CONTEXT]));
    let chances = model.scores(&network, context).softmax(1).symbol();
    let context = context.symbol();
    for _ in 0..20 {
        let (mut name, mut last) = (Vec::new(), vec![0; CONTEXT]);
        loop {
            let feeds = [(context, model.contexts(&last))];
            let chances = network.forward_for([chances], feeds).of(chances);
            let letter = random.choose(&Vec::from_iter(chances.iter().map(f64::from)));
            if letter == 0 || name.len() == 30 {
                break;
            }
            name.push(letter);
            last.rotate_left(1);
            last[CONTEXT - 1] = letter;
        }
        println!("{}", vocabulary.decode(&name));
    }
}
