//! Maxima, along lines and down columns.

use super::lines::{Lines, each_line, trailing};
use crate::kernel::order::LANES;
use crate::kernel::reference::{View, first_max_of, max_of};
use crate::kernel::simd::Level;
use crate::kernel::{Elementary, Lowering};

/// As `reference::max`.
///
/// BITS: a column is taken in order; of floats any tree of maxima gives the same bits, so that a
/// line may run in lanes.
pub(crate) fn max<E: Elementary>(x: View<'_, E>, axes: &[usize]) -> Vec<E> {
    const EMPTY: &str = "max: an empty axis has no maximum";
    if let Some((elements, length)) = trailing(x, axes) {
        let max = |line| line_max(line).expect(EMPTY);
        return elements.chunks_exact(length).map(max).collect();
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
        for &offset in rest {
            let maxima = out[start..].iter_mut().zip(&elements[offset..][..width]);
            maxima.for_each(|(max, x)| *max = max.maximum(x));
        }
    });
    out
}

/// As `reference::max_of`.
pub(super) fn line_max<E: Elementary>(line: &[E]) -> Option<E> {
    Level::best().compiled(
        #[inline(always)]
        || lanes_max(line),
    )
}

#[inline(always)]
fn lanes_max<E: Elementary>(line: &[E]) -> Option<E> {
    let (chunks, rest) = line.as_chunks::<LANES>();
    let is_float = matches!(E::lowering(), Lowering::F32 | Lowering::F64);
    let (first, chunks) = match chunks.split_first() {
        Some(split) if is_float => split,
        _ => return max_of(line),
    };
    let mut lanes = first.clone();
    for chunk in chunks {
        for l in 0..LANES {
            lanes[l] = lanes[l].maximum(&chunk[l]);
        }
    }
    max_of(rest).into_iter().chain(lanes).reduce(|a, b| a.maximum(&b))
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
