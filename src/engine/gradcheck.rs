//! Gradients against central differences, coordinate by coordinate.

use super::feeds::Bound;
use super::forward::{no_feeds, positions, run};
use crate::graph::error::{NetworkError, describe};
use crate::graph::{Network, Symbol};
use crate::kernel::{Elementary, Kernels};
use crate::payload::{Stored, Tensorial};
use std::fmt;

/// The half width of a difference in `f64`, relative to coordinates beyond 1.
const STEP: f64 = 1e-6;
/// One-sided slopes that differ by less are no kink.
const GAP: f64 = 1e-5;

/// One coordinate of a check: its slopes by the gradient and by differences.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Coordinate {
    /// The value: its operation, label and source line.
    pub value: String,
    /// The row-major position of the coordinate in it.
    pub position: usize,
    /// What the gradient says.
    pub analytic: f64,
    /// What the central difference says.
    pub numeric: f64,
}

impl Coordinate {
    /// The distance of the two slopes, relative where they exceed 1.
    #[must_use]
    pub fn error(&self) -> f64 {
        let larger = |a: f64, b: f64| if a > b { a } else { b };
        let scale = larger(1.0, larger(self.analytic.abs(), self.numeric.abs()));
        let error = (self.analytic - self.numeric).abs() / scale;
        if error.is_nan() { f64::INFINITY } else { error }
    }
}

/// The result of [`gradcheck`]: the worst coordinate, and the kinks that were not judged.
///
/// A report that judged nothing proves nothing: its [error](Self::error) is NaN, which is below no
/// bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradcheck {
    worst: Option<Coordinate>,
    kinks: Vec<Coordinate>,
    checked: usize,
}

impl Gradcheck {
    /// The largest error of a judged coordinate, NaN where none was judged.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.worst.as_ref().map_or(f64::NAN, Coordinate::error)
    }
    /// The coordinate of the largest error.
    #[must_use]
    pub fn worst(&self) -> Option<&Coordinate> {
        self.worst.as_ref()
    }
    /// The coordinates where the function has a kink: the slopes to either side differ, and go
    /// on differing as the step shrinks.
    #[must_use]
    pub fn kinks(&self) -> &[Coordinate] {
        &self.kinks
    }
    /// How many coordinates were judged.
    #[must_use]
    pub fn checked(&self) -> usize {
        self.checked
    }
}

impl fmt::Display for Gradcheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let many = |count: usize| if count == 1 { "" } else { "s" };
        let (checked, kinks) = (self.checked, self.kinks.len());
        write!(f, "{checked} coordinate{}, {kinks} kink{}", many(checked), many(kinks))?;
        if let Some(worst) = &self.worst {
            write!(
                f,
                ", the worst off by {:e}: {} position {}, gradient {}, difference {}",
                worst.error(),
                worst.value,
                worst.position,
                worst.analytic,
                worst.numeric
            )?;
        }
        Ok(())
    }
}

