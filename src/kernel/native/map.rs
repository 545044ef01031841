//! Element-wise loops: one loop per function, so that each is a plain pass over slices.

use super::movement::{as_slice, packed};
use crate::kernel::reference::View;
use crate::kernel::task::MapTask;
use crate::kernel::walk::{Axis, Walk};
use crate::kernel::{Binary, Elementary, Unary};

/// Expands the macro `$run` with the method of `Elementary` that `$op` names: the choice is made
/// once, outside the loop.
macro_rules! with_unary {
    ($op:expr, $run:ident) => {
        match $op {
            Unary::Neg => $run!(E::neg),
            Unary::Exp => $run!(E::exp),
            Unary::ExpM1 => $run!(E::exp_m1),
            Unary::Ln => $run!(E::ln),
            Unary::Ln1p => $run!(E::ln_1p),
            Unary::Sqrt => $run!(E::sqrt),
            Unary::Tanh => $run!(E::tanh),
            Unary::Sigmoid => $run!(E::sigmoid),
            Unary::Sin => $run!(E::sin),
            Unary::Cos => $run!(E::cos),
            Unary::Erf => $run!(E::erf),
            Unary::Relu => $run!(E::relu),
            Unary::Powi(n) => $run!(|x: &E| x.powi(n)),
        }
    };
}

macro_rules! with_binary {
    ($op:expr, $run:ident) => {
        match $op {
            Binary::Add => $run!(E::add),
            Binary::Sub => $run!(E::sub),
            Binary::Mul => $run!(E::mul),
            Binary::Div => $run!(E::div),
            Binary::Absorb => $run!(E::absorb),
            Binary::AbsorbDiv => $run!(E::absorb_div),
            Binary::Powf => $run!(E::powf),
            Binary::Maximum => $run!(E::maximum),
            Binary::Compare(relation) => {
                $run!(|a: &E, b: &E| { if relation.holds(a, b) { E::one() } else { E::zero() } })
            }
        }
    };
}

/// As `reference::map`.
pub(crate) fn map<E: Elementary>(op: Unary, x: View<'_, E>) -> Vec<E> {
    let elements = packed(x);
    let mut out = vec![E::zero(); elements.len()];
    map_to(op, &elements, &mut out);
    out
}

/// `op` of each element of `from` into `to`, which is as long.
pub(crate) fn map_to<E: Elementary>(op: Unary, from: &[E], to: &mut [E]) {
    if E::map(&mut MapTask { op, elements: from, out: &mut *to }) {
        return;
    }
    macro_rules! fill {
        ($f:expr) => {{
            let f = $f;
            from.iter().zip(to).for_each(|(x, y)| *y = f(x))
        }};
    }
    with_unary!(op, fill);
}

/// As `reference::zip`.
pub(crate) fn zip<E: Elementary>(op: Binary, a: View<'_, E>, b: View<'_, E>) -> Vec<E> {
    macro_rules! run {
        ($f:expr) => {
            zip_with(a, b, $f)
        };
    }
    with_binary!(op, run)
}

/// `op` of each pair, in the place of the first (or of the second, where `flipped`).
pub(crate) fn zip_in_place<E: Elementary>(
    op: Binary,
    elements: &mut [E],
    other: View<'_, E>,
    flipped: bool,
) {
    let other = packed(other);
    macro_rules! replace {
        ($f:expr) => {{
            let f = $f;
            let pairs = elements.iter_mut().zip(other.iter());
            if flipped {
                pairs.for_each(|(x, y)| *x = f(y, x))
            } else {
                pairs.for_each(|(x, y)| *x = f(x, y))
            }
        }};
    }
    with_binary!(op, replace);
}

fn zip_with<E: Elementary>(a: View<'_, E>, b: View<'_, E>, f: impl Fn(&E, &E) -> E) -> Vec<E> {
    if let (Some(a), Some(b)) = (as_slice(a), as_slice(b)) {
        return a.iter().zip(b.iter()).map(|(a, b)| f(a, b)).collect();
    }
    let walk = Walk::new(a.extents, [a.strides, b.strides]);
    let Axis { extent, strides } = walk.inner();
    let mut out = Vec::with_capacity(a.count());
    walk.rows([a.offset, b.offset], |[i, j]| {
        let (a, b) = (&a.elements[i..], &b.elements[j..]);
        match strides {
            [1, 1] => out.extend(a[..extent].iter().zip(&b[..extent]).map(|(a, b)| f(a, b))),
            [1, 0] => out.extend(a[..extent].iter().map(|a| f(a, &b[0]))),
            [0, 1] => out.extend(b[..extent].iter().map(|b| f(&a[0], b))),
            [s, t] => out.extend((0..extent).map(|k| f(&a[k * s], &b[k * t]))),
        }
    });
    out
}

/// As `reference::select`.
pub(crate) fn select<E: Elementary>(
    condition: View<'_, E>,
    on: View<'_, E>,
    off: View<'_, E>,
) -> Vec<E> {
    let walk = Walk::new(on.extents, [condition.strides, on.strides, off.strides]);
    let Axis { extent, strides: [s, t, u] } = walk.inner();
    let mut out = Vec::with_capacity(on.count());
    walk.rows([condition.offset, on.offset, off.offset], |[i, j, k]| {
        let (condition, on, off) =
            (&condition.elements[i..], &on.elements[j..], &off.elements[k..]);
        out.extend((0..extent).map(|k| {
            let taken = if condition[k * s].is_zero() { &off[k * u] } else { &on[k * t] };
            taken.clone()
        }));
    });
    out
}
