//! Sums with the sixteen lanes side by side.
//!
//! BITS: the lanes of the sum rule are independent, so that sixteen accumulators (or, for sums
//! down a column, sixteen rows of accumulators) do the very additions of `reference::sum`.

use super::maximum::each_line;
use super::movement::is_contiguous;
use crate::kernel::Elementary;
use crate::kernel::order::{LANES, SB};
use crate::kernel::reference::View;
use crate::kernel::walk::{Axis, Walk};
use std::array::from_fn;

/// As `reference::sum_of`.
pub(super) fn sum_of<E: Elementary>(elements: &[E]) -> E {
    if elements.len() <= SB {
        return block(elements);
    }
    sum_of(&elements.chunks(SB).map(block).collect::<Vec<_>>())
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
    let is_kept = |axis: usize| !axes.contains(&axis);
    if is_contiguous(x.extents, x.strides) && (0..x.extents.len() - axes.len()).all(is_kept) {
        // Lines lie behind one another.
        let line = axes.iter().map(|&axis| x.extents[axis]).product::<usize>();
        let count = x.extents[..x.extents.len() - axes.len()].iter().product::<usize>();
        return (0..count)
            .map(|i| sum_of(if line == 0 { &[] } else { &x.elements[x.offset + i * line..][..line] }))
            .collect();
    }
    let walk_over = |kept: bool| {
        let axes = (0..x.extents.len()).filter(|&axis| is_kept(axis) == kept);
        Walk::of(axes.map(|axis| Axis { extent: x.extents[axis], strides: [x.strides[axis]] }))
    };
    let outer = walk_over(true);
    let Axis { extent: columns, strides: [1] } = outer.inner() else { return sum_lines(x, axes) };
    let mut rows = Vec::new();
    walk_over(false).elements([0], |[at]| rows.push(at));
    let mut out = Vec::with_capacity(outer.axes().iter().map(|axis| axis.extent).product());
    outer.rows([x.offset], |[at]| {
        for column in (0..columns).step_by(WIDTH) {
            let width = WIDTH.min(columns - column);
            let row = |r: usize| &x.elements[at + rows[r] + column..][..width];
            let sums = sum_rows(rows.len(), &row);
            out.extend(sums.into_iter().take(width));
        }
    });
    out
}

fn sum_lines<E: Elementary>(x: View<'_, E>, axes: &[usize]) -> Vec<E> {
    let mut out = Vec::new();
    each_line(x, axes, |line| out.push(sum_of(line)));
    out
}

/// How many columns are summed side by side: 16 lanes of them stay in the first-level cache.
const WIDTH: usize = 32;

/// The sums down up to `WIDTH` columns of `count` rows.
fn sum_rows<'a, E: Elementary>(count: usize, row: &dyn Fn(usize) -> &'a [E]) -> [E; WIDTH] {
    if count <= SB {
        return block_of_rows(0, count, row);
    }
    let blocks = (0..count)
        .step_by(SB)
        .map(|start| block_of_rows(start, SB.min(count - start), row))
        .collect::<Vec<_>>();
    // Columns past the width hold the sums of nothing.
    sum_rows(blocks.len(), &|r| &blocks[r][..])
}

fn block_of_rows<'a, E: Elementary>(
    start: usize,
    count: usize,
    row: &dyn Fn(usize) -> &'a [E],
) -> [E; WIDTH] {
    let mut lanes: [[E; WIDTH]; LANES] = from_fn(|_| from_fn(|_| E::zero()));
    for r in 0..count {
        let lane = &mut lanes[r % LANES];
        let row = row(start + r);
        if let Ok(row) = <&[E; WIDTH]>::try_from(row) {
            for column in 0..WIDTH {
                lane[column] = lane[column].add(&row[column]);
            }
        } else {
            for (sum, x) in lane.iter_mut().zip(row) {
                *sum = sum.add(x);
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
