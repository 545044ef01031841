//! One operation's result against its bound.

use super::accuracy::Accuracy;
use super::apart::Apart;
use super::flush::flush;
use poorgrad::{Elementary, Lowering, Tensorial};
use std::fmt;

/// An element outside its operation's bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The node of the tape.
    pub node: usize,
    /// The position of the element, row-major.
    pub at: usize,
    /// What the definition gives on the same operands.
    pub expected: f64,
    /// What the runner has.
    pub found: f64,
    /// How far the two are, in units of the last place.
    pub ulps: f64,
    /// How far they may be.
    pub bound: f64,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, at, expected, found, ulps, bound } = self;
        write!(
            f,
            "%{node} at {at}: {found:e} where {expected:e} is right: {ulps} ulp, {:e} apart, and the \
             bound is {bound:e}",
            (found - expected).abs()
        )
    }
}

/// What an element type is made of.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    /// Half the distance of neighbours at 1.
    pub(super) unit: f64,
    pub(super) least: f64,
    pub(super) normal: f64,
    pub(super) largest: f64,
}

pub(super) fn grid(element: Lowering) -> Grid {
    match element {
        Lowering::F32 => Grid {
            unit: 0.5 * f64::from(f32::EPSILON),
            least: f64::from(f32::from_bits(1)),
            normal: f64::from(f32::MIN_POSITIVE),
            largest: f64::from(f32::MAX),
        },
        _ => Grid {
            unit: 0.5 * f64::EPSILON,
            least: f64::from_bits(1),
            normal: f64::MIN_POSITIVE,
            largest: f64::MAX,
        },
    }
}

impl Grid {
    /// The distance of neighbours at `x`.
    pub(super) fn ulp(self, x: f64) -> f64 {
        if !x.is_finite() {
            return self.least;
        }
        let exponent = (x.abs().to_bits() >> 52).max(1);
        let power = f64::from_bits(exponent << 52);
        (power * 2.0 * self.unit).max(self.least)
    }
}

/// How far two numbers of a type are apart in units of the last place of the larger one.
#[must_use]
pub fn ulps(a: f64, b: f64, element: Lowering) -> f64 {
    let larger = if a.abs() > b.abs() { a } else { b };
    if a == b || a.is_nan() && b.is_nan() { 0.0 } else { (a - b).abs() / grid(element).ulp(larger) }
}

/// The elements.
pub(super) fn numbers<P: Tensorial>(payload: &P) -> Vec<f64> {
    let mut numbers = Vec::new();
    payload.for_each(&mut |element| numbers.push(element.to_f64()));
    numbers
}

/// A function of every element; a selection stays what it is.
pub(super) fn mapped<P: Tensorial>(payload: &P, function: impl Fn(f64) -> f64) -> P {
    if payload.is_selection() {
        return payload.clone();
    }
    let mut elements = Vec::new();
    payload
        .for_each(&mut |element| elements.push(P::Element::from_f64(function(element.to_f64()))));
    P::from_stored(&payload.shape(), poorgrad::Stored::Dense(elements)).expect("as many elements")
}

pub(super) fn magnitudes<P: Tensorial>(payload: &P) -> P {
    mapped(payload, f64::abs)
}

/// The first element of a node's result that is outside its bound, given what the node was computed
/// from. The sign of a zero is held to be the definition's wherever no rounding can explain another.
#[must_use]
pub fn check<P: Tensorial>(
    apart: &Apart<P>,
    node: usize,
    operands: &[P],
    found: &P,
    accuracy: &Accuracy,
) -> Option<Violation> {
    let right = apart.step(node, operands);
    let limits = limits(apart, node, operands, &right, accuracy);
    let element = P::Element::lowering();
    let Grid { normal, largest, .. } = grid(element);
    // Within the bound of where numbers end, either may have overflowed.
    let ends = |x: f64, y: f64, limit: f64| y.is_infinite() && x.abs() + limit >= largest;
    // A sum may take a product before it has become zero, and the family is a composition.
    let operation = apart.operation(node);
    let signed = match operation {
        "add" | "sub" => !contracts(apart, node, accuracy),
        "softmax" | "log_softmax" | "log_sum_exp" => false,
        _ => true,
    };
    // So is a sum that cancels: what is left of it may be less than nothing before it is rounded or flushed.
    let sums = match operation {
        "sum" | "sum_along" | "sum_like" | "matmul" | "fold" | "scatter" if accuracy.contracts => {
            let sizes: Vec<P> = operands.iter().map(magnitudes).collect();
            numbers(&apart.step(node, &sizes))
        }
        _ => Vec::new(),
    };
    let (expected, found) = (numbers(&right), numbers(found));
    let at = (0..expected.len()).find(|&at| {
        let (expected, found, limit) = (expected[at], found[at], limits.get(at));
        match limit {
            // To the bit, the sign of zero included.
            Some(&0.0) => {
                let same = expected.to_bits() == found.to_bits();
                let tiny = expected != 0.0 && expected.abs() < normal && found.abs() < normal;
                let flushed = accuracy.flushes && tiny;
                !(same || flushed || expected.is_nan() && found.is_nan())
            }
            // Anything: what the bound takes is infinite itself.
            Some(limit) if *limit == f64::INFINITY => false,
            _ if expected.is_nan() || found.is_nan() => expected.is_nan() != found.is_nan(),
            _ if expected == found => {
                let signed = signed && sums.get(at).is_none_or(|size| *size == 0.0);
                signed && expected.is_sign_negative() != found.is_sign_negative()
            }
            Some(limit) if ends(expected, found, *limit) || ends(found, expected, *limit) => {
                expected.is_sign_negative() != found.is_sign_negative()
            }
            Some(limit) => (expected - found).abs() > *limit || (expected - found).is_nan(),
            None => true,
        }
    })?;
    let (expected, found) = (expected[at], found[at]);
    let (ulps, bound) = (ulps(expected, found, element), limits[at]);
    Some(Violation { node, at, expected, found, ulps, bound })
}

