//! Element-wise functions of pairs: along strided rows, of slices, and in the place of one of the two.
//!
//! COST: each function has a loop of its own for every lie of a row, type and level. So these are here
//! once: a relation the other way round has its operands exchanged, and a power, which is no loop of
//! registers, is compiled for no level.

use super::power::powers;
use crate::kernel::simd::Level;
use crate::kernel::walk::{Axis, each};
use crate::kernel::{Binary, Comparison, Elementary, Lowering, scratch};

/// Expands the macro `$run`, or `$seldom`, with the method of `Elementary` that `$op` names: the choice is made
/// once, outside the loop. The relations `Gt` and `Ge` were turned round, and powers were taken before.
macro_rules! with_binary {
    ($op:expr, $run:ident, $seldom:ident) => {
        match $op {
            Binary::Add => $run!(E::add),
            Binary::Sub => $run!(E::sub),
            Binary::Mul => $run!(E::mul),
            Binary::Div => $run!(E::div),
            Binary::Absorb => $run!(E::absorb),
            Binary::AbsorbDiv => $seldom!(E::absorb_div),
            Binary::Maximum => $seldom!(E::maximum),
            Binary::Compare(Comparison::Lt) => $seldom!(|a: &E, b: &E| truth(Comparison::Lt, a, b)),
            Binary::Compare(Comparison::Le) => $seldom!(|a: &E, b: &E| truth(Comparison::Le, a, b)),
            Binary::Compare(Comparison::Eq) => $seldom!(|a: &E, b: &E| truth(Comparison::Eq, a, b)),
            Binary::Compare(Comparison::Ne) => $seldom!(|a: &E, b: &E| truth(Comparison::Ne, a, b)),
            Binary::Compare(Comparison::Gt | Comparison::Ge) | Binary::Powf => {
                unreachable!("invariant: a relation was turned round, and a power taken before")
            }
        }
    };
}

#[inline(always)]
fn truth<E: Elementary>(relation: Comparison, a: &E, b: &E) -> E {
    if relation.holds(a, b) { E::one() } else { E::zero() }
}

/// The function and its operands, exchanged where the relation is one that has no loops of its own.
pub(super) fn turned<T>(op: Binary, [a, b]: [T; 2]) -> (Binary, [T; 2]) {
    match op {
        Binary::Compare(Comparison::Gt) => (Binary::Compare(Comparison::Lt), [b, a]),
        Binary::Compare(Comparison::Ge) => (Binary::Compare(Comparison::Le), [b, a]),
        _ => (op, [a, b]),
    }
}

/// Two operands, row by row.
#[derive(Clone, Copy)]
pub(super) struct Pairs<'a, E> {
    pub(super) operands: [&'a [E]; 2],
    /// Where the first row of each starts.
    pub(super) start: [usize; 2],
    /// The axes over rows.
    pub(super) outer: &'a [Axis<2>],
    /// A row.
    pub(super) inner: Axis<2>,
}

impl<'a, E> Pairs<'a, E> {
    /// Slices of so many elements; one of one element stands for as many.
    pub(super) fn of(operands: [&'a [E]; 2], extent: usize) -> Self {
        let strides = operands.map(|of| usize::from(of.len() > 1));
        Self { operands, start: [0; 2], outer: &[], inner: Axis { extent, strides } }
    }
}

/// `op`, [`turned`], of each pair, with the instructions of `level`.
pub(super) fn zip_pairs<E: Elementary>(
    level: Level,
    op: Binary,
    pairs: Pairs<'_, E>,
    out: &mut [E],
) {
    if op == Binary::Powf {
        return rows(pairs, out, E::powf);
    }
    macro_rules! run {
        ($f:expr) => {
            level.compiled(
                #[inline(always)]
                || rows(pairs, out, $f),
            )
        };
    }
    macro_rules! seldom {
        ($f:expr) => {
            level.compiled_narrow(
                #[inline(always)]
                || rows(pairs, out, $f),
            )
        };
    }
    with_binary!(op, run, seldom)
}

#[inline(always)]
fn rows<E: Elementary>(pairs: Pairs<'_, E>, out: &mut [E], f: impl Fn(&E, &E) -> E) {
    if out.is_empty() {
        return;
    }
    let Pairs { operands: [a, b], start, outer, inner: Axis { extent, strides } } = pairs;
    let mut rows = out.chunks_exact_mut(extent);
    each(
        outer,
        start,
        #[inline(always)]
        |[i, j]| {
            let out = rows.next().expect("invariant: one row of the result per row");
            let (a, b) = (&a[i..], &b[j..]);
            match strides {
                [1, 1] => {
                    let (a, b) = (&a[..extent], &b[..extent]);
                    for k in 0..extent {
                        out[k] = f(&a[k], &b[k]);
                    }
                }
                [1, 0] => {
                    let b = b[0].clone();
                    out.iter_mut().zip(&a[..extent]).for_each(|(out, a)| *out = f(a, &b));
                }
                [0, 1] => {
                    let a = a[0].clone();
                    out.iter_mut().zip(&b[..extent]).for_each(|(out, b)| *out = f(&a, b));
                }
                [s, t] => {
                    for (k, out) in out.iter_mut().enumerate() {
                        *out = f(&a[k * s], &b[k * t]);
                    }
                }
            }
        },
    );
}

/// `op` of each pair; an operand of one element stands for as many as the result has.
pub(super) fn zip_to_slice<E: Elementary>(op: Binary, a: &[E], b: &[E], out: &mut [E]) {
    let level = Level::best();
    if op == Binary::Powf && matches!(E::lowering(), Lowering::F32 | Lowering::F64) {
        let exponent = |i: usize| if b.len() == 1 { b[0].to_f64() } else { b[i].to_f64() };
        if a.len() == out.len() && powers(level, a, exponent, out) {
            return;
        }
    }
    if let ([_], [_], [_, _, ..]) = (a, b, &*out) {
        // The same for all: a division or a power once.
        let (first, rest) = out.split_at_mut(1);
        zip_to_slice(op, a, b, first);
        return rest.fill(first[0].clone());
    }
    let (op, operands) = turned(op, [a, b]);
    zip_pairs(level, op, Pairs::of(operands, out.len()), out);
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
    match op {
        Binary::Add => run!(E::add),
        Binary::Sub => run!(E::sub),
        Binary::Mul => run!(E::mul),
        Binary::Div => run!(E::div),
        Binary::Absorb => run!(E::absorb),
        _ => zip_by_copies(op, out, other, flipped),
    }
}

/// The same of any function: what is there is copied away first, a little at a time.
fn zip_by_copies<E: Elementary>(op: Binary, out: &mut [E], other: &[E], flipped: bool) {
    const COPIED: usize = 512;
    scratch::with(COPIED.min(out.len()), |copy| {
        for (i, out) in out.chunks_mut(COPIED).enumerate() {
            let copy = &mut copy[..out.len()];
            copy.clone_from_slice(out);
            let other = if other.len() == 1 { other } else { &other[i * COPIED..][..out.len()] };
            let [a, b] = if flipped { [other, copy] } else { [copy, other] };
            zip_to_slice(op, a, b, out);
        }
    });
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
