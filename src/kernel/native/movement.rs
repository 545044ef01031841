//! Copies into row-major order, padding and concatenation, by whole rows.

use crate::kernel::Elementary;
use crate::kernel::reference::View;
use crate::kernel::walk::{Axis, Walk, product_of};
use std::borrow::Cow;

/// Whether strides are the row-major ones, where they matter.
#[inline]
pub(crate) fn is_contiguous(extents: &[usize], strides: &[usize]) -> bool {
    let mut expected = 1_usize;
    for (&extent, &stride) in extents.iter().zip(strides).rev() {
        if extent == 0 {
            return true;
        }
        if extent != 1 {
            if stride != expected {
                return extents.contains(&0);
            }
            expected = expected.wrapping_mul(extent);
        }
    }
    true
}

/// The elements of a view where they lie in row-major order.
#[inline]
pub(crate) fn as_slice<'a, E>(x: View<'a, E>) -> Option<&'a [E]> {
    if !is_contiguous(x.extents, x.strides) {
        return None;
    }
    let count = x.count();
    Some(if count == 0 { &[] } else { &x.elements[x.offset..x.offset + count] })
}

/// The elements of a view as a slice in row-major order, copied only where they lie otherwise.
pub(crate) fn packed<'a, E: Elementary>(x: View<'a, E>) -> Cow<'a, [E]> {
    match as_slice(x) {
        Some(elements) => Cow::Borrowed(elements),
        None => Cow::Owned(copy(x)),
    }
}

/// The elements in row-major order.
pub(crate) fn copy<E: Elementary>(x: View<'_, E>) -> Vec<E> {
    let walk = Walk::new(x.extents, [x.strides]);
    let mut out = Vec::with_capacity(x.count());
    if x.count() == 0 {
        return out;
    }
    if let [.., Axis { extent: rows, strides: [1] }, Axis { extent: columns, strides: [stride] }] =
        *walk.axes()
        && stride > 1
    {
        let outer = walk.axes()[..walk.axes().len() - 2].iter().copied();
        Walk::of(outer).elements([x.offset], |[at]| {
            transpose(&x.elements[at..], rows, columns, stride, &mut out);
        });
        return out;
    }
    let Axis { extent, strides: [stride] } = walk.inner();
    walk.rows([x.offset], |[at]| append_row(&x.elements[at..], extent, stride, &mut out));
    out
}

fn append_row<E: Elementary>(from: &[E], extent: usize, stride: usize, out: &mut Vec<E>) {
    match stride {
        1 => out.extend_from_slice(&from[..extent]),
        0 => out.extend(std::iter::repeat_n(&from[0], extent).cloned()),
        _ => out.extend(from.iter().step_by(stride).take(extent).cloned()),
    }
}

/// Appends `rows` rows of `columns`, where neighbours in a column lie side by side.
fn transpose<E: Elementary>(
    from: &[E],
    rows: usize,
    columns: usize,
    stride: usize,
    out: &mut Vec<E>,
) {
    // COST: a block of 16 rows reads whole cache lines of the source and keeps them until the
    // last of its rows is written.
    const BLOCK: usize = 16;
    let start = out.len();
    out.resize(start + rows * columns, from[0].clone());
    let out = &mut out[start..];
    for row in (0..rows).step_by(BLOCK) {
        let height = BLOCK.min(rows - row);
        for column in 0..columns {
            let line = &from[column * stride + row..][..height];
            for (i, x) in line.iter().enumerate() {
                out[(row + i) * columns + column] = x.clone();
            }
        }
    }
}

/// The product of the extents before and from `axis` on.
pub(super) fn split(extents: &[usize], axis: usize) -> (usize, usize) {
    (product_of(&extents[..axis]), product_of(&extents[axis..]))
}

/// As `reference::pad`.
pub(crate) fn pad<E: Elementary>(
    x: View<'_, E>,
    axis: usize,
    before: usize,
    after: usize,
    value: &E,
) -> Vec<E> {
    let elements = packed(x);
    let (outer, row) = split(x.extents, axis);
    let inner = product_of(&x.extents[axis + 1..]);
    let (before, after) = (before * inner, after * inner);
    let mut out = Vec::with_capacity(outer * (before + row + after));
    for i in 0..outer {
        out.extend(std::iter::repeat_n(value, before).cloned());
        out.extend_from_slice(&elements[i * row..(i + 1) * row]);
        out.extend(std::iter::repeat_n(value, after).cloned());
    }
    out
}

/// As `reference::concat`.
pub(crate) fn concat<E: Elementary>(parts: &[View<'_, E>], axis: usize) -> Vec<E> {
    let Some(first) = parts.first() else { return Vec::new() };
    let (outer, _) = split(first.extents, axis);
    let parts = parts.iter().map(|part| (packed(*part), split(part.extents, axis).1));
    let parts = parts.collect::<Vec<_>>();
    let row = parts.iter().fold(0, |row, (_, length)| row + length);
    let mut out = Vec::with_capacity(outer * row);
    for i in 0..outer {
        for (elements, length) in &parts {
            out.extend_from_slice(&elements[i * length..(i + 1) * length]);
        }
    }
    out
}
