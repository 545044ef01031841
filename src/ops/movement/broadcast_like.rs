//! `broadcast_like`: the NumPy rule, by name.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::lower::{Lowered, Rearrangement};
use crate::ops::rule;
use crate::ops::{Operation, Site};
use crate::payload::{Shape, Tensorial};

/// The first operand repeated to the shape of the second, of which only the shape is read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BroadcastLike;

impl Operation for BroadcastLike {
    const NAME: &'static str = "broadcast_like";
    const SUMMARY: &'static str =
        "the first operand repeated to the shape of the second (the NumPy rule)";
    const CONSTRAINTS: &'static [&'static str] =
        &["C1: trailing extents are equal or 1, and the rank is not larger"];
    const ARITY: Option<usize> = Some(2);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        let [from, to] = operands else { unreachable!("invariant: arity 2") };
        let fits = from.rank() <= to.rank()
            && from.iter().rev().zip(to.iter().rev()).all(|(from, to)| from == to || *from == 1);
        if fits {
            return Ok((*to).clone());
        }
        let violation = Violation::new(1, "the first shape does not broadcast to the second");
        Err(violation.help(rule::BROADCASTS))
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], _: Kernels) -> P {
        let (rank, shape) = (operands[0].shape().rank(), operands[1].shape());
        let axes: Vec<usize> = (shape.rank() - rank..shape.rank()).collect();
        operands[0].broadcast(&shape, &axes)
    }
    fn lower(&self, operands: &[&Shape]) -> Lowered {
        let (from, to) = (operands[0].rank(), operands[1].rank());
        Lowered::View(Rearrangement::Broadcast((to - from..to).collect()))
    }
    fn differentiable(&self, position: usize) -> bool {
        position == 0
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        cx.sum_like(site.cotangent, site.operands[0])
    }
    fn from_attributes(_: &Attributes) -> Option<Self> {
        Some(Self)
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// `self` repeated to the shape of `like` by the NumPy rule: shapes are aligned at their last
    /// axes, missing axes and extents of 1 repeat. Only the shape of `like` counts.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let bias = network.input(Tensor::from([1.0_f32, 2.0]));
    /// let x = network.input(Tensor::zeros([3, 2]));
    /// assert_eq!(*bias.broadcast_like(x).shape(), [3, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where the shapes do not fit (C1).
    #[must_use]
    #[track_caller]
    pub fn broadcast_like(self, like: Self) -> Self {
        self.apply(BroadcastLike, &[like])
    }

    /// The twin of [`Value::broadcast_like`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where the shapes do not fit (C1).
    #[track_caller]
    pub fn try_broadcast_like(self, like: Self) -> Result<Self, ShapeError> {
        self.try_apply(BroadcastLike, &[like])
    }
}
