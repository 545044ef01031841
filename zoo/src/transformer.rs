//! A transformer of one pre-norm block that reads whole names: every letter is scored from those before
//! it (Vaswani et al., 2017), with root mean square norms and learned positions.
//!
//! A batch is a selection `[names * time, letters]`. Names are padded to one length; a place behind a
//! name's end has a target of zeros, which contributes nothing.

use crate::{
    cli::{Options, fail},
    corpus::Corpus,
    vocabulary::Vocabulary,
};
use poorgrad::{
    Activation, Embedding, Extent, Layer, Module, Network, RmsNorm, Shape, ShapeError, Symbol,
    Tensor, Value, causal_mask, init, scaled_dot_product_attention,
};

/// Numbers that stand for a letter in its place.
pub const WIDTH: usize = 64;
/// Heads of attention.
pub const HEADS: usize = 4;

/// The model.
#[derive(Clone, Debug)]
pub struct Transformer {
    time: usize,
    letters: Embedding,
    positions: Symbol,
    /// In front of attention, of the layers, and of the scores.
    norms: [RmsNorm; 3],
    /// Queries, keys and values; and what brings the heads together.
    attention: [Layer; 2],
    layers: [Layer; 2],
    scores: Layer,
}

impl Transformer {
    /// Records the parameters for so many letters, and names of at most `time - 1`.
    #[must_use]
    pub fn new(network: &Network<Tensor>, classes: usize, time: usize, seed: u64) -> Self {
        let mut init = init::xavier(seed);
        let mut quiet = init::normal(0.0, 0.02, seed + 1);
        let letters = {
            let _scope = network.scope("letters");
            Embedding::new(network, classes, WIDTH, init::normal(0.0, 0.1, seed + 2))
        };
        let positions = network.parameter(quiet(&Shape::from([time, WIDTH])));
        let norm = |name: &str| {
            let _scope = network.scope(name);
            RmsNorm::new(network, WIDTH)
        };
        let mut layer = |name: &str, [inputs, outputs]: [usize; 2], activation| {
            let _scope = network.scope(name);
            Layer::new(network, inputs, outputs, activation, &mut init)
        };
        use Activation::{GeluTanh, Identity};
        Self {
            time,
            letters,
            positions: positions.named("positions").symbol(),
            attention: [
                layer("attention.split", [WIDTH, 3 * WIDTH], Identity),
                layer("attention.join", [WIDTH, WIDTH], Identity),
            ],
            layers: [
                layer("layers.up", [WIDTH, 4 * WIDTH], GeluTanh),
                layer("layers.down", [4 * WIDTH, WIDTH], Identity),
            ],
            scores: layer("scores", [WIDTH, classes], Identity),
            norms: ["norm0", "norm1", "norm2"].map(norm),
        }
    }

    /// Attention of each place to itself and those before it, all heads of all names at once.
    #[track_caller]
    fn attend<'n>(
        &self,
        network: &'n Network<Tensor>,
        x: Value<'n, Tensor>,
    ) -> Result<Value<'n, Tensor>, ShapeError> {
        let split = self.attention[0].try_express(network, x)?;
        let [time, heads, depth] = [self.time, HEADS, WIDTH / HEADS].map(Extent::Exactly);
        // [names * time, 3 * width] to three of [names, heads, time, depth].
        let split = split.try_reshape([Extent::Infer, time, 3.into(), heads, depth])?;
        let part = |at| split.narrow(2, at, 1).squeeze(2).permute(&[0, 2, 1, 3]);
        let mask = network.leaf(causal_mask(self.time));
        let seen = scaled_dot_product_attention(part(0), part(1), part(2), Some(mask));
        let joined = seen.permute(&[0, 2, 1, 3]);
        let joined = joined.try_reshape([Extent::Infer, Extent::Exactly(WIDTH)])?;
        self.attention[1].try_express(network, joined)
    }
}

impl Module<Tensor> for Transformer {
    #[track_caller]
    fn record<'n>(
        &self,
        network: &'n Network<Tensor>,
        names: Value<'n, Tensor>,
    ) -> Result<Value<'n, Tensor>, ShapeError> {
        let letters = self.letters.record(network, names)?;
        let places = letters.try_reshape([
            Extent::Infer,
            Extent::Exactly(self.time),
            Extent::Exactly(WIDTH),
        ])?;
        let positions = network.try_resolve(self.positions)?.try_broadcast_like(places)?;
        let mut x = (places + positions).try_reshape([Extent::Infer, Extent::Exactly(WIDTH)])?;
        x = x + self.attend(network, self.norms[0].record(network, x)?)?;
        let up = self.layers[0].try_express(network, self.norms[1].record(network, x)?)?;
        x = x + self.layers[1].try_express(network, up)?;
        self.scores.try_express(network, self.norms[2].record(network, x)?)
    }
}

