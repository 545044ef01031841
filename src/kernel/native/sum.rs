//! Sums with the sixteen lanes side by side.
//!
//! BITS: the lanes of the sum rule are independent, so that sixteen accumulators (or, for sums
//! down a column, sixteen rows of accumulators) do the very additions of `reference::sum`.

use super::lines::{Lines, trailing};
use crate::kernel::order::{LANES, SB};
use crate::kernel::reference::View;
use crate::kernel::simd::Level;
use crate::kernel::threads;
use crate::kernel::{Elementary, ReduceTask, Reduction};
use std::array::from_fn;

/// As `reference::sum_of`.
pub(super) fn sum_of<E: Elementary>(elements: &[E]) -> E {
    if elements.len() <= SB {
        let mut sum = [E::zero()];
        lines(elements, elements.len().max(1), &mut sum);
        let [sum] = sum;
        return sum;
    }
    sum_of(&blocks(elements))
}

/// The sums of the blocks of a long line.
fn blocks<E: Elementary>(elements: &[E]) -> Vec<E> {
    let count = elements.len().div_ceil(SB);
    let mut sums = vec![E::zero(); count];
    let parts = threads::parts_here(elements.len(), usize::MAX);
    let each = count.div_ceil(parts);
    let work = sums.chunks_mut(each).zip(elements.chunks(each * SB)).collect();
    threads::each(work, |(sums, elements)| lines(elements, SB, sums));
    sums
}

/// The sum of each line of `length`, at most a block; the last may be shorter.
fn lines<E: Elementary>(elements: &[E], length: usize, sums: &mut [E]) {
    let reduction = Reduction::Sum;
    if E::reduce(&mut ReduceTask { reduction, elements, length, out: &mut *sums }) {
        return;
    }
    sums.iter_mut().zip(elements.chunks(length)).for_each(|(sum, line)| *sum = block(line));
}

fn block<E: Elementary>(elements: &[E]) -> E {
    let mut lanes: [E; LANES] = from_fn(|_| E::zero());
    let (rows, rest) = elements.as_chunks::<LANES>();
    for row in rows {
        for l in 0..LANES {
            lanes[l] = lanes[l].add(&row[l]);
        }
    }
    for (lane, x) in lanes.iter_mut().zip(rest) {
        *lane = lane.add(x);
    }
    let mut width = LANES / 2;
    while width > 0 {
        for l in 0..width {
            lanes[l] = lanes[l].add(&lanes[l + width]);
        }
        width /= 2;
    }
    let [sum, ..] = lanes;
    sum
}

/// As `reference::sum`.
pub(crate) fn sum<E: Elementary>(x: View<'_, E>, axes: &[usize]) -> Vec<E> {
    if let Some((elements, length)) = trailing(x, axes) {
        let mut sums = vec![E::zero(); elements.len() / length];
        if length > SB {
            sums.iter_mut().zip(elements.chunks(length)).for_each(|(sum, x)| *sum = sum_of(x));
            return sums;
        }
        let parts = threads::parts_here(elements.len(), usize::MAX);
        let each = sums.len().div_ceil(parts).max(1);
        let work = sums.chunks_mut(each).zip(elements.chunks(each * length)).collect();
        threads::each(work, |(sums, elements)| lines(elements, length, sums));
        return sums;
    }
    let lines = Lines::new(x, axes);
    let mut out = Vec::with_capacity(lines.count);
    let Some(columns) = lines.columns() else {
        lines.each(|line| out.push(sum_of(line)));
        return out;
    };
    columns.each(|elements, width| {
        for column in (0..width).step_by(WIDTH) {
            let sums = sum_rows(elements, &columns.offsets, column, WIDTH.min(width - column));
            out.extend(sums.into_iter().take(width - column));
        }
    });
    out
}

/// How many columns are summed side by side: 16 lanes of them stay in the first-level cache.
const WIDTH: usize = 64;

/// The sums down `width` columns from `column` of the rows that start at `rows`. Entries past the
/// width are sums of nothing.
fn sum_rows<E: Elementary>(
    elements: &[E],
    rows: &[usize],
    column: usize,
    width: usize,
) -> [E; WIDTH] {
    if rows.len() <= SB {
        return block_of_rows(elements, rows, column, width);
    }
    let blocks = rows.chunks(SB).map(|rows| block_of_rows(elements, rows, column, width));
    let blocks = blocks.flatten().collect::<Vec<_>>();
    let rows = (0..blocks.len()).step_by(WIDTH).collect::<Vec<_>>();
    sum_rows(&blocks, &rows, 0, WIDTH)
}

fn block_of_rows<E: Elementary>(
    elements: &[E],
    rows: &[usize],
    column: usize,
    width: usize,
) -> [E; WIDTH] {
    Level::best().compiled(
        #[inline(always)]
        || lanes_of_rows(elements, rows, column, width),
    )
}

#[inline(always)]
fn lanes_of_rows<E: Elementary>(
    elements: &[E],
    rows: &[usize],
    column: usize,
    width: usize,
) -> [E; WIDTH] {
    let mut lanes: [[E; WIDTH]; LANES] = from_fn(|_| from_fn(|_| E::zero()));
    for rows in rows.chunks(LANES) {
        for (lane, row) in lanes.iter_mut().zip(rows) {
            let row = &elements[row + column..][..width];
            if let Ok(row) = <&[E; WIDTH]>::try_from(row) {
                for column in 0..WIDTH {
                    lane[column] = lane[column].add(&row[column]);
                }
            } else {
                lane.iter_mut().zip(row).for_each(|(sum, x)| *sum = sum.add(x));
            }
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        let (low, high) = lanes.split_at_mut(width);
        for (low, high) in low.iter_mut().zip(high) {
            for column in 0..WIDTH {
                low[column] = low[column].add(&high[column]);
            }
        }
        width /= 2;
    }
    let [sums, ..] = lanes;
    sums
}
