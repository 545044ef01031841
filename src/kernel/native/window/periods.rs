//! The gradient of a windowed product's weights with lanes over blocks of terms.
//!
//! BITS: a sum's blocks are sums of their own, added in ascending order when all are there. Blocks
//! cross the ends of images; after a period, which is a whole number of images, they cross them at the
//! same places again. A lane is a period.
//!
//! COST: few filters fill no register, however many images there are.

use super::padded::Padded;
use super::weights::Part;
use super::{Manner, Width, carve, height, turn};
use crate::kernel::native::gemm::term;
use crate::kernel::order::KB;
use crate::kernel::simd::{Level, Native, Registers, Work};
use crate::kernel::threads;
use crate::kernel::window::Windows;
use std::ops::Range;

/// Terms of a block whose cotangent is turned round at a time: those of a tile stay in the first-level
/// cache.
const TERMS: usize = 64;

/// Images of a period: as few as have a whole number of blocks.
fn period(windows: &Windows) -> usize {
    KB >> windows.positions().trailing_zeros().min(KB.trailing_zeros())
}

/// Whether there is a whole number of periods of windows that step by 1 across.
pub(super) fn fits(windows: &Windows) -> bool {
    windows.window.step[1] == 1 && windows.images.is_multiple_of(period(windows))
}

/// Whether lanes over periods take less than lanes over so many filters.
pub(super) fn pays<E: Native>(
    level: Level,
    windows: &Windows,
    [channels, filters]: [usize; 2],
) -> bool {
    let (lanes, period) = (E::at(level, Width), period(windows));
    let periods = windows.images / period;
    let weights = channels * windows.size[0] * windows.size[1] * filters;
    let size = period * Padded::new(windows, channels).size() * lanes;
    // COST: a lone register waits for its additions; and a register that is turned round takes what
    // some ten multiplications do.
    let alone = if filters <= lanes { 3 } else { 2 };
    let by_filters = alone * weights * filters.div_ceil(lanes) / filters;
    let by_periods = 2 * (weights + 10 * (filters + channels)) * periods.div_ceil(lanes);
    size <= 1 << 17 && weights <= 4096 && by_periods < by_filters * periods
}

/// Some filters' weights of some channels of a group, of a whole number of periods, whose blocks are split over so
/// many threads.
pub(super) fn run<E: Native>(
    manner: Manner<'_, E>,
    threads: usize,
    windows: &Windows,
    operands: [&[E]; 2],
    mut part: Part<'_, E>,
    scratch: &mut Vec<E>,
) {
    takes!("gradient of weights by periods");
    let level = manner.level;
    let lanes = E::at(level, Width);
    let padded = Padded::new(windows, part.channels.len());
    let offsets: Vec<usize> = padded.offsets().iter().map(|at| at * lanes).collect();
    let period = period(windows);
    let (periods, blocks) = (windows.images / period, period * windows.positions() / KB);
    let weights = offsets.len() * part.filters.len();
    let each = weights * lanes;
    let [sums, rows, total] = carve(scratch, [blocks * each, blocks * each, weights]);
    for first in (0..periods).step_by(lanes) {
        let count = lanes.min(periods - first);
        let mut rest = &mut *sums;
        let mut work = Vec::with_capacity(threads);
        for blocks in threads::bounds(blocks, threads, 1) {
            let (sums, after) = rest.split_at_mut(blocks.len() * each);
            rest = after;
            work.push((blocks, sums));
        }
        if work.len() > 1 {
            takes!("periods over threads");
        }
        threads::each(work, |(blocks, sums)| {
            let walk = Walk { windows, padded: &padded, offsets: &offsets, part: &part, lanes };
            walk.blocks(manner, operands, first..first + count, blocks, sums);
        });
        for (sums, rows) in sums.chunks_exact(each).zip(rows.chunks_exact_mut(each)) {
            turn(level, [lanes, weights], sums, lanes, (rows, weights));
        }
        for lane in 0..count {
            for (block, rows) in rows.chunks_exact(each).enumerate() {
                let sums = &rows[lane * weights..][..weights];
                if first + lane + block == 0 {
                    total.copy_from_slice(sums);
                    continue;
                }
                level.compiled(
                    #[inline(always)]
                    || total.iter_mut().zip(sums).for_each(|(total, sum)| *total = total.add(sum)),
                );
            }
        }
    }
    for (row, total) in part.out.iter_mut().zip(total.chunks_exact(offsets.len())) {
        row.copy_from_slice(total);
    }
}

