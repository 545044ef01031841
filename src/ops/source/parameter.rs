//! `parameter`: state that each generation replaces

use crate::graph::error::Violation;
use crate::kernel::Kernels;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Site};
use crate::payload::{Shape, Tensorial};

/// State of a generation: its position among the parameters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    pub(crate) slot: u32,
}

impl Operation for Parameter {
    const NAME: &'static str = "parameter";
    const SUMMARY: &'static str = "state that each generation replaces";
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
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![("slot", Attribute::Integer(i64::from(self.slot)))]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self { slot: attributes.integer("slot")? })
    }
}
