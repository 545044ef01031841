//! Sums with the sixteen lanes side by side.
//!
//! BITS: the lanes of the sum rule are independent, so that sixteen accumulators (or, for sums
//! down a column, sixteen rows of accumulators) do the very additions of `reference::sum`.

use super::lines::{Lines, kept, trailing};
use crate::kernel::memory::Block;
use crate::kernel::order::{LANES, SB};
use crate::kernel::reference::View;
use crate::kernel::simd::Level;
use crate::kernel::{Elementary, ReduceTask, Reduction, scratch, threads};
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
pub(super) fn lines<E: Elementary>(elements: &[E], length: usize, sums: &mut [E]) {
    let reduction = Reduction::Sum;
    if E::reduce(&mut ReduceTask { reduction, elements, length, out: &mut *sums }) {
        return;
    }
    sums.iter_mut().zip(elements.chunks(length)).for_each(|(sum, line)| *sum = block(line));
}

fn block<E: Elementary>(elements: &[E]) -> E {
    let mut lanes: [E; LANES] = from_fn(|_| E::zero());
    sum_into_lanes(&mut lanes, 0, elements);
    sum_of_lanes(lanes)
}

/// Adds elements of a block, from position `at`, each to its lane.
pub(super) fn sum_into_lanes<E: Elementary>(lanes: &mut [E; LANES], at: usize, mut elements: &[E]) {
    if !at.is_multiple_of(LANES) {
        let head = elements.len().min(LANES - at % LANES);
        let (first, others) = elements.split_at(head);
        lanes[at % LANES..].iter_mut().zip(first).for_each(|(lane, x)| *lane = lane.add(x));
        elements = others;
    }
    let (rows, rest) = elements.as_chunks::<LANES>();
    Level::best().compiled(
        #[inline(always)]
        || {
            let mut sums = lanes.clone();
            for row in rows {
                for l in 0..LANES {
                    sums[l] = sums[l].add(&row[l]);
                }
            }
            *lanes = sums;
        },
    );
    for (lane, x) in lanes.iter_mut().zip(rest) {
        *lane = lane.add(x);
    }
}

/// The lanes of a block, joined by the tree.
pub(super) fn sum_of_lanes<E: Elementary>(mut lanes: [E; LANES]) -> E {
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
pub(crate) fn sum<E: Elementary>(x: View<'_, E>, axes: &[usize]) -> Block<E> {
    let mut out = Block::stale(kept(x.extents, axes));
    sum_into(x, axes, &mut out);
    out
}

/// As `reference::sum`, into a result of one element a line.
pub(crate) fn sum_into<E: Elementary>(x: View<'_, E>, axes: &[usize], out: &mut [E]) {
    if let Some((elements, length)) = trailing(x, axes) {
        if length > SB {
            out.iter_mut().zip(elements.chunks(length)).for_each(|(sum, x)| *sum = sum_of(x));
            return;
        }
        let parts = threads::parts_here(elements.len(), usize::MAX);
        if parts == 1 {
            return lines(elements, length, out);
        }
        let each = out.len().div_ceil(parts).max(1);
        let work = out.chunks_mut(each).zip(elements.chunks(each * length)).collect();
        return threads::each(work, |(sums, elements)| lines(elements, length, sums));
    }
    let lines = Lines::new(x, axes);
    let Some(columns) = lines.columns() else {
        return lines.reduced(out, sum_of);
    };
    takes!("sums down columns");
    columns.reduced(out, |elements, out| {
        let together = columns.together && out.len() <= WIDTH && out.len() == columns.width;
        scratch::with_list(|lanes| {
            for (group, out) in out.chunks_mut(WIDTH).enumerate() {
                let elements = elements.get(group * WIDTH..).unwrap_or_default();
                sum_rows(elements, &columns.rows, together, lanes, out);
            }
        });
    });
}

/// How many columns are summed side by side: sixteen lanes of them stay in the second-level cache.
const WIDTH: usize = 2048;

/// The sums down the first columns of rows that start at `rows`: `together` where they lie behind
/// one another and are nothing but these columns.
fn sum_rows<E: Elementary>(
    elements: &[E],
    rows: &[usize],
    together: bool,
    lanes: &mut Vec<E>,
    out: &mut [E],
) {
    let (width, level) = (out.len(), Level::best());
    lanes.resize(LANES * width, E::zero());
    let mut block = |rows: &[usize], out: &mut [E]| {
        level.compiled(
            #[inline(always)]
            || block_of_rows(elements, rows, together, &mut lanes[..], out),
        );
    };
    if rows.len() <= SB {
        return block(rows, out);
    }
    let mut blocks = vec![E::zero(); rows.len().div_ceil(SB) * width];
    rows.chunks(SB).zip(blocks.chunks_exact_mut(width)).for_each(|(rows, out)| block(rows, out));
    let rows = (0..blocks.len()).step_by(width).collect::<Vec<_>>();
    sum_rows(&blocks, &rows, true, lanes, out);
}

/// Rows of a lane that are added before the next lane's.
const DEEP: usize = 4;

/// Adds the runs that start at `starts` to sums that are `+0` whatever they hold, run after run.
///
/// COST: a sum is loaded and stored once for four elements, and what is `+0` is not loaded at all.
#[inline(always)]
fn sum_runs<E: Elementary>(
    elements: &[E],
    mut starts: impl ExactSizeIterator<Item = usize>,
    sums: &mut [E],
) {
    let width = sums.len();
    if starts.len() < DEEP {
        sums.fill(E::zero());
    } else {
        let [a, b, c, d] = runs(elements, &mut starts, width);
        for i in 0..width {
            sums[i] = E::zero().add(&a[i]).add(&b[i]).add(&c[i]).add(&d[i]);
        }
    }
    add_runs(elements, starts, sums);
}

/// The next four runs.
#[inline(always)]
fn runs<'a, E>(
    elements: &'a [E],
    starts: &mut impl Iterator<Item = usize>,
    width: usize,
) -> [&'a [E]; DEEP] {
    let mut runs = [&elements[..0]; DEEP];
    for run in &mut runs {
        let start = starts.next().expect("invariant: as many as there are");
        *run = &elements[start..][..width];
    }
    runs
}

