//! The windowed product with lanes over filters.

use super::classes::{Run, of_windows};
use super::forward::Item;
use super::gather::Gather;
use super::padded::Padded;
use super::{Manner, Width, carve, turn};
use crate::kernel::order::KB;
use crate::kernel::simd::Native;
use crate::kernel::window::Windows;

/// Elements of sums that are computed before they are brought to where they belong.
///
/// COST: they stay in the second-level cache; and several small images at once make whole tiles of
/// windows that see the same part of an image.
const SUMS: usize = 32_768;

/// Elements of padded images that are held at a time.
const IMAGES: usize = 1 << 15;

/// The runs of windows down and across, by which terms they have.
///
/// BITS: a term in the padding is `+0` or `-0` where weights are finite, and changes no sum: none is
/// ever `-0`.
pub(super) fn classes(windows: &Windows, finite: bool) -> [Vec<Run>; 2] {
    [0, 1].map(|axis| {
        if finite {
            of_windows(windows, axis)
        } else {
            Run::whole(windows.outputs[axis], windows.size[axis])
        }
    })
}

/// The terms of windows of each class, in each block of a sum: where they are in an image and in
/// rows of `width`.
fn terms(windows: &Windows, classes: &[Vec<Run>; 2], width: usize) -> Vec<Vec<[usize; 2]>> {
    let offsets = Padded::new(windows, windows.channels).offsets();
    let ([kh, kw], [down, across]) = (windows.size, classes);
    let count = down.len() * across.len();
    let mut terms = vec![Vec::new(); windows.depth().div_ceil(KB) * count];
    for (class, (rows, columns)) in pairs(classes).enumerate() {
        for channel in 0..windows.channels {
            for p in rows.others.clone() {
                for q in columns.others.clone() {
                    let t = (channel * kh + p) * kw + q;
                    terms[t / KB * count + class].push([offsets[t], t * width]);
                }
            }
        }
    }
    terms
}

fn pairs([down, across]: &[Vec<Run>; 2]) -> impl Iterator<Item = (&Run, &Run)> {
    down.iter().flat_map(move |rows| across.iter().map(move |columns| (rows, columns)))
}

/// Some filters of a group on each of some images.
pub(super) fn run<E: Native>(
    manner: Manner<'_, E>,
    windows: &Windows,
    classes: &[Vec<Run>; 2],
    [images, weights]: [&[E]; 2],
    mut items: Vec<Item<'_, E>>,
) {
    let Manner { level, fast, .. } = manner;
    let (depth, positions) = (windows.depth(), windows.positions());
    let [down, across] = windows.outputs;
    let most = items.iter().map(|item| item.filters.len()).max().unwrap_or(0);
    let lanes = E::at(level, Width);
    let pitch = most.next_multiple_of(lanes);
    let padded = Padded::new(windows, windows.channels);
    let (size, plane) = (padded.size(), windows.channels * windows.plane());
    let terms = terms(windows, classes, pitch);
    let count = classes[0].len() * classes[1].len();
    if count > 1 {
        takes!("windows by their terms");
    }
    // No more padded images than stay near.
    let slots = (SUMS / pitch / positions).min(IMAGES / size.max(1)).clamp(1, items.len().max(1));
    let band = (SUMS / pitch / across / slots).clamp(1, down);
    let mut scratch = E::take_scratch();
    let lengths = [slots * size, depth * pitch, slots * band * across * pitch];
    let [image, packed, sums] = carve(&mut scratch, lengths);
    image.fill(E::exact(0.0));
    let mut rows = vec![Vec::new(); count];
    for same in items.chunk_by_mut(|a, b| a.of() == b.of()) {
        let filters = same[0].filters.clone();
        let weights = &weights[(same[0].group * windows.filters + filters.start) * depth..];
        turn(level, [depth, filters.len()], weights, depth, (packed, pitch));
        let width = filters.len().next_multiple_of(lanes);
        for items in same.chunks_mut(slots) {
            for (slot, item) in items.iter().enumerate() {
                let first = (item.image * windows.window.groups + item.group) * plane;
                padded.fill(&images[first..][..plane], &mut image[slot * size..][..size]);
            }
            for start in (0..down).step_by(band) {
                let end = down.min(start + band);
                let each = (end - start) * across;
                for (class, list) in pairs(classes).zip(&mut rows) {
                    list.clear();
                    let (from, to) =
                        (class.0.members.start.max(start), class.0.members.end.min(end));
                    for slot in 0..items.len() {
                        for i in from..to {
                            let row = slot * each + (i - start) * across;
                            list.extend(
                                class.1.members.clone().map(|j| {
                                    [slot * size + padded.base([i, j]), (row + j) * pitch]
                                }),
                            );
                        }
                    }
                }
                for (block, terms) in terms.chunks_exact(count).enumerate() {
                    for (rows, terms) in rows.iter().zip(terms) {
                        let (image, right, first, out) =
                            (&*image, &*packed, block == 0, &mut *sums);
                        E::at(level, Gather { image, rows, terms, right, width, first, fast, out });
                    }
                }
                for (item, sums) in items.iter_mut().zip(sums.chunks_exact(each * pitch)) {
                    let out = &mut item.out[start * across..];
                    turn(level, [filters.len(), each], sums, pitch, (out, positions));
                }
            }
            items.iter_mut().for_each(|item| manner.finished(item.start, item.out));
        }
    }
    E::put_scratch(scratch);
}
