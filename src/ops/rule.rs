//! Shape rules that several cards share.

use crate::graph::error::Violation;
use crate::payload::Shape;

/// All operands have one shape (`C1`); the result has it too.
pub(crate) fn same_shape(operands: &[&Shape]) -> Result<Shape, Violation> {
    let first = operands[0];
    if operands[1..].iter().all(|shape| *shape == first) {
        return Ok(first.clone());
    }
    Err(Violation::new(
        1,
        "shapes differ (broadcast by name with `broadcast_to` or `broadcast_pair`)",
    ))
}

/// `axis` is an axis of `shape`.
pub(crate) fn axis(constraint: u8, axis: usize, shape: &Shape) -> Result<(), Violation> {
    if axis < shape.rank() {
        return Ok(());
    }
    Err(Violation::new(constraint, format!("axis {axis} is out of range")))
}

/// `axes` are distinct axes of `shape` in ascending order, at least one.
pub(crate) fn axes(constraint: u8, axes: &[usize], shape: &Shape) -> Result<(), Violation> {
    let ascending = axes.windows(2).all(|pair| pair[0] < pair[1]);
    if ascending && axes.last().is_some_and(|&last| last < shape.rank()) {
        return Ok(());
    }
    Err(Violation::new(
        constraint,
        format!("axes {axes:?} are not distinct axes in ascending order, or out of range"),
    ))
}

/// The result's volume fits the address space.
pub(crate) fn volume(constraint: u8, shape: Shape) -> Result<Shape, Violation> {
    if shape.volume().is_some() {
        return Ok(shape);
    }
    Err(Violation::new(
        constraint,
        format!("the result's shape {shape} overflows the address space"),
    ))
}
