//! Folding: the adjoint of sliding windows. (Unfolding itself is a view: two strides.)

use super::View;
use super::view::{each_index, position};
use crate::kernel::Elementary;
use crate::kernel::walk::product_of;

/// `[.., windows, .., size]` summed back onto axis `axis` of `extent`: window `w`, position `d`
/// goes to `w * step + d * dilation`.
///
/// BITS: each output starts at `+0` and adds its windows in ascending order.
///
/// # Panics
///
/// Panics where a window leaves the extent.
#[must_use]
pub fn fold<E: Elementary>(
    x: View<'_, E>,
    axis: usize,
    extent: usize,
    step: usize,
    dilation: usize,
) -> Vec<E> {
    let rank = x.extents.len() - 1;
    let mut extents = x.extents[..rank].to_vec();
    extents[axis] = extent;
    let mut out = vec![E::zero(); product_of(&extents)];
    // Row-major over the source is ascending in the window for every output: no output sees one
    // window twice.
    each_index(x.extents, |index| {
        let (at, offset) = (&index[..rank], index[rank]);
        let mut at = at.to_vec();
        at[axis] = at[axis] * step + offset * dilation;
        assert!(at[axis] < extent, "fold: a window leaves the extent");
        let target = &mut out[position(&extents, &at)];
        *target = target.add(x.at(index));
    });
    out
}
