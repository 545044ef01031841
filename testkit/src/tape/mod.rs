//! Random tapes: a byte string becomes a recorded network, through the public recording alone.
//!
//! INVARIANT: the bytes determine the tape, whatever the payload: which operations, which shapes,
//! which numbers. A payload that holds scalars only gets the operations that scalars have. The
//! tapes cover every operation and composite, every storage (dense, constant, selection, `bf16`,
//! views of views), empty extents, shared and repeated operands, extents at the blocks of products
//! and sums, and groups that a compiler would fuse, each with a deviation that must stop it.

mod elementwise;
mod palette;
mod patterns;
mod reducing;
mod shaping;
mod source;

use crate::decisions::Decisions;
use palette::Profile;
use poorgrad::{Elementary, Network, ShapeError, Symbol, Tensor, Tensorial, Value};

/// A generated network with what tests ask of it.
#[derive(Debug)]
pub struct RandomTape<P: Tensorial> {
    /// What was recorded.
    pub network: Network<P>,
    /// A value of one element: the sum of all `results`, each times its weight.
    pub target: Symbol,
    /// Values of any shape, with the constants that weigh their elements in the target.
    pub results: Vec<(Symbol, Symbol)>,
    /// Parameters and the inputs that have gradients, in the order of their recording.
    pub sources: Vec<Symbol>,
}

/// How a number becomes an element: its value, and whether a derivative can reach it.
pub type Lift<'l, E> = dyn FnMut(f64, bool) -> E + 'l;

/// The tape of a byte string, any numbers and operations among it.
///
/// # Example
///
/// ```
/// use poorgrad::Tensor;
/// use testkit::{generate, seeded};
///
/// let tape = generate::<Tensor<f32>>(&seeded(7, 200));
/// let evaluation = tape.network.forward();
/// let gradients = evaluation.backward(tape.target);
/// assert!(tape.sources.iter().all(|source| gradients.try_of(*source).is_ok()));
/// ```
#[must_use]
pub fn generate<P: Tensorial>(bytes: &[u8]) -> RandomTape<P> {
    let mut decisions = Decisions::new(bytes);
    let profile = Profile::draw(&mut decisions);
    build(decisions, profile, &mut |value, _| P::Element::from_f64(value))
}

/// The tape of a byte string as text, of tensors of `f32` or of `f64`: for tests inside the crate,
/// whose networks are of other types than those that this one generates.
///
/// ```
/// let text = testkit::tape::text(&testkit::seeded(7, 200), true);
/// assert!(text.starts_with("tape 1 f32\n"));
/// ```
#[must_use]
pub fn text(bytes: &[u8], single: bool) -> String {
    if single {
        generate::<Tensor<f32>>(bytes).network.to_text()
    } else {
        generate::<Tensor<f64>>(bytes).network.to_text()
    }
}

/// The tape of a byte string without kinks, poles and extremes, for checks of derivatives: every
/// function stays where it is smooth and of moderate slope. `lift` makes the elements of sources.
#[must_use]
pub fn generate_smooth<P: Tensorial>(
    bytes: &[u8],
    lift: &mut Lift<'_, P::Element>,
) -> RandomTape<P> {
    build(Decisions::new(bytes), Profile::Smooth, lift)
}

fn build<P: Tensorial>(
    mut decisions: Decisions<'_>,
    profile: Profile,
    lift: &mut Lift<'_, P::Element>,
) -> RandomTape<P> {
    let network = Network::new();
    let boundary = decisions.one_in(10);
    // The mean of nothing is NaN: smooth tapes have no empty extent.
    let hollow = decisions.one_in(12) && profile != Profile::Smooth;
    let mut builder = Builder {
        network: &network,
        decisions,
        profile,
        lift,
        hollow,
        scalar: !P::holds(&poorgrad::Shape::from([1])),
        pool: Vec::new(),
        sources: Vec::new(),
    };
    builder.start(boundary);
    while !builder.decisions.is_done() && builder.pool.len() < POOL {
        builder.step();
    }
    let (target, results) = builder.finish();
    let sources = builder.sources;
    RandomTape { network, target, results, sources }
}

