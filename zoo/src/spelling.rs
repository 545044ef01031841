//! What the makemore examples share round a model that is made of parts: the names, the loss of a batch,
//! judging, and writing new names.
//!
//! A model here is a [`Module`] from a selection of letters `[rows, context, letters]` to the scores
//! `[rows, letters]` of the next one.

use crate::{
    bigram::Bigram,
    cli::{Options, fail},
    corpus::Corpus,
    counted,
    vocabulary::{Vocabulary, Windows},
};
use poorgrad::{Fingerprint, Module, Network, Random, Symbol, Tensor};

/// Rows that are judged at once.
const TURN: usize = 4096;
/// Letters of a new name, at most.
const LONGEST: usize = 30;

/// Names, as windows to train on and to judge by.
#[derive(Debug)]
pub struct Spelling {
    /// The letters.
    pub vocabulary: Vocabulary,
    /// To train on.
    pub train: Windows,
    /// To judge by.
    pub dev: Windows,
    /// The loss of a model that counts pairs.
    pub counts: f64,
    names: usize,
}

impl Spelling {
    /// Reads the names that the options ask for, as windows of so many letters; ends the program with a
    /// sentence where they cannot be read.
    #[must_use]
    pub fn open(options: &Options, context: usize) -> Self {
        let corpus = Corpus::open(options.data.as_deref()).unwrap_or_else(|error| fail(&error));
        let vocabulary = Vocabulary::of(corpus.names());
        let split = corpus.split(options.seed);
        let all = "the vocabulary has every letter of the corpus";
        Self {
            train: vocabulary.windows(&split.train, context).expect(all),
            dev: vocabulary.windows(&split.dev, context).expect(all),
            counts: Bigram::count(&vocabulary, corpus.names()).expect(all).loss(0.0),
            names: corpus.names().len(),
            vocabulary,
        }
    }

    /// The first line of a run: how much there is to learn, and by how much.
    #[must_use]
    pub fn summary(&self, network: &Network<Tensor>) -> String {
        let volume = |shape: &poorgrad::Shape| shape.volume().unwrap_or(0);
        let weights = network.parameters().fold(0, |count, (_, w)| count + volume(w.shape()));
        format!(
            "{}, {} to train on, {}",
            counted(self.names, "name"),
            counted(self.train.len(), "letter"),
            counted(weights, "parameter")
        )
    }

    /// The mean losses over both parts, a line each. Ends the program where one is no number.
    pub fn report(&self, network: &Network<Tensor>, model: &dyn Module<Tensor>) {
        let parts = [("train", &self.train), ("dev", &self.dev)];
        // Fewer than ten names leave nothing to judge by.
        for (name, part) in parts.into_iter().filter(|(_, part)| !part.is_empty()) {
            let loss = mean_loss(network, model, self.vocabulary.size(), part);
            println!("{name} loss {loss:.4}");
            if !loss.is_finite() {
                fail(&"the training diverged; try a smaller --rate");
            }
        }
    }

    /// Prints new names, a line each.
    pub fn invent(
        &self,
        network: &Network<Tensor>,
        model: &dyn Module<Tensor>,
        count: usize,
        random: &mut Random,
    ) {
        let (classes, context) = (self.vocabulary.size(), self.train.context());
        let letters = |last: &[usize]| Tensor::selection_shaped([1, context], last, classes);
        let input = network.input(letters(&vec![0; context]));
        let chances = model.express(network, input).softmax(1).symbol();
        let input = input.symbol();
        for _ in 0..count {
            let (mut name, mut last) = (Vec::new(), vec![0; context]);
            while name.len() < LONGEST {
                let chances = network.forward_for([chances], [(input, letters(&last))]).of(chances);
                let chances = Vec::from_iter(chances.iter().map(f64::from));
                let Some(letter) = random.choose(&chances).filter(|&letter| letter > 0) else {
                    break;
                };
                name.push(letter);
                last.rotate_left(1);
                last[context - 1] = letter;
            }
            println!("{}", self.vocabulary.decode(&name));
        }
    }
}

/// The mean loss of a batch of a fixed number of rows.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    contexts: Symbol,
    targets: Symbol,
    classes: usize,
    /// The loss itself.
    pub loss: Symbol,
}

impl Loss {
    /// Records the loss of a batch of `rows` windows of `context` letters.
    #[must_use]
    pub fn new(
        network: &Network<Tensor>,
        model: &dyn Module<Tensor>,
        classes: usize,
        [rows, context]: [usize; 2],
    ) -> Self {
        let none = vec![0; rows * context];
        let contexts = network.input(Tensor::selection_shaped([rows, context], &none, classes));
        let targets = network.input(Tensor::selection(&none[..rows], classes)).named("targets");
        let loss = model.express(network, contexts.named("contexts")).cross_entropy(targets);
        let (contexts, targets) = (contexts.symbol(), targets.symbol());
        Self { contexts, targets, classes, loss: loss.named("loss").symbol() }
    }

    /// What a run is fed for a batch.
    #[must_use]
    pub fn feeds(&self, batch: &Windows) -> [(Symbol, Tensor); 2] {
        let shape = [batch.len(), batch.context()];
        let contexts = Tensor::selection_shaped(shape, batch.contexts(), self.classes);
        let targets = Tensor::selection(batch.targets(), self.classes);
        [(self.contexts, contexts), (self.targets, targets)]
    }
}

/// The loss over all rows of a part, in turns of equal size and one for what is left.
#[must_use]
pub fn mean_loss(
    network: &Network<Tensor>,
    model: &dyn Module<Tensor>,
    classes: usize,
    part: &Windows,
) -> f64 {
    let rows = Vec::from_iter(0..part.len());
    let mut known: Option<(usize, Loss)> = None;
    let mut total = 0.0;
    for turn in rows.chunks(TURN) {
        let loss = match known {
            Some((rows, loss)) if rows == turn.len() => loss,
            _ => Loss::new(network, model, classes, [turn.len(), part.context()]),
        };
        known = Some((turn.len(), loss));
        let evaluation = network.forward_for([loss.loss], loss.feeds(&part.gather(turn)));
        total += f64::from(evaluation.of(loss.loss).item()) * turn.len() as f64;
    }
    total / part.len() as f64
}

/// A fingerprint of the parameters alone, in the order of their recording, whatever the tape is.
#[must_use]
pub fn weights(network: &Network<Tensor>) -> Fingerprint {
    let alone = Network::new();
    for (_, parameter) in network.parameters() {
        alone.parameter(parameter.payload().expect("invariant: a parameter has a payload"));
    }
    alone.fingerprint()
}
