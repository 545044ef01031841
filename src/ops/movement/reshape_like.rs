//! `reshape_like`: the elements under the shape of another value.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Site};
use crate::payload::{Shape, Tensorial};

/// The elements, row-major, under the shape of the second operand, of which only the shape is read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReshapeLike;

impl Operation for ReshapeLike {
    const NAME: &'static str = "reshape_like";
    const SUMMARY: &'static str = "the elements, row-major, under the shape of the second operand";
    const CONSTRAINTS: &'static [&'static str] = &["C1: the volumes are equal"];
    const ARITY: Option<usize> = Some(2);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        let [from, to] = operands else { unreachable!("invariant: arity 2") };
        if from.volume() == to.volume() {
            return Ok((*to).clone());
        }
        Err(Violation::new(1, "the volumes differ"))
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        operands[0].reshape(&operands[1].shape(), kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::Reshape
    }
    fn differentiable(&self, position: usize) -> bool {
        position == 0
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        cx.reshape_like(site.cotangent, site.operands[0])
    }
    fn from_attributes(_: &Attributes) -> Option<Self> {
        Some(Self)
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// The elements in row-major order under the shape of `like`, of which only the shape counts.
    ///
    /// # Panics
    ///
    /// Where the volumes differ (C1).
    #[must_use]
    #[track_caller]
    pub fn reshape_like(self, like: Self) -> Self {
        self.apply(ReshapeLike, &[like])
    }

    /// The twin of [`Value::reshape_like`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where the volumes differ (C1).
    #[track_caller]
    pub fn try_reshape_like(self, like: Self) -> Result<Self, ShapeError> {
        self.try_apply(ReshapeLike, &[like])
    }
}
