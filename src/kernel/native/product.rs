//! Products: slices of a batch over threads, and packed tiles of elements that bring no kernel.
//!
//! BITS: one element of a tile accumulates `a * b` over ascending `k` from `+0` inside a block of
//! `KB`, and blocks are added to the result in ascending order: exactly `reference::product`,
//! whatever the tile. Tiles at an edge compute on padding zeros and throw that away.

use crate::kernel::memory::Block;
use crate::kernel::order::KB;
use crate::kernel::reference::View;
use crate::kernel::task::{Finish, GemmTask, Matrix};
use crate::kernel::threads;
use crate::kernel::walk::{Walk, product_of};
use crate::kernel::{Elementary, Numerics, Packed};
use std::array::from_fn;
use std::ops::Range;

/// Rows of a register tile.
const MR: usize = 4;
/// Columns of B that are packed at a time: a block of them stays in the second-level cache.
const NC: usize = 512;

/// As `reference::product`.
pub(crate) fn product<E: Elementary>(a: View<'_, E>, b: View<'_, E>) -> Block<E> {
    let batch = a.extents.len() - 2;
    let count = product_of(&a.extents[..=batch]).wrapping_mul(b.extents[batch + 1]);
    let mut out = Block::stale(count);
    matmul_into(a, b, Numerics::Exact, None, None, &mut out);
    out
}

/// As `reference::product`, into a buffer of that many elements, rounded as `numerics` says; `packed` is the
/// right operand of each product of a batch, laid out before; `finish` follows on each element.
pub(crate) fn matmul_into<E: Elementary>(
    a: View<'_, E>,
    b: View<'_, E>,
    numerics: Numerics,
    packed: Option<&Packed<E>>,
    finish: Option<Finish<'_, E>>,
    out: &mut [E],
) {
    let batch = a.extents.len() - 2;
    let [m, k] = [a.extents[batch], a.extents[batch + 1]];
    let n = b.extents[batch + 1];
    let count = product_of(&a.extents[..batch]);
    if k == 0 || out.is_empty() {
        out.fill(E::zero());
        if let Some(finish) = finish {
            finish(0, out);
        }
        return;
    }
    let task = |[i, j]: [usize; 2], start, out| {
        let a = Matrix::new(&a.elements[i..], a.strides[batch], a.strides[batch + 1]);
        let b = Matrix::new(&b.elements[j..], b.strides[batch], b.strides[batch + 1]);
        GemmTask { m, k, n, a, b, out, finish, start, numerics, packed }
    };
    if count == 1 {
        return slice(&mut task([a.offset, b.offset], 0, out), &mut Scratch::default());
    }
    let walk = Walk::new(&a.extents[..batch], [&a.strides[..batch], &b.strides[..batch]]);
    let mut slices = Vec::with_capacity(count);
    let mut rest = out;
    walk.elements([a.offset, b.offset], |at| {
        let (c, after) = std::mem::take(&mut rest).split_at_mut(m * n);
        rest = after;
        slices.push(task(at, slices.len() * m * n, c));
    });
    let run = |slices: &mut [GemmTask<'_, E>]| {
        let mut scratch = Scratch::default();
        slices.iter_mut().for_each(|task| slice(task, &mut scratch));
    };
    // Many slices are shared out; one or a few split themselves.
    let parts = threads::parts_here((m * k * n).saturating_mul(count), count / 2);
    if parts > 1 && count >= 2 * parts {
        takes!("slices over threads");
        let work = slices.chunks_mut(count.div_ceil(parts)).collect();
        threads::each(work, run);
    } else {
        run(&mut slices);
    }
}

fn slice<E: Elementary>(task: &mut GemmTask<'_, E>, scratch: &mut Scratch<E>) {
    if !E::gemm(task) {
        by_packing(task, scratch);
    }
    task.close();
}

