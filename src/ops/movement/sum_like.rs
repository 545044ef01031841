//! `sum_like`: the adjoint of `broadcast_like`.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::kernel::call::Call;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Site};
use crate::payload::{Shape, Tensorial};

use super::BroadcastLike;

/// The first operand summed over what a broadcast from the shape of the second repeats.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SumLike;

impl Operation for SumLike {
    const NAME: &'static str = "sum_like";
    const SUMMARY: &'static str =
        "the adjoint of `broadcast_like`: sums what a broadcast from the second shape repeats";
    const CONSTRAINTS: &'static [&'static str] = &["C1: the second shape broadcasts to the first"];
    const ARITY: Option<usize> = Some(2);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        let [from, to] = operands else { unreachable!("invariant: arity 2") };
        if BroadcastLike.infer(&[to, from]).is_err() {
            return Err(Violation::new(1, "the second shape does not broadcast to the first"));
        }
        Ok((*to).clone())
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        let (from, to) = (operands[0].shape(), operands[1].shape());
        let axes = repeated(&from, &to);
        if axes.is_empty() {
            return operands[0].reshape(&to, kernels);
        }
        operands[0].sum(&axes, kernels).reshape(&to, kernels)
    }
    fn lower(&self, operands: &[&Shape]) -> Lowered {
        match repeated(operands[0], operands[1]) {
            axes if axes.is_empty() => Lowered::Reshape,
            axes => Lowered::Call(Call::Sum(axes.into())),
        }
    }
    fn differentiable(&self, position: usize) -> bool {
        position == 0
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        cx.broadcast_like(site.cotangent, site.operands[0])
    }
    fn from_attributes(_: &Attributes) -> Option<Self> {
        Some(Self)
    }
}

/// The axes of `from` that a broadcast of `to` repeats.
fn repeated(from: &Shape, to: &Shape) -> Vec<usize> {
    let lead = from.rank() - to.rank();
    let repeated = |&axis: &usize| axis < lead || (to[axis - lead] == 1 && from[axis] != 1);
    (0..from.rank()).filter(repeated).collect()
}

impl<P: Tensorial> Value<'_, P> {
    /// The adjoint of [`Value::broadcast_like`]: `self` summed over the axes that a broadcast from
    /// the shape of `like` repeats. Only the shape of `like` counts.
    ///
    /// # Panics
    ///
    /// Where the shape of `like` does not broadcast to that of `self` (C1).
    #[must_use]
    #[track_caller]
    pub fn sum_like(self, like: Self) -> Self {
        self.apply(SumLike, &[like])
    }

    /// The twin of [`Value::sum_like`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where the shape of `like` does not broadcast to that of `self` (C1).
    #[track_caller]
    pub fn try_sum_like(self, like: Self) -> Result<Self, ShapeError> {
        self.try_apply(SumLike, &[like])
    }
}