/// How far each element may be from the definition's, given the operands.
pub(super) fn limits<P: Tensorial>(
    apart: &Apart<P>,
    node: usize,
    operands: &[P],
    right: &P,
    accuracy: &Accuracy,
) -> Vec<f64> {
    let element = P::Element::lowering();
    let grid = grid(element);
    let Grid { unit, least, largest, .. } = grid;
    let count = right.shape().volume().unwrap_or(0);
    let operation = apart.operation(node);
    if accuracy.allows(operation) {
        return vec![f64::INFINITY; count];
    }
    let expected = numbers(right);
    let apart_by = |function: &str| accuracy.apart(function, element);
    let ulps = |number: f64| expected.iter().map(|&x| number * grid.ulp(x)).collect::<Vec<f64>>();
    let read: Vec<Vec<f64>> = operands.iter().map(numbers).collect();
    let mut limits = match operation {
        "exp" | "exp_m1" | "ln" | "ln_1p" | "tanh" | "sin" | "cos" | "erf" | "powf" | "powi" => {
            ulps(apart_by(operation))
        }
        // Four roundings of either, and what the exponentials are apart.
        "sigmoid" => ulps(6.0 + 2.0 * apart_by("exp")),
        // The logarithm's slope is at most 1 where the exponential is at most 1.
        "softplus" => ulps(2.0 + 2.0 * apart_by("exp") + 2.0 * apart_by("ln_1p")),
        // Two roundings for one.
        "div" | "absorb_div" if accuracy.reciprocals => ulps(2.0),
        "add" | "sub" if contracts(apart, node, accuracy) => {
            // Either operand may be unrounded.
            let operands = |at: usize| grid.ulp(read[0][at]) + grid.ulp(read[1][at]);
            (0..count).map(|at| operands(at) + grid.ulp(expected[at])).collect()
        }
        "sum" | "sum_along" | "sum_like" | "matmul" | "fold" | "scatter" => {
            let terms = terms(apart, node, operands, count);
            let exact = accuracy.ordered
                || terms <= 1 && operation != "matmul"
                || operation == "fold" && !accuracy.contracts
                || operation == "scatter" && accuracy.scatters_in_order
                || operation == "matmul" && terms <= 256 && accuracy.short_products;
            if exact {
                return vec![0.0; count];
            }
            let magnitudes: Vec<P> = operands.iter().map(magnitudes).collect();
            let sums = numbers(&apart.step(node, &magnitudes));
            // Any order of `n` terms is within `n u` of the true sum of magnitudes, to first order; so
            // is the specified one. Where magnitudes overflow, the order decides what is infinite.
            let factor = 2.0 * (terms as f64 + 1.0) * unit * 1.01;
            let limit = |sum: f64| match sum < 0.25 * largest {
                true => factor * sum + terms as f64 * least,
                false => f64::INFINITY,
            };
            sums.into_iter().map(limit).collect()
        }
        "softmax" | "log_softmax" | "log_sum_exp" => {
            let axis = apart.attribute(node, "axis").unwrap_or(0);
            let terms = operands[0].shape()[axis] as f64;
            let summed = if accuracy.ordered { 0.0 } else { 2.0 * terms };
            let exp = 2.0 * apart_by("exp") * unit;
            let sum = exp + (summed + 2.0) * unit;
            let ln = sum + 2.0 * apart_by("ln") * unit * (terms.ln() + 1.0);
            let limit = |x: f64| match operation {
                "softmax" => (exp + sum + 4.0 * unit) * x.abs() + 4.0 * least,
                _ => ln + 4.0 * unit * x.abs(),
            };
            expected.iter().map(|&x| limit(x)).collect()
        }
        _ => vec![0.0; count],
    };
    if accuracy.flushes {
        flush(apart, node, operands, right, &mut limits);
    }
    limits
}

/// Whether a sum may take a product unrounded: what it reads is not moved about, but computed.
fn contracts<P: Tensorial>(apart: &Apart<P>, node: usize, accuracy: &Accuracy) -> bool {
    accuracy.contracts && apart.operands(node).iter().any(|&at| apart.is_rounded(at))
}

/// How many terms an element of the result sums, at most.
pub(super) fn terms<P: Tensorial>(
    apart: &Apart<P>,
    node: usize,
    operands: &[P],
    count: usize,
) -> usize {
    let shape = operands[0].shape();
    let all = shape.volume().unwrap_or(0);
    match apart.operation(node) {
        "matmul" => shape[shape.rank() - 1],
        "fold" => shape[shape.rank() - 1],
        "scatter" => all,
        _ => all.checked_div(count).unwrap_or(0),
    }
}

/// `e^x - 1` of a bound, upwards: where it is not small it matters little.
pub(super) fn exp_m1(x: f64) -> f64 {
    if x < 0.5 { 1.5 * x } else { f64::INFINITY }
}
