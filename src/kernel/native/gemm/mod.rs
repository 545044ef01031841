//! Products of `f32` and `f64` in registers.
//!
//! BITS: lanes run over rows or columns of the result, never over the terms of a sum; a tile sums
//! one block of `KB` terms, and blocks are added in ascending order. So no result depends on the
//! registers' width, on how operands lie, on packing or on threads. `Numerics::Fast` keeps all of that but
//! rounds once a term, where the machine can and the product is not tiny: that is all that its results depend on.

mod blocks;
mod dots;
mod output;
mod pack;
mod panels;
mod rows;
#[cfg(test)]
mod tests;
mod tile;

use super::carve;
use crate::kernel::order::KB;
use crate::kernel::simd::{Level, Native, Registers, Work};
use crate::kernel::task::Matrix;
use crate::kernel::threads;
use crate::kernel::{GemmTask, Numerics};
pub(super) use blocks::Blocks;
use dots::Dots;
pub(super) use output::{Ending, Output};
use panels::Held;
pub(crate) use panels::packed;
use rows::Rows;
use std::ops::Range;
pub(super) use tile::term;

/// The product in registers: see `Elementary::gemm`.
pub(crate) fn gemm<E: Native>(task: &mut GemmTask<'_, E>) -> bool {
    gemm_at(Level::best(), threads::threads, task);
    true
}

/// One product, or a part of one.
#[derive(Clone, Copy)]
struct Product<'a, E: Native> {
    m: usize,
    k: usize,
    n: usize,
    a: Matrix<'a, E>,
    b: Matrix<'a, E>,
    /// The right operand laid out before, and the first column of it that this product has.
    held: Option<Held<'a, E>>,
    numerics: Numerics,
    /// The elements of the right operand, of which this product may have a part.
    whole: usize,
}

/// The product with the instructions of `level`, on at most that many threads; these are asked for
/// only where the work is worth more than one.
pub(crate) fn gemm_at<E: Native>(
    level: Level,
    threads: impl FnOnce() -> usize,
    task: &mut GemmTask<'_, E>,
) {
    let GemmTask { m, k, n, a, b, start, numerics, ref mut out, .. } = *task;
    if m == 0 || n == 0 || k == 0 {
        out.fill(E::zero());
        return task.close();
    }
    if m * n <= TINY && m * n * k <= TINY && k <= KB {
        takes!("tiny");
        match b.column {
            1 => tiny::<E, true>([m, k, n], &a, &b, out),
            _ => tiny::<E, false>([m, k, n], &a, &b, out),
        }
        return task.close();
    }
    // A single column is the single row of the transposed product: it lies in one piece either way.
    let turned = n == 1 && m > 1;
    let product = if turned {
        takes!("column as a row");
        let (a, b, whole) = (b.transposed(), a.transposed(), m.saturating_mul(k));
        Product { m: 1, k, n: m, a, b, held: None, numerics, whole }
    } else {
        let packed = task.packed.filter(|packed| packed.extents == [k, n]);
        let held = packed.map(|packed| Held { packed, column: 0, term: 0 });
        Product { m, k, n, a, b, held, numerics, whole: k.saturating_mul(n) }
    };
    let (m, n) = (product.m, product.n);
    let ending = Ending { finish: task.finish.take(), start, stride: n };
    let operations = m.saturating_mul(n).saturating_mul(k);
    let parts = match threads::parts(operations, usize::MAX) {
        1 => 1,
        parts => parts.min(threads()),
    };
    if parts == 1 {
        return product.run(level, Output::whole(out, n, ending));
    }
    let lanes = 64 / size_of::<E>();
    // COST: parts of rows are finished a few elements at a time: 1024 x 30 x 200 with `tanh` behind it took as
    // long on two threads, by columns, as on one. Rows share the packing of the right operand, columns do not.
    let short = ending.finish.is_some() && n < 256 * parts;
    if m >= 6 * parts && (m >= n || short) {
        takes!("rows over threads");
        product.by_rows(level, parts, out, ending);
    } else if n >= 4 * lanes * parts {
        takes!("columns over threads");
        product.by_columns(level, parts, out, ending);
    } else if m >= 6 * parts {
        takes!("rows over threads");
        product.by_rows(level, parts, out, ending);
    } else if k >= 2 * KB * parts {
        takes!("terms over threads");
        product.by_terms(level, parts, out, ending);
    } else {
        product.run(level, Output::whole(out, n, ending));
    }
}

