//! The gradient of a windowed product's weights.

use super::classes::{Run, of_positions};
use super::gather::Gather;
use super::padded::Padded;
use super::{Across, Manner, Width, carve, finite, parts, periods, turn};
use crate::kernel::order::KB;
use crate::kernel::simd::{Level, Native};
use crate::kernel::threads;
use crate::kernel::window::Windows;
use std::ops::Range;

/// `out` `[f, c / groups, kh, kw]` of images `[n, c, h, w]` and the cotangent `[n, f, oh, ow]`.
///
/// BITS: the product of windows, transposed, and the cotangent: a sum runs over (n, oh, ow), its
/// blocks across the ends of rows and images.
pub(super) fn weights_gradient<E: Native>(
    manner: Manner<'_, E>,
    threads: impl FnOnce() -> usize,
    across: Across,
    windows: &Windows,
    [images, cotangent]: [&[E]; 2],
    out: &mut [E],
) {
    let depth = windows.depth();
    if out.is_empty() || windows.images * windows.positions() == 0 {
        return out.fill(E::zero());
    }
    let parts = parts(windows.operations(), threads);
    let classes = classes(manner.level, windows, cotangent);
    let taps = windows.size[0] * windows.size[1];
    // Channels where there are enough of them, as each part then pads only its own.
    let splits = parts.div_ceil(windows.window.groups);
    let (by_channels, by_filters) =
        if windows.channels >= splits { (splits, 1) } else { (1, splits) };
    let mut work = Vec::new();
    for (group, out) in out.chunks_exact_mut(windows.filters * depth).enumerate() {
        let mut rest: Vec<&mut [E]> = out.chunks_exact_mut(depth).collect();
        for filters in threads::bounds(windows.filters, by_filters, 8) {
            let after = rest.split_off(filters.len());
            let mut rows = std::mem::replace(&mut rest, after);
            for channels in threads::bounds(windows.channels, by_channels, 1) {
                let (part, after) =
                    rows.into_iter().map(|row| row.split_at_mut(channels.len() * taps)).unzip();
                rows = after;
                let filters = filters.clone();
                work.push(Part { group, channels, filters, out: part });
            }
        }
    }
    // Blocks of periods may be split further.
    let within = parts / work.len();
    let run = |part: Part<'_, E>| {
        let mut scratch = E::take_scratch();
        let extents = [part.channels.len(), part.filters.len()];
        let by_periods = match across {
            Across::Images => true,
            Across::Either => periods::pays::<E>(manner.level, windows, extents),
            _ => false,
        };
        if by_periods && periods::fits(windows) {
            periods::run(manner, within, windows, [images, cotangent], part, &mut scratch);
        } else {
            run(manner, windows, &classes, [images, cotangent], part, &mut scratch);
        }
        E::put_scratch(scratch);
    };
    threads::each(work, run);
    manner.unsign(out);
}

/// The runs of a window's positions down and across, by the windows that have them on the image.
///
/// BITS: a term in the padding is `+0` or `-0` where the cotangent is finite, and changes no sum.
/// COST: few channels make tiles of few rows.
fn classes<E: Native>(level: Level, windows: &Windows, cotangent: &[E]) -> [Vec<Run>; 2] {
    let padded = windows.window.padding != [[0, 0]; 2];
    if padded && windows.channels >= 4 && finite(level, cotangent) {
        takes!("weights by their terms");
        return [0, 1].map(|axis| of_positions(windows, axis));
    }
    [0, 1].map(|axis| Run::whole(windows.size[axis], windows.outputs[axis]))
}

/// Some filters' weights of some channels of a group.
pub(super) struct Part<'o, E> {
    pub(super) group: usize,
    pub(super) channels: Range<usize>,
    pub(super) filters: Range<usize>,
    /// A row for each filter.
    pub(super) out: Vec<&'o mut [E]>,
}

