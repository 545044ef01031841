//! The gradient of a windowed product's images.

use super::adjoint::Adjoint;
use super::strips::Strips;
use super::{Across, Manner, Width, carve, channels, finite, parts, sorted, stacked};
use crate::kernel::Numerics;
use crate::kernel::native::gemm::gemm_at;
use crate::kernel::order::KB;
use crate::kernel::simd::{Level, Native};
use crate::kernel::task::{GemmTask, Matrix};
use crate::kernel::threads;
use crate::kernel::window::Windows;
use std::ops::Range;

/// `out` `[n, c, h, w]` of weights `[f, c / groups, kh, kw]` and the cotangent `[n, f, oh, ow]`.
///
/// BITS: `fold(fold(g W'))`: products over the filters of a group, added per column of windows
/// first and per row of windows then, each ascending from `+0`.
pub(super) fn images_gradient<E: Native>(
    manner: Manner<'_, E>,
    threads: impl FnOnce() -> usize,
    across: Across,
    windows: &Windows,
    [weights, cotangent]: [&[E]; 2],
    out: &mut [E],
) {
    if out.is_empty() || windows.filters * windows.positions() == 0 {
        out.fill(E::zero());
        return manner.finished(0, out);
    }
    let parts = parts(windows.operations(), threads);
    let groups = windows.window.groups;
    let wholes = windows.images * groups;
    let splits = parts.div_ceil(wholes);
    let mut items = Vec::with_capacity(wholes * splits);
    let mut start = 0;
    for (index, mut rest) in out.chunks_exact_mut(windows.channels * windows.plane()).enumerate() {
        for channels in threads::bounds(windows.channels, splits, 1) {
            let length = channels.len() * windows.plane();
            let (out, after) = std::mem::take(&mut rest).split_at_mut(length);
            rest = after;
            let (image, group) = (index / groups, index % groups);
            items.push(Item { image, group, channels, start, out });
            start += length;
        }
    }
    // Neighbours share packed weights.
    let mut items = sorted(items, Item::of);
    let mut work = Vec::with_capacity(parts);
    for bounds in threads::bounds(items.len(), parts, 1).into_iter().rev() {
        let items = items.split_off(bounds.start);
        work.push(items);
    }
    let plain = windows.window.step == [1, 1] && windows.filters <= KB;
    let most = windows.channels.div_ceil(splits);
    let each = windows.images.div_ceil(parts);
    let by_registers: Walk<'_, E> = by_registers;
    let walks = [
        (by_registers, Across::Windows, cost::<E>(manner.level, windows, most)),
        (channels::run, Across::Channels, channels::cost::<E>(manner.level, windows, most)),
        (stacked::run, Across::Images, stacked::cost::<E>(manner.level, windows, most, each)),
    ];
    let best = walks.iter().min_by_key(|walk| if walk.1 == across { 0 } else { walk.2 });
    let &(mut walk, lanes, _) = best.expect("invariant: there are walks");
    // A window that is not there must contribute nothing: zeros do, unless they meet such weights.
    if !plain || lanes == Across::Windows && !finite(manner.level, weights) {
        walk = by_products;
    }
    threads::each(work, |items| walk(manner, windows, [weights, cotangent], items));
}

type Walk<'o, E> = for<'a> fn(Manner<'a, E>, &Windows, [&'a [E]; 2], Vec<Item<'o, E>>);

/// Multiplications of registers for an image, where lanes run over neighbours in it.
fn cost<E: Native>(level: Level, windows: &Windows, channels: usize) -> usize {
    let strips = strips(windows, channels, E::at(level, Width)).all;
    // COST: registers of neighbours lie in two cache lines each, which takes an eighth more.
    strips * channels * windows.size[0] * windows.size[1] * windows.filters * 9 / 8
}

/// Some channels of a group of an image.
pub(super) struct Item<'o, E> {
    pub(super) image: usize,
    pub(super) group: usize,
    pub(super) channels: Range<usize>,
    /// Where its results start in the whole.
    pub(super) start: usize,
    pub(super) out: &'o mut [E],
}

impl<E> Item<'_, E> {
    /// What items that need the same weights have in common.
    pub(super) fn of(&self) -> [usize; 2] {
        [self.group, self.channels.start]
    }
}

/// Rows of `filters` weights, of rows of `depth`.
pub(super) fn pack<E: Native>(weights: &[E], [filters, depth]: [usize; 2], out: &mut [E]) {
    for (term, row) in out.chunks_exact_mut(filters).enumerate() {
        let from = weights[term..].iter().step_by(depth);
        row.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    }
}

/// How elements of an image lie in registers.
fn strips(windows: &Windows, channels: usize, lanes: usize) -> Strips {
    let pitch = (windows.size[1] - 1) * windows.window.dilation[1] + windows.outputs[1];
    Strips::new(windows.extents, pitch, true, channels, lanes)
}

