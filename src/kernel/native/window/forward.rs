//! The windowed product.

use super::gather::Gather;
use super::padded::Padded;
use super::spread::Spread;
use super::strips::Strips;
use super::{Manner, Width, carve, parts};
use crate::kernel::native::gemm::columns;
use crate::kernel::order::KB;
use crate::kernel::simd::Native;
use crate::kernel::task::Matrix;
use crate::kernel::threads;
use crate::kernel::window::Windows;
use std::ops::Range;

/// What lanes run over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(test), expect(dead_code, reason = "only tests choose"))]
pub(super) enum Across {
    /// Windows: registers are read where the image lies.
    Windows,
    /// Filters, which are packed once.
    Filters,
    /// Whatever takes fewer registers.
    Either,
}

/// `out` `[n, f, oh, ow]` of images `[n, c, h, w]` and weights `[f, c / groups, kh, kw]`.
pub(super) fn forward<E: Native>(
    manner: Manner<'_, E>,
    threads: impl FnOnce() -> usize,
    across: Across,
    windows: &Windows,
    [images, weights]: [&[E]; 2],
    out: &mut [E],
) {
    let (groups, positions) = (windows.window.groups, windows.positions());
    if windows.depth() == 0 || out.is_empty() {
        out.fill(E::zero());
        return manner.finished(0, out);
    }
    let parts = parts(windows.operations(), threads);
    let wholes = windows.images * groups;
    let splits = parts.div_ceil(wholes);
    let mut items = Vec::with_capacity(wholes * splits);
    let mut start = 0;
    for (index, mut rest) in out.chunks_exact_mut(windows.filters * positions).enumerate() {
        for filters in threads::bounds(windows.filters, splits, 4) {
            let (out, after) = std::mem::take(&mut rest).split_at_mut(filters.len() * positions);
            rest = after;
            let (image, group, length) = (index / groups, index % groups, out.len());
            items.push(Item { image, group, filters, start, out });
            start += length;
        }
    }
    // Neighbours share packed filters.
    items.sort_by_key(|item| (item.group, item.filters.start));
    let mut work = Vec::with_capacity(parts);
    for bounds in threads::bounds(items.len(), parts, 1).into_iter().rev() {
        let items = items.split_off(bounds.start);
        work.push(items);
    }
    let run = |items| run(manner, across, windows, [images, weights], items);
    threads::each(work, run);
}

/// Some filters of a group on one image.
struct Item<'o, E> {
    image: usize,
    group: usize,
    filters: Range<usize>,
    /// Where its results start in the whole.
    start: usize,
    out: &'o mut [E],
}

fn run<E: Native>(
    manner: Manner<'_, E>,
    across: Across,
    windows: &Windows,
    [images, weights]: [&[E]; 2],
    items: Vec<Item<'_, E>>,
) {
    let Manner { level, fast, .. } = manner;
    let (depth, positions) = (windows.depth(), windows.positions());
    let most = items.iter().map(|item| item.filters.len()).max().unwrap_or(0);
    let lanes = E::at(level, Width);
    let padded = Padded::new(windows, windows.channels);
    let offsets = padded.offsets();
    let distance = padded.base([1, 0]);
    let together = windows.window.step[0] == 1;
    let strips = Strips::new(windows.outputs, distance, together, most, lanes);
    let width = most.next_multiple_of(lanes);
    let by_filters = positions * (width / lanes) * depth + 2 * positions * most;
    let by_windows = strips.all * most * depth;
    let filters = match across {
        Across::Windows => false,
        Across::Filters => true,
        Across::Either => by_filters < by_windows,
    };
    // Registers may be read past the last window; what they hold there is dropped.
    let size = padded.size() + lanes;
    let bases = if filters { padded.bases() } else { Vec::new() };
    let band = (8192 / width).next_multiple_of(6);
    let (packed, sums) =
        if filters { (depth * width, band * width) } else { (0, strips.sums(most)) };
    let mut scratch = E::take_scratch();
    let [image, packed, sums] = carve(&mut scratch, [size, packed, sums]);
    image.fill(E::exact(0.0));
    let plane = windows.plane();
    let mut last = None;
    for item in items {
        let first = (item.image * windows.window.groups + item.group) * windows.channels * plane;
        padded.fill(&images[first..][..windows.channels * plane], image);
        let row = item.group * windows.filters + item.filters.start;
        let weights = &weights[row * depth..][..item.filters.len() * depth];
        if !filters {
            strips.each(level, sums, item.out, |start, strips, stride, out| {
                let image = &image[start..];
                let ats = &offsets[..];
                E::at(level, Spread { weights, image, strips, ats, stride, fast, out });
            });
            manner.finished(item.start, item.out);
            continue;
        }
        let count = item.filters.len();
        let width = count.next_multiple_of(lanes);
        if last != Some(row) {
            let matrix = Matrix::new(weights, 1, depth);
            columns(&matrix, [0, depth], [0, count, width], packed);
            last = Some(row);
        }
        for (band_index, bases) in bases.chunks(band).enumerate() {
            let sums = &mut sums[..bases.len() * width];
            for start in (0..depth).step_by(KB) {
                let ats = &offsets[start..depth.min(start + KB)];
                let right = &packed[start * width..];
                let (first, out) = (start == 0, &mut *sums);
                E::at(level, Gather { image, bases, ats, right, width, first, fast, out });
            }
            let at = band_index * band;
            for (filter, out) in item.out.chunks_exact_mut(positions).enumerate() {
                let sums = sums[filter..].iter().step_by(width);
                out[at..].iter_mut().zip(sums).for_each(|(to, sum)| *to = *sum);
            }
        }
        manner.finished(item.start, item.out);
    }
    E::put_scratch(scratch);
}
