//! The model of Bengio et al. (2003) on letters, from raw parameters: what the makemore examples
//! and benches train.
//!
//! Three letters select rows of an embedding (`gather`), the rows are laid side by side
//! (`reshape`), a `tanh` layer reads them, and `cross_entropy` compares its scores with the letter
//! that follows. The same parameters are expressed once for each size of batch.

use crate::vocabulary::Windows;
use poorgrad::{Extent, Network, Shape, Symbol, Tensor, Value, init};

/// Letters that are read.
pub const CONTEXT: usize = 3;
/// Numbers that stand for a letter.
pub const EMBEDDING: usize = 10;
/// Units of the `tanh` layer.
pub const HIDDEN: usize = 200;
/// Rows of a step of training.
pub const BATCH: usize = 32;
/// Rows that are judged at once.
const TURN: usize = 4096;

/// The parameters. Symbols outlive every generation of the network.
#[derive(Clone, Debug)]
pub struct Model {
    classes: usize,
    embedding: Symbol,
    hidden: [Symbol; 2],
    output: [Symbol; 2],
}

impl Model {
    /// Records the parameters for so many letters.
    #[must_use]
    pub fn new(network: &Network<Tensor>, classes: usize, seed: u64) -> Self {
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
    #[must_use]
    pub fn scores<'n>(
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

    /// The parameters' symbols.
    #[must_use]
    pub fn parameters(&self) -> [Symbol; 5] {
        let [w1, b1] = self.hidden;
        let [w2, b2] = self.output;
        [self.embedding, w1, b1, w2, b2]
    }

    /// A selection of the letters of whole rows.
    #[must_use]
    pub fn contexts(&self, tokens: &[usize]) -> Tensor {
        Tensor::selection(tokens, self.classes)
    }
}

/// The mean loss of a batch of a fixed number of rows.
#[derive(Clone, Debug)]
pub struct Loss {
    contexts: Symbol,
    targets: Symbol,
    /// The loss itself.
    pub loss: Symbol,
}

impl Loss {
    /// Records the loss of a batch of `rows`.
    #[must_use]
    pub fn new(network: &Network<Tensor>, model: &Model, rows: usize) -> Self {
        let contexts = network.input(model.contexts(&vec![0; rows * CONTEXT])).named("contexts");
        let targets = network.input(model.contexts(&vec![0; rows])).named("targets");
        let loss = model.scores(network, contexts).cross_entropy(targets).named("loss");
        Self { contexts: contexts.symbol(), targets: targets.symbol(), loss: loss.symbol() }
    }

    /// What a run is fed for a batch.
    #[must_use]
    pub fn feeds(&self, model: &Model, batch: &Windows) -> [(Symbol, Tensor); 2] {
        self.feeds_of(model, batch.contexts(), batch.targets())
    }

    /// What a run is fed for these letters, and those that follow them.
    #[must_use]
    pub fn feeds_of(
        &self,
        model: &Model,
        contexts: &[usize],
        targets: &[usize],
    ) -> [(Symbol, Tensor); 2] {
        [(self.contexts, model.contexts(contexts)), (self.targets, model.contexts(targets))]
    }

    /// The loss of a batch, by the interpreter.
    #[must_use]
    pub fn of(&self, network: &Network<Tensor>, model: &Model, batch: &Windows) -> f64 {
        let evaluation = network.forward_for([self.loss], self.feeds(model, batch));
        f64::from(evaluation.of(self.loss).item())
    }
}

/// The loss over all rows of a part, in turns of equal size and one for what is left.
#[must_use]
pub fn mean_loss(network: &Network<Tensor<f32>>, model: &Model, part: &Windows) -> f64 {
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
