//! Operands copied into the order in which tiles read them.

use crate::kernel::Elementary;
use crate::kernel::simd::{Registers, WIDEST};
use crate::kernel::task::Matrix;

/// The columns `column..column + width` of rows `start..start + depth`, row after row, each filled
/// up with zeros to `padded` columns.
#[inline(always)]
pub(in crate::kernel::native) fn columns<E: Elementary>(
    b: &Matrix<'_, E>,
    [start, depth]: [usize; 2],
    [column, width, padded]: [usize; 3],
    out: &mut [E],
) {
    let rows = out.chunks_exact_mut(padded).take(depth);
    if width < padded {
        rows.for_each(|row| row[width..].fill(E::zero()));
    }
    // Eight columns at a time, so that a line of the target is written while it is near.
    for first in (0..width).step_by(8) {
        let group = 8.min(width - first);
        let at = |j: usize| start * b.row + (column + first + j) * b.column;
        let reach = (depth - 1) * b.row + 1;
        if group == 8 {
            let lines: [&[E]; 8] = std::array::from_fn(|j| &b.elements[at(j)..][..reach]);
            for (t, row) in out.chunks_exact_mut(padded).take(depth).enumerate() {
                let row = &mut row[first..][..8];
                for j in 0..8 {
                    row[j] = lines[j][t * b.row].clone();
                }
            }
        } else {
            for j in 0..group {
                let line = &b.elements[at(j)..][..reach];
                for (t, row) in out.chunks_exact_mut(padded).take(depth).enumerate() {
                    row[first + j] = line[t * b.row].clone();
                }
            }
        }
    }
}

/// A part of a row, filled up with zeros: register by register, as it is too short for a call.
#[inline(always)]
pub(super) fn line<R: Registers>(from: &[R::Element], to: &mut [R::Element]) {
    let width = from.len();
    if width == to.len() {
        let registers = R::split_mut(to).0.iter_mut().zip(R::split(from).0);
        registers.for_each(
            #[inline(always)]
            |(to, from)| *to = *from,
        );
    } else {
        to[..width].copy_from_slice(from);
        to[width..].fill(R::Element::zero());
    }
}

/// The same of columns that lie in one piece each, turned round in registers; what the lanes past
/// the last column hold means nothing.
#[inline(always)]
pub(super) fn turned<R: Registers>(
    token: R,
    b: &Matrix<'_, R::Element>,
    [start, depth]: [usize; 2],
    [column, width, padded]: [usize; 3],
    out: &mut [R::Element],
) {
    for first in (0..padded).step_by(R::WIDTH) {
        let line = |j: usize| {
            let column = column + (first + j).min(width - 1);
            &b.elements[column * b.column + start..][..depth]
        };
        let lines: [&[R::Element]; WIDEST] = core::array::from_fn(
            #[inline(always)]
            |part| line(R::ORDER[part]),
        );
        let mut rows = out[first..].chunks_mut(padded);
        for at in (0..depth / 4 * 4).step_by(4) {
            for register in token.gather_4(&lines, at) {
                if let Some(row) = rows.next() {
                    R::split_mut(&mut row[..R::WIDTH]).0[0] = register;
                }
            }
        }
        for (t, row) in (depth / 4 * 4..depth).zip(rows) {
            for (j, to) in row[..R::WIDTH].iter_mut().enumerate() {
                *to = line(j)[t];
            }
        }
    }
}
