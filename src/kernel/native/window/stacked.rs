//! The gradient of a windowed product's images with lanes over images.
//!
//! COST: small images under large windows fill no registers, and most of their elements have some
//! windows only. One element of many images fills any, and all have the same windows. What it takes
//! is to turn operands and results round.

use super::adjoint::Adjoint;
use super::classes::{Run, of_elements};
use super::images::{Item, pack};
use super::{Manner, Width, carve, turn};
use crate::kernel::simd::{Level, Native};
use crate::kernel::window::Windows;

/// Elements of operands and results that are turned round at a time: a quarter of what the second-level cache
/// keeps.
const TURNED: usize = 1 << 16;

/// Registers of images that are done together: at most four, none where one takes too much.
fn registers(windows: &Windows, channels: usize, lanes: usize) -> usize {
    let each = windows.filters * windows.positions() + 2 * windows.plane() * channels;
    (TURNED / (each * lanes).max(1)).min(4)
}

/// Multiplications of registers for so many channels of one of so many images.
pub(super) fn cost<E: Native>(
    level: Level,
    windows: &Windows,
    channels: usize,
    images: usize,
) -> usize {
    let lanes = E::at(level, Width);
    if registers(windows, channels, lanes) == 0 {
        return usize::MAX;
    }
    let [down, across] = [0, 1].map(|axis| of_elements(windows, axis));
    let terms = Run::all(&down) * Run::all(&across) * windows.filters * channels;
    let turned = windows.filters * windows.positions() + windows.plane() * channels;
    // COST: a register that is turned takes what some ten multiplications do.
    (terms + 10 * turned) * images.div_ceil(lanes) / images.max(1)
}

/// Windows that step by 1 and sums of one block: what no window has is left out, so that weights may
/// be anything.
pub(super) fn run<E: Native>(
    manner: Manner<'_, E>,
    windows: &Windows,
    [weights, cotangent]: [&[E]; 2],
    mut items: Vec<Item<'_, E>>,
) {
    takes!("gradient of images by images");
    let Manner { level, fast, .. } = manner;
    let ([_, width], [_, count]) = (windows.extents, windows.outputs);
    let ([kh, kw], [gap, dilation]) = (windows.size, windows.window.dilation);
    let ([[top, _], [left, _]], groups) = (windows.window.padding, windows.window.groups);
    let (filters, positions, depth) = (windows.filters, windows.positions(), windows.depth());
    let (taps, plane) = (kh * kw, windows.plane());
    let classes = [0, 1].map(|axis| of_elements(windows, axis));
    let lanes = E::at(level, Width);
    let most = items.iter().map(|item| item.channels.len()).max().unwrap_or(0);
    let registers = registers(windows, most, lanes).max(1);
    let stack = items.len().next_multiple_of(lanes).min(registers * lanes);
    let lengths = [
        most * taps * filters,
        filters * positions * stack,
        most * plane * stack,
        most * plane * stack,
    ];
    let mut scratch = E::take_scratch();
    let [packed, stacked, sums, results] = carve(&mut scratch, lengths);
    // Lanes without an image are dropped, whatever they hold.
    stacked.fill(E::exact(0.0));
    for same in items.chunk_by_mut(|a, b| a.of() == b.of()) {
        let (group, channels) = (same[0].group, same[0].channels.clone());
        let packed = &mut packed[..channels.len() * taps * filters];
        let start = (group * filters * windows.channels + channels.start) * taps;
        pack(&weights[start..], [filters, depth], packed);
        let elements = channels.len() * plane;
        for items in same.chunks_mut(stack) {
            let size = filters * positions;
            let from = &cotangent[(items[0].image * groups + group) * size..];
            turn(level, [size, items.len()], from, groups * size, (stacked, stack));
            for down in &classes[0] {
                for y in down.members.clone() {
                    for across in &classes[1] {
                        let first = ((y + top) * count + left) * stack;
                        let strips: Vec<usize> = (across.members.start * stack
                            ..across.members.end * stack)
                            .step_by(lanes)
                            .map(|at| first + at)
                            .collect();
                        let (weights, cotangent, strips) = (&*packed, &*stacked, &strips[..]);
                        let (plane, stride) = (positions * stack, plane * stack);
                        let (size, back) = ([kh, kw], [gap * count * stack, dilation * stack]);
                        let taps = [down.others.clone(), across.others.clone()];
                        let out = &mut sums[(y * width + across.members.start) * stack..];
                        #[rustfmt::skip]
                        let work = Adjoint {
                            weights, cotangent, plane, filters, size, taps, back, strips, stride, fast,
                            out,
                        };
                        E::at(level, work);
                    }
                }
            }
            turn(level, [items.len(), elements], sums, stack, (results, elements));
            for (item, results) in items.iter_mut().zip(results.chunks_exact(elements)) {
                item.out.copy_from_slice(results);
                manner.finished(item.start, item.out);
            }
        }
    }
    E::put_scratch(scratch);
}
