//! The register tile of the gradient of images whose lanes run over channels: every sum stays near
//! until its element is done.

use super::classes::Run;
use super::{height, widest_first};
use crate::kernel::native::gemm::term;
use crate::kernel::simd::{Native, Registers, Work};

/// Elements of images that the same positions of windows meet: the window that has element `i` at
/// its position `(p, q)` is the row of the cotangent at `rows[i][0] - p * back[0] - q * back[1]`, and
/// row `i` of the result starts at `out[rows[i][1]]`.
///
/// INVARIANT: a sum over filters is one block of terms.
pub(super) struct Apart<'a, E> {
    /// For each position of a window and each filter a row of `pitch`.
    pub(super) weights: &'a [E],
    pub(super) pitch: usize,
    /// Whole registers of a row.
    pub(super) width: usize,
    /// Rows of all filters.
    pub(super) cotangent: &'a [E],
    pub(super) filters: usize,
    /// Positions of a row of a window.
    pub(super) kw: usize,
    /// Which positions of a window down and across.
    pub(super) taps: [&'a Run; 2],
    pub(super) back: [usize; 2],
    pub(super) rows: &'a [[usize; 2]],
    /// Whether a multiplication and an addition may round once.
    pub(super) fast: bool,
    pub(super) out: &'a mut [E],
}

impl<E: Native> Work<E> for Apart<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(mut self, token: R) {
        widest_first!(token, self.column, self.width, R::WIDTH);
    }
}

/// The next columns, as many as make tiles of `NV` registers.
struct Wide<'w, 'a, E, const FUSED: bool, const NV: usize> {
    of: &'w mut Apart<'a, E>,
    column: &'w mut usize,
}

impl<E: Native, const FUSED: bool, const NV: usize> Work<E> for Wide<'_, '_, E, FUSED, NV> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, token: R) {
        let Self { of, column } = self;
        while of.width - *column >= NV * R::WIDTH {
            let at = *column;
            let mut row = 0;
            while row < of.rows.len() {
                let height = height(of.rows.len() - row);
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
            *column += NV * R::WIDTH;
        }
    }
}

impl<E: Native> Apart<'_, E> {
    /// BITS: a product over filters for each position of a window; these are added per column of
    /// windows first and per row of windows then, each ascending from `+0`: windows ascend where
    /// positions in a window descend. A sum that begins with `+0` is its first product, which is
    /// never `-0`.
    #[inline(always)]
    fn tile<R: Registers<Element = E>, const FUSED: bool, const MR: usize, const NV: usize>(
        &mut self,
        token: R,
        row: usize,
        column: usize,
    ) {
        let [down, across] = self.taps;
        let zero = token.splat(E::exact(0.0));
        let mut outer = [[zero; NV]; MR];
        for p in down.others.clone().rev() {
            let mut inner = [[zero; NV]; MR];
            for q in across.others.clone().rev() {
                let sums = self.dots::<R, FUSED, MR, NV>(token, row, column, [p, q]);
                if q + 1 == across.others.end {
                    inner = sums;
                } else {
                    super::adjoint::add(token, &mut inner, &sums);
                }
            }
            super::adjoint::add(token, &mut outer, &inner);
        }
        for (sums, [_, at]) in outer.iter().zip(&self.rows[row..]) {
            let (results, _) = R::split_mut(&mut self.out[at + column..][..NV * R::WIDTH]);
            results.copy_from_slice(sums);
        }
    }

    /// The products of one position of a window; each term is rounded once where `FUSED`.
    #[inline(always)]
    fn dots<R: Registers<Element = E>, const FUSED: bool, const MR: usize, const NV: usize>(
        &self,
        token: R,
        row: usize,
        column: usize,
        [p, q]: [usize; 2],
    ) -> [[R::Float; NV]; MR] {
        let Self { filters, pitch, .. } = *self;
        let back = p * self.back[0] + q * self.back[1];
        // Slices of one length each, so that one check serves all.
        let mut rows = [self.cotangent; MR];
        for (line, [at, _]) in rows.iter_mut().zip(&self.rows[row..][..MR]) {
            *line = &self.cotangent[at - back..][..filters];
        }
        let weights = &self.weights[(p * self.kw + q) * filters * pitch + column..];
        let mut sums = [[token.splat(E::exact(0.0)); NV]; MR];
        for t in 0..filters {
            let (registers, _) = R::split(&weights[t * pitch..][..NV * R::WIDTH]);
            let registers = &registers[..NV];
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
