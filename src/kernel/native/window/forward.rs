//! The windowed product.

use super::classes::Run;
use super::padded::Padded;
use super::spread::Spread;
use super::strips::Strips;
use super::{Across, Manner, Width, carve, filters, finite, parts, sorted};
use crate::kernel::simd::Native;
use crate::kernel::threads;
use crate::kernel::window::Windows;
use std::ops::Range;

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
    let mut items = sorted(items, Item::of);
    let mut work = Vec::with_capacity(parts);
    for bounds in threads::bounds(items.len(), parts, 1).into_iter().rev() {
        let items = items.split_off(bounds.start);
        work.push(items);
    }
    let padded = windows.window.padding != [[0, 0]; 2];
    let classes = filters::classes(windows, padded && finite(manner.level, weights));
    let run = |items| run(manner, across, windows, &classes, [images, weights], items);
    threads::each(work, run);
}

/// Some filters of a group on one image.
pub(super) struct Item<'o, E> {
    pub(super) image: usize,
    pub(super) group: usize,
    pub(super) filters: Range<usize>,
    /// Where its results start in the whole.
    pub(super) start: usize,
    pub(super) out: &'o mut [E],
}

impl<E> Item<'_, E> {
    /// What items that need the same weights have in common.
    pub(super) fn of(&self) -> [usize; 2] {
        [self.group, self.filters.start]
    }
}

fn run<E: Native>(
    manner: Manner<'_, E>,
    across: Across,
    windows: &Windows,
    classes: &[Vec<Run>; 2],
    [images, weights]: [&[E]; 2],
    items: Vec<Item<'_, E>>,
) {
    let Manner { level, fast, .. } = manner;
    let (depth, positions) = (windows.depth(), windows.positions());
    let most = items.iter().map(|item| item.filters.len()).max().unwrap_or(0);
    let lanes = E::at(level, Width);
    let padded = Padded::new(windows, windows.channels);
    let distance = padded.base([1, 0]);
    let together = windows.window.step[0] == 1;
    let strips = Strips::new(windows.outputs, distance, together, most, lanes);
    let terms = Run::all(&classes[0]) * Run::all(&classes[1]) * windows.channels;
    let by_filters = terms * most.div_ceil(lanes) + 2 * positions * most;
    let by_windows = strips.all * most * depth;
    let filters = match across {
        Across::Windows | Across::Images => false,
        Across::Channels => true,
        Across::Either => by_filters < by_windows,
    };
    if filters {
        return filters::run(manner, windows, classes, [images, weights], items);
    }
    // Registers may be read past the last window; what they hold there is dropped.
    let lengths = [padded.size() + lanes, strips.sums(most)];
    let offsets = padded.offsets();
    let mut scratch = E::take_scratch();
    let [image, sums] = carve(&mut scratch, lengths);
    image.fill(E::exact(0.0));
    let plane = windows.plane();
    for item in items {
        let first = (item.image * windows.window.groups + item.group) * windows.channels * plane;
        padded.fill(&images[first..][..windows.channels * plane], image);
        let row = item.group * windows.filters + item.filters.start;
        let weights = &weights[row * depth..][..item.filters.len() * depth];
        strips.each(level, sums, item.out, |start, strips, stride, out| {
            let image = &image[start..];
            let ats = &offsets[..];
            E::at(level, Spread { weights, image, strips, ats, stride, fast, out });
        });
        manner.finished(item.start, item.out);
    }
    E::put_scratch(scratch);
}
