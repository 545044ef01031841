//! Tiles: bands of rows in which operands that lie across the rows are copied along them, so that an
//! element-wise loop reads every operand in runs.

use super::movement::copy_to;
use crate::kernel::Elementary;
use crate::kernel::reference::View;
use crate::kernel::walk::{Axis, Walk};

/// Elements of a copy, so that it stays in the second-level cache.
const COPY: usize = 1 << 16;
/// Rows of a tile: whole cache lines of what lies across them, and no more than the transpose moves
/// at a time.
const ROWS: [usize; 2] = [16, 64];

/// The same rows of each operand.
type Tile<'v, E, const N: usize> = [View<'v, E>; N];

/// Calls `visit` with tiles of operands of one shape, each along its rows or with one element for
/// each, and with their result. `false`: none lies across the rows, and nothing is done.
pub(super) fn by_tiles<E: Elementary, const N: usize>(
    views: [View<'_, E>; N],
    out: &mut [E],
    visit: &mut dyn FnMut(Tile<'_, E, N>, &mut [E]),
) -> bool {
    let walk = Walk::new(views[0].extents, views.map(|view| view.strides));
    let inner = walk.inner();
    if out.is_empty() || inner.extent < 4 || inner.strides.iter().all(|&stride| stride <= 1) {
        return false;
    }
    takes!("by tiles");
    let (outer, rows) = match walk.axes() {
        [outer @ .., rows, _] => (outer, *rows),
        _ => (&[][..], Axis { extent: 1, strides: [0; N] }),
    };
    let height = (COPY / inner.extent).clamp(ROWS[0], ROWS[1]).min(rows.extent);
    let mut copies = inner
        .strides
        .map(|stride| if stride > 1 { vec![E::zero(); height * inner.extent] } else { Vec::new() });
    let along = [inner.extent, 1];
    let mut bands = out.chunks_exact_mut(rows.extent * inner.extent);
    Walk::of(outer.iter().copied()).elements(views.map(|view| view.offset), |start| {
        let out = bands.next().expect("invariant: one band of the result for each of the operands");
        for (band, out) in out.chunks_mut(height * inner.extent).enumerate() {
            let extents = [out.len() / inner.extent, inner.extent];
            let strides: [_; N] = std::array::from_fn(|i| [rows.strides[i], inner.strides[i]]);
            let tile = |i: usize| View {
                elements: views[i].elements,
                extents: &extents,
                strides: &strides[i],
                offset: start[i] + band * height * rows.strides[i],
            };
            for (i, copy) in copies.iter_mut().enumerate().filter(|(_, copy)| !copy.is_empty()) {
                copy_to(tile(i), &mut copy[..extents[0] * extents[1]]);
            }
            let tiles = std::array::from_fn(|i| match &copies[i] {
                copy if copy.is_empty() => tile(i),
                copy => View { elements: copy, strides: &along, offset: 0, ..tile(i) },
            });
            visit(tiles, out);
        }
    });
    true
}
