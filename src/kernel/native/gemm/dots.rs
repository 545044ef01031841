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
            let mut total = token.splat(E::exact(0.0));
            for (block, terms) in terms.chunks(KB).enumerate() {
                let mut columns = [&terms[..0]; WIDEST];
                for (j, column) in columns[..R::WIDTH].iter_mut().enumerate() {
                    // Lanes without a column repeat the last, and are dropped.
                    let from = (first + j.min(width - 1)) * b.column + block * KB;
                    *column = &b.elements[from..][..terms.len()];
                }
                let sum = if fused {
                    block_by_lanes::<R, true>(token, terms, &columns)
                } else {
                    block_by_lanes::<R, false>(token, terms, &columns)
                };
                total = if block == 0 { sum } else { token.add(total, sum) };
            }
            let sums = token.in_order(total);
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

/// The sums of one block of terms in as many columns as a register has lanes.
#[inline(always)]
fn block_by_lanes<R: Registers, const FUSED: bool>(
    token: R,
    terms: &[R::Element],
    columns: &[&[R::Element]; WIDEST],
) -> R::Float {
    let mut sum = token.splat(R::Element::exact(0.0));
    let (fours, rest) = terms.as_chunks::<4>();
    for (at, four) in fours.iter().enumerate() {
        let registers = token.gather_4(columns, 4 * at);
        for t in 0..4 {
            sum = term::<R, FUSED>(token, sum, token.splat(four[t]), registers[t]);
        }
    }
    if rest.is_empty() {
        return sum;
    }
    let done = 4 * fours.len();
    if let Some(last) = terms.len().checked_sub(4) {
        // The last four once more, for those among them that are new.
        let registers = token.gather_4(columns, last);
        for (a, register) in rest.iter().zip(&registers[done - last..]) {
            sum = term::<R, FUSED>(token, sum, token.splat(*a), *register);
        }
        return sum;
    }
    // Short columns, behind the last of which there may be nothing to read.
    let mut ends = [[R::Element::exact(0.0); 4]; WIDEST];
    let mut lines = [&terms[..0]; WIDEST];
    for (end, column) in ends[..R::WIDTH].iter_mut().zip(columns) {
        end.iter_mut().zip(*column).for_each(|(to, from)| *to = *from);
    }
    for (line, end) in lines[..R::WIDTH].iter_mut().zip(&ends) {
        *line = end;
    }
    let registers = token.gather_4(&lines, 0);
    for (a, register) in rest.iter().zip(registers) {
        sum = term::<R, FUSED>(token, sum, token.splat(*a), register);
    }
    sum
}
