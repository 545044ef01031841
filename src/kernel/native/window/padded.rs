//! An image with its padding, laid out so that neighbouring windows are neighbours in memory.

use crate::kernel::simd::Native;
use crate::kernel::window::Windows;

/// Where the elements of padded channels lie.
///
/// Columns whose distance is the step are neighbours, so that the windows of a row read runs
/// whatever the step: term `t` of window `(i, j)` is at `base(i, j) + offset(t)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Padded {
    windows: Windows,
    /// Rows of a channel, with the padding.
    rows: usize,
    /// The distance of rows.
    pub(super) pitch: usize,
    channels: usize,
}

impl Padded {
    /// The layout of `channels` channels.
    pub(super) fn new(windows: &Windows, channels: usize) -> Self {
        let padded = |axis: usize| {
            windows.extents[axis]
                + windows.window.padding[axis][0]
                + windows.window.padding[axis][1]
        };
        let pitch = padded(1).div_ceil(windows.window.step[1]);
        Self { windows: *windows, rows: padded(0), pitch, channels }
    }

    /// Elements of all channels.
    pub(super) fn size(&self) -> usize {
        self.channels * self.channel()
    }

    fn channel(&self) -> usize {
        self.windows.window.step[1] * self.rows * self.pitch
    }

    /// Where position `(row, column)` of a padded channel is.
    #[inline(always)]
    fn at(&self, row: usize, column: usize) -> usize {
        let step = self.windows.window.step[1];
        (column % step * self.rows + row) * self.pitch + column / step
    }

    /// Where position `(row, column)` of padded channel `channel` is.
    pub(super) fn place(&self, [channel, row, column]: [usize; 3]) -> usize {
        channel * self.channel() + self.at(row, column)
    }

    /// The first position of window `(i, j)`.
    #[inline(always)]
    pub(super) fn base(&self, [i, j]: [usize; 2]) -> usize {
        i * self.windows.window.step[0] * self.pitch + j
    }

    /// The terms of a window of all channels, in order, from its first position.
    pub(super) fn offsets(&self) -> Vec<usize> {
        let ([kh, kw], [down, across]) = (self.windows.size, self.windows.window.dilation);
        let mut offsets = Vec::with_capacity(self.channels * kh * kw);
        for channel in 0..self.channels {
            for p in 0..kh {
                let terms =
                    (0..kw).map(|q| channel * self.channel() + self.at(p * down, q * across));
                offsets.extend(terms);
            }
        }
        offsets
    }

    /// Writes channels behind one another; `out` holds zeros in its padding.
    pub(super) fn fill<E: Native>(&self, channels: &[E], out: &mut [E]) {
        let [height, width] = self.windows.extents;
        let step = self.windows.window.step[1];
        let [[top, _], [left, _]] = self.windows.window.padding;
        if height * width == 0 {
            return;
        }
        for (channel, from) in channels.chunks_exact(height * width).enumerate() {
            let out = &mut out[channel * self.channel()..][..self.channel()];
            for (i, row) in from.chunks_exact(width).enumerate() {
                if step == 1 {
                    out[self.at(top + i, left)..][..width].copy_from_slice(row);
                    continue;
                }
                for phase in 0..step.min(width) {
                    let run = &mut out[self.at(top + i, left + phase)..];
                    let columns = row[phase..].iter().step_by(step);
                    run.iter_mut().zip(columns).for_each(|(to, from)| *to = *from);
                }
            }
        }
    }
}