/// Adds the runs that start at `starts` to the sums, run after run.
///
/// COST: a sum is loaded and stored once for four elements.
#[inline(always)]
fn add_runs<E: Elementary>(
    elements: &[E],
    mut starts: impl ExactSizeIterator<Item = usize>,
    sums: &mut [E],
) {
    let width = sums.len();
    while starts.len() >= DEEP {
        let [a, b, c, d] = runs(elements, &mut starts, width);
        for i in 0..width {
            sums[i] = sums[i].add(&a[i]).add(&b[i]).add(&c[i]).add(&d[i]);
        }
    }
    for start in starts {
        let run = &elements[start..][..width];
        for i in 0..width {
            sums[i] = sums[i].add(&run[i]);
        }
    }
}

/// BITS: lane `l` of a column is element `l * width` and on of `lanes`; row `r` goes to lane
/// `r mod 16`, and every lane starts at `+0`.
#[inline(always)]
fn block_of_rows<E: Elementary>(
    elements: &[E],
    rows: &[usize],
    together: bool,
    lanes: &mut [E],
    out: &mut [E],
) {
    let width = out.len();
    if together && let Some(first) = rows.first() {
        // Sixteen rows are one run, and so are the lanes.
        let elements = &elements[*first..][..rows.len() * width];
        let whole = elements.len() / lanes.len() * lanes.len();
        let starts = (0..whole).step_by(lanes.len());
        sum_runs(elements, starts, lanes);
        let rest = &elements[whole..];
        lanes.iter_mut().zip(rest).for_each(|(sum, x)| *sum = sum.add(x));
    } else {
        lanes.fill(E::zero());
        for rows in rows.chunks(LANES * DEEP) {
            for (l, lane) in lanes.chunks_exact_mut(width).enumerate().take(rows.len()) {
                add_runs(elements, rows[l..].iter().step_by(LANES).copied(), lane);
            }
        }
    }
    let mut half = LANES / 2;
    while half > 0 {
        let (low, high) = lanes[..2 * half * width].split_at_mut(half * width);
        low.iter_mut().zip(high).for_each(|(low, high)| *low = low.add(high));
        half /= 2;
    }
    out.clone_from_slice(&lanes[..width]);
}
