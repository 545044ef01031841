//! The gradient of a windowed product's weights.

use super::gather::Gather;
use super::padded::Padded;
use super::{Manner, Width, carve, parts};
use crate::kernel::order::KB;
use crate::kernel::simd::Native;
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
    windows: &Windows,
    [images, cotangent]: [&[E]; 2],
    out: &mut [E],
) {
    let depth = windows.depth();
    if out.is_empty() || windows.images * windows.positions() == 0 {
        return out.fill(E::zero());
    }
    let parts = parts(windows.operations(), threads);
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
    let run = |part: Part<'_, E>| {
        let mut scratch = E::take_scratch();
        run(manner, windows, [images, cotangent], part, &mut scratch);
        E::put_scratch(scratch);
    };
    if parts == 1 {
        return work.into_iter().for_each(run);
    }
    threads::each(work, run);
}

/// Some filters' weights of some channels of a group.
struct Part<'o, E> {
    group: usize,
    channels: Range<usize>,
    filters: Range<usize>,
    /// A row for each filter.
    out: Vec<&'o mut [E]>,
}

fn run<E: Native>(
    manner: Manner<'_, E>,
    windows: &Windows,
    [images, cotangent]: [&[E]; 2],
    mut part: Part<'_, E>,
    scratch: &mut Vec<E>,
) {
    let Manner { level, fast, .. } = manner;
    let (positions, plane, groups) = (windows.positions(), windows.plane(), windows.window.groups);
    let padded = Padded::new(windows, part.channels.len());
    let (terms, starts) = (padded.offsets(), padded.bases());
    let lanes = E::at(level, Width);
    let narrow = part.filters.len() <= lanes / 2;
    let level = if narrow { level.narrower() } else { level };
    let width = part.filters.len().next_multiple_of(E::at(level, Width));
    // As many images as a block of terms can touch.
    let slots = ((KB - 1).div_ceil(positions) + 1).min(windows.images);
    let size = padded.size();
    let lengths = [slots * size, KB * width, terms.len() * width];
    let [ring, right, sums] = carve(scratch, lengths);
    ring.fill(E::exact(0.0));
    // Lanes past the filters stay zeros.
    right.fill(E::exact(0.0));
    let total = windows.images * positions;
    let mut ats = Vec::with_capacity(KB);
    let mut filled = 0;
    for start in (0..total).step_by(KB) {
        let end = total.min(start + KB);
        ats.clear();
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
            ats.extend(starts[position..][..count].iter().map(|start| slot + start));
            let filter = (image * groups + part.group) * windows.filters + part.filters.start;
            let from = &cotangent[filter * positions..];
            let to = &mut right[(at - start) * width..][..count * width];
            level.compiled(
                #[inline(always)]
                || transpose(from, [positions, position], part.filters.len(), to, width),
            );
            at += count;
        }
        let (image, bases, first) = (&*ring, &terms[..], start == 0);
        let ats = &ats[..];
        E::at(level, Gather { image, bases, ats, right, width, first, fast, out: sums });
    }
    for (filter, row) in part.out.iter_mut().enumerate() {
        row.iter_mut().zip(sums[filter..].iter().step_by(width)).for_each(|(to, sum)| *to = *sum);
    }
}

/// Rows of `from`, `pitch` apart, from `first` on become columns of `to`, rows of `width`: eight at a
/// time, so that a line of `to` is written while it is near.
#[inline(always)]
fn transpose<E: Native>(
    from: &[E],
    [pitch, first]: [usize; 2],
    rows: usize,
    to: &mut [E],
    width: usize,
) {
    let count = to.len() / width;
    let line = |row: usize| &from[row.min(rows - 1) * pitch + first..][..count];
    // Lanes past the last row are dropped, whatever they hold.
    let wide =
        if rows.next_multiple_of(8) <= width { rows.next_multiple_of(8) } else { rows / 8 * 8 };
    for row in (0..wide).step_by(8) {
        let lines: [&[E]; 8] = std::array::from_fn(|i| line(row + i));
        for (t, to) in to.chunks_exact_mut(width).enumerate() {
            let to = &mut to[row..][..8];
            for i in 0..8 {
                to[i] = lines[i][t];
            }
        }
    }
    for row in wide..rows {
        to[row..].iter_mut().step_by(width).zip(line(row)).for_each(|(to, x)| *to = *x);
    }
}
