//! Copies into row-major order, padding and concatenation, by whole rows.

use super::parts::over;
use super::short::by_short_rows;
use crate::kernel::memory::Block;
use crate::kernel::reference::View;
use crate::kernel::walk::{Axis, Walk, product_of};
use crate::kernel::{Elementary, TransposeTask};
use smallvec::SmallVec;

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

/// Elements in row-major order, where they were or copied.
pub(crate) enum Packed<'a, E: Elementary> {
    There(&'a [E]),
    Own(Block<E>),
}

impl<E: Elementary> std::ops::Deref for Packed<'_, E> {
    type Target = [E];
    fn deref(&self) -> &[E] {
        match self {
            Self::There(elements) => elements,
            Self::Own(block) => block,
        }
    }
}

/// The elements of a view as a slice in row-major order, copied only where they lie otherwise.
pub(crate) fn packed<E: Elementary>(x: View<'_, E>) -> Packed<'_, E> {
    match as_slice(x) {
        Some(elements) => Packed::There(elements),
        None => Packed::Own(copy(x)),
    }
}

/// The elements in row-major order.
pub(crate) fn copy<E: Elementary>(x: View<'_, E>) -> Block<E> {
    let mut out = Block::stale(x.count());
    copy_into(x, &mut out);
    out
}

/// The elements in row-major order, into `out`.
pub(crate) fn copy_into<E: Elementary>(x: View<'_, E>, out: &mut [E]) {
    if !out.is_empty() {
        over([x], 1, out, |[x], out| copy_to(x, out));
    }
}

/// Writes a view to a slice as long, row by row.
pub(super) fn copy_to<E: Elementary>(x: View<'_, E>, out: &mut [E]) {
    let walk = Walk::new(x.extents, [x.strides]);
    let Axis { extent, strides: [stride] } = walk.inner();
    if by_short_rows(&walk, x, out) || stride > 1 && columns(&walk, x, out) {
        return;
    }
    let mut rows = out.chunks_exact_mut(extent);
    walk.rows([x.offset], |[at]| {
        let row = rows.next().expect("invariant: one row of the result per row");
        copy_row(&x.elements[at..], stride, row);
    });
}

/// A copy of which another axis than the last lies in one piece: planes of the two, transposed.
/// `false`: there is no such axis.
fn columns<E: Elementary>(walk: &Walk<1>, x: View<'_, E>, out: &mut [E]) -> bool {
    let axes = walk.axes();
    let Some(unit) = axes.iter().position(|axis| axis.strides == [1]) else { return false };
    let last = axes.len() - 1;
    let pitch = axes[unit + 1..].iter().fold(1, |pitch, axis| pitch * axis.extent);
    let outer = axes.iter().enumerate().filter(|(i, _)| *i != unit && *i != last);
    let outer = outer.map(|(i, axis)| {
        let distance = axes[i + 1..].iter().fold(1, |distance, axis| distance * axis.extent);
        Axis { extent: axis.extent, strides: [axis.strides[0], distance] }
    });
    let extents = [axes[unit].extent, axes[last].extent];
    Walk::of(outer).elements([x.offset, 0], |[at, to]| {
        let (elements, out) = (&x.elements[at..], &mut out[to..]);
        transpose(TransposeTask { elements, stride: axes[last].strides[0], extents, out, pitch });
    });
    true
}

#[inline(always)]
fn copy_row<E: Elementary>(from: &[E], stride: usize, to: &mut [E]) {
    match stride {
        1 => to.clone_from_slice(&from[..to.len()]),
        0 => to.fill(from[0].clone()),
        _ => to.iter_mut().zip(from.iter().step_by(stride)).for_each(|(to, x)| *to = x.clone()),
    }
}

/// A matrix that lies by columns, laid out by rows.
fn transpose<E: Elementary>(mut task: TransposeTask<'_, E>) {
    if E::transpose(&mut task) {
        return;
    }
    let TransposeTask { elements, stride, extents: [rows, columns], out, pitch } = task;
    for (i, row) in out.chunks_mut(pitch).enumerate().take(rows) {
        copy_row(&elements[i..], stride, &mut row[..columns]);
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
) -> Block<E> {
    let (outer, row) = split(x.extents, axis);
    let inner = product_of(&x.extents[axis + 1..]);
    let mut out = Block::stale(outer * (row + (before + after) * inner));
    pad_into(x, axis, [before, after], value, &mut out);
    out
}

/// As `reference::pad` of `[before, after]`, into `out`.
pub(crate) fn pad_into<E: Elementary>(
    x: View<'_, E>,
    axis: usize,
    [before, after]: [usize; 2],
    value: &E,
    out: &mut [E],
) {
    let elements = packed(x);
    let (_, row) = split(x.extents, axis);
    let inner = product_of(&x.extents[axis + 1..]);
    let (before, after) = (before * inner, after * inner);
    let length = before + row + after;
    if out.is_empty() {
        return;
    }
    for (i, to) in out.chunks_exact_mut(length).enumerate() {
        to[..before].fill(value.clone());
        to[before..before + row].clone_from_slice(&elements[i * row..(i + 1) * row]);
        to[before + row..].fill(value.clone());
    }
}

/// As `reference::concat`.
pub(crate) fn concat<E: Elementary>(parts: &[View<'_, E>], axis: usize) -> Block<E> {
    let count = parts.iter().fold(0, |count, part| count + part.count());
    let mut out = Block::stale(count);
    concat_into(parts, axis, &mut out);
    out
}

/// As `reference::concat`, into `out`.
pub(crate) fn concat_into<E: Elementary>(parts: &[View<'_, E>], axis: usize, out: &mut [E]) {
    let parts = parts.iter().map(|part| (packed(*part), split(part.extents, axis).1));
    let parts = parts.collect::<SmallVec<[_; 4]>>();
    let row = parts.iter().fold(0, |row, (_, length)| row + length);
    if out.is_empty() {
        return;
    }
    for (i, to) in out.chunks_exact_mut(row).enumerate() {
        let mut at = 0;
        for (elements, length) in &parts {
            to[at..at + length].clone_from_slice(&elements[i * length..(i + 1) * length]);
            at += length;
        }
    }
}
