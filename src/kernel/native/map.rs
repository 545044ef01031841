//! Element-wise functions of views: where their loops run, and over what.

use super::movement::{as_slice, copy, packed};
use super::parts::over;
use super::pointwise::{Pairs, turned, zip_in_slice, zip_pairs};
use super::power::powers;
use super::tiles::by_tiles;
use crate::kernel::chain::cost_of;
use crate::kernel::map::Pointwise;
use crate::kernel::memory::Block;
use crate::kernel::reference::View;
use crate::kernel::simd::Level;
use crate::kernel::task::MapTask;
use crate::kernel::walk::{Axis, Walk};
use crate::kernel::{Binary, Elementary, Lowering, Unary};

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
    // COST: by a pointer, so that no function is compiled once more for elements with kernels of their own.
    let function: fn(&E) -> E = match op {
        Unary::Neg => E::neg,
        Unary::Exp => E::exp,
        Unary::ExpM1 => E::exp_m1,
        Unary::Ln => E::ln,
        Unary::Ln1p => E::ln_1p,
        Unary::Sqrt => E::sqrt,
        Unary::Tanh => E::tanh,
        Unary::Sigmoid => E::sigmoid,
        Unary::Sin => E::sin,
        Unary::Cos => E::cos,
        Unary::Erf => E::erf,
        Unary::Relu => E::relu,
        Unary::Powi(n) => return from.iter().zip(to).for_each(|(x, y)| *y = x.powi(n)),
    };
    from.iter().zip(to).for_each(|(x, y)| *y = function(x));
}

/// As `reference::zip`.
pub(crate) fn zip<E: Elementary>(op: Binary, a: View<'_, E>, b: View<'_, E>) -> Block<E> {
    if let (Some(a), Some(b)) = (as_slice(a), as_slice(b))
        && a.len() <= FEW
    {
        let mut out = vec![E::zero(); a.len()];
        let (op, operands) = turned(op, [a, b]);
        zip_pairs(Level::Portable, op, Pairs::of(operands, out.len()), &mut out);
        return out.into();
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
    let (op, [a, b]) = turned(op, [a, b]);
    let walk = Walk::new(a.extents, [a.strides, b.strides]);
    let (operands, start) = ([a.elements, b.elements], [a.offset, b.offset]);
    let pairs = Pairs { operands, start, outer: walk.outer(), inner: walk.inner() };
    zip_pairs(level, op, pairs, out);
}

/// `op` of each pair, in the place of the first (or of the second, where `flipped`).
pub(crate) fn zip_in_place<E: Elementary>(
    op: Binary,
    elements: &mut [E],
    other: View<'_, E>,
    flipped: bool,
) {
    zip_in_slice(op, elements, &packed(other), flipped);
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
