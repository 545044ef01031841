//! Maxima, along lines and down columns.

use super::lines::{Lines, each_line, kept, trailing};
use super::movement::copy;
use crate::kernel::chain::row_major;
use crate::kernel::memory::Block;
use crate::kernel::reference::{View, first_max_of, max_of};
use crate::kernel::simd::Level;
use crate::kernel::threads;
use crate::kernel::walk::{Walk, product_of};
use crate::kernel::{ColumnsTask, Elementary, ReduceTask, Reduction};

/// As `reference::max`.
///
/// BITS: an element without a kernel of its own is taken in order; of floats any tree of maxima
/// gives the same bits.
pub(crate) fn max<E: Elementary>(x: View<'_, E>, axes: &[usize]) -> Block<E> {
    let mut out = Block::stale(kept(x.extents, axes));
    max_into(x, axes, &mut out);
    out
}

/// As `reference::max`, into a result of one element a line.
pub(crate) fn max_into<E: Elementary>(x: View<'_, E>, axes: &[usize], out: &mut [E]) {
    const EMPTY: &str = "max: an empty axis has no maximum";
    if let Some((elements, length)) = trailing(x, axes) {
        let parts = threads::parts_here(elements.len(), usize::MAX);
        if parts == 1 {
            return maxima(elements, length, out);
        }
        let each = out.len().div_ceil(parts).max(1);
        let work = out.chunks_mut(each).zip(elements.chunks(each * length)).collect();
        return threads::each(work, |(out, elements)| maxima(elements, length, out));
    }
    let lines = Lines::new(x, axes);
    let Some(columns) = lines.columns() else {
        return lines.reduced(out, |line| line_max(line).expect(EMPTY));
    };
    takes!("maxima down columns");
    columns.reduced(out, |elements, out| {
        let (reduction, rows) = (Reduction::Max, &columns.rows[..]);
        let (first, rest) = rows.split_first().expect(EMPTY);
        for (group, out) in out.chunks_mut(WIDTH).enumerate() {
            let elements = &elements[group * WIDTH..];
            if E::reduce_columns(&mut ColumnsTask { reduction, elements, rows, out: &mut *out }) {
                continue;
            }
            Level::best().compiled(
                #[inline(always)]
                || max_rows(elements, *first, rest, out),
            );
        }
    });
}

/// How many columns are compared side by side, so that the maxima stay in the first-level cache.
const WIDTH: usize = 4096;

/// The maxima down the first columns of the rows that start at `first` and at `rest`.
#[inline(always)]
fn max_rows<E: Elementary>(elements: &[E], first: usize, rest: &[usize], out: &mut [E]) {
    let width = out.len();
    out.clone_from_slice(&elements[first..][..width]);
    let (fours, rest) = rest.as_chunks::<4>();
    for rows in fours {
        // COST: a maximum so far is loaded and stored once for four rows.
        let [a, b, c, d] = rows.map(
            #[inline(always)]
            |row| &elements[row..][..width],
        );
        for i in 0..width {
            out[i] = out[i].maximum(&a[i]).maximum(&b[i]).maximum(&c[i]).maximum(&d[i]);
        }
    }
    for &row in rest {
        let row = &elements[row..][..width];
        out.iter_mut().zip(row).for_each(|(max, x)| *max = max.maximum(x));
    }
}

/// As `reference::max_of`.
pub(super) fn line_max<E: Elementary>(line: &[E]) -> Option<E> {
    let first = line.first()?;
    let mut out = [first.clone()];
    maxima(line, line.len(), &mut out);
    let [max] = out;
    Some(max)
}

/// The maximum of each line of `length`, which is not 0.
pub(super) fn maxima<E: Elementary>(elements: &[E], length: usize, out: &mut [E]) {
    let reduction = Reduction::Max;
    if E::reduce(&mut ReduceTask { reduction, elements, length, out: &mut *out }) {
        return;
    }
    for (line, max) in elements.chunks(length).zip(out) {
        *max = max_of(line).expect("invariant: no line of a maximum is empty");
    }
}

/// As `reference::first_max`.
pub(crate) fn first_max<E: Elementary>(x: View<'_, E>, axes: &[usize]) -> Block<E> {
    let mut out = Block::stale(x.count());
    first_max_into(x, axes, &mut out);
    out
}

/// As `reference::first_max`, into `out`.
pub(crate) fn first_max_into<E: Elementary>(x: View<'_, E>, axes: &[usize], out: &mut [E]) {
    let rank = x.extents.len();
    out.fill(E::zero());
    if out.is_empty() {
        return;
    }
    if axes.first().is_some_and(|&first| first + axes.len() < rank) {
        return across(x, axes, out);
    }
    let mut start = 0;
    each_line(x, axes, |line| {
        if let Some(first) = first_max_of(line) {
            out[start + first] = E::one();
        }
        start += line.len();
    });
}

/// The first maxima over axes that are not the last ones: lines are laid out behind one another first.
fn across<E: Elementary>(x: View<'_, E>, axes: &[usize], out: &mut [E]) {
    takes!("first maxima across");
    let kept = (0..x.extents.len()).filter(|axis| !axes.contains(axis));
    let order = kept.chain(axes.iter().copied()).collect::<Vec<_>>();
    let [extents, strides, places] = [x.extents, x.strides, &row_major(x.extents)]
        .map(|of| order.iter().map(|&axis| of[axis]).collect::<Vec<_>>());
    let lines = copy(View { extents: &extents, strides: &strides, ..x });
    let (outer, inner) = extents.split_at(extents.len() - axes.len());
    let (outer_places, inner_places) = places.split_at(outer.len());
    let mut places_of_line = Vec::with_capacity(product_of(inner));
    Walk::new(inner, [inner_places]).elements([0], |[at]| places_of_line.push(at));
    let mut lines = lines.chunks_exact(places_of_line.len());
    Walk::new(outer, [outer_places]).elements([0], |[start]| {
        let line = lines.next().expect("invariant: one line for each place of the kept axes");
        if let Some(first) = first_max_of(line) {
            out[start + places_of_line[first]] = E::one();
        }
    });
}
