//! A row times columns that lie in one piece each: matrix times vector, where every element of the
//! matrix is used once.
//!
//! BITS: a sum ascends over its terms, so that lanes run over columns, whose elements lie far
//! apart: four elements of each column are read at a time and turned round in registers.

use super::output::Output;
use super::tile::term;
use crate::kernel::Numerics;
use crate::kernel::order::KB;
use crate::kernel::simd::{Native, Registers, WIDEST, Work};
use crate::kernel::task::Matrix;
use crate::math::format::Format;

/// `out[0][j]`, or `out[j][0]` where `flipped`, is row 0 of `a` times column `j` of `b`; columns
/// of `b` lie in one piece.
pub(super) struct Dots<'a, 'o, E> {
    pub(super) k: usize,
    pub(super) n: usize,
    pub(super) a: Matrix<'a, E>,
    pub(super) b: Matrix<'a, E>,
    pub(super) out: Output<'o, E>,
    pub(super) flipped: bool,
    pub(super) numerics: Numerics,
}

impl<E: Native> Work<E> for Dots<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, token: R) {
        let Self { k, n, a, b, mut out, flipped, numerics } = self;
        let fused = R::FUSES && numerics == Numerics::Fast;
        let line: Vec<E>;
        let terms = if a.column == 1 {
            &a.elements[..k]
        } else {
            line = (0..k).map(|t| *a.at(0, t)).collect();
            &line[..]
        };
        let mut finished = 0;
        for first in (0..n).step_by(R::WIDTH) {
            let width = R::WIDTH.min(n - first);
            // Lanes without a column repeat the last, and are dropped.
            let columns = core::array::from_fn(
                #[inline(always)]
                |j| &b.elements[(first + j.min(width - 1)) * b.column..][..k],
            );
            let sums = if fused {
                columns_by_lanes::<R, true>(token, terms, columns)
            } else {
                columns_by_lanes::<R, false>(token, terms, columns)
            };
            for (j, sum) in sums[..width].iter().enumerate() {
                if flipped {
                    out.row(first + j)[0] = *sum;
                } else {
                    out.row(0)[first + j] = *sum;
                }
            }
            let end = first + width;
            if end == n || out.is_due(&(0..1), &(finished..end)) {
                if flipped {
                    out.finish(finished..end, 0..1);
                } else {
                    out.finish(0..1, finished..end);
                }
                finished = end;
            }
        }
    }
}

/// The sums of as many columns as a register has lanes.
#[inline(always)]
fn columns_by_lanes<R: Registers, const FUSED: bool>(
    token: R,
    terms: &[R::Element],
    columns: [&[R::Element]; WIDEST],
) -> [R::Element; WIDEST] {
    let zero = token.splat(R::Element::exact(0.0));
    let mut total = zero;
    for (block, terms) in terms.chunks(KB).enumerate() {
        let start = block * KB;
        let columns = columns.map(
            #[inline(always)]
            |column| &column[start..][..terms.len()],
        );
        let mut sum = zero;
        let (fours, rest) = terms.as_chunks::<4>();
        for (at, four) in fours.iter().enumerate() {
            let registers = token.gather_4(&columns, 4 * at);
            for t in 0..4 {
                sum = term::<R, FUSED>(token, sum, token.splat(four[t]), registers[t]);
            }
        }
        if !rest.is_empty() {
            // The last columns' ends, behind which there may be nothing to read.
            let done = 4 * fours.len();
            let mut ends = [[R::Element::exact(0.0); 4]; WIDEST];
            for (end, column) in ends.iter_mut().zip(&columns) {
                end[..rest.len()].copy_from_slice(&column[done..]);
            }
            let lines: [&[R::Element]; WIDEST] = core::array::from_fn(
                #[inline(always)]
                |j| &ends[j][..],
            );
            let registers = token.gather_4(&lines, 0);
            for (a, register) in rest.iter().zip(registers) {
                sum = term::<R, FUSED>(token, sum, token.splat(*a), register);
            }
        }
        total = if block == 0 { sum } else { token.add(total, sum) };
    }
    token.in_order(total)
}
