//! A row times columns that lie in one piece each: matrix times vector, where every element of the
//! matrix is used once.
//!
//! BITS: a sum ascends over its terms, so that lanes run over columns, whose elements lie far
//! apart: four elements of each column are read at a time and turned round in registers.

use super::output::Output;
use super::tile::term;
use crate::kernel::Numerics;
use crate::kernel::far::is_from_memory;
use crate::kernel::order::KB;
use crate::kernel::simd::{Native, Registers, WIDEST, Work};
use crate::kernel::task::Matrix;
use std::ops::Range;

/// `out[0][j]` is row 0 of `a` times column `j` of `b`; columns of `b` lie in one piece.
pub(super) struct Dots<'a, 'o, E> {
    pub(super) k: usize,
    pub(super) n: usize,
    pub(super) a: Matrix<'a, E>,
    pub(super) b: Matrix<'a, E>,
    pub(super) out: Output<'o, E>,
    pub(super) numerics: Numerics,
    /// The elements of the right operand that these columns are a part of.
    pub(super) whole: usize,
}

/// Bytes of an operand that no cache holds for long: it is asked for ahead.
///
/// COST: from a cache the asking costs some time and brings nothing.
const LARGE: usize = 24 << 20;

/// How far ahead columns are asked for that are so short that as many as a register has lanes are less,
/// in bytes: they are read nearly as they lie.
///
/// COST: on a core with 48 KiB of first-level cache half of it was slower, and so was twice. Asked for by
/// blocks, columns of 50 took 1.4 of the time (`workload g` of the member `peers`).
const AHEAD: usize = 16 << 10;

/// Bytes of a cache line.
const CACHE_LINE: usize = 64;

impl<E: Native> Work<E> for Dots<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, token: R) {
        let Self { k, n, a, b, mut out, numerics, whole } = self;
        let fused = R::FUSES && numerics == Numerics::Fast;
        let line: Vec<E>;
        let terms = if a.column == 1 {
            &a.elements[..k]
        } else {
            line = (0..k).map(|t| *a.at(0, t)).collect();
            &line[..]
        };
        let short = k * R::WIDTH * size_of::<E>() <= AHEAD;
        // COST: half of 40 MB comes from memory as all of it does. Where columns are long a part that a cache would
        // hold is not asked for: on two threads that took longer.
        let of = if short { whole } else { n * k };
        let far = of.saturating_mul(size_of::<E>()) >= LARGE || is_from_memory();
        let ahead = b.column == k && far;
        if ahead {
            takes!("asked for ahead");
        }
        let mut finished = 0;
        for first in (0..n).step_by(R::WIDTH) {
            let width = R::WIDTH.min(n - first);
            let mut columns = [&b.elements[..0]; WIDEST];
            for (column, j) in columns[..R::WIDTH].iter_mut().zip(R::ORDER) {
                // Lanes without a column repeat the last, and are dropped.
                *column = &b.elements[(first + j.min(width - 1)) * b.column..][..k];
            }
            let next = if ahead && short { first * k + AHEAD / size_of::<E>() } else { usize::MAX };
            let ahead = ahead && !short;
            let columns = Columns { lines: columns, whole: b.elements, next, first, ahead };
            let sums = if R::FUSES && fused {
                columns.times::<R, true>(token, terms)
            } else {
                columns.times::<R, false>(token, terms)
            };
            let row = &mut out.row(0)[first..][..width];
            if width == R::WIDTH {
                R::split_mut(row).0[0] = sums;
            } else {
                row.copy_from_slice(&R::elements(&[sums])[..width]);
            }
            let end = first + width;
            if end == n || out.is_due(&(0..1), &(finished..end)) {
                out.finish(0..1, finished..end);
                finished = end;
            }
        }
    }
}

/// As many columns as a register has lanes.
struct Columns<'a, E> {
    lines: [&'a [E]; WIDEST],
    /// All columns, and which element of them is to be asked for; none at `usize::MAX`.
    whole: &'a [E],
    next: usize,
    /// Which of them is the first here, and whether the block that comes next is asked for.
    first: usize,
    ahead: bool,
}

