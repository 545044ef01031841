//! Pools: the maximum and the mean of each window.

use super::{carve, pairs, parts};
use crate::kernel::Elementary;
use crate::kernel::native::sum::sum_of;
use crate::kernel::order::{LANES, SB};
use crate::kernel::simd::{Level, Native};
use crate::kernel::threads;
use crate::kernel::window::Windows;

/// `out` `[n, c, oh, ow]`: the maximum of each window of images `[n, c, h, w]`, none of which lies
/// wholly in the padding.
///
/// BITS: any tree of maxima gives the same bits, and `-inf` changes none: the padding is left out.
pub(crate) fn max_pool<E: Native>(
    level: Level,
    threads: impl FnOnce() -> usize,
    windows: &Windows,
    images: &[E],
    out: &mut [E],
) {
    by_planes::<E, true>(level, threads, windows, images, out);
}

/// `out` `[n, c, oh, ow]`: the mean of each window of images `[n, c, h, w]`, zeros round them.
///
/// BITS: `sum / count`, the sum by the sum rule over the window in row-major order.
#[cfg_attr(not(test), expect(dead_code, reason = "for plans: the tape records the chain"))]
pub(crate) fn average_pool<E: Native>(
    level: Level,
    threads: impl FnOnce() -> usize,
    windows: &Windows,
    images: &[E],
    out: &mut [E],
) {
    by_planes::<E, false>(level, threads, windows, images, out);
}

/// COST: plain operations that an element of a window takes.
const COST: usize = 4;

/// Pools channel by channel, on several threads where that is worth it.
fn by_planes<E: Native, const MAX: bool>(
    level: Level,
    threads: impl FnOnce() -> usize,
    windows: &Windows,
    images: &[E],
    out: &mut [E],
) {
    let (plane, positions) = (windows.plane(), windows.positions());
    if out.is_empty() {
        return;
    }
    let planes = out.len() / positions;
    let read = (planes * plane).max(out.len().saturating_mul(windows.size[0] * windows.size[1]));
    let parts = parts(read.saturating_mul(COST), threads);
    let mut rest = out;
    let mut work = Vec::with_capacity(parts);
    for bounds in threads::bounds(planes, parts, 1) {
        let (out, after) = rest.split_at_mut(bounds.len() * positions);
        rest = after;
        work.push((&images[bounds.start * plane..bounds.end * plane], out));
    }
    threads::each(work, |(images, out)| pooled::<E, MAX>(level, windows, images, out));
}

/// Pools channel by channel on this thread.
fn pooled<E: Native, const MAX: bool>(
    level: Level,
    windows: &Windows,
    images: &[E],
    out: &mut [E],
) {
    if pairs::fits(windows) {
        let pool = if MAX { pairs::max } else { pairs::mean };
        return pool(level, windows, images, out);
    }
    level.compiled(
        #[inline(always)]
        || pool::<E, MAX>(windows, images, out),
    );
}

/// The columns of windows whose position `q` lies on the image, and where it lies for the first.
pub(super) fn inside(windows: &Windows, q: usize) -> (std::ops::Range<usize>, usize) {
    let (step, left) = (windows.window.step[1], windows.window.padding[1][0]);
    let shift = q * windows.window.dilation[1];
    let first = left.saturating_sub(shift).div_ceil(step);
    let end = (left + windows.extents[1]).saturating_sub(shift).div_ceil(step);
    let end = end.min(windows.outputs[1]);
    (first..end.max(first), (first * step + shift).wrapping_sub(left))
}

#[inline(always)]
fn pool<E: Native, const MAX: bool>(windows: &Windows, images: &[E], out: &mut [E]) {
    let [down, across] = windows.outputs;
    let (plane, elements) = (windows.plane(), windows.size[0] * windows.size[1]);
    let columns: Vec<_> = (0..windows.size[1]).map(|q| inside(windows, q)).collect();
    let mut scratch = E::take_scratch();
    let lengths = [windows.extents[1], elements.min(LANES) * across];
    let [line, sums] = carve(&mut scratch, lengths);
    for (channel, out) in out.chunks_exact_mut(down * across).enumerate() {
        let plane = &images[channel * plane..][..plane];
        for (i, out) in out.chunks_exact_mut(across).enumerate() {
            if MAX {
                max_row(windows, plane, i, &columns, line, out);
            } else if elements <= SB {
                mean_row(windows, plane, i, &columns, sums, out);
            } else {
                means(windows, plane, i, out);
            }
        }
    }
    E::put_scratch(scratch);
}

