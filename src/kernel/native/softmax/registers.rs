//! Lines of `f32` and `f64` through the softmax family in registers, each in three passes.
//!
//! COST: a register's exponential waits for itself, operation by operation: of long lines several registers go
//! through it together, 0.75 of the time for 1,024 lines of 256 (step 4 of `profile` of the workload `i` of the member `peers`).
//!
//! BITS: in every lane the steps of the definition; the lanes of the sum rule are as many registers
//! as they fill, and an absent lane adds the `+0` of the rule. A maximum here may lose a NaN, and be
//! either zero where both are there, by the machine: of zeros no result shows which, and where the line
//! has a NaN the sum is NaN, and the line is computed anew, step by step.

use crate::kernel::native::lanes::TOGETHER;
use crate::kernel::native::rows::{inside, joined, load, store};
use crate::kernel::order::{LANES, SB};
use crate::kernel::reference;
use crate::kernel::reference::View;
use crate::kernel::simd::{Level, Native, Registers, Work};
use crate::kernel::{Elementary, Softmax, SoftmaxTask};
use crate::math::exp::exp;
use crate::math::format::Format;
use crate::math::ln::ln;
use crate::math::unrolled::Unrolled;
use crate::math::value::Value;

/// The lines in registers: see `Elementary::softmax`.
pub(crate) fn softmax<E: Native>(task: &mut SoftmaxTask<'_, E>) -> bool {
    softmax_at(Level::best(), task)
}

/// The lines with the instructions of `level`.
pub(crate) fn softmax_at<E: Native>(level: Level, task: &mut SoftmaxTask<'_, E>) -> bool {
    // A line of several blocks has a sum of sums.
    let taken = task.length <= SB;
    if taken {
        takes!("softmax in registers");
        E::at(level, Lines(task));
    }
    taken
}

struct Lines<'t, 'a, E>(&'t mut SoftmaxTask<'a, E>);

impl<E: Native> Work<E> for Lines<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, token: R) {
        let SoftmaxTask { form, elements, length, ref mut out } = *self.0;
        // COST: code of their own, as long lines' takes registers from short ones' (makemore's 32 lines of 27: 6 % of a step).
        let long = length > TOGETHER * R::WIDTH;
        macro_rules! run {
            ($per:literal) => {
                match R::MANY && $per <= TOGETHER && long {
                    true => lines::<R, $per, true>(token, form, elements, length, out),
                    false => lines::<R, $per, false>(token, form, elements, length, out),
                }
            };
        }
        match const { LANES / R::WIDTH } {
            1 => run!(1),
            2 => run!(2),
            4 => run!(4),
            _ => run!(8),
        }
    }
}

