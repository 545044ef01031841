//! The softmax family, line by line in cache.

use super::lines::each_line;
use super::map::map_to;
use super::maximum::line_max;
use super::movement::split;
use super::sum::sum_of;
use crate::kernel::reference::View;
use crate::kernel::{Elementary, Unary};

/// A line less its maximum, and the exponentials of that.
struct Scratch<E> {
    shifted: Vec<E>,
    exponentials: Vec<E>,
}

impl<E> Scratch<E> {
    fn new() -> Self {
        Self { shifted: Vec::new(), exponentials: Vec::new() }
    }
}

/// Leaves `exp(x - m)` of the line in `exponentials`; gives `m` and the sum.
fn shift<E: Elementary>(line: &[E], Scratch { shifted, exponentials }: &mut Scratch<E>) -> (E, E) {
    let max = line_max(line).filter(Elementary::is_finite).unwrap_or_else(E::zero);
    shifted.clear();
    shifted.extend(line.iter().map(|x| x.sub(&max)));
    exponentials.resize(line.len(), E::zero());
    map_to(Unary::Exp, shifted, exponentials);
    let sum = sum_of(exponentials);
    (max, sum)
}

/// As `reference::log_sum_exp`.
pub(crate) fn log_sum_exp<E: Elementary>(x: View<'_, E>, axis: usize) -> Vec<E> {
    let (mut out, mut scratch) = (Vec::new(), Scratch::new());
    each_line(x, &[axis], |line| {
        let (max, sum) = shift(line, &mut scratch);
        out.push(max.add(&sum.ln()));
    });
    out
}

/// As `reference::log_softmax`.
pub(crate) fn log_softmax<E: Elementary>(x: View<'_, E>, axis: usize) -> Vec<E> {
    let mut scratch = Scratch::new();
    each_line_to(x, axis, |line, out| {
        let (_, sum) = shift(line, &mut scratch);
        let ln = sum.ln();
        out.extend(scratch.shifted.iter().map(|x| x.sub(&ln)));
    })
}

/// As `reference::softmax`.
pub(crate) fn softmax<E: Elementary>(x: View<'_, E>, axis: usize) -> Vec<E> {
    let mut scratch = Scratch::new();
    each_line_to(x, axis, |line, out| {
        let (_, sum) = shift(line, &mut scratch);
        out.extend(scratch.exponentials.iter().map(|e| e.div(&sum)));
    })
}

/// The array that `line` makes of every line along `axis`, laid out as `x` is.
fn each_line_to<E: Elementary>(
    x: View<'_, E>,
    axis: usize,
    mut line: impl FnMut(&[E], &mut Vec<E>),
) -> Vec<E> {
    let mut lines = Vec::with_capacity(x.count());
    each_line(x, &[axis], |from| line(from, &mut lines));
    let (outer, row) = split(x.extents, axis);
    let length = x.extents[axis];
    if row == length || lines.is_empty() {
        return lines;
    }
    // Lines came out [outer, inner, length]; the array wants [outer, length, inner].
    let inner = row / length;
    let (extents, strides) = ([outer, length, inner], [row, 1, length]);
    super::copy(View::new(&lines, &extents, &strides, 0))
}
