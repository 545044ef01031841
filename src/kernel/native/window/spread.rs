//! The register tile whose lanes run over windows: registers are read from a padded image where
//! they lie, and nothing is packed.

use super::{height, widest_first};
use crate::kernel::native::gemm::term;
use crate::kernel::order::KB;
use crate::kernel::simd::{Native, Registers, Work};

/// A product of `weights`, rows of `depth`, and windows: lane `l` of strip `s` reads term `t` at
/// `image[strips[s] + ats[t] + l]`.
pub(super) struct Spread<'a, E> {
    pub(super) weights: &'a [E],
    pub(super) image: &'a [E],
    pub(super) strips: &'a [usize],
    pub(super) ats: &'a [usize],
    /// The distance of rows of the result.
    pub(super) stride: usize,
    /// Whether a multiplication and an addition may round once.
    pub(super) fast: bool,
    /// A row for each row of the weights, a register for each strip.
    pub(super) out: &'a mut [E],
}

impl<E: Native> Work<E> for Spread<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(mut self, token: R) {
        widest_first!(token, self.strip, self.strips.len(), 1);
    }
}

/// The next strips, as many as make tiles of `NV` registers.
struct Wide<'w, 'a, E, const FUSED: bool, const NV: usize> {
    of: &'w mut Spread<'a, E>,
    strip: &'w mut usize,
}

impl<E: Native, const FUSED: bool, const NV: usize> Work<E> for Wide<'_, '_, E, FUSED, NV> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, token: R) {
        let Self { of, strip } = self;
        let depth = of.ats.len();
        let rows = of.weights.len() / depth;
        let reach = of.ats.iter().max().map_or(0, |at| at + R::WIDTH);
        while of.strips.len() - *strip >= NV {
            let at = *strip;
            for start in (0..depth).step_by(KB) {
                let mut row = 0;
                while row < rows {
                    let height = height(rows - row);
                    macro_rules! tile {
                        ($height:literal) => {
                            of.tile::<R, FUSED, $height, NV>(token, [row, at, start], reach)
                        };
                    }
                    match height {
                        6 => tile!(6),
                        4 => tile!(4),
                        _ => tile!(1),
                    }
                    row += height;
                }
            }
            *strip += NV;
        }
    }
}

impl<E: Native> Spread<'_, E> {
    /// BITS: from `+0`, terms ascending, a multiplication and an addition each, in every lane, but one rounding for both where `FUSED`; the
    /// sums of a first block are the result so far, those of the next are added to it.
    #[inline(always)]
    fn tile<R: Registers<Element = E>, const FUSED: bool, const MR: usize, const NV: usize>(
        &mut self,
        token: R,
        [row, strip, start]: [usize; 3],
        reach: usize,
    ) {
        let depth = self.ats.len();
        let ats = &self.ats[start..depth.min(start + KB)];
        let mut sums = [[token.splat(E::exact(0.0)); NV]; MR];
        // Slices of one length each, so that one check serves all.
        let mut rows = [self.weights; MR];
        for (i, line) in rows.iter_mut().enumerate() {
            *line = &self.weights[(row + i) * depth + start..][..ats.len()];
        }
        let mut lines = [self.image; NV];
        for (line, strip) in lines.iter_mut().zip(&self.strips[strip..]) {
            *line = &self.image[*strip..][..reach];
        }
        for (t, &at) in ats.iter().enumerate() {
            let mut registers = [sums[0][0]; NV];
            for (register, line) in registers.iter_mut().zip(&lines) {
                *register = R::split(&line[at..][..R::WIDTH]).0[0];
            }
            for i in 0..MR {
                let a = token.splat(rows[i][t]);
                for j in 0..NV {
                    sums[i][j] = term::<R, FUSED>(token, sums[i][j], a, registers[j]);
                }
            }
        }
        for (i, sums) in sums.iter().enumerate() {
            let at = (row + i) * self.stride + strip * R::WIDTH;
            let (results, _) = R::split_mut(&mut self.out[at..][..NV * R::WIDTH]);
            let results = &mut results[..NV];
            for j in 0..NV {
                results[j] = if start == 0 { sums[j] } else { token.add(results[j], sums[j]) };
            }
        }
    }
}