#[inline(always)]
fn lines<R: Registers, const PER: usize, const LONG: bool>(
    token: R,
    form: Softmax,
    elements: &[R::Element],
    length: usize,
    out: &mut [R::Element],
) {
    let rest = length % LANES;
    if LONG {
        takes!("softmax of long lines");
    }
    let [zero, lowest] = [0.0, f64::NEG_INFINITY].map(|x| token.splat(R::Element::exact(x)));
    let inside = inside::<R, PER>(token, if rest == 0 { LANES } else { rest });
    let rows = length.div_ceil(LANES);
    for (number, start) in (0..elements.len()).step_by(length).enumerate() {
        let mut high = [lowest; PER];
        // Whole rows, some at once; the last one, where lanes may be absent, is not among them.
        let grouped = if LONG { (rows - 1) * PER / TOGETHER } else { 0 };
        let first = grouped * TOGETHER / PER.min(TOGETHER);
        if grouped > 0 {
            let mut highs = [lowest; TOGETHER];
            for group in 0..grouped {
                let x = together::<R>(elements, start + group * TOGETHER * R::WIDTH);
                for i in 0..TOGETHER {
                    highs[i] = token.at_least(x[i], highs[i]);
                }
            }
            for i in 0..TOGETHER {
                high[i % PER] = token.at_least(highs[i], high[i % PER]);
            }
        }
        for r in first..rows {
            let row = load::<R, PER>(elements, start + r * LANES);
            for p in 0..PER {
                let x =
                    if r + 1 == rows { token.select(inside[p], row[p], lowest) } else { row[p] };
                high[p] = token.at_least(x, high[p]);
            }
        }
        let high = joined::<R, PER>(
            high,
            #[inline(always)]
            |a, b| if a < b { b } else { a },
        );
        let shift = if high.is_finite() { high } else { R::Element::exact(0.0) };
        let m = token.splat(shift);
        let mut sums = [zero; PER];
        for group in 0..grouped {
            let at = start + group * TOGETHER * R::WIDTH;
            let mut x = together::<R>(elements, at);
            for x in &mut x {
                *x = token.sub(*x, m);
            }
            let e = exp(Value::new(Unrolled(token), x)).lanes();
            for i in 0..TOGETHER {
                sums[i % PER] = token.add(sums[i % PER], e[i]);
            }
            if form == Softmax::Softmax {
                R::split_mut(&mut out[at..][..TOGETHER * R::WIDTH]).0.copy_from_slice(&e);
            }
        }
        for r in first..rows {
            let mut row = load::<R, PER>(elements, start + r * LANES);
            for p in 0..PER {
                row[p] = exp(Value::new(token, token.sub(row[p], m))).lanes();
                let e = if r + 1 == rows { token.select(inside[p], row[p], zero) } else { row[p] };
                sums[p] = token.add(sums[p], e);
            }
            if form == Softmax::Softmax {
                // What reaches past the line is overwritten by the next one.
                store::<R, PER>(&row, out, start + r * LANES);
            }
        }
        let sum = joined::<R, PER>(
            sums,
            #[inline(always)]
            |a, b| a.add(&b),
        );
        if sum.is_nan() {
            anew(form, &elements[start..][..length], number, out);
            continue;
        }
        let sum = token.splat(sum);
        match form {
            Softmax::Softmax => {
                for r in 0..rows {
                    let mut row = load::<R, PER>(out, start + r * LANES);
                    for x in &mut row {
                        *x = token.div(*x, sum);
                    }
                    store::<R, PER>(&row, out, start + r * LANES);
                }
            }
            Softmax::LogSoftmax => {
                let ln = ln(Value::new(token, sum)).lanes();
                for r in 0..rows {
                    let mut row = load::<R, PER>(elements, start + r * LANES);
                    for x in &mut row {
                        *x = token.sub(token.sub(*x, m), ln);
                    }
                    store::<R, PER>(&row, out, start + r * LANES);
                }
            }
            Softmax::LogSumExp => {
                let ln = ln(Value::new(token, sum)).lanes();
                out[number] = R::elements(&[token.add(m, ln)])[0];
            }
        }
    }
}

/// As many registers from `at` on.
#[inline(always)]
fn together<R: Registers>(elements: &[R::Element], at: usize) -> [R::Float; TOGETHER] {
    let (registers, _) = R::split(&elements[at..][..TOGETHER * R::WIDTH]);
    *registers.first_chunk().expect("invariant: as many as were taken")
}

/// A line with NaN in it, by the definition.
#[cold]
#[inline(never)]
fn anew<E: Native>(form: Softmax, line: &[E], number: usize, out: &mut [E]) {
    let extents = [line.len()];
    let view = View::new(line, &extents, &[1], 0);
    match form {
        Softmax::Softmax | Softmax::LogSoftmax => {
            let result = match form {
                Softmax::Softmax => reference::softmax(view, 0),
                _ => reference::log_softmax(view, 0),
            };
            out[number * line.len()..][..line.len()].copy_from_slice(&result);
        }
        Softmax::LogSumExp => out[number] = reference::log_sum_exp(view, 0)[0],
    }
}
