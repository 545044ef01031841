//! How errors within the bounds spread along a tape.
//!
//! INVARIANT: each bound is at least what one more operation can make of its operands' bounds and of
//! its own, to first order; where an operand's error may change a decision, it is all that the decision
//! can change. An infinite bound says that nothing is known.

use super::accuracy::Accuracy;
use super::apart::Apart;
use super::check::{limits, numbers};
use poorgrad::{Elementary, Stored, Tensorial};

/// For each node of a tape, how far each element of a runner's may be from the oracle's, where the
/// runner's every operation keeps its bound. `values` are the oracle's.
#[must_use]
pub fn spread<P: Tensorial>(apart: &Apart<P>, values: &[P], accuracy: &Accuracy) -> Vec<Vec<f64>> {
    let mut bounds: Vec<Vec<f64>> = Vec::with_capacity(values.len());
    for node in 0..values.len() {
        if !apart.is_step(node) {
            bounds.push(vec![0.0; values[node].shape().volume().unwrap_or(0)]);
            continue;
        }
        let operands: Vec<P> = apart.operands(node).iter().map(|&at| values[at].clone()).collect();
        let own = limits(apart, node, &operands, &values[node], accuracy);
        let given: Vec<&[f64]> = apart.operands(node).iter().map(|&at| &*bounds[at]).collect();
        let through = through(apart, node, &operands, &given, &values[node]);
        let sum = own.iter().zip(through).map(|(own, through)| {
            let sum = own + through;
            // What is infinite times nothing is not known.
            if sum.is_nan() { f64::INFINITY } else { sum }
        });
        bounds.push(sum.collect());
    }
    bounds
}

fn payload<P: Tensorial>(like: &P, numbers: impl Iterator<Item = f64>) -> P {
    let elements = numbers.map(P::Element::from_f64).collect();
    P::from_stored(&like.shape(), Stored::Dense(elements)).expect("as many elements")
}

/// What an operation makes of its operands' bounds.
fn through<P: Tensorial>(
    apart: &Apart<P>,
    node: usize,
    operands: &[P],
    bounds: &[&[f64]],
    value: &P,
) -> Vec<f64> {
    let count = value.shape().volume().unwrap_or(0);
    let known = |all: &[f64]| all.iter().all(|bound| *bound == 0.0);
    if bounds.iter().all(|bounds| known(bounds)) {
        return vec![0.0; count];
    }
    let read: Vec<Vec<f64>> = operands.iter().map(numbers).collect();
    let result = numbers(value);
    // The operation on operands moved to the ends of their intervals.
    let moved = |signs: &[f64]| {
        let ends = operands.iter().enumerate().map(|(at, operand)| {
            if operand.is_selection() {
                return operand.clone();
            }
            let sign = signs[at];
            payload(operand, read[at].iter().zip(bounds[at]).map(|(x, e)| x + sign * e))
        });
        numbers(&apart.step(node, &ends.collect::<Vec<_>>()))
    };
    let of_bounds = || {
        let all = operands.iter().zip(bounds).map(|(operand, bounds)| {
            let plain = operand.is_selection();
            if plain { operand.clone() } else { payload(operand, bounds.iter().copied()) }
        });
        numbers(&apart.step(node, &all.collect::<Vec<_>>()))
    };
    let each = |of: &dyn Fn(usize) -> f64| (0..count).map(of).collect::<Vec<f64>>();
    let most = |all: &[f64]| all.iter().fold(0.0_f64, |most, &x| if x > most { x } else { most });
    match apart.operation(node) {
        "add" | "sub" => each(&|at| bounds[0][at] + bounds[1][at]),
        "neg" => bounds[0].to_vec(),
        "mul" | "absorb" => each(&|at| {
            let ([a, b], [e, f]) = ([read[0][at], read[1][at]], [bounds[0][at], bounds[1][at]]);
            times(a.abs(), f) + times(b.abs(), e) + times(e, f)
        }),
        "maximum" => each(&|at| bounds[0][at].max(bounds[1][at])),
        "relu" => bounds[0].to_vec(),
        "sin" | "cos" => each(&|at| bounds[0][at].min(2.0)),
        "compare" => each(&|at| {
            let apart = (read[0][at] - read[1][at]).abs();
            if apart > bounds[0][at] + bounds[1][at] { 0.0 } else { 1.0 }
        }),
        "select" => each(&|at| {
            let kept = if read[0][at] != 0.0 { bounds[1][at] } else { bounds[2][at] };
            if bounds[0][at] == 0.0 {
                return kept;
            }
            (read[1][at] - read[2][at]).abs() + bounds[1][at].max(bounds[2][at])
        }),
        // From 0 on, which is where its argument begins.
        "sqrt" => {
            let high = moved(&[1.0]);
            each(&|at| match read[0][at] < bounds[0][at] {
                true => high[at].max(result[at]),
                false => {
                    let low = (read[0][at] - bounds[0][at]).sqrt();
                    (result[at] - low).max(high[at] - result[at])
                }
            })
        }
        // Monotonous: the ends of the interval are the ends of the image.
        "exp" | "exp_m1" | "ln" | "ln_1p" | "tanh" | "sigmoid" | "erf" | "softplus" => {
            let (low, high) = (moved(&[-1.0]), moved(&[1.0]));
            each(&|at| far(low[at], result[at]).max(far(high[at], result[at])))
        }
        "div" | "absorb_div" | "powf" | "powi" => {
            let corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]].map(|s| moved(&s));
            let pole = |at: usize| match apart.operation(node) {
                "powi" => read[0][at].abs() <= bounds[0][at],
                "powf" => read[0][at] <= bounds[0][at],
                _ => read[1][at].abs() <= bounds[1][at],
            };
            each(&|at| {
                let ends = corners.iter().map(|corner| far(corner[at], result[at]));
                if pole(at) { f64::INFINITY } else { ends.fold(0.0, f64_max) }
            })
        }
        "matmul" => {
            let part = |left: bool, right: bool| {
                let of = |at: usize, bound: bool| {
                    let all = read[at].iter().zip(bounds[at]);
                    payload(&operands[at], all.map(|(x, e)| if bound { *e } else { x.abs() }))
                };
                numbers(&apart.step(node, &[of(0, left), of(1, right)]))
            };
            let (a, b, c) = (part(true, false), part(false, true), part(true, true));
            each(&|at| a[at] + b[at] + c[at])
        }
        "count" => vec![0.0; count],
        "first_max_along" => vec![1.0; count],
        "log_sum_exp" => vec![most(bounds[0]); count],
        "log_softmax" => vec![2.0 * most(bounds[0]); count],
        "softmax" => {
            // A probability is one, whatever its logits.
            let rate = super::check::exp_m1(2.0 * most(bounds[0]));
            each(&|at| if rate < 1.0 { rate * result[at].abs() } else { 1.0 })
        }
        // What moves elements moves their bounds; what adds them, adds; a filling is certain.
        "pad" => {
            let moved = of_bounds();
            let ones = payload(&operands[0], read[0].iter().map(|_| f64::NAN));
            let inside = numbers(&apart.step(node, &[ones]));
            each(&|at| if inside[at].is_nan() { moved[at] } else { 0.0 })
        }
        _ => of_bounds().into_iter().map(f64::abs).collect(),
    }
}

/// How far two numbers are apart; an infinity is where it is.
fn far(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { (a - b).abs() }
}

fn f64_max(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// A product in which nothing times anything is nothing.
fn times(a: f64, b: f64) -> f64 {
    if b == 0.0 { 0.0 } else { a * b }
}