/// What the blocks of all periods have in common.
struct Walk<'a, 'o, E> {
    windows: &'a Windows,
    padded: &'a Padded,
    offsets: &'a [usize],
    part: &'a Part<'o, E>,
    lanes: usize,
}

impl<E: Native> Walk<'_, '_, E> {
    /// The sums of some blocks of each of some periods, at most as many as there are lanes.
    fn blocks(
        &self,
        Manner { level, fast, .. }: Manner<'_, E>,
        [images, cotangent]: [&[E]; 2],
        periods: Range<usize>,
        blocks: Range<usize>,
        sums: &mut [E],
    ) {
        let Self { windows, padded, offsets, part, lanes } = *self;
        let (positions, groups) = (windows.positions(), windows.window.groups);
        let ([height, width], [[top, _], [left, _]]) = (windows.extents, windows.window.padding);
        let (channels, filters) = (part.channels.len(), part.filters.len());
        let (period, terms) = (period(windows), blocks.start * KB..blocks.end * KB);
        // The images of a period that the blocks touch.
        let touched = terms.start / positions..terms.end.div_ceil(positions);
        let mut scratch = E::take_scratch();
        let lengths = [touched.len() * padded.size() * lanes, filters * TERMS * lanes];
        let [turned, right] = carve(&mut scratch, lengths);
        turned.fill(E::exact(0.0));
        right.fill(E::exact(0.0));
        // The distances of an image and of a cotangent from those of the next period.
        let plane = windows.plane();
        let image = groups * windows.channels * plane;
        let result = groups * windows.filters * positions;
        for r in touched.clone() {
            let from = (periods.start * period + r) * image;
            let from = from + (part.group * windows.channels + part.channels.start) * plane;
            for channel in 0..channels {
                for y in 0..height {
                    let from = &images[from + channel * plane + y * width..];
                    let to = (r - touched.start) * padded.size();
                    let to = &mut turned[(to + padded.place([channel, top + y, left])) * lanes..];
                    turn(level, [width, periods.len()], from, period * image, (to, lanes));
                }
            }
        }
        let each = offsets.len() * filters * lanes;
        let mut bases = Vec::with_capacity(TERMS);
        for start in terms.clone().step_by(TERMS) {
            let end = (start + TERMS).min(terms.end);
            bases.clear();
            let mut at = start;
            while at < end {
                let (r, position) = (at / positions, at % positions);
                let run = (positions - position).min(end - at);
                bases.extend((position..position + run).map(|position| {
                    let [i, j] = [position / windows.outputs[1], position % windows.outputs[1]];
                    ((r - touched.start) * padded.size() + padded.base([i, j])) * lanes
                }));
                let from = (periods.start * period + r) * result + position;
                let from = from + (part.group * windows.filters + part.filters.start) * positions;
                for filter in 0..filters {
                    let from = &cotangent[from + filter * positions..];
                    let to = &mut right[(filter * TERMS + at - start) * lanes..];
                    turn(level, [run, periods.len()], from, period * result, (to, lanes));
                }
                at += run;
            }
            let sums = &mut sums[(start - terms.start) / KB * each..][..each];
            if start % KB == 0 {
                sums.fill(E::exact(0.0));
            }
            let (image, bases, right) = (&*turned, &bases[..], &*right);
            E::at(level, Lanes { image, bases, offsets, right, fast, sums });
        }
        E::put_scratch(scratch);
    }
}

/// Some terms of a block of each of some periods: term `t` of position `p` of a window is at
/// `image[bases[t] + offsets[p]]`, of filter `f` at `right[(f * TERMS + t) * lanes]`.
struct Lanes<'a, E> {
    image: &'a [E],
    bases: &'a [usize],
    offsets: &'a [usize],
    right: &'a [E],
    /// Whether a multiplication and an addition may round once.
    fast: bool,
    /// `[f, p]` of lanes; what is there is what the terms before have added up to.
    sums: &'a mut [E],
}

