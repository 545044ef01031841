//! The gradient of a windowed product's images with lanes over channels.

use super::apart::Apart;
use super::classes::{Run, of_elements};
use super::images::Item;
use super::{Manner, Width, carve, turn};
use crate::kernel::simd::{Level, Native};
use crate::kernel::window::Windows;

/// Elements of sums that are computed before they are brought to where they belong: as in `filters`.
const SUMS: usize = 32_768;

/// Multiplications of registers for so many channels of an image.
pub(super) fn cost<E: Native>(level: Level, windows: &Windows, channels: usize) -> usize {
    let [down, across] = [0, 1].map(|axis| of_elements(windows, axis));
    // COST: tiles are low where few elements meet the same positions.
    if down.len() * across.len() * 4 > windows.plane() {
        return usize::MAX;
    }
    let terms = Run::all(&down) * Run::all(&across) * windows.filters;
    // COST: a register that is turned round takes what some ten multiplications do.
    let turned = windows.plane() * channels + windows.positions() * windows.filters;
    let lanes = E::at(level, Width);
    terms * channels.div_ceil(lanes) + 10 * turned / lanes
}

/// Windows that step by 1 and sums of one block: what no window has is left out, so that weights may
/// be anything.
pub(super) fn run<E: Native>(
    manner: Manner<'_, E>,
    windows: &Windows,
    [weights, cotangent]: [&[E]; 2],
    mut items: Vec<Item<'_, E>>,
) {
    takes!("gradient of images by channels");
    let Manner { level, fast, .. } = manner;
    let ([height, width], [_, count]) = (windows.extents, windows.outputs);
    let ([kh, kw], [gap, dilation]) = (windows.size, windows.window.dilation);
    let ([[top, _], [left, _]], groups) = (windows.window.padding, windows.window.groups);
    let (filters, positions, depth) = (windows.filters, windows.positions(), windows.depth());
    let (taps, plane) = (kh * kw, height * width);
    let classes = [0, 1].map(|axis| of_elements(windows, axis));
    let lanes = E::at(level, Width);
    let most = items.iter().map(|item| item.channels.len()).max().unwrap_or(0);
    let pitch = most.next_multiple_of(lanes);
    let slots = (SUMS / pitch / plane).clamp(1, items.len().max(1));
    let band = (SUMS / pitch / width / slots).clamp(1, height);
    let lengths =
        [slots * positions * filters, taps * filters * pitch, slots * band * width * pitch];
    let mut scratch = E::take_scratch();
    let [rows_of, packed, sums] = carve(&mut scratch, lengths);
    let mut rows: Vec<[usize; 2]> = Vec::new();
    for same in items.chunk_by_mut(|a, b| a.of() == b.of()) {
        let (group, channels) = (same[0].group, same[0].channels.clone());
        let start = (group * filters * windows.channels + channels.start) * taps;
        for filter in 0..filters {
            let from = &weights[start + filter * depth..][..channels.len() * taps];
            let to = &mut packed[filter * pitch..];
            turn(level, [taps, channels.len()], from, taps, (to, filters * pitch));
        }
        let used = channels.len().next_multiple_of(lanes);
        for items in same.chunks_mut(slots) {
            for (slot, item) in items.iter().enumerate() {
                let from = &cotangent[(item.image * groups + group) * filters * positions..];
                let to = &mut rows_of[slot * positions * filters..];
                turn(level, [positions, filters], from, positions, (to, filters));
            }
            for start in (0..height).step_by(band) {
                let end = height.min(start + band);
                let each = (end - start) * width;
                for down in &classes[0] {
                    let (from, to) = (down.members.start.max(start), down.members.end.min(end));
                    for across in &classes[1] {
                        rows.clear();
                        for slot in 0..items.len() {
                            for y in from..to {
                                let first = slot * positions + (y + top) * count + left;
                                let row = slot * each + (y - start) * width;
                                rows.extend(
                                    (across.members.clone())
                                        .map(|x| [(first + x) * filters, (row + x) * pitch]),
                                );
                            }
                        }
                        let (rows, weights, cotangent) = (&rows[..], &*packed, &*rows_of);
                        let (taps, out) = ([down, across], &mut *sums);
                        let back = [gap * count * filters, dilation * filters];
                        let width = used;
                        #[rustfmt::skip]
                        let work = Apart {
                            weights, pitch, width, cotangent, filters, kw, taps, back, rows, fast, out,
                        };
                        E::at(level, work);
                    }
                }
                for (item, sums) in items.iter_mut().zip(sums.chunks_exact(each * pitch)) {
                    let out = &mut item.out[start * width..];
                    turn(level, [channels.len(), each], sums, pitch, (out, plane));
                }
            }
            items.iter_mut().for_each(|item| manner.finished(item.start, item.out));
        }
    }
    E::put_scratch(scratch);
}
