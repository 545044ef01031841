//! What a runner may lose that takes subnormal numbers for zeros.
//!
//! INVARIANT: a subnormal number widens the limits of what is made of it, and of nothing else.

use super::apart::Apart;
use super::check::{Grid, grid, magnitudes, mapped, numbers, terms};
use poorgrad::{Elementary, Tensorial};

/// Adds to limits what follows where subnormal numbers are taken for zeros: operands, what is between,
/// and the result.
pub(super) fn flush<P: Tensorial>(
    apart: &Apart<P>,
    node: usize,
    operands: &[P],
    right: &P,
    limits: &mut [f64],
) {
    let Grid { normal, .. } = grid(P::Element::lowering());
    let subnormal = |x: f64| x != 0.0 && x.abs() < normal;
    let expected = numbers(right);
    let count = expected.len();
    // The result, where it may be anything but what it is.
    for (limit, &expected) in limits.iter_mut().zip(&expected) {
        if *limit > 0.0 || subnormal(expected) {
            *limit += normal;
        }
    }
    let operation = apart.operation(node);
    match operation {
        // Each term, and each sum on the way.
        "sum" | "sum_along" | "sum_like" | "fold" | "scatter" => {
            let terms = terms(apart, node, operands, count) as f64;
            limits.iter_mut().for_each(|limit| *limit += 2.0 * terms * normal);
        }
        // Likewise, and a factor's loss times the other factor.
        "matmul" => {
            let terms = terms(apart, node, operands, count) as f64;
            limits.iter_mut().for_each(|limit| *limit += 2.0 * terms * normal);
            if !operands.iter().any(|operand| numbers(operand).into_iter().any(subnormal)) {
                return;
            }
            let [a, b] = [0, 1].map(|at| lost(&operands[at], normal));
            let [left, right] = [0, 1].map(|at| magnitudes(&operands[at]));
            // Where both factors are one value, squares are more than what is lost.
            let off = [[a, right], [left, b]].map(|pair| numbers(&apart.step(node, &pair)));
            for (at, limit) in limits.iter_mut().enumerate() {
                *limit += off[0][at] + off[1][at];
                // An infinite factor: nothing is known.
                if limit.is_nan() {
                    *limit = f64::INFINITY;
                }
            }
        }
        // The arguments of exponentials, whose slopes are at most 1, and the exponentials.
        "softmax" | "log_softmax" | "log_sum_exp" => {
            let axis = apart.attribute(node, "axis").unwrap_or(0);
            let terms = operands[0].shape()[axis] as f64;
            limits.iter_mut().for_each(|limit| *limit += (terms + 2.0) * normal);
        }
        // What moves or compares has either what it has, or what it has of zeros.
        _ if moves(operation) => {
            let zeros: Vec<P> = operands.iter().map(|operand| flushed(operand, normal)).collect();
            let zeros = numbers(&apart.step(node, &zeros));
            for (at, limit) in limits.iter_mut().enumerate() {
                *limit += match (expected[at] - zeros[at]).abs() {
                    _ if expected[at] == zeros[at] => 0.0,
                    off if off.is_finite() => off,
                    _ if expected[at].is_nan() && zeros[at].is_nan() => 0.0,
                    _ => f64::INFINITY,
                };
            }
        }
        // Of an element that is taken for zero anything may follow, at that element.
        _ => {
            for operand in operands {
                for (limit, x) in limits.iter_mut().zip(numbers(operand)) {
                    if subnormal(x) {
                        *limit = f64::INFINITY;
                    }
                }
            }
        }
    }
}

/// Whether an operation is no function of the elements at one place.
fn moves(operation: &str) -> bool {
    !matches!(
        operation,
        "add"
            | "sub"
            | "mul"
            | "div"
            | "neg"
            | "absorb"
            | "absorb_div"
            | "exp"
            | "exp_m1"
            | "ln"
            | "ln_1p"
            | "sqrt"
            | "tanh"
            | "sigmoid"
            | "softplus"
            | "sin"
            | "cos"
            | "erf"
            | "powf"
            | "powi"
            | "maximum"
            | "relu"
            | "compare"
            | "select"
    )
}

/// An operand with every subnormal number taken for a zero of its sign.
fn flushed<P: Tensorial>(payload: &P, normal: f64) -> P {
    let flush = |x: f64| if x.abs() < normal { x * 0.0 } else { x };
    mapped(payload, flush)
}

/// What an operand loses so.
fn lost<P: Tensorial>(payload: &P, normal: f64) -> P {
    mapped(payload, |x| if x.abs() < normal { x.abs() } else { 0.0 })
}
