//! How rows of windows lie in registers, for the tiles whose lanes run over windows.

use super::copy;
use crate::kernel::simd::{Level, Native};

/// The registers of a band of rows.
pub(super) struct Strips {
    /// Rows and columns of the result.
    outputs: [usize; 2],
    /// The distance of rows in what is read.
    distance: usize,
    /// Where the strips of a band of rows start.
    bases: Vec<usize>,
    /// Rows of a band.
    rows: usize,
    /// The distance of rows, in lanes.
    pitch: usize,
    /// Registers for the whole result.
    pub(super) all: usize,
    /// Whether registers are exactly the result.
    pub(super) direct: bool,
    /// Elements of a register.
    width: usize,
}

impl Strips {
    /// Either every row starts a register or, where `together`, rows run on through what lies
    /// between them, which is computed and dropped: whatever takes fewer registers. Rows are
    /// `distance` apart in what is read, and the result has that many `channels`.
    pub(super) fn new(
        outputs: [usize; 2],
        distance: usize,
        together: bool,
        channels: usize,
        width: usize,
    ) -> Self {
        let [down, across] = outputs;
        let each = across.div_ceil(width);
        let run = ((down - 1) * distance + across).div_ceil(width);
        let together = together && run < down * each;
        let pitch = if together { distance } else { each * width };
        let direct = !together && across.is_multiple_of(width);
        // COST: the sums of a band stay in the second-level cache.
        let rows = if direct { down } else { (32_768 / (channels * pitch)).clamp(1, down) };
        let bases = if together {
            let count = ((rows - 1) * pitch + across).div_ceil(width);
            (0..count).map(|strip| strip * width).collect()
        } else {
            let row = |i: usize| (0..each).map(move |j| i * distance + j * width);
            (0..rows).flat_map(row).collect()
        };
        let all = if together { run } else { down * each };
        Self { outputs, distance, bases, rows, pitch, all, direct, width }
    }

    /// Elements that the sums of a band take, a row for each channel.
    pub(super) fn sums(&self, channels: usize) -> usize {
        if self.direct { 0 } else { channels * self.lanes() }
    }

    fn lanes(&self) -> usize {
        self.bases.len() * self.width
    }

    /// Calls `tile` with where a band starts in what is read, its strips, the distance of rows and
    /// the rows of its sums, and brings these to `out`.
    pub(super) fn each<E: Native>(
        &self,
        level: Level,
        sums: &mut [E],
        out: &mut [E],
        mut tile: impl FnMut(usize, &[usize], usize, &mut [E]),
    ) {
        let [down, across] = self.outputs;
        if self.direct {
            return tile(0, &self.bases, down * across, out);
        }
        let stride = self.lanes();
        for row in (0..down).step_by(self.rows) {
            let rows = self.rows.min(down - row);
            let count = ((rows - 1) * self.pitch + across).div_ceil(self.width);
            tile(row * self.distance, &self.bases[..count], stride, sums);
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
