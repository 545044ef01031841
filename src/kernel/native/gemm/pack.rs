//! Operands copied into the order in which tiles read them.

use crate::kernel::Elementary;
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
    if b.column == 1 {
        for (t, row) in rows.enumerate() {
            let from = &b.elements[(start + t) * b.row + column..][..width];
            row[..width].clone_from_slice(from);
            row[width..].fill(E::zero());
        }
        return;
    }
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