impl<E: Native> Work<E> for Lanes<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(mut self, token: R) {
        let fused = R::FUSES && self.fast;
        let filters = self.sums.len() / (self.offsets.len() * R::WIDTH);
        let (of, mut filter) = (&mut self, 0);
        macro_rules! high {
            ($height:literal) => {
                if filter < filters && height(filters - filter) == $height {
                    let (of, filter) = (&mut *of, &mut filter);
                    if R::FUSES && fused {
                        token.apart(High::<_, true, $height> { of, filter });
                    } else {
                        token.apart(High::<_, false, $height> { of, filter });
                    }
                }
            };
        }
        high!(6);
        high!(4);
        high!(1);
    }
}

/// The next filters, as many as make tiles of `MR`.
struct High<'h, 'a, E, const FUSED: bool, const MR: usize> {
    of: &'h mut Lanes<'a, E>,
    filter: &'h mut usize,
}

impl<E: Native, const FUSED: bool, const MR: usize> Work<E> for High<'_, '_, E, FUSED, MR> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, token: R) {
        let Self { of, filter } = self;
        let taps = of.offsets.len();
        let filters = of.sums.len() / (taps * R::WIDTH);
        let reach = of.bases.iter().max().map_or(0, |base| base + R::WIDTH);
        while *filter < filters && height(filters - *filter) == MR {
            let mut tap = 0;
            while tap < taps {
                let registers = match taps - tap {
                    4.. if R::MANY => 4,
                    2.. => 2,
                    _ => 1,
                };
                macro_rules! tile {
                    ($registers:literal) => {
                        of.tile::<R, FUSED, MR, $registers>(token, [*filter, tap], reach)
                    };
                }
                match registers {
                    4 if R::MANY => tile!(4),
                    2 => tile!(2),
                    _ => tile!(1),
                }
                tap += registers;
            }
            *filter += MR;
        }
    }
}

impl<E: Native> Lanes<'_, E> {
    /// BITS: terms ascending, a multiplication and an addition each, in every lane; one rounding for both
    /// where `FUSED`.
    #[inline(always)]
    fn tile<R: Registers<Element = E>, const FUSED: bool, const MR: usize, const NV: usize>(
        &mut self,
        token: R,
        [filter, tap]: [usize; 2],
        reach: usize,
    ) {
        let Self { image, bases, offsets, right, ref mut sums, .. } = *self;
        let mut totals = [[token.splat(E::exact(0.0)); NV]; MR];
        for i in 0..MR {
            let from = &sums[((filter + i) * offsets.len() + tap) * R::WIDTH..];
            let (registers, _) = R::split(&from[..NV * R::WIDTH]);
            totals[i].copy_from_slice(&registers[..NV]);
        }
        // Slices of one length each, so that one check serves all.
        let mut lines = [image; NV];
        for (line, offset) in lines.iter_mut().zip(&offsets[tap..]) {
            *line = &image[*offset..][..reach];
        }
        let mut rows = [right; MR];
        for (i, row) in rows.iter_mut().enumerate() {
            *row = &right[(filter + i) * TERMS * R::WIDTH..][..bases.len() * R::WIDTH];
        }
        for (t, &base) in bases.iter().enumerate() {
            let mut registers = [totals[0][0]; NV];
            for (register, line) in registers.iter_mut().zip(&lines) {
                *register = R::split(&line[base..][..R::WIDTH]).0[0];
            }
            for i in 0..MR {
                let g = R::split(&rows[i][t * R::WIDTH..][..R::WIDTH]).0[0];
                for j in 0..NV {
                    totals[i][j] = term::<R, FUSED>(token, totals[i][j], registers[j], g);
                }
            }
        }
        for (i, totals) in totals.iter().enumerate() {
            let to = &mut sums[((filter + i) * offsets.len() + tap) * R::WIDTH..];
            let (results, _) = R::split_mut(&mut to[..NV * R::WIDTH]);
            results.copy_from_slice(totals);
        }
    }
}
