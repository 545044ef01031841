//! Reductions of lines of `f32` and `f64` in registers.
//!
//! BITS: the sixteen lanes of the sum rule are as many registers as they fill; a maximum is the
//! same for any tree. Several lines advance side by side, as the operations on one wait for one
//! another.

use super::rows::{inside, joined, load};
use crate::kernel::order::LANES;
use crate::kernel::simd::{Level, Native, Registers, Work};
use crate::kernel::{Elementary, ReduceTask, Reduction};
use crate::math::extrema::maximum;
use crate::math::format::Format;
use crate::math::value::Value;

/// The lines in registers: see `Elementary::reduce`.
pub(crate) fn reduce<E: Native>(task: &mut ReduceTask<'_, E>) -> bool {
    reduce_at(Level::best(), task);
    true
}

/// The lines with the instructions of `level`.
pub(crate) fn reduce_at<E: Native>(level: Level, task: &mut ReduceTask<'_, E>) {
    E::at(level, Lines(task));
}

struct Lines<'t, 'a, E>(&'t mut ReduceTask<'a, E>);

impl<E: Native> Work<E> for Lines<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, token: R) {
        let ReduceTask { reduction, elements, length, ref mut out } = *self.0;
        // The registers of sixteen lanes, and so many lines that the machine's registers hold all.
        match LANES / R::WIDTH {
            1 => groups::<R, 4, 1>(token, reduction, elements, length, out),
            2 => groups::<R, 4, 2>(token, reduction, elements, length, out),
            4 => groups::<R, 2, 4>(token, reduction, elements, length, out),
            _ => groups::<R, 1, 8>(token, reduction, elements, length, out),
        }
    }
}

#[inline(always)]
fn groups<R: Registers, const N: usize, const PER: usize>(
    token: R,
    reduction: Reduction,
    elements: &[R::Element],
    length: usize,
    out: &mut [R::Element],
) {
    // A last, shorter line is in no group.
    let whole = (elements.len() / length / N).min(out.len() / N);
    let (grouped, rest) = out.split_at_mut(whole * N);
    let tail = inside::<R, PER>(token, length % LANES);
    let lines = Together::<R, PER> { token, reduction, elements, length, tail };
    for (group, out) in grouped.chunks_exact_mut(N).enumerate() {
        out.copy_from_slice(&lines.reduced::<N>(group * N * length));
    }
    for (number, out) in rest.iter_mut().enumerate() {
        let start = (whole * N + number) * length;
        let length = length.min(elements.len() - start);
        let tail = inside::<R, PER>(token, length % LANES);
        [*out] = Together { length, tail, ..lines }.reduced::<1>(start);
    }
}

/// Lines of one length.
#[derive(Clone, Copy)]
struct Together<'a, R: Registers, const PER: usize> {
    token: R,
    reduction: Reduction,
    elements: &'a [R::Element],
    length: usize,
    /// Which lanes the last, partial row fills.
    tail: [R::Mask; PER],
}

impl<R: Registers, const PER: usize> Together<'_, R, PER> {
    /// The `N` lines from `start`.
    #[inline(always)]
    fn reduced<const N: usize>(&self, start: usize) -> [R::Element; N] {
        let Self { token, reduction, elements, length, tail } = *self;
        let zero = token.splat(R::Element::exact(0.0));
        let mut lanes = [[zero; PER]; N];
        let mut first = 0;
        if let Reduction::Max = reduction {
            for (i, lanes) in lanes.iter_mut().enumerate() {
                // A lane that no element takes has the first one.
                *lanes = match length {
                    LANES.. => load::<R, PER>(elements, start + i * length),
                    _ => [token.splat(elements[start + i * length]); PER],
                };
            }
            first = usize::from(length >= LANES);
        }
        let rows = length / LANES;
        for r in first..rows {
            for (i, lanes) in lanes.iter_mut().enumerate() {
                let row = load::<R, PER>(elements, start + i * length + r * LANES);
                for p in 0..PER {
                    lanes[p] = step(token, reduction, lanes[p], row[p]);
                }
            }
        }
        if length % LANES > 0 {
            for (i, lanes) in lanes.iter_mut().enumerate() {
                let row = load::<R, PER>(elements, start + i * length + rows * LANES);
                for p in 0..PER {
                    let taken = step(token, reduction, lanes[p], row[p]);
                    lanes[p] = token.select(tail[p], taken, lanes[p]);
                }
            }
        }
        lanes.map(
            #[inline(always)]
            |lanes| match reduction {
                Reduction::Sum => joined::<R, PER>(
                    lanes,
                    #[inline(always)]
                    |a, b| a.add(&b),
                ),
                Reduction::Max => joined::<R, PER>(
                    lanes,
                    #[inline(always)]
                    |a, b| Elementary::maximum(&a, &b),
                ),
            },
        )
    }
}

#[inline(always)]
fn step<R: Registers>(token: R, reduction: Reduction, lane: R::Float, x: R::Float) -> R::Float {
    match reduction {
        Reduction::Sum => token.add(lane, x),
        Reduction::Max => maximum(Value::new(token, lane), Value::new(token, x)).lanes(),
    }
}
