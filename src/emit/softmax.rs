//! The softmax family, as it is defined: three definitions, none in one pass.

use super::reduce;
use super::types::Value;
use super::writer::Writer;

/// Which of them.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Member {
    LogSumExp,
    LogSoftmax,
    Softmax,
}

pub(super) fn emit(w: &mut Writer, member: Member, x: &Value, axis: usize, exact: bool) -> Value {
    let kept: Vec<usize> = (0..x.rank()).filter(|&at| at != axis).collect();
    let largest = reduce::max(w, x, &[axis]);
    // 0 where it is not finite.
    let magnitude = w.unary("abs", &largest);
    let infinite = w.full(f64::INFINITY, largest.extents());
    let zero = w.full(0.0, largest.extents());
    let finite = w.compare("LT", &magnitude, &infinite);
    let m = w.select(&finite, &largest, &zero);
    let shift = w.broadcast(&m, x.extents(), &kept);
    let shifted = w.binary("subtract", x, &shift);
    let e = w.unary("exponential", &shifted);
    let sum = reduce::sum(w, &e, &[axis], exact);
    match member {
        Member::LogSumExp => {
            let ln = w.unary("log", &sum);
            w.add(&m, &ln)
        }
        Member::LogSoftmax => {
            let ln = w.unary("log", &sum);
            let ln = w.broadcast(&ln, x.extents(), &kept);
            w.binary("subtract", &shifted, &ln)
        }
        Member::Softmax => {
            let sum = w.broadcast(&sum, x.extents(), &kept);
            w.binary("divide", &e, &sum)
        }
    }
}