impl<'a, E: Native> Product<'a, E> {
    /// Rows `rows` of the result.
    fn rows(&self, rows: Range<usize>) -> Self {
        let a = Matrix { elements: &self.a.elements[rows.start * self.a.row..], ..self.a };
        Self { m: rows.len(), a, ..*self }
    }

    /// Columns `columns` of the result.
    fn columns(&self, columns: Range<usize>) -> Self {
        let b = Matrix { elements: &self.b.elements[columns.start * self.b.column..], ..self.b };
        let held = self.held.map(|held| Held { column: held.column + columns.start, ..held });
        Self { n: columns.len(), b, held, ..*self }
    }

    /// Terms `terms` of every sum.
    fn terms(&self, terms: Range<usize>) -> Self {
        let a = Matrix { elements: &self.a.elements[terms.start * self.a.column..], ..self.a };
        let b = Matrix { elements: &self.b.elements[terms.start * self.b.row..], ..self.b };
        let held = self.held.map(|held| Held { term: held.term + terms.start, ..held });
        Self { k: terms.len(), a, b, held, ..*self }
    }

    fn by_rows(&self, level: Level, parts: usize, out: &mut [E], ending: Ending<'_, E>) {
        let mut rest = out;
        let mut work = Vec::with_capacity(parts);
        for rows in threads::bounds(self.m, parts, 6) {
            let (part, after) = rest.split_at_mut(rows.len() * self.n);
            rest = after;
            let ending = Ending { start: ending.start + rows.start * self.n, ..ending };
            work.push((self.rows(rows), Output::whole(part, self.n, ending)));
        }
        threads::each(work, |(product, out)| product.run(level, out));
    }

    fn by_columns(&self, level: Level, parts: usize, out: &mut [E], ending: Ending<'_, E>) {
        // Whole panels of what is laid out, where that makes parts that are about as large.
        let even = |held: &Held<'a, E>| {
            let panels = self.n.div_ceil(held.packed.panel);
            panels.is_multiple_of(parts) || panels >= 4 * parts
        };
        let whole = Self { held: self.held.filter(even), ..*self };
        let unit = whole.held.map_or(64 / size_of::<E>(), |held| held.packed.panel);
        let bounds = threads::bounds(self.n, parts, unit);
        let mut work: Vec<_> = bounds
            .iter()
            .map(|columns| {
                let ending = Ending { start: ending.start + columns.start, ..ending };
                (whole.columns(columns.clone()), ending, Vec::with_capacity(self.m))
            })
            .collect();
        for mut row in out.chunks_exact_mut(self.n) {
            for (product, _, rows) in &mut work {
                let (part, after) = row.split_at_mut(product.n);
                row = after;
                rows.push(part);
            }
        }
        threads::each(work, |(product, ending, rows)| {
            product.run(level, Output::parts(rows, ending));
        });
    }

    /// BITS: each block of terms is summed on its own, and the sums are added in ascending order.
    fn by_terms(&self, level: Level, parts: usize, out: &mut [E], ending: Ending<'_, E>) {
        let size = self.m * self.n;
        let mut sums = vec![E::zero(); self.k.div_ceil(KB) * size];
        let mut rest = &mut sums[..];
        let mut work = Vec::with_capacity(parts);
        for terms in threads::bounds(self.k, parts, KB) {
            let (part, after) = rest.split_at_mut(terms.len().div_ceil(KB) * size);
            rest = after;
            work.push((self.terms(terms), part));
        }
        threads::each(work, |(product, sums)| {
            let starts = (0..product.k).step_by(KB);
            for (start, sums) in starts.zip(sums.chunks_exact_mut(size)) {
                let block = product.terms(start..product.k.min(start + KB));
                block.run(level, Output::whole(sums, product.n, Ending::NONE));
            }
        });
        let (first, others) = sums.split_at(size);
        out.copy_from_slice(first);
        for block in others.chunks_exact(size) {
            out.iter_mut().zip(block).for_each(|(sum, block)| *sum = sum.add(block));
        }
        Output::whole(out, self.n, ending).finish(0..self.m, 0..self.n);
    }

    /// On this thread.
    fn run(self, level: Level, out: Output<'_, E>) {
        let Self { m, k, n, a, b, .. } = self;
        let numerics = self.numerics;
        if m == 1 && b.row == 1 && b.column >= k {
            takes!("dots");
            return E::at(level, Dots { k, n, a, b, out, numerics, whole: self.whole });
        }
        if m == 1 && b.column == 1 && b.row >= n && n * size_of::<E>() >= WIDE {
            takes!("rows");
            return E::at(level, Rows { k, n, a, b, out, numerics });
        }
        E::at(level, Whole { product: self, out });
    }
}

