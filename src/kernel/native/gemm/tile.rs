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
    /// The distance of neighbours in a row, not 0.
    pub(super) step: usize,
    /// Whether the rows behind these are asked for meanwhile.
    pub(super) ahead: bool,
}

/// Columns of a tile of the right operand: runs of registers at a distance.
#[derive(Clone, Copy)]
pub(super) struct Right<'a, E> {
    /// From the first element of the first row.
    pub(super) elements: &'a [E],
    /// The distance of rows.
    pub(super) row: usize,
    /// Whether rows are asked for before they are read.
    pub(super) ahead: bool,
}

/// Terms between two times that memory is asked for, where it is.
const STRIDE: usize = 8;

/// How many rows of the right operand ahead.
const AHEAD: usize = 3 * STRIDE;

/// The block sums of `MR` rows by `NV` registers over `depth` terms; where memory is to be asked for
/// before it is read, that is done on the way if the tile is compiled for it.
///
/// BITS: from `+0`, terms ascending, a multiplication and an addition each: what a product's
/// definition says of one block, in every lane; but one rounding for both where `FUSED`.
#[inline(always)]
pub(super) fn tile<
    R: Registers,
    const FUSED: bool,
    const ASKS: bool,
    const MR: usize,
    const NV: usize,
>(
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
    // COST: a macro, so that the sums stay in registers: a function would be given them in memory. The
    // position in the rows is what is counted, so that one register and one check serve for both.
    macro_rules! terms {
        ($($until:tt)*) => {
            $($until)* {
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
        };
    }
    if !ASKS {
        terms!(while at < reach);
        return sums;
    }
    let mut left_over = depth;
    while left_over > 0 {
        if left.ahead {
            for i in 0..MR {
                token.ahead(left.elements, (MR + i) * left.row + at);
            }
        }
        if right.ahead {
            for t in AHEAD..AHEAD + STRIDE {
                for j in 0..NV {
                    token.ahead(right.elements, line + t * right.row + j * R::WIDTH);
                }
            }
        }
        let count = STRIDE.min(left_over);
        terms!(for _ in 0..count);
        left_over -= count;
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
