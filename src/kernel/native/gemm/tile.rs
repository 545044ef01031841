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
/// definition says of one block, in every lane; but one rounding for both where `FUSED`.
#[inline(always)]
pub(super) fn tile<R: Registers, const FUSED: bool, const MR: usize, const NV: usize>(
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
    let (mut at, mut line) = (0, 0);
    for _ in 0..depth {
        // Not a row of its own: a register may reach into the next one.
        let (registers, _) = R::split(&right.elements[line..][..width]);
        let registers = &registers[..NV];
        for i in 0..MR {
            let a = token.splat(rows[i][at]);
            for j in 0..NV {
                sums[i][j] = term::<R, FUSED>(token, sums[i][j], a, registers[j]);
            }
        }
        at += left.step;
        line += right.row;
    }
    sums
}

/// A sum and one term more.
#[inline(always)]
pub(in crate::kernel::native) fn term<R: Registers, const FUSED: bool>(
    token: R,
    sum: R::Float,
    a: R::Float,
    b: R::Float,
) -> R::Float {
    if FUSED { token.mul_add(a, b, sum) } else { token.add(sum, token.mul(a, b)) }
}