/// Row `p` of windows `i`, where it lies on the image.
#[inline(always)]
pub(super) fn row_of<'a, E>(
    windows: &Windows,
    plane: &'a [E],
    i: usize,
    p: usize,
) -> Option<&'a [E]> {
    let [height, width] = windows.extents;
    let row = i * windows.window.step[0] + p * windows.window.dilation[0];
    let row = row.wrapping_sub(windows.window.padding[0][0]);
    (row < height).then(|| &plane[row * width..][..width])
}

type Columns = [(std::ops::Range<usize>, usize)];

/// Rows first, in whole registers; then the columns of what is left.
#[inline(always)]
fn max_row<E: Native>(
    windows: &Windows,
    plane: &[E],
    i: usize,
    columns: &Columns,
    line: &mut [E],
    out: &mut [E],
) {
    let mut rows = (0..windows.size[0]).filter_map(|p| row_of(windows, plane, i, p));
    let Some(first) = rows.next() else { return out.fill(Elementary::neg(&E::INFINITE)) };
    line.copy_from_slice(first);
    for row in rows {
        line.iter_mut().zip(row).for_each(|(max, x)| *max = max.maximum(x));
    }
    let step = windows.window.step[1];
    out.fill(Elementary::neg(&E::INFINITE));
    for (range, at) in columns {
        if range.is_empty() {
            continue;
        }
        let (out, from) = (&mut out[range.clone()], &line[*at..]);
        match step {
            1 => out.iter_mut().zip(from).for_each(|(max, x)| *max = max.maximum(x)),
            2 => strided::<E, 2>(
                out,
                from,
                #[inline(always)]
                |max, x| max.maximum(x),
            ),
            _ => {
                let from = from.iter().step_by(step);
                out.iter_mut().zip(from).for_each(|(max, x)| *max = max.maximum(x));
            }
        }
    }
}

/// Every `N`th element; a form that compilers vectorise.
#[inline(always)]
fn strided<E: Native, const N: usize>(out: &mut [E], from: &[E], f: impl Fn(&E, &E) -> E) {
    let (chunks, rest) = from.as_chunks::<N>();
    let whole = chunks.len().min(out.len());
    let (most, last) = out.split_at_mut(whole);
    most.iter_mut().zip(chunks).for_each(|(to, chunk)| *to = f(to, &chunk[0]));
    // The last chunk may be a part of one.
    last.iter_mut().zip(rest).for_each(|(to, x)| *to = f(to, x));
}

/// BITS: element `e` of a window goes to lane `e mod 16`; zeros of the padding change no lane, as
/// none is ever `-0`.
#[inline(always)]
fn mean_row<E: Native>(
    windows: &Windows,
    plane: &[E],
    i: usize,
    columns: &Columns,
    sums: &mut [E],
    out: &mut [E],
) {
    let across = out.len();
    let step = windows.window.step[1];
    sums.fill(E::exact(0.0));
    for p in 0..windows.size[0] {
        let Some(row) = row_of(windows, plane, i, p) else { continue };
        for (q, (range, at)) in columns.iter().enumerate() {
            if range.is_empty() {
                continue;
            }
            let lane = (p * windows.size[1] + q) % LANES;
            let (lane, from) = (&mut sums[lane * across..][range.clone()], &row[*at..]);
            match step {
                1 => lane.iter_mut().zip(from).for_each(|(sum, x)| *sum = sum.add(x)),
                2 => strided::<E, 2>(
                    lane,
                    from,
                    #[inline(always)]
                    |sum, x| sum.add(x),
                ),
                _ => {
                    let from = from.iter().step_by(step);
                    lane.iter_mut().zip(from).for_each(|(sum, x)| *sum = sum.add(x));
                }
            }
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        let present = sums.len() / across;
        let (low, high) = sums.split_at_mut(width.min(present) * across);
        low.iter_mut().zip(high).for_each(|(low, high)| *low = low.add(high));
        width /= 2;
    }
    let count = E::from_f64((windows.size[0] * windows.size[1]) as f64);
    out.iter_mut().zip(sums).for_each(|(mean, sum)| *mean = sum.div(&count));
}

/// Windows of more than one block of a sum.
fn means<E: Native>(windows: &Windows, plane: &[E], i: usize, out: &mut [E]) {
    let [kh, kw] = windows.size;
    let count = E::from_f64((kh * kw) as f64);
    let mut elements = vec![E::exact(0.0); kh * kw];
    for (j, mean) in out.iter_mut().enumerate() {
        for (p, line) in elements.chunks_exact_mut(kw).enumerate() {
            let row = row_of(windows, plane, i, p);
            for (q, element) in line.iter_mut().enumerate() {
                let column = j * windows.window.step[1] + q * windows.window.dilation[1];
                let column = column.wrapping_sub(windows.window.padding[1][0]);
                let x = row.and_then(|row| row.get(column));
                *element = x.copied().unwrap_or(E::exact(0.0));
            }
        }
        *mean = sum_of(&elements).div(&count);
    }
}
