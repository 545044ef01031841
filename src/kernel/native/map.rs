//! Element-wise loops: one loop per function, so that each is a plain pass over slices.

use super::movement::{as_slice, copy, packed};
use super::parts::over;
use super::power::powers;
use super::tiles::by_tiles;
use crate::kernel::chain::cost_of;
use crate::kernel::map::Pointwise;
use crate::kernel::memory::Block;
use crate::kernel::reference::View;
use crate::kernel::simd::Level;
use crate::kernel::task::MapTask;
use crate::kernel::walk::{Axis, Walk};
use crate::kernel::{Binary, Comparison, Elementary, Lowering, Unary};

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
            Binary::Compare(Comparison::Lt) => $run!(|a: &E, b: &E| truth(Comparison::Lt, a, b)),
            Binary::Compare(Comparison::Le) => $run!(|a: &E, b: &E| truth(Comparison::Le, a, b)),
            Binary::Compare(Comparison::Gt) => $run!(|a: &E, b: &E| truth(Comparison::Gt, a, b)),
            Binary::Compare(Comparison::Ge) => $run!(|a: &E, b: &E| truth(Comparison::Ge, a, b)),
            Binary::Compare(Comparison::Eq) => $run!(|a: &E, b: &E| truth(Comparison::Eq, a, b)),
            Binary::Compare(Comparison::Ne) => $run!(|a: &E, b: &E| truth(Comparison::Ne, a, b)),
        }
    };
}

pub(super) use with_binary;

#[inline(always)]
pub(super) fn truth<E: Elementary>(relation: Comparison, a: &E, b: &E) -> E {
    if relation.holds(a, b) { E::one() } else { E::zero() }
}

/// Rows shorter than this are copied together before a function runs over them.
const SHORT: usize = 64;

/// COST: up to this many elements, finding out where and how to run a loop takes longer than a
/// plain one: 25 ns, not 130, for a tensor of one element.
const FEW: usize = 32;

/// As `reference::map`.
pub(crate) fn map<E: Elementary>(op: Unary, x: View<'_, E>) -> Block<E> {
    if let Some(elements) = as_slice(x)
        && elements.len() <= FEW
    {
        let mut out = vec![E::zero(); elements.len()];
        map_to(op, elements, &mut out);
        return out.into();
    }
    let mut out = Block::stale(x.count());
    over([x], cost_of(Pointwise::Unary(op)), &mut out, |[x], out| {
        if let Some(elements) = as_slice(x) {
            return map_to(op, elements, out);
        }
        let walk = Walk::new(x.extents, [x.strides]);
        match walk.inner() {
            Axis { extent: extent @ SHORT.., strides: [1] } => {
                let mut rows = out.chunks_exact_mut(extent);
                walk.rows([x.offset], |[at]| {
                    let row = rows.next().expect("invariant: one row of the result per row");
                    map_to(op, &x.elements[at..at + extent], row);
                });
            }
            _ => map_to(op, &copy(x), out),
        }
    });
    out
}

