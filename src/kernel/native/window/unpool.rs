//! The gradient of a maximum of each window.

use super::pool::{inside, row_of};
use super::{Manner, carve, pairs, parts};
use crate::kernel::Elementary;
use crate::kernel::simd::{Level, Native};
use crate::kernel::threads;
use crate::kernel::window::Windows;

/// COST: plain operations that an element of a window takes, with what follows on it.
const COST: usize = 16;

/// `out` `[n, c, h, w]` of images and the cotangent `[n, c, oh, ow]`: each window's cotangent at its
/// first maximum, or at its first NaN.
///
/// BITS: `fold(fold(..))` of what is routed there: a row of windows is added up first where windows
/// overlap both ways. Zeros of the other positions change no sum, as none is ever `-0`.
pub(super) fn max_pool_gradient<E: Native>(
    manner: Manner<'_, E>,
    threads: impl FnOnce() -> usize,
    windows: &Windows,
    [images, cotangent]: [&[E]; 2],
    out: &mut [E],
) {
    if !pairs::fits(windows) {
        out.fill(E::zero());
    }
    let (plane, positions) = (windows.plane(), windows.positions());
    if out.is_empty() || positions == 0 {
        return manner.finished(0, out);
    }
    let planes = out.len() / plane;
    let read = out.len().max(cotangent.len().saturating_mul(windows.size[0] * windows.size[1]));
    let parts = parts(read.saturating_mul(COST), threads);
    let mut rest = out;
    let mut work = Vec::with_capacity(parts);
    for bounds in threads::bounds(planes, parts, 1) {
        let (out, after) = rest.split_at_mut(bounds.len() * plane);
        rest = after;
        let images = &images[bounds.start * plane..bounds.end * plane];
        let cotangent = &cotangent[bounds.start * positions..bounds.end * positions];
        work.push((bounds.start * plane, images, cotangent, out));
    }
    // COST: as many planes at a time as what follows finds near.
    let near = (super::RUN / plane).max(1);
    threads::each(work, |(start, images, cotangent, out)| {
        let operands = images.chunks(near * plane).zip(cotangent.chunks(near * positions));
        for (i, (operands, out)) in operands.zip(out.chunks_mut(near * plane)).enumerate() {
            routed(manner.level, windows, operands.into(), out);
            manner.finished(start + i * near * plane, out);
        }
    });
}

fn routed<E: Native>(
    level: Level,
    windows: &Windows,
    [images, cotangent]: [&[E]; 2],
    out: &mut [E],
) {
    if pairs::fits(windows) {
        return pairs::max_gradient(level, windows, [images, cotangent], out);
    }
    level.compiled(
        #[inline(always)]
        || unpool(windows, images, cotangent, out),
    );
}

#[inline(always)]
fn unpool<E: Native>(windows: &Windows, images: &[E], cotangent: &[E], out: &mut [E]) {
    let ([_, across], [kh, kw]) = (windows.outputs, windows.size);
    let ([height, width], [down, step]) = (windows.extents, windows.window.step);
    let [gap, dilation] = windows.window.dilation;
    let [[top, _], [left, _]] = windows.window.padding;
    // Where windows overlap one way only, every sum of the inner or of the outer fold has one
    // term, and the terms of the other come in the same order.
    let overlap = (kh - 1) * gap + 1 > down && (kw - 1) * dilation + 1 > step;
    let columns: Vec<_> = (0..kw).map(|q| inside(windows, q)).collect();
    let reaches: Vec<usize> =
        (0..kh * kw).map(|at| at / kw * gap * width + at % kw * dilation).collect();
    let mut firsts = vec![0_u32; across];
    let mut scratch = E::take_scratch();
    let lines = if overlap { kh * width } else { 0 };
    let [best, lines] = carve(&mut scratch, [across, lines]);
    let planes = images.chunks_exact(height * width).zip(out.chunks_exact_mut(height * width));
    for ((plane, out), cotangent) in planes.zip(cotangent.chunks_exact(windows.positions())) {
        for (i, cotangent) in cotangent.chunks_exact(across).enumerate() {
            first_maxima(windows, plane, i, &columns, best, &mut firsts);
            lines.fill(E::exact(0.0));
            let whole = windows.window.padding == [[0, 0]; 2] && !overlap;
            if whole {
                let out = &mut out[i * down * width..];
                for (j, (&first, g)) in firsts.iter().zip(cotangent).enumerate() {
                    let at = &mut out[j * step + reaches[first as usize]];
                    *at = at.add(g);
                }
                continue;
            }
            for (j, (&first, g)) in firsts.iter().zip(cotangent).enumerate() {
                let (p, q) = (first as usize / kw, first as usize % kw);
                let row = (i * down + p * gap).wrapping_sub(top);
                let column = (j * step + q * dilation).wrapping_sub(left);
                // A window of nothing but `-inf` may begin in the padding.
                if row < height && column < width {
                    let line =
                        if overlap { &mut lines[p * width..] } else { &mut out[row * width..] };
                    line[column] = line[column].add(g);
                }
            }
            for (p, line) in lines.chunks_exact(width).enumerate() {
                let row = (i * down + p * gap).wrapping_sub(top);
                if row < height {
                    let out = &mut out[row * width..][..width];
                    out.iter_mut().zip(line).for_each(|(sum, x)| *sum = sum.add(x));
                }
            }
        }
    }
    E::put_scratch(scratch);
}
/// The position in its window of the first maximum of each window of row `i`.
///
/// BITS: the padding is `-inf`: it never exceeds a maximum so far, but is one where it comes first.
#[inline(always)]
fn first_maxima<E: Native>(
    windows: &Windows,
    plane: &[E],
    i: usize,
    columns: &[(std::ops::Range<usize>, usize)],
    best: &mut [E],
    firsts: &mut [u32],
) {
    best.fill(Elementary::neg(&E::INFINITE));
    firsts.fill(0);
    let step = windows.window.step[1];
    for p in 0..windows.size[0] {
        let Some(row) = row_of(windows, plane, i, p) else { continue };
        for (q, (range, at)) in columns.iter().enumerate() {
            if range.is_empty() {
                continue;
            }
            let position = (p * windows.size[1] + q) as u32;
            let (best, firsts) = (&mut best[range.clone()], &mut firsts[range.clone()]);
            let row = &row[*at..];
            match step {
                1 => raise(best, firsts, row.iter(), position),
                2 => {
                    // A form that compilers vectorise; the last chunk may be a part of one.
                    let (chunks, rest) = row.as_chunks::<2>();
                    let whole = chunks.len().min(best.len());
                    let (best, last) = best.split_at_mut(whole);
                    let (firsts, last_firsts) = firsts.split_at_mut(whole);
                    raise(best, firsts, chunks.iter().map(|[x, _]| x), position);
                    raise(last, last_firsts, rest.iter(), position);
                }
                _ => raise(best, firsts, row.iter().step_by(step), position),
            }
        }
    }
}

/// Takes further elements where they exceed the maximum so far, or are the first NaN.
#[inline(always)]
fn raise<'a, E: Native>(
    best: &mut [E],
    firsts: &mut [u32],
    elements: impl Iterator<Item = &'a E>,
    position: u32,
) {
    for ((best, first), x) in best.iter_mut().zip(firsts).zip(elements) {
        let further = *best < *x || Elementary::is_nan(x) && !Elementary::is_nan(best);
        *best = if further { *x } else { *best };
        *first = if further { position } else { *first };
    }
}
