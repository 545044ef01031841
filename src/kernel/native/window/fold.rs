//! Folding by rows.

use crate::kernel::Elementary;
use crate::kernel::memory::Block;
use crate::kernel::native::movement::packed;
use crate::kernel::reference::View;
use crate::kernel::walk::product_of;

/// As `reference::fold`.
///
/// BITS: windows ascend in the outer loop, so that every output adds them in ascending order.
pub(crate) fn fold<E: Elementary>(
    x: View<'_, E>,
    axis: usize,
    extent: usize,
    step: usize,
    dilation: usize,
) -> Block<E> {
    let rank = x.extents.len() - 1;
    let kept = [&x.extents[..axis], &x.extents[axis + 1..rank]].map(product_of);
    let mut out = Block::stale(kept[0].wrapping_mul(extent).wrapping_mul(kept[1]));
    fold_into(x, axis, [extent, step, dilation], &mut out);
    out
}

/// As `reference::fold` with `[extent, step, dilation]`, into `out`.
pub(crate) fn fold_into<E: Elementary>(
    x: View<'_, E>,
    axis: usize,
    [extent, step, dilation]: [usize; 3],
    out: &mut [E],
) {
    let rank = x.extents.len() - 1;
    let elements = packed(x);
    let (windows, size) = (x.extents[axis], x.extents[rank]);
    let inner = product_of(&x.extents[axis + 1..rank]);
    out.fill(E::zero());
    if elements.is_empty() {
        return;
    }
    for (o, line) in elements.chunks_exact(windows * inner * size).enumerate() {
        for (w, window) in line.chunks_exact(inner * size).enumerate() {
            for (i, row) in window.chunks_exact(size).enumerate() {
                let base = (o * extent + w * step) * inner + i;
                for (d, x) in row.iter().enumerate() {
                    let target = &mut out[base + d * dilation * inner];
                    *target = target.add(x);
                }
            }
        }
    }
}
