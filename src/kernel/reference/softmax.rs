//! The softmax family along one axis.
//!
//! BITS: `m` is the maximum, replaced by 0 where it is not finite; `e = exp(x - m)`; `s` is the sum
//! of `e` by the sum rule. The three results are three definitions: none is computed from another,
//! and there is no online form.

use super::view::each_line;
use super::{View, max_of, sum_of};
use crate::kernel::Elementary;

struct Line<E> {
    max: E,
    exponentials: Vec<E>,
    sum: E,
}

fn line_of<E: Elementary>(line: &[E]) -> Line<E> {
    let max = max_of(line).filter(Elementary::is_finite).unwrap_or_else(E::zero);
    let exponentials = line.iter().map(|x| x.sub(&max).exp()).collect::<Vec<_>>();
    let sum = sum_of(&exponentials);
    Line { max, exponentials, sum }
}

/// `m + ln(s)` along `axis`, which is removed.
#[must_use]
pub fn log_sum_exp<E: Elementary>(x: View<'_, E>, axis: usize) -> Vec<E> {
    let mut out = Vec::new();
    each_line(x, &[axis], |line, _| {
        let Line { max, sum, .. } = line_of(line);
        out.push(max.add(&sum.ln()));
    });
    out
}

/// `(x - m) - ln(s)` along `axis`.
#[must_use]
pub fn log_softmax<E: Elementary>(x: View<'_, E>, axis: usize) -> Vec<E> {
    let mut out = vec![E::zero(); x.count()];
    each_line(x, &[axis], |line, positions| {
        let Line { max, sum, .. } = line_of(line);
        let ln = sum.ln();
        for (x, &position) in line.iter().zip(positions) {
            out[position] = x.sub(&max).sub(&ln);
        }
    });
    out
}

/// `e / s` along `axis`.
#[must_use]
pub fn softmax<E: Elementary>(x: View<'_, E>, axis: usize) -> Vec<E> {
    let mut out = vec![E::zero(); x.count()];
    each_line(x, &[axis], |line, positions| {
        let Line { exponentials, sum, .. } = line_of(line);
        for (e, &position) in exponentials.iter().zip(positions) {
            out[position] = e.div(&sum);
        }
    });
    out
}
