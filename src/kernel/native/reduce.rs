//! Reductions of lines of `f32` and `f64` in registers.
//!
//! BITS: the sixteen lanes of the sum rule are as many registers as they fill; a maximum is the
//! same for any tree. Several lines advance side by side, as the operations on one wait for one
//! another.

use crate::kernel::order::LANES;
use crate::kernel::simd::{Level, Native, Registers, Work};
use crate::kernel::{ReduceTask, Reduction};
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
    for (lines, out) in elements.chunks(N * length).zip(grouped.chunks_exact_mut(N)) {
        let lines = core::array::from_fn(|i| &lines[i * length..][..length]);
        out.copy_from_slice(&together::<R, N, PER>(token, reduction, lines));
    }
    for (line, out) in elements[whole * N * length..].chunks(length).zip(rest) {
        [*out] = together::<R, 1, PER>(token, reduction, [line]);
    }
}

/// Lines of one length.
#[inline(always)]
fn together<R: Registers, const N: usize, const PER: usize>(
    token: R,
    reduction: Reduction,
    lines: [&[R::Element]; N],
) -> [R::Element; N] {
    let zero = token.splat(R::Element::exact(0.0));
    let mut lanes = [[zero; PER]; N];
    let rows = lines[0].len() / LANES;
    let registers = lines.map(
        #[inline(always)]
        |line| &R::split(&line[..rows * LANES]).0[..rows * PER],
    );
    let mut first = 0;
    if let Reduction::Max = reduction
        && rows > 0
    {
        for i in 0..N {
            lanes[i].copy_from_slice(&registers[i][..PER]);
        }
        first = 1;
    }
    for row in first..rows {
        for i in 0..N {
            for p in 0..PER {
                lanes[i][p] = step(token, reduction, lanes[i][p], registers[i][row * PER + p]);
            }
        }
    }
    let mut out = [R::Element::exact(0.0); N];
    for i in 0..N {
        let mut spilled = [R::Element::exact(0.0); LANES];
        R::split_mut(&mut spilled).0.copy_from_slice(&lanes[i]);
        out[i] = finish(reduction, spilled, rows == 0, &lines[i][rows * LANES..]);
    }
    out
}

#[inline(always)]
fn step<R: Registers>(token: R, reduction: Reduction, lane: R::Float, x: R::Float) -> R::Float {
    match reduction {
        Reduction::Sum => token.add(lane, x),
        Reduction::Max => maximum(Value::new(token, lane), Value::new(token, x)).lanes(),
    }
}

/// Takes up the last, partial row, and joins the lanes by the tree of the sum rule.
#[inline(always)]
fn finish<E: Native>(reduction: Reduction, mut lanes: [E; LANES], empty: bool, rest: &[E]) -> E {
    match reduction {
        Reduction::Sum => {
            for (lane, x) in lanes.iter_mut().zip(rest) {
                *lane = lane.add(x);
            }
        }
        Reduction::Max if empty => {
            // The first element in every lane that no other takes.
            lanes = [rest[0]; LANES];
            lanes[..rest.len()].copy_from_slice(rest);
        }
        Reduction::Max => {
            for (lane, x) in lanes.iter_mut().zip(rest) {
                *lane = lane.maximum(x);
            }
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        for l in 0..width {
            lanes[l] = match reduction {
                Reduction::Sum => lanes[l].add(&lanes[l + width]),
                Reduction::Max => lanes[l].maximum(&lanes[l + width]),
            };
        }
        width /= 2;
    }
    lanes[0]
}
