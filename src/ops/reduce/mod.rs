//! Reductions: sums, maxima and the softmax family.

mod first_max_along;
mod log_softmax;
mod log_sum_exp;
mod max_along;
mod softmax;
mod sum;
mod sum_along;

pub(crate) use first_max_along::FirstMaxAlong;
pub(crate) use log_softmax::LogSoftmax;
pub(crate) use log_sum_exp::LogSumExp;
pub(crate) use max_along::MaxAlong;
pub(crate) use softmax::Softmax;
pub(crate) use sum::Sum;
pub(crate) use sum_along::SumAlong;

use super::rule;
use crate::graph::error::Violation;
use crate::payload::Shape;

/// The softmax family runs along an axis of `shape` (C1) that is not empty (C2).
fn row(axis: usize, shape: &Shape) -> Result<(), Violation> {
    rule::axis(1, axis, shape)?;
    // An empty result has no row to look at, whatever the extent.
    if shape[axis] == 0 {
        return Err(Violation::new(2, format!("axis {axis} is empty and has no maximum")));
    }
    Ok(())
}
