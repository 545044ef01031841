//! Checks of derivatives: central differences and the dot-product test.
//!
//! INVARIANT: neither knows a derivative rule. Central differences know only the function; the
//! dot-product test compares reverse mode with forward mode by [`Dual`] numbers.

use crate::decisions::mixed;
use crate::dual::Dual;
use crate::spread::Spread;
use crate::tape::{RandomTape, generate_smooth};
use poorgrad::{Elementary, Gradients, Network, Symbol, Tensor};

/// What a check found at its worst coordinate.
#[derive(Clone, Copy, Debug, Default)]
pub struct Worst {
    /// The difference in units of the scale that the check states.
    pub error: f64,
    /// The derivative under test.
    pub found: f64,
    /// What it was compared with.
    pub expected: f64,
}

impl Worst {
    fn see(&mut self, found: f64, expected: f64, scale: f64) {
        let error = (found - expected).abs() / scale;
        // A NaN is the worst of all.
        if error > self.error || error.is_nan() {
            *self = Self { error, found, expected };
        }
    }
}

/// The gradient of `target` with respect to each source against central differences of step `h`,
/// coordinate by coordinate; errors are relative to the largest of 1, the derivative and the
/// target's value.
///
/// # Panics
///
/// Where a symbol is not of the network or a source is neither an input nor a parameter.
#[must_use]
pub fn central_differences(
    network: &Network<Tensor<f64>>,
    target: Symbol,
    sources: &[Symbol],
    h: f64,
) -> Worst {
    let evaluation = network.forward();
    let gradients = evaluation.backward(target);
    let value = evaluation.of(target).item();
    let mut worst = Worst::default();
    for source in sources {
        let gradient = gradients.of(source).to_vec();
        let payload = network.resolve(source).payload().expect("a source holds a payload");
        let elements = payload.to_vec();
        for (at, &found) in gradient.iter().enumerate() {
            let moved = |by: f64| {
                let mut elements = elements.clone();
                elements[at] += by;
                let payload = Tensor::new(payload.shape(), elements);
                with_payload(network, *source, payload, target)
            };
            let expected = (moved(h) - moved(-h)) / (2.0 * h);
            let scale = 1.0_f64.max(expected.abs()).max(value.abs());
            worst.see(found, expected, scale);
        }
    }
    worst
}

/// The target's value with one source replaced.
fn with_payload(
    network: &Network<Tensor<f64>>,
    source: Symbol,
    payload: Tensor<f64>,
    target: Symbol,
) -> f64 {
    if let Ok(run) = network.try_forward_for([target], [(source, payload.clone())]) {
        return run.of(target).item();
    }
    // A parameter: the next generation holds it.
    let nothing = network.forward().backward_for(target, [source]).restricted([target; 0]);
    let next =
        network.update_each(
            &nothing,
            |symbol, old, _| {
                if symbol == source { payload.clone() } else { old.clone() }
            },
        );
    let no_feed: [(Symbol, Tensor<f64>); 0] = [];
    next.forward_for([target], no_feed).of(target).item()
}

/// The tangents of [`smooth`]: between 1/2 and 3/2, one for each element in its order.
fn tangent(ordinal: u64) -> f64 {
    0.5 + (mixed(ordinal ^ 0x7a6e) >> 40) as f64 / (1_u64 << 24) as f64
}

/// One smooth tape over three elements.
#[derive(Debug)]
pub struct Smooth {
    /// As it stands.
    pub plain: RandomTape<Tensor<f64>>,
    /// Over dual numbers: every element of a differentiable source moves.
    pub moving: RandomTape<Tensor<Dual>>,
    /// The same with the magnitudes of all paths.
    pub spread: RandomTape<Tensor<Spread>>,
}

/// The smooth tape of a byte string, three times.
#[must_use]
pub fn smooth(bytes: &[u8]) -> Smooth {
    let tangents = || {
        let mut ordinal = 0;
        move |differentiable: bool| {
            ordinal += 1;
            if differentiable { tangent(ordinal) } else { 0.0 }
        }
    };
    let (mut first, mut second) = (tangents(), tangents());
    Smooth {
        plain: generate_smooth(bytes, &mut |value, _| value),
        moving: generate_smooth(bytes, &mut |value, moves| Dual::new(value, first(moves))),
        spread: generate_smooth(bytes, &mut |value, moves| Spread::new(value, second(moves))),
    }
}

/// What the dot-product test found: errors in units of a scale.
#[derive(Clone, Copy, Debug)]
pub struct Adjoint {
    /// `<v, J'u>`, by reverse mode.
    pub pulled: f64,
    /// `<J v, u>`, by dual numbers.
    pub pushed: f64,
    /// `sum |u_i (J v)_i|`.
    pub scale: f64,
    /// The same with the magnitudes of all paths of `J` added up: how much may cancel.
    pub spread: f64,
}

