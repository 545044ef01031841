//! A row times a matrix whose rows lie in one piece each.
//!
//! COST: every element of the matrix is used once, so that how it is read decides: rows from one end
//! to the other, some of them at a time, with the sums of all columns in a cache. Down the columns a
//! register at a time would begin a new page with every row.
//!
//! BITS: a sum that leaves its register and comes back is the same sum; blocks of terms are summed on
//! their own.

use super::output::Output;
use super::tile::term;
use crate::kernel::Numerics;
use crate::kernel::native::carve;
use crate::kernel::order::KB;
use crate::kernel::simd::{Native, Registers, WIDEST, Work};
use crate::kernel::task::Matrix;
use crate::math::format::Format;

/// `out[0][j]` is row 0 of `a` times column `j` of `b`; rows of `b` lie in one piece.
pub(super) struct Rows<'a, 'o, E> {
    pub(super) k: usize,
    pub(super) n: usize,
    pub(super) a: Matrix<'a, E>,
    pub(super) b: Matrix<'a, E>,
    pub(super) out: Output<'o, E>,
    pub(super) numerics: Numerics,
}

/// Registers of sums side by side: their additions do not wait for one another.
const SIDE: usize = 4;

impl<E: Native> Work<E> for Rows<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, token: R) {
        let Self { k, n, a, b, mut out, numerics } = self;
        let fused = R::FUSES && numerics == Numerics::Fast;
        let mut scratch = E::take_scratch();
        let [block] = carve(&mut scratch, [n]);
        for start in (0..k).step_by(KB) {
            let end = k.min(start + KB);
            let sums = if start == 0 { &mut out.row(0)[..n] } else { &mut *block };
            let mut at = start;
            while at < end {
                let first = at == start;
                macro_rules! pass {
                    ($height:literal) => {{
                        let mut terms = [E::exact(0.0); $height];
                        let mut rows = [&b.elements[..0]; $height];
                        for i in 0..$height {
                            terms[i] = *a.at(0, at + i);
                            rows[i] = &b.elements[(at + i) * b.row..][..n];
                        }
                        if R::FUSES && fused {
                            pass::<R, true, $height>(token, terms, &rows, first, sums);
                        } else {
                            pass::<R, false, $height>(token, terms, &rows, first, sums);
                        }
                        at += $height;
                    }};
                }
                match end - at {
                    8.. => pass!(8),
                    4.. => pass!(4),
                    2.. => pass!(2),
                    _ => pass!(1),
                }
            }
            if start > 0 {
                let total = &mut out.row(0)[..n];
                for j in 0..n {
                    total[j] = total[j].add(&block[j]);
                }
            }
        }
        out.finish(0..1, 0..n);
        E::put_scratch(scratch);
    }
}

/// The terms of some rows added to the sums of all columns; the `first` find none yet.
#[inline(always)]
fn pass<R: Registers, const FUSED: bool, const HEIGHT: usize>(
    token: R,
    terms: [R::Element; HEIGHT],
    rows: &[&[R::Element]; HEIGHT],
    first: bool,
    sums: &mut [R::Element],
) {
    let zero = R::Element::exact(0.0);
    let mut factors = [token.splat(zero); HEIGHT];
    for i in 0..HEIGHT {
        factors[i] = token.splat(terms[i]);
    }
    let whole = sums.len() / (SIDE * R::WIDTH) * SIDE * R::WIDTH;
    let mut at = 0;
    while at < whole {
        let (out, _) = R::split_mut(&mut sums[at..][..SIDE * R::WIDTH]);
        let mut side = [token.splat(zero); SIDE];
        if !first {
            side.copy_from_slice(out);
        }
        for i in 0..HEIGHT {
            let (row, _) = R::split(&rows[i][at..][..SIDE * R::WIDTH]);
            for j in 0..SIDE {
                side[j] = term::<R, FUSED>(token, side[j], factors[i], row[j]);
            }
        }
        out.copy_from_slice(&side);
        at += SIDE * R::WIDTH;
    }
    while at < sums.len() {
        // The last columns, some of them no register's whole.
        let width = R::WIDTH.min(sums.len() - at);
        let mut padded = [zero; WIDEST];
        if !first {
            padded[..width].copy_from_slice(&sums[at..][..width]);
        }
        let mut sum = R::split(&padded).0[0];
        for i in 0..HEIGHT {
            padded[..width].copy_from_slice(&rows[i][at..][..width]);
            sum = term::<R, FUSED>(token, sum, factors[i], R::split(&padded).0[0]);
        }
        sums[at..][..width].copy_from_slice(&R::elements(&[sum])[..width]);
        at += width;
    }
}
