//! Element-wise definitions: one element of the result from one element of each operand.

use super::View;
use super::view::each_index;
use crate::kernel::{Binary, Elementary, Unary};

/// `op` of each element.
#[must_use]
pub fn map<E: Elementary>(op: Unary, x: View<'_, E>) -> Vec<E> {
    let mut out = Vec::with_capacity(x.count());
    each_index(x.extents, |index| out.push(op.apply(x.at(index))));
    out
}

/// `op` of each pair of elements of two views of one shape.
///
/// # Panics
///
/// Panics where the extents differ.
#[must_use]
pub fn zip<E: Elementary>(op: Binary, a: View<'_, E>, b: View<'_, E>) -> Vec<E> {
    assert_eq!(a.extents, b.extents, "zip: shapes differ");
    let mut out = Vec::with_capacity(a.count());
    each_index(a.extents, |index| out.push(op.apply(a.at(index), b.at(index))));
    out
}

/// `on` where the condition is not 0 (so also where it is NaN), else `off`.
///
/// # Panics
///
/// Panics where the extents differ.
#[must_use]
pub fn select<E: Elementary>(condition: View<'_, E>, on: View<'_, E>, off: View<'_, E>) -> Vec<E> {
    assert!(condition.extents == on.extents && on.extents == off.extents, "select: shapes differ");
    let mut out = Vec::with_capacity(on.count());
    each_index(on.extents, |index| {
        let taken = if condition.at(index).is_zero() { off } else { on };
        out.push(taken.at(index).clone());
    });
    out
}
