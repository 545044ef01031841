//! The register tile: what every product is made of.

use crate::kernel::simd::Registers;
use crate::math::format::Format;

/// Rows of a tile of the left operand: `MR` slices that are read at the same positions.
#[derive(Clone, Copy)]
pub(super) struct Left<'a, E> {
    /// From the first element of the first row.
    pub(super) elements: &'a [E],
    /// The distance of rows.
    pub(super) row: usize,
    /// The distance of neighbours in a row.
    pub(super) step: usize,
}

/// Columns of a tile of the right operand: runs of registers at a distance.
#[derive(Clone, Copy)]
pub(super) struct Right<'a, E> {
    /// From the first element of the first row.
    pub(super) elements: &'a [E],
    /// The distance of rows.
    pub(super) row: usize,
}

/// The block sums of `MR` rows by `NV` registers over `depth` terms.
///
/// BITS: from `+0`, terms ascending, a multiplication and an addition each: what a product's
/// definition says of one block, in every lane.
#[inline(always)]
pub(super) fn tile<R: Registers, const MR: usize, const NV: usize>(
    token: R,
    depth: usize,
    left: Left<'_, R::Element>,
    right: Right<'_, R::Element>,
) -> [[R::Float; NV]; MR] {
    let mut sums = [[token.splat(R::Element::exact(0.0)); NV]; MR];
    let reach = (depth - 1) * left.step + 1;
    // Slices of one length, so that one check serves all rows.
    let mut rows = [left.elements; MR];
    for (i, row) in rows.iter_mut().enumerate() {
        *row = &left.elements[i * left.row..][..reach];
    }
    let width = NV * R::WIDTH;
    let mut at = 0;
    for line in right.elements.chunks(right.row).take(depth) {
        let (registers, _) = R::split(&line[..width]);
        let registers = &registers[..NV];
        for i in 0..MR {
            let a = token.splat(rows[i][at]);
            for j in 0..NV {
                sums[i][j] = token.add(sums[i][j], token.mul(a, registers[j]));
            }
        }
        at += left.step;
    }
    sums
}