/// `op` of each element of `from` into `to`, which is as long.
pub(crate) fn map_to<E: Elementary>(op: Unary, from: &[E], to: &mut [E]) {
    if E::map(&mut MapTask { op, elements: from, out: &mut *to }) {
        return;
    }
    if let Unary::Powi(n) = op
        && powers(Level::best(), from, |_| f64::from(n), to)
    {
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
pub(crate) fn zip<E: Elementary>(op: Binary, a: View<'_, E>, b: View<'_, E>) -> Block<E> {
    if let (Some(a), Some(b)) = (as_slice(a), as_slice(b))
        && a.len() <= FEW
    {
        macro_rules! few {
            ($f:expr) => {{
                let f = $f;
                a.iter().zip(b).map(|(a, b)| f(a, b)).collect::<Vec<_>>()
            }};
        }
        return with_binary!(op, few).into();
    }
    let mut out = Block::stale(a.count());
    over([a, b], cost_of(Pointwise::Binary(op)), &mut out, |[a, b], out| zip_to(op, a, b, out));
    out
}

fn zip_to<E: Elementary>(op: Binary, a: View<'_, E>, b: View<'_, E>, out: &mut [E]) {
    let level = Level::best();
    if op == Binary::Powf && matches!(E::lowering(), Lowering::F32 | Lowering::F64) {
        let (a, b) = (packed(a), packed(b));
        powers(level, &a, |i| b[i].to_f64(), out);
        return;
    }
    if by_tiles([a, b], out, &mut |[a, b], out| zip_to(op, a, b, out)) {
        return;
    }
    macro_rules! run {
        ($f:expr) => {
            level.compiled(
                #[inline(always)]
                || zip_rows(a, b, out, $f),
            )
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
    let level = Level::best();
    let other = packed(other);
    macro_rules! replace {
        ($f:expr) => {{
            level.compiled(
                #[inline(always)]
                || {
                    let f = $f;
                    let pairs = elements.iter_mut().zip(other.iter());
                    if flipped {
                        pairs.for_each(|(x, y)| *x = f(y, x))
                    } else {
                        pairs.for_each(|(x, y)| *x = f(x, y))
                    }
                },
            )
        }};
    }
    with_binary!(op, replace);
}

#[inline(always)]
fn zip_rows<E: Elementary>(a: View<'_, E>, b: View<'_, E>, out: &mut [E], f: impl Fn(&E, &E) -> E) {
    if out.is_empty() {
        return;
    }
    if let (Some(a), Some(b)) = (as_slice(a), as_slice(b)) {
        let (a, b) = (&a[..out.len()], &b[..out.len()]);
        for k in 0..out.len() {
            out[k] = f(&a[k], &b[k]);
        }
        return;
    }
    let walk = Walk::new(a.extents, [a.strides, b.strides]);
    let Axis { extent, strides } = walk.inner();
    let mut rows = out.chunks_exact_mut(extent);
    walk.rows(
        [a.offset, b.offset],
        #[inline(always)]
        |[i, j]| {
            let out = rows.next().expect("invariant: one row of the result per row");
            let (a, b) = (&a.elements[i..], &b.elements[j..]);
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

/// As `reference::select`.
pub(crate) fn select<E: Elementary>(
    condition: View<'_, E>,
    on: View<'_, E>,
    off: View<'_, E>,
) -> Block<E> {
    let mut out = Block::stale(on.count());
    over([condition, on, off], 1, &mut out, select_to);
    out
}

fn select_to<E: Elementary>(views: [View<'_, E>; 3], out: &mut [E]) {
    if by_tiles(views, out, &mut |views, out| select_to(views, out)) {
        return;
    }
    Level::best().compiled(
        #[inline(always)]
        || select_rows(views, out),
    );
}

#[inline(always)]
fn select_rows<E: Elementary>([condition, on, off]: [View<'_, E>; 3], out: &mut [E]) {
    if out.is_empty() {
        return;
    }
    let walk = Walk::new(on.extents, [condition.strides, on.strides, off.strides]);
    let Axis { extent, strides } = walk.inner();
    let mut rows = out.chunks_exact_mut(extent);
    walk.rows(
        [condition.offset, on.offset, off.offset],
        #[inline(always)]
        |[i, j, k]| {
            let out = rows.next().expect("invariant: one row of the result per row");
            let (condition, on, off) =
                (&condition.elements[i..], &on.elements[j..], &off.elements[k..]);
            if strides == [1; 3] {
                let (condition, on, off) = (&condition[..extent], &on[..extent], &off[..extent]);
                for k in 0..extent {
                    out[k] = if condition[k].is_zero() { off[k].clone() } else { on[k].clone() };
                }
                return;
            }
            let [s, t, u] = strides;
            for (k, out) in out.iter_mut().enumerate() {
                let taken = if condition[k * s].is_zero() { &off[k * u] } else { &on[k * t] };
                *out = taken.clone();
            }
        },
    );
}