impl Adjoint {
    /// The difference of both products in units of `scale`.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.relative_to(self.scale)
    }

    /// The difference of both products in units of some scale.
    #[must_use]
    pub fn relative_to(&self, scale: f64) -> f64 {
        if self.pulled == self.pushed { 0.0 } else { (self.pulled - self.pushed).abs() / scale }
    }
}

/// A sum that keeps what each addition loses, so that a test of thousands of terms measures them
/// and not itself (Neumaier 1974).
#[derive(Default)]
struct Compensated {
    sum: f64,
    lost: f64,
}

impl Compensated {
    fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        let (large, small) =
            if self.sum.abs() >= term.abs() { (self.sum, term) } else { (term, self.sum) };
        self.lost += (large - sum) + small;
        self.sum = sum;
    }

    fn sum(&self) -> f64 {
        self.sum + self.lost
    }
}

/// The dot-product test `<v, J'u> = <J v, u>`, for one direction `v` of all sources and the weights
/// `u` of the results.
#[must_use]
pub fn dot_product(tape: &Smooth) -> Adjoint {
    let Smooth { plain, moving, spread } = tape;
    let pulled = pulled(tape, &plain.network.forward().backward(plain.target));
    let (mut pushed, mut scale) = (Compensated::default(), 0.0);
    let evaluation = moving.network.forward();
    for (value, weight) in &moving.results {
        let (value, weight) = (evaluation.of(value), evaluation.of(weight));
        for (value, weight) in value.iter().zip(weight.iter()) {
            let term = weight.primal * value.tangent;
            pushed.add(term);
            scale += f64::abs(term);
        }
    }
    let spread = spread.network.forward().of(spread.target).item().spread;
    Adjoint { pulled, pushed: pushed.sum(), scale, spread }
}

/// `<v, J'u>` of a gradient `J'u`.
fn pulled(tape: &Smooth, gradients: &Gradients<Tensor<f64>>) -> f64 {
    let Smooth { plain, moving, .. } = tape;
    let mut pulled = Compensated::default();
    for (source, direction) in plain.sources.iter().zip(&moving.sources) {
        let direction = moving.network.resolve(direction).payload().expect("a source's payload");
        let tangents = direction.iter().map(|element| element.tangent);
        for (v, g) in tangents.zip(gradients.of(source).iter()) {
            pulled.add(v * g);
        }
    }
    pulled.sum()
}

/// The dot-product test `<v, H'c> = <H v, c>` for the Hessian `H` of the target, which is the Jacobian of its
/// recorded gradient: differentiated twice on the left, dual numbers through the gradient on the right.
#[must_use]
pub fn second_dot_product(tape: &Smooth) -> Adjoint {
    let Smooth { plain, moving, spread } = tape;
    let (network, target, _) = weighted_gradient(plain);
    let pulled = pulled(tape, &network.forward().backward(target));
    let (network, _, terms) = weighted_gradient(moving);
    let (mut pushed, mut scale) = (Compensated::default(), 0.0);
    let run = network.forward();
    for term in terms {
        for element in run.of(term).iter() {
            pushed.add(element.tangent);
            scale += f64::abs(element.tangent);
        }
    }
    let (network, target, _) = weighted_gradient(spread);
    let spread = network.forward().of(target).item().spread;
    Adjoint { pulled, pushed: pushed.sum(), scale, spread }
}

/// The gradient of a tape's target, recorded, times some numbers: its sum, and its terms.
fn weighted_gradient<E: Elementary>(
    tape: &RandomTape<Tensor<E>>,
) -> (Network<Tensor<E>>, Symbol, Vec<Symbol>) {
    let network = tape.network.clone();
    let gradients = network.differentiate(tape.target, tape.sources.iter().copied());
    let mut ordinal = 1 << 20;
    let mut number = |_: &[usize]| {
        ordinal += 1;
        E::from_f64(tangent(ordinal))
    };
    let mut sum = network.leaf(Tensor::full([], E::from_f64(0.0)));
    let mut terms = Vec::new();
    for gradient in gradients {
        let weights = network.leaf(Tensor::from_fn(gradient.shape(), &mut number));
        let term = gradient * weights;
        sum = sum + term.sum();
        terms.push(term.symbol());
    }
    let sum = sum.symbol();
    (network, sum, terms)
}

/// The dot-product test on some rows of `J`.
#[derive(Clone, Copy, Debug)]
pub struct Steady {
    /// The test, with `u` being 0 on the other rows.
    pub adjoint: Adjoint,
    /// How many rows it is on.
    pub rows: usize,
    /// How many rows move at all.
    pub of: usize,
}

