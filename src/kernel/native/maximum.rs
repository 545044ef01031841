//! Maxima, and the pass over lines that other reductions share.

use super::movement::{is_contiguous, packed};
use crate::kernel::Elementary;
use crate::kernel::reference::{View, first_max_of, max_of};
use crate::kernel::walk::{Axis, Walk};

/// Calls `visit` with every line of `x` over the ascending `axes`, in row-major order of the
/// other axes; a line that lies in one piece is not copied.
pub(super) fn each_line<E: Elementary>(x: View<'_, E>, axes: &[usize], mut visit: impl FnMut(&[E])) {
    let walk_over = |kept: bool| {
        let axes = (0..x.extents.len()).filter(|axis| axes.contains(axis) != kept);
        Walk::of(axes.map(|axis| Axis { extent: x.extents[axis], strides: [x.strides[axis]] }))
    };
    let (outer, inner) = (walk_over(true), walk_over(false));
    let length = axes.iter().map(|&axis| x.extents[axis]).product::<usize>();
    if length == 0 {
        return outer.elements([0], |_| visit(&[]));
    }
    let in_one_piece = matches!(inner.axes(), [] | [Axis { strides: [1], .. }]);
    let Axis { extent, strides: [stride] } = inner.inner();
    let mut line = Vec::with_capacity(if in_one_piece { 0 } else { length });
    outer.elements([x.offset], |[at]| {
        if in_one_piece {
            return visit(&x.elements[at..at + length]);
        }
        line.clear();
        inner.rows([at], |[at]| {
            line.extend((0..extent).map(|i| x.elements[at + i * stride].clone()));
        });
        visit(&line);
    });
}

/// As `reference::max`.
pub(crate) fn max<E: Elementary>(x: View<'_, E>, axes: &[usize]) -> Vec<E> {
    let mut out = Vec::new();
    each_line(x, axes, |line| out.push(max_of(line).expect("max: an empty axis has no maximum")));
    out
}

/// As `reference::first_max`.
pub(crate) fn first_max<E: Elementary>(x: View<'_, E>, axes: &[usize]) -> Vec<E> {
    let rank = x.extents.len();
    let trailing = axes.first().is_none_or(|&first| first + axes.len() == rank);
    if !trailing {
        return crate::kernel::reference::first_max(x, axes);
    }
    let elements = if is_contiguous(x.extents, x.strides) { None } else { Some(packed(x)) };
    let mut out = vec![E::zero(); x.count()];
    let mut start = 0;
    let mut mark = |line: &[E]| {
        if let Some(first) = first_max_of(line) {
            out[start + first] = E::one();
        }
        start += line.len();
    };
    match elements {
        None => each_line(x, axes, mark),
        Some(elements) => {
            let length = axes.iter().map(|&axis| x.extents[axis]).product::<usize>();
            elements.chunks(length.max(1)).for_each(&mut mark);
        }
    }
    out
}
