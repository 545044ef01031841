//! The register tile whose lanes run over packed columns, and whose rows are elements of an image
//! wherever they lie.

use super::{height, widest_first};
use crate::kernel::native::gemm::term;
use crate::kernel::simd::{Native, Registers, Work};

/// A block of terms: element `(i, t)` of the left operand is `image[rows[i][0] + terms[t][0]]`, row
/// `t` of the right one starts at `right[terms[t][1]]`, and row `i` of the sums at `out[rows[i][1]]`.
pub(super) struct Gather<'a, E> {
    pub(super) image: &'a [E],
    pub(super) rows: &'a [[usize; 2]],
    pub(super) terms: &'a [[usize; 2]],
    /// Rows of at least `width`, at the offsets of `terms`.
    pub(super) right: &'a [E],
    /// Whole registers.
    pub(super) width: usize,
    /// Whether these are the first terms, so that there is nothing yet to add to.
    pub(super) first: bool,
    /// Whether a multiplication and an addition may round once.
    pub(super) fast: bool,
    /// The sums, rows of `width`; others than those of `rows` are left alone.
    pub(super) out: &'a mut [E],
}

impl<E: Native> Work<E> for Gather<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(mut self, token: R) {
        widest_first!(token, self.column, self.width, R::WIDTH);
    }
}

/// The next columns, as many as make tiles of `NV` registers.
struct Wide<'w, 'a, E, const FUSED: bool, const NV: usize> {
    of: &'w mut Gather<'a, E>,
    column: &'w mut usize,
}

impl<E: Native, const FUSED: bool, const NV: usize> Work<E> for Wide<'_, '_, E, FUSED, NV> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, token: R) {
        let Self { of, column } = self;
        let reach = of.terms.iter().map(|[at, _]| at + 1).max().unwrap_or(0);
        while of.width - *column >= NV * R::WIDTH {
            let at = *column;
            let mut row = 0;
            while row < of.rows.len() {
                let rows = of.rows.len() - row;
                // COST: a lone register is a chain of additions for each row; tiles of equal height
                // leave no short ones.
                let height = match NV {
                    1 => rows.div_ceil(rows.div_ceil(8)),
                    _ => height(rows),
                };
                macro_rules! tile {
                    ($height:literal) => {
                        of.tile::<R, FUSED, $height, NV>(token, [row, at], reach)
                    };
                }
                match height {
                    8 if const { NV == 1 } => tile!(8),
                    7 if const { NV == 1 } => tile!(7),
                    6 => tile!(6),
                    5 if const { NV == 1 } => tile!(5),
                    4 => tile!(4),
                    3 if const { NV == 1 } => tile!(3),
                    2 if const { NV == 1 } => tile!(2),
                    _ => tile!(1),
                }
                row += height;
            }
            *column += NV * R::WIDTH;
        }
    }
}

impl<E: Native> Gather<'_, E> {
    /// BITS: from `+0`, terms ascending, a multiplication and an addition each, in every lane; one rounding
    /// for both where `FUSED`.
    #[inline(always)]
    fn tile<R: Registers<Element = E>, const FUSED: bool, const MR: usize, const NV: usize>(
        &mut self,
        token: R,
        [row, column]: [usize; 2],
        reach: usize,
    ) {
        let Self { image, rows: all, terms, right, first, ref mut out, .. } = *self;
        let mut sums = [[token.splat(E::exact(0.0)); NV]; MR];
        // Slices of one length, so that one check serves all rows.
        let mut rows = [image; MR];
        let all = &all[row..][..MR];
        for (row, [base, _]) in rows.iter_mut().zip(all) {
            *row = &image[*base..][..reach];
        }
        for &[at, line] in terms {
            let (registers, _) = R::split(&right[line + column..][..NV * R::WIDTH]);
            let registers = &registers[..NV];
            for i in 0..MR {
                let a = token.splat(rows[i][at]);
                for j in 0..NV {
                    sums[i][j] = term::<R, FUSED>(token, sums[i][j], a, registers[j]);
                }
            }
        }
        for (i, sums) in sums.iter().enumerate() {
            let out = &mut out[all[i][1] + column..][..NV * R::WIDTH];
            let (results, _) = R::split_mut(out);
            let results = &mut results[..NV];
            for j in 0..NV {
                results[j] = if first { sums[j] } else { token.add(results[j], sums[j]) };
            }
        }
    }
}