/// A product of elements that bring no kernel.
fn by_packing<E: Elementary>(task: &mut GemmTask<'_, E>, scratch: &mut Scratch<E>) {
    let GemmTask { m, k, n, a, b, ref mut out, .. } = *task;
    out.fill(E::zero());
    let sizes = [m, k, n];
    if n == 1 && m > 1 {
        // A single column is the single row of the transposed product.
        by_rows::<E, true>(&b.transposed(), &a.transposed(), out, [1, k, m]);
    } else if m < MR {
        by_rows::<E, false>(&a, &b, out, sizes);
    } else if size_of::<E>() <= 4 {
        by_tiles::<E, 8>(&a, &b, out, sizes, scratch);
    } else {
        by_tiles::<E, 4>(&a, &b, out, sizes, scratch);
    }
}

/// One term, its factors in the order of the product also where that was transposed.
#[inline]
fn term<E: Elementary, const FLIPPED: bool>(a: &E, b: &E) -> E {
    if FLIPPED { b.mul(a) } else { a.mul(b) }
}

/// Few rows: nothing is packed, as no row of B is read often.
fn by_rows<E: Elementary, const FLIPPED: bool>(
    a: &Matrix<'_, E>,
    b: &Matrix<'_, E>,
    c: &mut [E],
    [m, k, n]: [usize; 3],
) {
    let mut block = Vec::new();
    for i in 0..m {
        let c = &mut c[i * n..][..n];
        for start in (0..k).step_by(KB) {
            let terms = start..k.min(start + KB);
            // C is +0 still: the first block accumulates in its place.
            let sums = if start == 0 {
                &mut *c
            } else {
                block.clear();
                block.resize(n, E::zero());
                &mut block
            };
            if b.column == 1 {
                // Rows of B, scaled, are taken up one after the other.
                for t in terms {
                    let (a, b) = (a.at(i, t), &b.elements[t * b.row..][..n]);
                    let pairs = sums.iter_mut().zip(b);
                    pairs.for_each(|(sum, b)| *sum = sum.add(&term::<E, FLIPPED>(a, b)));
                }
            } else {
                dots::<E, FLIPPED>(a, i, b, terms, sums);
            }
            if start > 0 {
                c.iter_mut().zip(&block).for_each(|(c, block)| *c = c.add(block));
            }
        }
    }
}

/// Row `i` of A times columns of B over some terms; columns are interleaved, as each is a chain of
/// additions that must wait for one another.
fn dots<E: Elementary, const FLIPPED: bool>(
    a: &Matrix<'_, E>,
    i: usize,
    b: &Matrix<'_, E>,
    terms: Range<usize>,
    sums: &mut [E],
) {
    const SIDE_BY_SIDE: usize = 8;
    let line = terms.clone().map(|t| a.at(i, t).clone()).collect::<Vec<_>>();
    let (groups, rest) = sums.as_chunks_mut::<SIDE_BY_SIDE>();
    for (group, sums) in groups.iter_mut().enumerate() {
        if b.row == 1 {
            let columns: [&[E]; SIDE_BY_SIDE] = from_fn(|j| {
                let start = (group * SIDE_BY_SIDE + j) * b.column + terms.start;
                &b.elements[start..][..line.len()]
            });
            for (t, a) in line.iter().enumerate() {
                for j in 0..SIDE_BY_SIDE {
                    sums[j] = sums[j].add(&term::<E, FLIPPED>(a, &columns[j][t]));
                }
            }
            continue;
        }
        for (j, sum) in sums.iter_mut().enumerate() {
            dot::<E, FLIPPED>(&line, b, group * SIDE_BY_SIDE + j, terms.start, sum);
        }
    }
    let done = groups.len() * SIDE_BY_SIDE;
    for (j, sum) in rest.iter_mut().enumerate() {
        dot::<E, FLIPPED>(&line, b, done + j, terms.start, sum);
    }
}