/// Values beyond this many elements are recorded, but nothing is made of them.
const VOLUME: usize = 600;

/// A tape stops to grow at this many values at hand.
const POOL: usize = 60;

struct Builder<'n, 'b, 'l, P: Tensorial> {
    network: &'n Network<P>,
    decisions: Decisions<'b>,
    profile: Profile,
    lift: &'l mut Lift<'l, P::Element>,
    /// Whether extents may be 0.
    hollow: bool,
    /// Whether payloads hold single elements only.
    scalar: bool,
    /// The values that later operations may use.
    pool: Vec<Value<'n, P>>,
    sources: Vec<Symbol>,
}

type Recorded<'n, P> = Result<Value<'n, P>, ShapeError>;

impl<'n, P: Tensorial> Builder<'n, '_, '_, P> {
    fn smooth(&self) -> bool {
        self.profile == Profile::Smooth
    }

    fn start(&mut self, boundary: bool) {
        for _ in 0..2 + self.decisions.below(3) {
            let shape = self.shape();
            let value = self.source(&shape);
            self.push(value);
        }
        if boundary && !self.scalar {
            self.boundary();
        }
    }

    fn step(&mut self) {
        let kinds = if self.scalar { 4 } else { 12 };
        match self.decisions.below(kinds) {
            0 => self.unary(),
            1 => self.binary(),
            2 => self.composite(),
            3 => {
                let shape = self.shape();
                let value = self.source(&shape);
                self.push(value);
            }
            4 => self.binary(),
            5 => self.product(),
            6 => self.reduction(),
            7 => self.movement(),
            8 => self.movement(),
            9 => self.window(),
            10 => self.indexing(),
            _ => self.pattern(),
        }
    }

    /// Makes a value available to later operations, unless it is large.
    fn push(&mut self, value: Value<'n, P>) {
        if value.shape().volume().is_some_and(|volume| volume <= VOLUME) {
            self.pool.push(value);
        }
    }

    /// The same of what the tape may have refused: then nothing was recorded.
    fn keep(&mut self, value: Recorded<'n, P>) {
        if let Ok(value) = value {
            self.push(value);
        }
    }

    /// A value at hand, mostly a recent one.
    fn pick(&mut self) -> Value<'n, P> {
        if self.pool.is_empty() {
            let shape = self.shape();
            let value = self.source(&shape);
            self.pool.push(value);
        }
        let reach = if self.decisions.one_in(4) { self.pool.len() } else { self.pool.len().min(5) };
        let back = self.decisions.below(reach);
        self.pool[self.pool.len() - 1 - back]
    }

    /// A value of the shape of `like`: one at hand, `like` itself, or a new source.
    fn partner(&mut self, like: Value<'n, P>) -> Value<'n, P> {
        let same = |value: &&Value<'n, P>| value.shape() == like.shape();
        let count = self.pool.iter().filter(same).count();
        if count == 0 || self.decisions.one_in(6) {
            let shape = like.shape().clone();
            return self.source(&shape);
        }
        let chosen = self.decisions.below(count);
        *self.pool.iter().filter(same).nth(count - 1 - chosen).expect("invariant: below the count")
    }

    /// The target: a weighted sum of some values, so that no cotangent is only ones.
    fn finish(&mut self) -> (Symbol, Vec<(Symbol, Symbol)>) {
        let count = 1 + self.decisions.below(3);
        let mut results = Vec::new();
        let mut total: Option<Value<'n, P>> = None;
        for position in 0..count {
            let value = match self.pool.len().checked_sub(1 + position) {
                Some(at) => self.pool[at],
                None => self.pick(),
            };
            let shape = value.shape().clone();
            let weight = self.constant(&shape);
            let sum = (value * weight).sum();
            total = Some(total.map_or(sum, |total| total + sum));
            results.push((value.symbol(), weight.symbol()));
        }
        let total = total.expect("invariant: the count is at least 1");
        (total.symbol(), results)
    }
}