/// Compares the gradient of `target`, of exactly one element, with central differences in every
/// coordinate of `wrt`: parameters, leaves, and inputs that take numbers.
///
/// Meant for `f64`. The rounding of a target of magnitude `m` shows in a difference as some
/// `m * 1e-10`, so that a large constant term in the target gives large errors. They are reported as
/// such: only what exceeds this noise, and does not shrink with the step, counts as a kink.
///
/// Of a coarser element the step is wider, and differences say less: for `f32` it is `2^-7`, and the
/// error of a right gradient some `1e-4`, more where the function bends within a step.
///
/// # Example
///
/// ```
/// use poorgrad::{Network, gradcheck};
///
/// let network = Network::new();
/// let x = network.input(0.7_f64);
/// let report = gradcheck(&network, (x * x).sin(), [x]).unwrap();
/// assert!(report.error() < 1e-8, "{report}");
/// ```
///
/// # Errors
///
/// Where a symbol is not of this network, the target has not exactly one element, or one of `wrt`
/// cannot be varied, as it is computed or takes selections.
pub fn gradcheck<P: Tensorial, S: Into<Symbol>>(
    network: &Network<P>,
    target: impl Into<Symbol>,
    wrt: impl IntoIterator<Item = S>,
) -> Result<Gradcheck, NetworkError> {
    let tape = network.tape();
    let target = target.into();
    let at = tape.position(target, "gradcheck")?;
    if tape.node(at).shape.volume() != Some(1) {
        let (value, shape) = (describe(at, tape.node(at)), (*tape.node(at).shape).clone());
        return Err(NetworkError::NotScalar { operation: "gradcheck", value, shape });
    }
    let wrt = positions(&tape, wrt, "gradcheck")?;
    for &index in &wrt {
        let node = tape.node(index);
        if !node.operands.is_empty() || node.selection {
            return Err(NetworkError::NotVariable { value: describe(index, node) });
        }
    }
    let evaluation = network.try_forward_for([target], no_feeds())?;
    let resolution = resolution::<P::Element>();
    let width = width(resolution);
    let symbols: Vec<Symbol> = wrt.iter().map(|&index| tape.symbol(index)).collect();
    let gradients = evaluation.try_backward_for(target, symbols.iter())?;
    let here = scalar(&evaluation.try_of(target)?);
    let mut report = Gradcheck { worst: None, kinks: Vec::new(), checked: 0 };
    for (&index, symbol) in wrt.iter().zip(&symbols) {
        let node = tape.node(index);
        let value = network.try_resolve(symbol)?;
        let Some(payload) = value.payload() else { continue };
        let (elements, slopes) = (elements(&payload), self::elements(&gradients.try_of(symbol)?));
        for (position, &slope) in slopes.iter().enumerate() {
            let moved = |by: f64| {
                let mut elements: Vec<P::Element> =
                    elements.iter().map(|&element| P::Element::from_f64(element)).collect();
                elements[position] = P::Element::from_f64(elements[position].to_f64() + by);
                let payload = P::from_stored(&node.shape, Stored::Dense(elements));
                let payload = payload.expect("invariant: as many elements as the shape says");
                let feed = Bound::one(index, payload);
                scalar(&run(network, &feed, Some(&[at]), Kernels::Native).of(target))
            };
            let magnitude = elements[position].abs();
            let step = if magnitude > 1.0 { width * magnitude } else { width };
            let (above, below) = (moved(step), moved(-step));
            let coordinate = Coordinate {
                value: describe(index, node),
                position,
                analytic: slope,
                numeric: (above - below) / (2.0 * step),
            };
            let gap =
                |above: f64, below: f64, step: f64| ((above - here) - (here - below)).abs() / step;
            let wide = gap(above, below, step);
            // A smooth function's gap halves with the step; a kink's stays, and rounding's doubles.
            // The four values that two gaps are made of are off by some roundings each.
            let largest = [here, above, below].iter().fold(0.0, |largest: f64, value| {
                if value.abs() > largest { value.abs() } else { largest }
            });
            let noise = 32.0 * resolution * largest / step;
            if wide > GAP
                && wide > noise
                && gap(moved(step / 2.0), moved(-step / 2.0), step / 2.0) > 0.75 * wide
            {
                report.kinks.push(coordinate);
                continue;
            }
            report.checked += 1;
            if report.worst.as_ref().is_none_or(|worst| coordinate.error() > worst.error()) {
                report.worst = Some(coordinate);
            }
        }
    }
    Ok(report)
}

/// The second-order form of [`gradcheck`]: checks the derivatives of a weighted sum of all the
/// gradient's coordinates, recorded on a fork.
///
/// # Example
///
/// ```
/// use poorgrad::{Network, gradcheck_second};
///
/// let network = Network::new();
/// let (x, y) = (network.input(0.7_f64), network.input(-0.3));
/// let report = gradcheck_second(&network, (x * y).exp(), [x, y]).unwrap();
/// assert!(report.error() < 1e-8, "{report}");
/// ```
///
/// # Errors
///
/// As [`gradcheck`].
pub fn gradcheck_second<P: Tensorial, S: Into<Symbol>>(
    network: &Network<P>,
    target: impl Into<Symbol>,
    wrt: impl IntoIterator<Item = S>,
) -> Result<Gradcheck, NetworkError> {
    let fork = network.clone();
    let wrt: Vec<Symbol> = wrt.into_iter().map(Into::into).collect();
    let mut total = None;
    let mut weight = 1.0;
    for derivative in fork.try_differentiate(target, wrt.iter())? {
        // Distinct weights: with equal ones, errors of opposite sign would cancel.
        let shape = derivative.shape();
        let weights = (0..shape.iter().product()).map(|_| {
            weight += 0.125;
            P::Element::from_f64(weight)
        });
        let weights = P::from_stored(shape, Stored::Dense(weights.collect()));
        let weights = fork.leaf(weights.expect("invariant: as many elements as the shape says"));
        let part = (derivative * weights).sum();
        total = Some(total.map_or(part, |total| total + part));
    }
    match total {
        Some(total) => gradcheck(&fork, total, wrt.iter()),
        None => Ok(Gradcheck { worst: None, kinks: Vec::new(), checked: 0 }),
    }
}

/// The distance from 1 to the next element, as far as an `f64` can tell.
fn resolution<E: Elementary>() -> f64 {
    let (mut step, one) = (f64::EPSILON, E::one().to_f64());
    while step < 1.0 && E::from_f64(1.0 + step).to_f64() == one {
        step *= 2.0;
    }
    step
}

/// The half width of a difference: for an element coarser than `f64` the least power of two that is
/// not below the cube root of its resolution, where rounding and curvature weigh the same.
fn width(resolution: f64) -> f64 {
    let mut width = STEP;
    if resolution > f64::EPSILON {
        width = 1.0;
        while width * width * width >= 8.0 * resolution {
            width /= 2.0;
        }
    }
    width
}

fn elements<P: Tensorial>(payload: &P) -> Vec<f64> {
    let mut elements = Vec::new();
    payload.for_each(&mut |element| elements.push(element.to_f64()));
    elements
}

fn scalar<P: Tensorial>(payload: &P) -> f64 {
    let mut scalar = f64::NAN;
    payload.for_each(&mut |element| scalar = element.to_f64());
    scalar
}