/// Names as the model reads them.
#[derive(Debug)]
pub struct Sentences {
    /// The letters.
    pub vocabulary: Vocabulary,
    /// Letters of the longest name, and one.
    pub time: usize,
    /// To train on: letters by number.
    pub train: Vec<Vec<usize>>,
    /// To judge by.
    pub dev: Vec<Vec<usize>>,
    /// How many names there are, those of the third part included.
    pub count: usize,
}

impl Sentences {
    /// Reads the names that the options ask for; ends the program with a sentence where they cannot be
    /// read.
    #[must_use]
    pub fn open(options: &Options) -> Self {
        let corpus = Corpus::open(options.data.as_deref()).unwrap_or_else(|error| fail(&error));
        let vocabulary = Vocabulary::of(corpus.names());
        let split = corpus.split(options.seed);
        let encode = |names: &[String]| {
            let all = "the vocabulary has every letter of the corpus";
            Vec::from_iter(names.iter().map(|name| vocabulary.encode(name).expect(all)))
        };
        let (train, dev) = (encode(&split.train), encode(&split.dev));
        let longest = corpus.names().iter().map(|name| name.chars().count()).fold(0, usize::max);
        Self { train, dev, time: longest + 1, count: corpus.names().len(), vocabulary }
    }

    /// The mean loss over names, by letter.
    #[must_use]
    pub fn loss(
        &self,
        network: &Network<Tensor>,
        model: &Transformer,
        names: &[Vec<usize>],
    ) -> f64 {
        let (mut total, mut count, mut known) = (0.0, 0.0, None);
        for turn in names.chunks(128) {
            let loss = match known {
                Some((rows, loss)) if rows == turn.len() => loss,
                _ => Loss::new(network, model, self.vocabulary.size(), turn.len()),
            };
            known = Some((turn.len(), loss));
            let evaluation = network.forward_for([loss.loss], loss.feeds(turn));
            let rows = (turn.len() * self.time) as f64;
            total += f64::from(evaluation.of(loss.loss).item()) * rows;
            count += letters(turn);
        }
        total / count
    }
}

/// Letters to be told, ends of names included.
#[must_use]
pub fn letters(names: &[Vec<usize>]) -> f64 {
    names.iter().fold(0.0, |count, name| count + (name.len() + 1) as f64)
}

/// The loss of a batch of a fixed number of names: a mean over all places, filled or not.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    names: Symbol,
    targets: Symbol,
    classes: usize,
    time: usize,
    /// The loss itself.
    pub loss: Symbol,
}

impl Loss {
    /// Records the loss of so many names.
    #[must_use]
    pub fn new(
        network: &Network<Tensor>,
        model: &Transformer,
        classes: usize,
        count: usize,
    ) -> Self {
        let rows = count * model.time;
        let names = network.input(Tensor::selection(&vec![0; rows], classes)).named("names");
        let targets = network.input(Tensor::zeros([rows, classes])).named("targets");
        let loss = model.express(network, names).cross_entropy(targets).named("loss");
        let (names, targets) = (names.symbol(), targets.symbol());
        Self { names, targets, classes, time: model.time, loss: loss.symbol() }
    }

    /// What a run is fed for these names.
    #[must_use]
    pub fn feeds(&self, batch: &[Vec<usize>]) -> [(Symbol, Tensor); 2] {
        let (mut read, mut told) = (Vec::new(), vec![0.0; batch.len() * self.time * self.classes]);
        for (row, name) in batch.iter().enumerate() {
            for place in 0..self.time {
                read.push(if place == 0 { 0 } else { name.get(place - 1).copied().unwrap_or(0) });
                if place <= name.len() {
                    let next = name.get(place).copied().unwrap_or(0);
                    told[(row * self.time + place) * self.classes + next] = 1.0;
                }
            }
        }
        let targets = Tensor::new([batch.len() * self.time, self.classes], told);
        [(self.names, Tensor::selection(&read, self.classes)), (self.targets, targets)]
    }
}
