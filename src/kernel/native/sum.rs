//! Sums with the sixteen lanes side by side.
//!
//! BITS: the lanes of the sum rule are independent, so that sixteen accumulators (or, for sums
//! down a column, sixteen rows of accumulators) do the very additions of `reference::sum`.

use super::lines::{Lines, trailing};
use crate::kernel::Elementary;
use crate::kernel::order::{LANES, SB};
use crate::kernel::reference::View;
use crate::kernel::simd::Level;
use std::array::from_fn;

/// As `reference::sum_of`.
pub(super) fn sum_of<E: Elementary>(elements: &[E]) -> E {
    if elements.len() <= SB {
        return block(elements);
    }
    sum_of(&elements.chunks(SB).map(block).collect::<Vec<_>>())
}

fn block<E: Elementary>(elements: &[E]) -> E {
    Level::best().compiled(
        #[inline(always)]
        || lanes_of(elements),
    )
}

#[inline(always)]
fn lanes_of<E: Elementary>(elements: &[E]) -> E {
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
        return elements.chunks_exact(length).map(sum_of).collect();
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
const WIDTH: usize = 32;

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