impl<E: Native> Columns<'_, E> {
    /// The sums of all terms, a block after the other.
    #[inline(always)]
    fn times<R: Registers<Element = E>, const FUSED: bool>(
        &self,
        token: R,
        terms: &[E],
    ) -> R::Float {
        let zero = token.splat(E::exact(0.0));
        let (k, mut next) = (terms.len(), self.next);
        let (mut total, mut at) = (zero, 0);
        while at < k {
            let end = k.min(at + KB);
            let first = at == 0;
            let mut sum = zero;
            let mut asked =
                if self.ahead { self.next_block::<R>(k, at..end) } else { Asked::NOTHING };
            while at + 4 <= end {
                if next < usize::MAX {
                    for line in 0..4 * R::WIDTH * size_of::<E>() / CACHE_LINE {
                        token.ahead(self.whole, next + line * (CACHE_LINE / size_of::<E>()));
                    }
                    next += 4 * R::WIDTH;
                }
                if self.ahead {
                    for _ in 0..asked.each {
                        token.ahead(self.whole, asked.next::<E>());
                    }
                }
                let registers = token.gather_4(&self.lines, at);
                for t in 0..4 {
                    sum = term::<R, FUSED>(token, sum, token.splat(terms[at + t]), registers[t]);
                }
                at += 4;
            }
            if at < end {
                sum = self.rest::<R, FUSED>(token, sum, terms, at);
                at = end;
            }
            total = if first { sum } else { token.add(total, sum) };
        }
        total
    }

    /// What is read after the block `terms`, asked for while that is computed.
    #[inline(always)]
    fn next_block<R: Registers<Element = E>>(&self, k: usize, terms: Range<usize>) -> Asked {
        let (column, start) =
            if terms.end < k { (self.first, terms.end) } else { (self.first + R::WIDTH, 0) };
        let depth = KB.min(k - start);
        let lines = (depth * size_of::<E>()).div_ceil(CACHE_LINE);
        let each = (R::WIDTH * lines).div_ceil((terms.len() / 4).max(1));
        Asked { column: column * k + start, pitch: k, lines, line: 0, each }
    }

    /// The last terms, fewer than four.
    #[inline(always)]
    fn rest<R: Registers<Element = E>, const FUSED: bool>(
        &self,
        token: R,
        mut sum: R::Float,
        terms: &[E],
        at: usize,
    ) -> R::Float {
        if let Some(last) = terms.len().checked_sub(4) {
            // The last four once more, for those among them that are new.
            let registers = token.gather_4(&self.lines, last);
            for t in at - last..4 {
                sum = term::<R, FUSED>(token, sum, token.splat(terms[last + t]), registers[t]);
            }
            return sum;
        }
        // Short columns, behind the last of which there may be nothing to read.
        let mut ends = [[E::exact(0.0); 4]; WIDEST];
        let mut lines = [&terms[..0]; WIDEST];
        for (end, column) in ends[..R::WIDTH].iter_mut().zip(&self.lines) {
            end.iter_mut().zip(*column).for_each(|(to, from)| *to = *from);
        }
        for (line, end) in lines[..R::WIDTH].iter_mut().zip(&ends) {
            *line = end;
        }
        let registers = token.gather_4(&lines, 0);
        for t in 0..terms.len() {
            sum = term::<R, FUSED>(token, sum, token.splat(terms[t]), registers[t]);
        }
        sum
    }
}

/// The cache lines of a block of columns, in the order in which they lie.
///
/// COST: as they are read, a line of each column after the other, there is no order that a machine sees
/// coming; and what is asked for a block ahead is there for the first column and for the last.
struct Asked {
    /// The element at which the next column's part begins.
    column: usize,
    pitch: usize,
    lines: usize,
    line: usize,
    /// How many are asked for at a time.
    each: usize,
}

impl Asked {
    const NOTHING: Self = Self { column: 0, pitch: 0, lines: 1, line: 0, each: 0 };

    /// The element of the next line; past the last block it may lie past the last element.
    #[inline(always)]
    fn next<E>(&mut self) -> usize {
        let element = self.column + self.line * (CACHE_LINE / size_of::<E>());
        self.line += 1;
        if self.line == self.lines {
            self.line = 0;
            self.column += self.pitch;
        }
        element
    }
}
