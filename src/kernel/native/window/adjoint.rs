//! The register tile of the gradient of images where windows step by 1: every sum stays in
//! registers until its position is done. Lanes are neighbours of a row, or one element of many images.

use super::{height, widest_first};
use crate::kernel::native::gemm::term;
use crate::kernel::simd::{Native, Registers, Work};
use std::ops::Range;

/// Lane `l` of strip `s` is the position whose window `(p, q)` back is at
/// `cotangent[strips[s] + l - p * back[0] - q * back[1]]`.
///
/// INVARIANT: a sum over filters is one block of terms. The weights are finite, so that the zeros
/// round a cotangent contribute `+0`, which changes no sum, as none is ever `-0`; or the terms leave out what
/// has no window.
pub(super) struct Adjoint<'a, E> {
    /// `[c, kh, kw, f]`.
    pub(super) weights: &'a [E],
    pub(super) cotangent: &'a [E],
    /// The distance of filters in the cotangent.
    pub(super) plane: usize,
    pub(super) filters: usize,
    pub(super) size: [usize; 2],
    /// The positions of windows, down and across, that there are windows for.
    pub(super) taps: [Range<usize>; 2],
    pub(super) back: [usize; 2],
    pub(super) strips: &'a [usize],
    /// The distance of rows of the result.
    pub(super) stride: usize,
    /// Whether a multiplication and an addition may round once.
    pub(super) fast: bool,
    /// A row for each channel, a register for each strip.
    pub(super) out: &'a mut [E],
}

impl<E: Native> Work<E> for Adjoint<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(mut self, token: R) {
        widest_first!(token, self.strip, self.strips.len(), 1);
    }
}

/// The next strips, as many as make tiles of `NV` registers.
struct Wide<'w, 'a, E, const FUSED: bool, const NV: usize> {
    of: &'w mut Adjoint<'a, E>,
    strip: &'w mut usize,
}

impl<E: Native, const FUSED: bool, const NV: usize> Work<E> for Wide<'_, '_, E, FUSED, NV> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, token: R) {
        let Self { of, strip } = self;
        let rows = of.weights.len() / (of.filters * of.size[0] * of.size[1]);
        while of.strips.len() - *strip >= NV {
            let at = *strip;
            let mut row = 0;
            while row < rows {
                let height = height(rows - row);
                macro_rules! tile {
                    ($height:literal) => {
                        of.tile::<R, FUSED, $height, NV>(token, row, at)
                    };
                }
                match height {
                    6 => tile!(6),
                    4 => tile!(4),
                    _ => tile!(1),
                }
                row += height;
            }
            *strip += NV;
        }
    }
}

impl<E: Native> Adjoint<'_, E> {
    /// BITS: a product over filters for each position of a window; these are added per column of
    /// windows first and per row of windows then, each ascending from `+0`. Windows ascend where
    /// positions in a window descend.
    #[inline(always)]
    fn tile<R: Registers<Element = E>, const FUSED: bool, const MR: usize, const NV: usize>(
        &mut self,
        token: R,
        row: usize,
        strip: usize,
    ) {
        let [down, across] = self.taps.clone();
        let zero = token.splat(E::exact(0.0));
        let mut outer = [[zero; NV]; MR];
        for p in down.rev() {
            let mut inner = [[zero; NV]; MR];
            for q in across.clone().rev() {
                let sums = self.dots::<R, FUSED, MR, NV>(token, row, strip, [p, q]);
                add(token, &mut inner, &sums);
            }
            add(token, &mut outer, &inner);
        }
        for (i, sums) in outer.iter().enumerate() {
            let at = (row + i) * self.stride + strip * R::WIDTH;
            let (results, _) = R::split_mut(&mut self.out[at..][..NV * R::WIDTH]);
            results.copy_from_slice(sums);
        }
    }

    /// The products of one position of a window; each term is rounded once where `FUSED`.
    #[inline(always)]
    fn dots<R: Registers<Element = E>, const FUSED: bool, const MR: usize, const NV: usize>(
        &self,
        token: R,
        row: usize,
        strip: usize,
        [p, q]: [usize; 2],
    ) -> [[R::Float; NV]; MR] {
        let Self { plane, filters, size: [kh, kw], .. } = *self;
        let back = p * self.back[0] + q * self.back[1];
        let reach = (filters - 1) * plane + R::WIDTH;
        // Slices of one length each, so that one check serves all.
        let mut rows = [self.weights; MR];
        for (i, line) in rows.iter_mut().enumerate() {
            *line = &self.weights[(((row + i) * kh + p) * kw + q) * filters..][..filters];
        }
        let mut lines = [self.cotangent; NV];
        for (line, strip) in lines.iter_mut().zip(&self.strips[strip..]) {
            *line = &self.cotangent[strip - back..][..reach];
        }
        let mut sums = [[token.splat(E::exact(0.0)); NV]; MR];
        for (t, at) in (0..).step_by(plane).take(filters).enumerate() {
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
        sums
    }
}

#[inline(always)]
pub(super) fn add<R: Registers, const MR: usize, const NV: usize>(
    token: R,
    to: &mut [[R::Float; NV]; MR],
    sums: &[[R::Float; NV]; MR],
) {
    for i in 0..MR {
        for j in 0..NV {
            to[i][j] = token.add(to[i][j], sums[i][j]);
        }
    }
}