/// [`dot_product`] on the rows whose paths cancel by at most `factor`: where the magnitudes of all paths
/// added up are at most so many times the row's `|(J v)_i|`.
///
/// # Panics
///
/// Where the tape is not one of [`smooth`].
#[must_use]
pub fn steady_rows(tape: &Smooth, factor: f64) -> Steady {
    let Smooth { plain, moving, spread } = tape;
    let (run, spreads) = (moving.network.forward(), spread.network.forward());
    let network = plain.network.clone();
    let (mut pushed, mut scale, mut paths) = (Compensated::default(), 0.0, 0.0);
    let (mut rows, mut of, mut target) = (0, 0, network.leaf(Tensor::full([], 0.0)));
    for (at, (value, weight)) in plain.results.iter().enumerate() {
        let twins = run.of(moving.results[at].0).to_vec();
        let magnitudes = spreads.of(spread.results[at].0).to_vec();
        let weight = network.resolve(weight).payload().expect("a constant's payload");
        let mut weights = weight.to_vec();
        for ((u, twin), magnitude) in weights.iter_mut().zip(twins).zip(magnitudes) {
            of += usize::from(magnitude.spread != 0.0);
            if twin.tangent == 0.0 || magnitude.spread > factor * twin.tangent.abs() {
                *u = 0.0;
                continue;
            }
            rows += 1;
            pushed.add(*u * twin.tangent);
            scale += (*u * twin.tangent).abs();
            paths += u.abs() * magnitude.spread;
        }
        let weights = network.leaf(Tensor::new(weight.shape(), weights));
        target = target + (network.resolve(value) * weights).sum();
    }
    let pulled = pulled(tape, &network.forward().backward(target));
    let adjoint = Adjoint { pulled, pushed: pushed.sum(), scale, spread: paths };
    Steady { adjoint, rows, of }
}

/// An entry of a Jacobian by dual numbers: one direction of one result.
#[derive(Clone, Copy, Debug)]
pub struct Slope {
    /// The derivative.
    pub slope: f64,
    /// The magnitudes of all its paths added up: how much may cancel.
    pub spread: f64,
}

/// What one element of the smooth tape of a byte string moves.
#[derive(Debug)]
pub struct Column {
    /// For each source, in the order of the tape's, how much each of its elements moves: 1 or 0. More
    /// than one element moves where a source shows one element many times.
    pub direction: Vec<Vec<f64>>,
    /// For each result, in the order of the tape's, how each of its elements moves.
    pub results: Vec<Vec<Slope>>,
}

/// The movements of the smooth tape of a byte string by dual numbers: one column for each element that
/// is stored for a source.
#[must_use]
pub fn columns(bytes: &[u8]) -> Vec<Column> {
    let mut count = 0;
    let _: RandomTape<Tensor<f64>> = generate_smooth(bytes, &mut |value, moves| {
        count += usize::from(moves);
        value
    });
    (0..count).map(|moving| column(bytes, moving)).collect()
}

fn column(bytes: &[u8], moving: usize) -> Column {
    let unit = || {
        let mut ordinal = 0;
        move |moves: bool| {
            ordinal += usize::from(moves);
            if moves && ordinal == moving + 1 { 1.0 } else { 0.0 }
        }
    };
    let (mut first, mut second) = (unit(), unit());
    let along: RandomTape<Tensor<Dual>> =
        generate_smooth(bytes, &mut |value, moves| Dual::new(value, first(moves)));
    let spread: RandomTape<Tensor<Spread>> =
        generate_smooth(bytes, &mut |value, moves| Spread::new(value, second(moves)));
    let tangents = |payload: Tensor<Dual>| payload.iter().map(|x| x.tangent).collect::<Vec<f64>>();
    let direction = along.sources.iter().map(|source| {
        tangents(along.network.resolve(source).payload().expect("a source's payload"))
    });
    let (run, spreads) = (along.network.forward(), spread.network.forward());
    let results = along.results.iter().zip(&spread.results).map(|((value, _), (twin, _))| {
        let pairs = tangents(run.of(value)).into_iter().zip(spreads.of(twin).to_vec());
        pairs.map(|(slope, magnitude)| Slope { slope, spread: magnitude.spread }).collect()
    });
    Column { direction: direction.collect(), results: results.collect() }
}

/// Whether every primal of the dual tape has the bits of the plain one; the first that has not.
#[must_use]
pub fn first_primal_difference(tape: &Smooth) -> Option<String> {
    let Smooth { plain, moving, .. } = tape;
    let (left, right) = (plain.network.forward(), moving.network.forward());
    let pairs = plain.network.values().zip(moving.network.values());
    pairs.into_iter().find_map(|(plain, moving)| {
        let primal = right.of(moving).map(|element: Dual| element.primal);
        let difference = crate::bits::difference(&left.of(plain), &primal)?;
        Some(format!("{plain:?}: {difference}"))
    })
}
