//! `TensorError`: what data can make fail.

use crate::payload::Shape;
use std::error::Error;
use std::fmt;

/// Why a tensor could not be made or read as asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TensorError {
    /// The number of elements is not the volume of the shape.
    Length {
        /// The shape that was asked for.
        shape: Shape,
        /// The number of elements that came.
        got: usize,
    },
    /// The volume of the shape does not fit the address space.
    Overflow {
        /// The shape that was asked for.
        shape: Shape,
    },
    /// A selection names a column that its classes don't have.
    Column {
        /// The row of the selection.
        row: usize,
        /// The column it names.
        column: usize,
        /// The number of classes.
        classes: usize,
    },
    /// Two shapes do not fit the operation.
    Shapes {
        /// The operation.
        op: &'static str,
        /// The left or the old shape.
        lhs: Shape,
        /// The right or the new shape.
        rhs: Shape,
    },
    /// An axis, or a range of one, is not part of the shape.
    Axis {
        /// The operation.
        op: &'static str,
        /// What was asked for.
        request: String,
        /// The shape.
        shape: Shape,
    },
    /// There is not exactly one element.
    NotOne {
        /// The shape.
        shape: Shape,
    },
    /// A maximum over no elements.
    Empty {
        /// The operation.
        op: &'static str,
        /// The shape.
        shape: Shape,
    },
    /// Weights that cannot be sampled from.
    Weights {
        /// The row, in row-major order of the leading axes.
        row: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
}

impl fmt::Display for TensorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { shape, got } => {
                let volume = shape.volume().unwrap_or(usize::MAX);
                write!(f, "tensor: shape {shape} has {volume} elements, but {got} came")
            }
            Self::Overflow { shape } => {
                write!(f, "tensor: the volume of shape {shape} overflows the address space")
            }
            Self::Column { row, column, classes } => {
                write!(f, "selection: row {row} names column {column} of {classes} classes")
            }
            Self::Shapes { op, lhs, rhs } => {
                write!(f, "{op}: shapes do not fit: {lhs} and {rhs}")?;
                match *op {
                    "add" | "sub" | "mul" | "div" => {
                        write!(f, "; nothing broadcasts silently, call `broadcast_to` by name")
                    }
                    _ => Ok(()),
                }
            }
            Self::Axis { op, request, shape } => {
                write!(f, "{op}: {request} is not part of {shape}")
            }
            Self::NotOne { shape } => {
                write!(f, "item: shape {shape} does not have exactly one element")
            }
            Self::Empty { op, shape } => {
                write!(f, "{op}: an empty axis of shape {shape} has no maximum")
            }
            Self::Weights { row, problem } => write!(f, "categorical: row {row} {problem}"),
        }
    }
}

impl Error for TensorError {}

impl TensorError {
    /// Panics with this error's message, at the line that called the panicking twin.
    #[track_caller]
    #[cold]
    pub(super) fn raise(self) -> ! {
        panic!("{self}")
    }
}
