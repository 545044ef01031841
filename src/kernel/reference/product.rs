//! The product of matrices.

use super::view::each_index;
use super::{KB, View};
use crate::kernel::Elementary;
use crate::kernel::walk::product_of;

/// `[.., m, k] x [.., k, n] -> [.., m, n]` over equal leading axes.
///
/// BITS: each element sums `a[i][k] * b[k][j]` over ascending `k` inside blocks of [`KB`], each
/// block from `+0`, with a separate multiplication and addition; block sums are added in ascending
/// order to the first. No `k` at all gives `+0`.
///
/// # Panics
///
/// Panics where the extents do not fit.
#[must_use]
pub fn product<E: Elementary>(a: View<'_, E>, b: View<'_, E>) -> Vec<E> {
    let rank = a.extents.len();
    assert!(rank >= 2 && b.extents.len() == rank, "product: ranks differ or are below 2");
    let (leading, [m, k]) = (&a.extents[..rank - 2], [a.extents[rank - 2], a.extents[rank - 1]]);
    let n = b.extents[rank - 1];
    assert!(
        &b.extents[..rank - 2] == leading && b.extents[rank - 2] == k,
        "product: shapes differ"
    );

    let extents = [leading, &[m, n]].concat();
    let mut out = Vec::with_capacity(product_of(&extents));
    each_index(&extents, |index| {
        let (mut left, mut right) = (index.to_vec(), index.to_vec());
        let mut total = E::zero();
        for start in (0..k).step_by(KB) {
            let mut block = E::zero();
            for term in start..k.min(start + KB) {
                left[rank - 1] = term;
                right[rank - 2] = term;
                block = block.add(&a.at(&left).mul(b.at(&right)));
            }
            total = if start == 0 { block } else { total.add(&block) };
        }
        out.push(total);
    });
    out
}
