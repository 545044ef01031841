//! Reductions of lines of `f32` and `f64` in registers.
//!
//! BITS: the sixteen lanes of the sum rule are as many registers as they fill; a maximum is the
//! same for any tree. Several lines advance side by side, as the operations on one wait for one
//! another.

use super::rows::{inside, joined, load};
use super::seen::Seen;
use crate::kernel::order::LANES;
use crate::kernel::simd::{Level, Native, Registers, Work};
use crate::kernel::{Elementary, ReduceTask, Reduction};
use crate::math::format::Format;

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
        macro_rules! groups {
            ($max:literal, $pairs:literal) => {
                match const { LANES / R::WIDTH } {
                    1 => groups::<R, $max, 4, 1>(token, elements, length, out),
                    2 => groups::<R, $max, $pairs, 2>(token, elements, length, out),
                    4 => groups::<R, $max, 2, 4>(token, elements, length, out),
                    _ => groups::<R, $max, 1, 8>(token, elements, length, out),
                }
            };
        }
        match reduction {
            Reduction::Sum => groups!(false, 4),
            Reduction::Max => groups!(true, 2),
        }
    }
}

#[inline(always)]
fn groups<R: Registers, const MAX: bool, const N: usize, const PER: usize>(
    token: R,
    elements: &[R::Element],
    length: usize,
    out: &mut [R::Element],
) {
    // A last, shorter line is in no group.
    let whole = (elements.len() / length / N).min(out.len() / N);
    let (grouped, rest) = out.split_at_mut(whole * N);
    let tail = inside::<R, PER>(token, length % LANES);
    let lines = Together::<R, MAX, PER> { token, elements, length, tail };
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
struct Together<'a, R: Registers, const MAX: bool, const PER: usize> {
    token: R,
    elements: &'a [R::Element],
    length: usize,
    /// Which lanes the last, partial row fills.
    tail: [R::Mask; PER],
}

impl<R: Registers, const MAX: bool, const PER: usize> Together<'_, R, MAX, PER> {
    /// The `N` lines from `start`.
    #[inline(always)]
    fn reduced<const N: usize>(&self, start: usize) -> [R::Element; N] {
        let Self { token, elements, length, tail } = *self;
        let zero = token.splat(R::Element::exact(0.0));
        let mut lanes = [[zero; PER]; N];
        let rows = length / LANES;
        // Of one length, so that one check serves all lines.
        let mut registers = [R::split(elements).0; N];
        for i in 0..N {
            let line = &elements[start + i * length..][..rows * LANES];
            registers[i] = &R::split(line).0[..rows * PER];
        }
        let mut seen = [Seen::first(token, zero); N];
        if MAX {
            for i in 0..N {
                // A lane that no element takes has the first one.
                let alone = token.splat(elements[start + i * length]);
                for p in 0..PER {
                    lanes[i][p] = if rows > 0 { registers[i][p] } else { alone };
                }
                seen[i] = Seen::first(token, lanes[i][0]);
                for lane in &lanes[i][1..] {
                    seen[i].note(token, *lane);
                }
            }
        }
        let first = usize::from(MAX && rows > 0);
        for row in first..rows {
            for i in 0..N {
                for p in 0..PER {
                    let x = registers[i][row * PER + p];
                    if MAX {
                        lanes[i][p] = seen[i].larger(token, lanes[i][p], x);
                    } else {
                        lanes[i][p] = token.add(lanes[i][p], x);
                    }
                }
            }
        }
        if length % LANES > 0 {
            for i in 0..N {
                let row = load::<R, PER>(elements, start + i * length + rows * LANES);
                for p in 0..PER {
                    let lane = lanes[i][p];
                    lanes[i][p] = if MAX {
                        // A lane past the end meets itself once more.
                        let x = token.select(tail[p], row[p], lane);
                        seen[i].larger(token, lane, x)
                    } else {
                        token.select(tail[p], token.add(lane, row[p]), lane)
                    };
                }
            }
        }
        let mut out = [R::Element::exact(0.0); N];
        for i in 0..N {
            out[i] = if MAX {
                for lane in &mut lanes[i] {
                    *lane = seen[i].maximum(token, *lane);
                }
                highest::<R, PER>(token, lanes[i])
            } else {
                joined::<R, PER>(
                    lanes[i],
                    #[inline(always)]
                    |a, b| a.add(&b),
                )
            };
        }
        out
    }
}

/// The maximum of lanes.
///
/// COST: of numbers other than zeros, which is nearly always, a plain comparison finds it. Lanes that are NaN
/// count as infinite there, so that a finite result says that there is none.
#[inline(always)]
fn highest<R: Registers, const PER: usize>(token: R, lanes: [R::Float; PER]) -> R::Element {
    let infinite = token.splat(R::Element::INFINITE);
    let mut numbers = lanes;
    for p in 0..PER {
        numbers[p] = token.select(token.eq(lanes[p], lanes[p]), lanes[p], infinite);
    }
    let high = joined::<R, PER>(
        numbers,
        #[inline(always)]
        |a, b| if a >= b { a } else { b },
    );
    if high != R::Element::exact(0.0) && high != R::Element::INFINITE {
        return high;
    }
    joined::<R, PER>(
        lanes,
        #[inline(always)]
        |a, b| Elementary::maximum(&a, &b),
    )
}
