//! Maxima, along lines and down columns.

use super::lines::{Lines, each_line, trailing};
use crate::kernel::reference::{View, first_max_of, max_of};
use crate::kernel::simd::Level;
use crate::kernel::threads;
use crate::kernel::{Elementary, ReduceTask, Reduction};

/// As `reference::max`.
///
/// BITS: an element without a kernel of its own is taken in order; of floats any tree of maxima
/// gives the same bits.
pub(crate) fn max<E: Elementary>(x: View<'_, E>, axes: &[usize]) -> Vec<E> {
    const EMPTY: &str = "max: an empty axis has no maximum";
    if let Some((elements, length)) = trailing(x, axes) {
        let mut out = vec![E::zero(); elements.len() / length];
        let parts = threads::parts_here(elements.len(), usize::MAX);
        let each = out.len().div_ceil(parts).max(1);
        let work = out.chunks_mut(each).zip(elements.chunks(each * length)).collect();
        threads::each(work, |(out, elements)| maxima(elements, length, out));
        return out;
    }
    let lines = Lines::new(x, axes);
    let mut out = Vec::with_capacity(lines.count);
    let Some(columns) = lines.columns() else {
        lines.each(|line| out.push(line_max(line).expect(EMPTY)));
        return out;
    };
    columns.each(|elements, width| {
        let (first, rest) = columns.offsets.split_first().expect(EMPTY);
        let start = out.len();
        out.extend_from_slice(&elements[*first..][..width]);
        let out = &mut out[start..];
        Level::best().compiled(
            #[inline(always)]
            || {
                for &offset in rest {
                    let maxima = out.iter_mut().zip(&elements[offset..][..width]);
                    maxima.for_each(|(max, x)| *max = max.maximum(x));
                }
            },
        );
    });
    out
}

/// As `reference::max_of`.
pub(super) fn line_max<E: Elementary>(line: &[E]) -> Option<E> {
    let first = line.first()?;
    let mut out = [first.clone()];
    maxima(line, line.len(), &mut out);
    let [max] = out;
    Some(max)
}

/// The maximum of each line of `length`, which is not 0.
fn maxima<E: Elementary>(elements: &[E], length: usize, out: &mut [E]) {
    let reduction = Reduction::Max;
    if E::reduce(&mut ReduceTask { reduction, elements, length, out: &mut *out }) {
        return;
    }
    for (line, max) in elements.chunks(length).zip(out) {
        *max = max_of(line).expect("invariant: no line of a maximum is empty");
    }
}

/// As `reference::first_max`.
pub(crate) fn first_max<E: Elementary>(x: View<'_, E>, axes: &[usize]) -> Vec<E> {
    let rank = x.extents.len();
    let trailing = axes.first().is_none_or(|&first| first + axes.len() == rank);
    if !trailing {
        return crate::kernel::reference::first_max(x, axes);
    }
    let mut out = vec![E::zero(); x.count()];
    let mut start = 0;
    each_line(x, axes, |line| {
        if let Some(first) = first_max_of(line) {
            out[start + first] = E::one();
        }
        start += line.len();
    });
    out
}