fn run<E: Native>(
    manner: Manner<'_, E>,
    windows: &Windows,
    classes: &[Vec<Run>; 2],
    [images, cotangent]: [&[E]; 2],
    mut part: Part<'_, E>,
    scratch: &mut Vec<E>,
) {
    let Manner { level, fast, .. } = manner;
    let (positions, plane, groups) = (windows.positions(), windows.plane(), windows.window.groups);
    let padded = Padded::new(windows, part.channels.len());
    let offsets = padded.offsets();
    let lanes = E::at(level, Width);
    let narrow = part.filters.len() <= lanes / 2;
    let level = if narrow { level.narrower() } else { level };
    let width = part.filters.len().next_multiple_of(E::at(level, Width));
    // As many images as a block of terms can touch.
    let slots = ((KB - 1).div_ceil(positions) + 1).min(windows.images);
    let size = padded.size();
    let lengths = [slots * size, KB * width, offsets.len() * width];
    let [ring, right, sums] = carve(scratch, lengths);
    ring.fill(E::exact(0.0));
    // Lanes past the filters stay zeros.
    right.fill(E::exact(0.0));
    let total = windows.images * positions;
    let rows = rows(windows, classes, &offsets, width);
    let mut terms = vec![Vec::with_capacity(KB); rows.len()];
    let mut filled = 0;
    for start in (0..total).step_by(KB) {
        let end = total.min(start + KB);
        terms.iter_mut().for_each(Vec::clear);
        let mut at = start;
        while at < end {
            let (image, position) = (at / positions, at % positions);
            let slot = image % slots * size;
            if image == filled {
                let first = (image * groups + part.group) * windows.channels + part.channels.start;
                let channels = &images[first * plane..][..part.channels.len() * plane];
                padded.fill(channels, &mut ring[slot..][..size]);
                filled += 1;
            }
            let count = (positions - position).min(end - at);
            let run = position..position + count;
            extend(&mut terms, windows, classes, run, |[i, j]| {
                let term = at - start + i * windows.outputs[1] + j - position;
                [slot + padded.base([i, j]), term * width]
            });
            let filter = (image * groups + part.group) * windows.filters + part.filters.start;
            let from = &cotangent[filter * positions + position..];
            let to = &mut right[(at - start) * width..];
            turn(level, [count, part.filters.len()], from, positions, (to, width));
            at += count;
        }
        for (rows, terms) in rows.iter().zip(&terms) {
            let (image, right, first, out) = (&*ring, &*right, start == 0, &mut *sums);
            E::at(level, Gather { image, rows, terms, right, width, first, fast, out });
        }
    }
    for (filter, row) in part.out.iter_mut().enumerate() {
        row.iter_mut().zip(sums[filter..].iter().step_by(width)).for_each(|(to, sum)| *to = *sum);
    }
}

/// The weights of a filter of each class: where they are in an image, and in rows of `width`.
fn rows(
    windows: &Windows,
    [down, across]: &[Vec<Run>; 2],
    offsets: &[usize],
    width: usize,
) -> Vec<Vec<[usize; 2]>> {
    let [kh, kw] = windows.size;
    let mut rows = Vec::with_capacity(down.len() * across.len());
    for class in down {
        for columns in across {
            let mut list = Vec::new();
            for channel in 0..offsets.len() / (kh * kw) {
                for p in class.members.clone() {
                    let first = (channel * kh + p) * kw;
                    list.extend(
                        columns.members.clone().map(|q| [offsets[first + q], (first + q) * width]),
                    );
                }
            }
            rows.push(list);
        }
    }
    rows
}

/// Adds, to the terms of each class, those windows of a run of them that it has.
fn extend(
    terms: &mut [Vec<[usize; 2]>],
    windows: &Windows,
    [down, across]: &[Vec<Run>; 2],
    run: Range<usize>,
    term: impl Fn([usize; 2]) -> [usize; 2],
) {
    let count = windows.outputs[1];
    for i in run.start / count..run.end.div_ceil(count) {
        let (first, last) = (run.start.max(i * count), run.end.min((i + 1) * count));
        let mut terms = terms.iter_mut();
        for rows in down {
            for columns in across {
                let Some(terms) = terms.next() else { return };
                if rows.others.contains(&i) {
                    let from = columns.others.start.max(first - i * count);
                    let to = columns.others.end.min(last - i * count);
                    terms.extend((from..to).map(|j| term([i, j])));
                }
            }
        }
    }
}
