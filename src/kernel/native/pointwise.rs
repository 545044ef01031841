//! Element-wise functions of slices and single elements, into slices.

use super::map::{truth, with_binary};
use super::power::powers;
use crate::kernel::simd::Level;
use crate::kernel::{Binary, Comparison, Elementary, Lowering};

/// `op` of each pair; an operand of one element stands for as many as the result has.
pub(super) fn zip_to_slice<E: Elementary>(op: Binary, a: &[E], b: &[E], out: &mut [E]) {
    let level = Level::best();
    if op == Binary::Powf && matches!(E::lowering(), Lowering::F32 | Lowering::F64) {
        let exponent = |i: usize| if b.len() == 1 { b[0].to_f64() } else { b[i].to_f64() };
        if a.len() == out.len() && powers(level, a, exponent, out) {
            return;
        }
    }
    macro_rules! run {
        ($f:expr) => {
            level.compiled(
                #[inline(always)]
                || pairs(a, b, out, $f),
            )
        };
    }
    with_binary!(op, run)
}

/// `op` of each element and its partner, or one for all, in the elements' place; of the partner first
/// where `flipped`.
pub(super) fn zip_in_slice<E: Elementary>(op: Binary, out: &mut [E], other: &[E], flipped: bool) {
    macro_rules! run {
        ($f:expr) => {
            Level::best().compiled(
                #[inline(always)]
                || {
                    let f = $f;
                    match (other, flipped) {
                        ([y], false) => out.iter_mut().for_each(|x| *x = f(x, y)),
                        ([y], true) => out.iter_mut().for_each(|x| *x = f(y, x)),
                        (other, false) => out.iter_mut().zip(other).for_each(|(x, y)| *x = f(x, y)),
                        (other, true) => out.iter_mut().zip(other).for_each(|(x, y)| *x = f(y, x)),
                    }
                },
            )
        };
    }
    with_binary!(op, run)
}

#[inline(always)]
fn pairs<E: Elementary>(a: &[E], b: &[E], out: &mut [E], f: impl Fn(&E, &E) -> E) {
    let count = out.len();
    match (a, b) {
        ([a], [b]) => {
            let value = f(a, b);
            out.fill(value);
        }
        (a, [b]) => {
            let (a, b) = (&a[..count], b.clone());
            out.iter_mut().zip(a).for_each(|(out, a)| *out = f(a, &b));
        }
        ([a], b) => {
            let (a, b) = (a.clone(), &b[..count]);
            out.iter_mut().zip(b).for_each(|(out, b)| *out = f(&a, b));
        }
        (a, b) => {
            let (a, b) = (&a[..count], &b[..count]);
            for i in 0..count {
                out[i] = f(&a[i], &b[i]);
            }
        }
    }
}

/// `on` where the condition is not 0, else `off`; an operand of one element stands for as many as
/// the result has.
pub(super) fn select_to<E: Elementary>(condition: &[E], on: &[E], off: &[E], out: &mut [E]) {
    Level::best().compiled(
        #[inline(always)]
        || choose(condition, on, off, out),
    );
}

#[inline(always)]
fn choose<E: Elementary>(condition: &[E], on: &[E], off: &[E], out: &mut [E]) {
    let count = out.len();
    match (condition, on, off) {
        ([condition], _, _) => {
            let taken = if condition.is_zero() { off } else { on };
            match taken {
                [one] => out.fill(one.clone()),
                all => out.clone_from_slice(&all[..count]),
            }
        }
        (condition, [on], off) if off.len() >= count => {
            let (condition, off) = (&condition[..count], &off[..count]);
            for i in 0..count {
                out[i] = if condition[i].is_zero() { off[i].clone() } else { on.clone() };
            }
        }
        (condition, on, [off]) if on.len() >= count => {
            let (condition, on) = (&condition[..count], &on[..count]);
            for i in 0..count {
                out[i] = if condition[i].is_zero() { off.clone() } else { on[i].clone() };
            }
        }
        (condition, [on], [off]) => {
            let condition = &condition[..count];
            for i in 0..count {
                out[i] = if condition[i].is_zero() { off.clone() } else { on.clone() };
            }
        }
        (condition, on, off) => {
            let (condition, on, off) = (&condition[..count], &on[..count], &off[..count]);
            for i in 0..count {
                out[i] = if condition[i].is_zero() { off[i].clone() } else { on[i].clone() };
            }
        }
    }
}
