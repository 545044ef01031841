//! The windowed product.

use super::gather::Gather;
use super::padded::Padded;
use super::spread::Spread;
use super::{Width, carve, copy, parts};
use crate::kernel::native::gemm::columns;
use crate::kernel::order::KB;
use crate::kernel::simd::{Level, Native};
use crate::kernel::task::{Matrix, WindowTask};
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

/// See `Elementary::windowed_product`.
pub(crate) fn windowed_product<E: Native>(task: &mut WindowTask<'_, E>) -> bool {
    let windows = Windows::new(task.extents, task.filters, &task.window);
    let operands = [task.images, task.weights];
    forward(Level::best(), threads::threads, Across::Either, &windows, operands, task.out);
    true
}

/// `out` `[n, f, oh, ow]` of images `[n, c, h, w]` and weights `[f, c / groups, kh, kw]`.
pub(super) fn forward<E: Native>(
    level: Level,
    threads: impl FnOnce() -> usize,
    across: Across,
    windows: &Windows,
    [images, weights]: [&[E]; 2],
    out: &mut [E],
) {
    let (groups, positions) = (windows.window.groups, windows.positions());
    if windows.depth() == 0 || out.is_empty() {
        return out.fill(E::zero());
    }
    let parts = parts(windows.operations(), threads);
    let wholes = windows.images * groups;
    let splits = parts.div_ceil(wholes);
    let mut items = Vec::with_capacity(wholes * splits);
    for (index, mut rest) in out.chunks_exact_mut(windows.filters * positions).enumerate() {
        for filters in threads::bounds(windows.filters, splits, 4) {
            let (out, after) = std::mem::take(&mut rest).split_at_mut(filters.len() * positions);
            rest = after;
            items.push(Item { image: index / groups, group: index % groups, filters, out });
        }
    }
    // Neighbours share packed filters.
    items.sort_by_key(|item| (item.group, item.filters.start));
    let mut work = Vec::with_capacity(parts);
    for bounds in threads::bounds(items.len(), parts, 1).into_iter().rev() {
        let items = items.split_off(bounds.start);
        work.push(items);
    }
    let run = |items| run(level, across, windows, [images, weights], items);
    threads::each(work, run);
}

/// Some filters of a group on one image.
struct Item<'o, E> {
    image: usize,
    group: usize,
    filters: Range<usize>,
    out: &'o mut [E],
}

fn run<E: Native>(
    level: Level,
    across: Across,
    windows: &Windows,
    [images, weights]: [&[E]; 2],
    items: Vec<Item<'_, E>>,
) {
    let (depth, positions) = (windows.depth(), windows.positions());
    let most = items.iter().map(|item| item.filters.len()).max().unwrap_or(0);
    let lanes = E::at(level, Width);
    let padded = Padded::new(windows, windows.channels);
    let offsets = padded.offsets();
    let strips = Strips::new(windows, &padded, most, lanes);
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
    let (packed, sums) = if filters {
        (depth * width, band * width)
    } else if strips.direct {
        (0, 0)
    } else {
        (0, most * strips.lanes())
    };
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
            strips.run(level, &padded, &offsets, weights, image, sums, item.out);
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
                E::at(level, Gather { image, bases, ats, right, width, first, out });
            }
            let at = band_index * band;
            for (filter, out) in item.out.chunks_exact_mut(positions).enumerate() {
                let sums = sums[filter..].iter().step_by(width);
                out[at..].iter_mut().zip(sums).for_each(|(to, sum)| *to = *sum);
            }
        }
    }
    E::put_scratch(scratch);
}

/// How rows of windows lie in registers.
struct Strips {
    outputs: [usize; 2],
    /// Where the strips of a band of rows start.
    bases: Vec<usize>,
    /// Rows of a band.
    rows: usize,
    /// The distance of rows of windows, in lanes.
    pitch: usize,
    /// Registers for an image.
    all: usize,
    /// Whether registers are exactly the result.
    direct: bool,
    width: usize,
}

impl Strips {
    /// Either every row of windows starts a register, or rows run on through what lies between
    /// them, which is computed and dropped: whatever takes fewer registers.
    fn new(windows: &Windows, padded: &Padded, filters: usize, width: usize) -> Self {
        let outputs @ [down, across] = windows.outputs;
        let each = across.div_ceil(width);
        let run = ((down - 1) * padded.pitch + across).div_ceil(width);
        let runs_on = windows.window.step[0] == 1 && run < down * each;
        let pitch = if runs_on { padded.pitch } else { each * width };
        let direct = !runs_on && across % width == 0;
        // COST: the sums of a band stay in the second-level cache.
        let rows = if direct { down } else { (32_768 / (filters * pitch)).clamp(1, down) };
        let bases = if runs_on {
            let count = ((rows - 1) * pitch + across).div_ceil(width);
            (0..count).map(|strip| strip * width).collect()
        } else {
            let strip = |i: usize, j: usize| padded.base([i, j * width]);
            (0..rows).flat_map(|i| (0..each).map(move |j| strip(i, j))).collect()
        };
        let all = if runs_on { run } else { down * each };
        Self { outputs, bases, rows, pitch, all, direct, width }
    }

    fn lanes(&self) -> usize {
        self.bases.len() * self.width
    }

    #[expect(clippy::too_many_arguments, reason = "what one image is multiplied with")]
    fn run<E: Native>(
        &self,
        level: Level,
        padded: &Padded,
        ats: &[usize],
        weights: &[E],
        image: &[E],
        sums: &mut [E],
        out: &mut [E],
    ) {
        let [down, across] = self.outputs;
        if self.direct {
            let stride = down * across;
            return E::at(level, Spread { weights, image, strips: &self.bases, ats, stride, out });
        }
        let stride = self.lanes();
        for row in (0..down).step_by(self.rows) {
            let rows = self.rows.min(down - row);
            let count = ((rows - 1) * self.pitch + across).div_ceil(self.width);
            let image = &image[padded.base([row, 0])..];
            let strips = &self.bases[..count];
            E::at(level, Spread { weights, image, strips, ats, stride, out: sums });
            level.compiled(
                #[inline(always)]
                || {
                    let sums = sums.chunks_exact(stride);
                    for (sums, out) in sums.zip(out.chunks_exact_mut(down * across)) {
                        let out = &mut out[row * across..][..rows * across];
                        for (i, out) in out.chunks_exact_mut(across).enumerate() {
                            copy(&sums[i * self.pitch..][..across], out);
                        }
                    }
                },
            );
        }
    }
}
