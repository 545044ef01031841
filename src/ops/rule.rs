//! Shape rules that several cards share.

use crate::graph::error::Violation;
use crate::payload::{Brief, Shape};

/// All operands have one shape (`C1`); the result has it too.
pub(crate) fn same_shape(operands: &[&Shape]) -> Result<Shape, Violation> {
    let first = operands[0];
    if operands[1..].iter().all(|shape| *shape == first) {
        return Ok(first.clone());
    }
    Err(shapes_differ())
}

/// Operands of one shape are asked for.
pub(crate) fn shapes_differ() -> Violation {
    Violation::new(1, "shapes differ")
        .help("broadcast by name with `broadcast_to` or `broadcast_pair`")
}

/// What broadcasts.
pub(crate) const BROADCASTS: &str =
    "trailing extents are equal or 1, and missing ones count as 1; `unsqueeze` adds one elsewhere";

/// `axis` is an axis of `shape`.
pub(crate) fn axis(constraint: u8, axis: usize, shape: &Shape) -> Result<(), Violation> {
    if axis < shape.rank() {
        return Ok(());
    }
    Err(beyond(constraint, axis, shape))
}

fn beyond(constraint: u8, axis: usize, shape: &Shape) -> Violation {
    let problem = format!("axis {axis} is out of range, as the rank is {}", shape.rank());
    Violation::new(constraint, problem).help(match shape.rank() {
        0 => "a scalar has no axes; `unsqueeze` or `reshape` gives it one".to_owned(),
        1 => "the only axis is 0".to_owned(),
        rank => format!("axes count from 0 to {}", rank - 1),
    })
}

/// `axes` are distinct axes of `shape` in ascending order, at least one.
pub(crate) fn axes(constraint: u8, axes: &[usize], shape: &Shape) -> Result<(), Violation> {
    let problem = if axes.is_empty() {
        "no axis is named; name at least one".to_owned()
    } else if let Some(&axis) = axes.iter().find(|&&axis| axis >= shape.rank()) {
        return Err(beyond(constraint, axis, shape));
    } else if axes.windows(2).any(|pair| pair[0] >= pair[1]) {
        format!("axes {} are not distinct and in ascending order", Brief(axes))
    } else {
        return Ok(());
    };
    Err(Violation::new(constraint, problem))
}

/// The result's volume fits the address space.
pub(crate) fn volume(constraint: u8, shape: Shape) -> Result<Shape, Violation> {
    if shape.volume().is_some() {
        return Ok(shape);
    }
    Err(Violation::new(
        constraint,
        format!("the result's shape {} overflows the address space", Brief(&shape)),
    ))
}
