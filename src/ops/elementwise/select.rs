//! `select`: one of two values by a condition. It routes; a branch not taken gets exactly 0.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::kernel::map::Pointwise;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Reads, Site, rule};
use crate::payload::{Shape, Tensorial};

/// The first branch where the condition is not 0 (NaN is not), else the second.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Select;

impl Operation for Select {
    const NAME: &'static str = "select";
    const SUMMARY: &'static str =
        "the second operand where the first (the condition) is not 0, else the third";
    const CONSTRAINTS: &'static [&'static str] = &["C1: the operands have one shape"];
    const ARITY: Option<usize> = Some(3);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        rule::same_shape(operands)
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        operands[0].select(operands[1], operands[2], kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::pointwise(Pointwise::Select)
    }
    fn differentiable(&self, position: usize) -> bool {
        position != 0
    }
    fn reads(&self, _: usize) -> Reads {
        Reads::FIRST
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, position: usize) -> A::Value {
        let condition = site.operands[0];
        if position == 1 {
            cx.route(condition, site.cotangent)
        } else {
            cx.route_else(condition, site.cotangent)
        }
    }
    fn from_attributes(_: &Attributes) -> Option<Self> {
        Some(Self)
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// `on` where this condition is not 0, else `off`, element by element. The condition gets no
    /// gradient, and what is not taken neither: not even from an infinite derivative.
    ///
    /// # Example
    ///
    /// ```
    /// let network = poorgrad::Network::new();
    /// let w = network.parameter(1.0_f64);
    /// let zero = network.leaf(0.0);
    /// let y = w.lt(zero).select(w / zero, w);
    /// let evaluation = network.forward();
    /// assert_eq!(evaluation.of(y), 1.0);
    /// assert_eq!(evaluation.backward(y).of(w), 1.0);
    /// ```
    ///
    /// # Panics
    ///
    /// Where the shapes differ (C1).
    #[must_use]
    #[track_caller]
    pub fn select(self, on: Self, off: Self) -> Self {
        self.apply(Select, &[on, off])
    }

    /// The twin of [`Value::select`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where the shapes differ (C1).
    #[track_caller]
    pub fn try_select(self, on: Self, off: Self) -> Result<Self, ShapeError> {
        self.try_apply(Select, &[on, off])
    }
}