/// Windows that step by 1, sums of one block and finite weights: nothing but the result is written.
fn by_registers<E: Native>(
    manner: Manner<'_, E>,
    windows: &Windows,
    [weights, cotangent]: [&[E]; 2],
    items: Vec<Item<'_, E>>,
) {
    let Manner { level, fast, .. } = manner;
    let ([down, across], [kh, kw]) = (windows.outputs, windows.size);
    let [gap, dilation] = windows.window.dilation;
    let ([[top, _], [left, _]], groups) = (windows.window.padding, windows.window.groups);
    let (filters, positions, depth) = (windows.filters, windows.positions(), windows.depth());
    let (taps, lanes) = (kh * kw, E::at(level, Width));
    // Zeros above, below and to the left of each filter's cotangent; to the right are the next row's.
    let (above, before) = ((kh - 1) * gap, (kw - 1) * dilation);
    let pitch = before + across;
    let plane = (above + down + above) * pitch;
    let first = (above + top) * pitch + before + left;
    let most = items.iter().map(|item| item.channels.len()).max().unwrap_or(0);
    let strips = strips(windows, most, lanes);
    let lengths = [filters * plane + before + lanes, most * taps * filters, strips.sums(most)];
    let mut scratch = E::take_scratch();
    let [padded, packed, sums] = carve(&mut scratch, lengths);
    padded.fill(E::exact(0.0));
    let mut last = None;
    for Item { image, group, channels, start: at, out } in items {
        let packed = &mut packed[..channels.len() * taps * filters];
        let start = (group * filters * windows.channels + channels.start) * taps;
        if last != Some(start) {
            pack(&weights[start..], [filters, depth], packed);
            last = Some(start);
        }
        let cotangent = &cotangent[(image * groups + group) * filters * positions..];
        level.compiled(
            #[inline(always)]
            || {
                let rows = cotangent[..filters * positions].chunks_exact(across);
                for (row, from) in rows.enumerate() {
                    let at = row / down * plane + (above + row % down) * pitch + before;
                    super::copy(from, &mut padded[at..][..across]);
                }
            },
        );
        let (weights, size, back) = (&*packed, [kh, kw], [gap * pitch, dilation]);
        strips.each(level, sums, out, |start, strips, stride, out| {
            let cotangent = &padded[first + start - above * pitch - before..];
            // Strips start at a position; they read back from there.
            let strips: Vec<usize> =
                strips.iter().map(|strip| strip + above * pitch + before).collect();
            let strips = &strips[..];
            let taps = [0..kh, 0..kw];
            #[rustfmt::skip]
            let work = Adjoint {
                weights, cotangent, plane, filters, size, taps, back, strips, stride, fast, out,
            };
            E::at(level, work);
        });
        manner.finished(at, out);
    }
    E::put_scratch(scratch);
}

/// Any windows: the products of a band of rows, and then their sums.
fn by_products<E: Native>(
    manner: Manner<'_, E>,
    windows: &Windows,
    [weights, cotangent]: [&[E]; 2],
    items: Vec<Item<'_, E>>,
) {
    let Manner { level, fast, .. } = manner;
    let numerics = if fast { Numerics::Fast } else { Numerics::Exact };
    let [down, across] = windows.outputs;
    let (depth, positions) = (windows.depth(), windows.positions());
    let taps = windows.size[0] * windows.size[1];
    let most = items.iter().map(|item| item.channels.len()).max().unwrap_or(0) * taps;
    // COST: the products of a band of rows stay in the second-level cache.
    let band = (65_536 / (most * across).max(1)).clamp(1, down);
    let line = windows.extents[1] + windows.window.padding[1][0] + windows.window.padding[1][1];
    let mut scratch = E::take_scratch();
    let [products, line] = carve(&mut scratch, [most * band * across, line]);
    for item in items {
        let Item { image, group, channels, start, out } = item;
        out.fill(E::zero());
        let first = (group * windows.filters * windows.channels + channels.start) * taps;
        let a = Matrix::new(&weights[first..], 1, depth);
        let terms = channels.len() * taps;
        let first = (image * windows.window.groups + group) * windows.filters * positions;
        for row in (0..down).step_by(band) {
            let count = band.min(down - row) * across;
            let b = Matrix::new(&cotangent[first + row * across..], positions, 1);
            let products = &mut products[..terms * count];
            let [m, k, n] = [terms, windows.filters, count];
            let mut task = GemmTask::new([m, k, n], a, b, products).numerics(numerics);
            gemm_at(level, || 1, &mut task);
            level.compiled(
                #[inline(always)]
                || fold(windows, row, products, line, out),
            );
        }
        manner.finished(start, out);
    }
    E::put_scratch(scratch);
}

/// Adds the products of the rows of windows from `first` on: `[c, kh, kw, rows, ow]`.
#[inline(always)]
fn fold<E: Native>(windows: &Windows, first: usize, products: &[E], line: &mut [E], out: &mut [E]) {
    let across = windows.outputs[1];
    let ([kh, kw], [height, width]) = (windows.size, windows.extents);
    let ([down, step], [gap, dilation]) = (windows.window.step, windows.window.dilation);
    let [[top, _], [left, _]] = windows.window.padding;
    if width * height == 0 {
        return;
    }
    let channels = out.len() / (height * width);
    let each = products.len() / (channels * kh * kw);
    for (channel, out) in out.chunks_exact_mut(height * width).enumerate() {
        for i in 0..each / across {
            for p in 0..kh {
                let row = ((first + i) * down + p * gap).wrapping_sub(top);
                if row >= height {
                    continue;
                }
                line.fill(E::exact(0.0));
                // Windows ascend where positions in a window descend.
                for q in (0..kw).rev() {
                    let at = ((channel * kh + p) * kw + q) * each + i * across;
                    let from = &products[at..][..across];
                    let to = &mut line[q * dilation..];
                    if step == 1 {
                        to.iter_mut().zip(from).for_each(|(to, x)| *to = to.add(x));
                    } else {
                        let to = to.iter_mut().step_by(step);
                        to.zip(from).for_each(|(to, x)| *to = to.add(x));
                    }
                }
                let to = &mut out[row * width..][..width];
                to.iter_mut().zip(&line[left..]).for_each(|(to, x)| *to = to.add(x));
            }
        }
    }
}
