//! A row times columns that lie in one piece each: matrix times vector, where every element of the
//! matrix is used once.
//!
//! BITS: a sum ascends over its terms, so that lanes could only run over columns, whose elements
//! lie far apart. Several columns advance side by side instead: each sum is a chain of additions
//! that wait for one another, and the machine works on as many chains as are there.

use super::output::Output;
use crate::kernel::order::KB;
use crate::kernel::simd::Native;
use crate::kernel::task::Matrix;

/// COST: eight chains keep two adders of four cycles' latency busy. Compiled for the oldest machine
/// on purpose: wider instructions gather the columns' elements into registers, and took three times
/// as long from memory.
const CHAINS: usize = 8;

/// `out[0][j]`, or `out[j][0]` where `flipped`, is row 0 of `a` times column `j` of `b`; columns
/// of `b` lie in one piece.
pub(super) fn dots<E: Native>(
    [k, n]: [usize; 2],
    a: &Matrix<'_, E>,
    b: &Matrix<'_, E>,
    out: &mut Output<'_, E>,
    flipped: bool,
) {
    let line: Vec<E>;
    let terms = if a.column == 1 {
        &a.elements[..k]
    } else {
        line = (0..k).map(|t| *a.at(0, t)).collect();
        &line[..]
    };
    let mut put = |j: usize, sum: E| {
        if flipped {
            out.row(j)[0] = sum;
        } else {
            out.row(0)[j] = sum;
        }
    };
    let mut first = 0;
    while first + CHAINS <= n {
        let columns = std::array::from_fn(|j| &b.elements[(first + j) * b.column..][..k]);
        let sums = together::<E, CHAINS>(terms, columns);
        sums.into_iter().enumerate().for_each(|(j, sum)| put(first + j, sum));
        first += CHAINS;
    }
    for j in first..n {
        let [sum] = together::<E, 1>(terms, [&b.elements[j * b.column..][..k]]);
        put(j, sum);
    }
}

/// The sums of `N` columns.
#[inline(always)]
fn together<E: Native, const N: usize>(terms: &[E], columns: [&[E]; N]) -> [E; N] {
    let mut totals = [E::exact(0.0); N];
    for (block, terms) in terms.chunks(KB).enumerate() {
        let columns = columns.map(|column| &column[block * KB..][..terms.len()]);
        let mut sums = [E::exact(0.0); N];
        for t in 0..terms.len() {
            for j in 0..N {
                sums[j] = sums[j].add(&terms[t].mul(&columns[j][t]));
            }
        }
        for j in 0..N {
            totals[j] = if block == 0 { sums[j] } else { totals[j].add(&sums[j]) };
        }
    }
    totals
}
