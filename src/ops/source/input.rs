//! `input`: a value that a run may feed, with a default

use crate::graph::error::Violation;
use crate::kernel::Kernels;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Site};
use crate::payload::{Shape, Tensorial};

/// A value that each run may feed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Input;

impl Operation for Input {
    const NAME: &'static str = "input";
    const SUMMARY: &'static str = "a value that a run may feed, with a default";
    const ARITY: Option<usize> = Some(0);

    fn infer(&self, _: &[&Shape]) -> Result<Shape, Violation> {
        unreachable!("invariant: a source's shape is its payload's")
    }
    fn eval<P: Tensorial>(&self, _: &[&P], _: Kernels) -> P {
        unreachable!("invariant: the engine reads sources")
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::Source
    }
    fn vjp<A: Algebra>(&self, _: &A, _: &Site<'_, A::Value>, _: usize) -> A::Value {
        unreachable!("invariant: a source has no operands")
    }
    fn from_attributes(_: &Attributes) -> Option<Self> {
        Some(Self)
    }
}