/// Bytes of a row that is wide enough to be read from one end to the other.
const WIDE: usize = 1024;

/// A product on one thread.
struct Whole<'a, 'o, E: Native> {
    product: Product<'a, E>,
    out: Output<'o, E>,
}

impl<E: Native> Work<E> for Whole<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, token: R) {
        let Self { product: Product { m, k, n, a, b, held, numerics, .. }, out } = self;
        let held = held.filter(|held| held.packed.panel == panels::wide::<R>());
        let straight = effort::<R>(m, k, n, &a, &b);
        let (a2, b2) = (b.transposed(), a.transposed());
        let flipped = held.is_none() && straight > effort::<R>(n, k, m, &a2, &b2) + m * n;
        if flipped {
            takes!("flipped");
        }
        let ([m, n], a, b) = if flipped { ([n, m], a2, b2) } else { ([m, n], a, b) };
        let mut scratch = [E::take_scratch(), E::take_scratch()];
        let [scratch_of, whole] = &mut scratch;
        // Sums of many blocks are turned once, when they are whole.
        let late = flipped && k > 4 * KB && m * n * size_of::<E>() <= HELD;
        let [sums] = carve(whole, [if late { m * n } else { 0 }]);
        let (mut out, mut whole) = (out, Output::whole(sums, n, Ending::NONE));
        let to = if late { &mut whole } else { &mut out };
        let (sizes, flipped) = ([m, k, n], flipped && !late);
        Blocks { sizes, a, b, held, out: to, flipped, scratch: scratch_of, numerics }.run(token);
        if late {
            takes!("turned at the end");
            for j in 0..n {
                for (i, to) in out.row(j)[..m].iter_mut().enumerate() {
                    *to = whole.row(i)[j];
                }
            }
            out.finish(0..n, 0..m);
        }
        // The last first, so that each is the same one again.
        scratch.into_iter().rev().for_each(E::put_scratch);
    }
}

/// Bytes of a result that is held until its sums are whole.
const HELD: usize = 256 << 10;

/// Roughly the cycles of a product whose columns run over the lanes.
fn effort<R: Registers>(
    m: usize,
    k: usize,
    n: usize,
    a: &Matrix<'_, R::Element>,
    b: &Matrix<'_, R::Element>,
) -> usize {
    let registers = n.div_ceil(R::WIDTH);
    // COST: a tile one register wide reads an element of the left operand for each that it
    // multiplies; measured, it runs at two thirds of the speed of one four wide.
    let narrow = usize::from(registers % if R::MANY { 4 } else { 2 } == 1);
    let arithmetic = m.saturating_mul(2 * registers + narrow) / 2;
    let packing = if b.column == 1 { n / 8 } else { n };
    // Rows of the left operand are read in place; where its columns are far apart every element
    // comes from a line of its own.
    let reading = if a.column == 1 { 0 } else { m / 4 };
    k.saturating_mul(arithmetic + packing + reading)
}

/// So little that any preparation costs more than it saves.
pub(crate) const TINY: usize = 512;

/// A product of few terms: four columns at a time, whose sums stay in registers; `LIES` where the right
/// operand's rows lie in one piece.
fn tiny<E: Native, const LIES: bool>(
    [m, k, n]: [usize; 3],
    a: &Matrix<'_, E>,
    b: &Matrix<'_, E>,
    out: &mut [E],
) {
    for (i, row) in out.chunks_exact_mut(n).enumerate().take(m) {
        let (quads, rest) = row.as_chunks_mut::<4>();
        for (q, quad) in quads.iter_mut().enumerate() {
            *quad = [E::exact(0.0); 4];
            let mut sums = *quad;
            for t in 0..k {
                let (a, at) = (a.at(i, t), t * b.row + 4 * q * b.column);
                if LIES {
                    let b = &b.elements[at..at + 4];
                    for j in 0..4 {
                        sums[j] = sums[j].add(&a.mul(&b[j]));
                    }
                    continue;
                }
                let reach = &b.elements[at..=at + 3 * b.column];
                for j in 0..4 {
                    sums[j] = sums[j].add(&a.mul(&reach[j * b.column]));
                }
            }
            *quad = sums;
        }
        let done = n - rest.len();
        for (j, out) in rest.iter_mut().enumerate() {
            let mut sum = E::exact(0.0);
            for t in 0..k {
                sum = sum.add(&a.at(i, t).mul(b.at(t, done + j)));
            }
            *out = sum;
        }
    }
}