fn dot<E: Elementary, const FLIPPED: bool>(
    line: &[E],
    b: &Matrix<'_, E>,
    j: usize,
    start: usize,
    sum: &mut E,
) {
    for (t, a) in line.iter().enumerate() {
        *sum = sum.add(&term::<E, FLIPPED>(a, b.at(start + t, j)));
    }
}

/// Packed operands, kept from slice to slice of a batch.
struct Scratch<E> {
    a: Vec<E>,
    b: Vec<E>,
}

impl<E> Default for Scratch<E> {
    fn default() -> Self {
        Self { a: Vec::new(), b: Vec::new() }
    }
}

fn by_tiles<E: Elementary, const NR: usize>(
    a: &Matrix<'_, E>,
    b: &Matrix<'_, E>,
    c: &mut [E],
    [m, k, n]: [usize; 3],
    scratch: &mut Scratch<E>,
) {
    for column in (0..n).step_by(NC) {
        let columns = NC.min(n - column);
        for start in (0..k).step_by(KB) {
            let depth = KB.min(k - start);
            pack_b::<E, NR>(b, [start, depth], [column, columns], &mut scratch.b);
            for row in (0..m).step_by(MR) {
                let height = MR.min(m - row);
                pack_a(a, [row, height], [start, depth], &mut scratch.a);
                let (left, _) = scratch.a.as_chunks::<MR>();
                for (panel, right) in scratch.b.chunks_exact(depth * NR).enumerate() {
                    let (right, _) = right.as_chunks::<NR>();
                    let sums = tile(left, right);
                    let at = column + panel * NR;
                    let width = NR.min(n - at);
                    for (i, sums) in sums.iter().enumerate().take(height) {
                        let c = &mut c[(row + i) * n + at..][..width];
                        if start == 0 {
                            c.clone_from_slice(&sums[..width]);
                        } else {
                            c.iter_mut().zip(sums).for_each(|(c, sum)| *c = c.add(sum));
                        }
                    }
                }
            }
        }
    }
}

/// The block sums of a tile.
#[inline]
fn tile<E: Elementary, const NR: usize>(a: &[[E; MR]], b: &[[E; NR]]) -> [[E; NR]; MR] {
    let mut sums: [[E; NR]; MR] = from_fn(|_| from_fn(|_| E::zero()));
    for (a, b) in a.iter().zip(b) {
        for i in 0..MR {
            for j in 0..NR {
                sums[i][j] = sums[i][j].add(&a[i].mul(&b[j]));
            }
        }
    }
    sums
}

/// `depth` columns of up to `MR` rows, column after column; rows past the edge are zero.
fn pack_a<E: Elementary>(
    a: &Matrix<'_, E>,
    [row, height]: [usize; 2],
    [start, depth]: [usize; 2],
    out: &mut Vec<E>,
) {
    out.clear();
    out.resize(depth * MR, E::zero());
    let (columns, _) = out.as_chunks_mut::<MR>();
    for i in 0..height {
        for (t, column) in columns.iter_mut().enumerate() {
            column[i] = a.at(row + i, start + t).clone();
        }
    }
}

/// Panels of `NR` columns, row after row; columns past the edge are zero.
fn pack_b<E: Elementary, const NR: usize>(
    b: &Matrix<'_, E>,
    [start, depth]: [usize; 2],
    [column, columns]: [usize; 2],
    out: &mut Vec<E>,
) {
    out.clear();
    out.resize(columns.div_ceil(NR) * depth * NR, E::zero());
    for (panel, rows) in out.chunks_exact_mut(depth * NR).enumerate() {
        let at = column + panel * NR;
        let width = NR.min(column + columns - at);
        let (rows, _) = rows.as_chunks_mut::<NR>();
        for (t, row) in rows.iter_mut().enumerate() {
            if b.column == 1 {
                row[..width].clone_from_slice(&b.elements[(start + t) * b.row + at..][..width]);
            } else {
                for (j, x) in row[..width].iter_mut().enumerate() {
                    *x = b.at(start + t, at + j).clone();
                }
            }
        }
    }
}
