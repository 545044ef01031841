//! `first_max_along`: where the first maximum is.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::kernel::call::Call;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Site, rule};
use crate::payload::{Shape, Tensorial};

/// `axes` are axes of `shape` (C1) with something to take a maximum of (C2).
pub(super) fn non_empty(axes: &[usize], shape: &Shape) -> Result<(), Violation> {
    rule::axes(1, axes, shape)?;
    match axes.iter().find(|&&axis| shape[axis] == 0) {
        Some(axis) => Err(Violation::new(2, format!("axis {axis} is empty and has no maximum"))),
        None => Ok(()),
    }
}

/// 1 at the first maximum over `axes` (the first NaN where there is one), else 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FirstMaxAlong {
    pub(crate) axes: Box<[usize]>,
}

impl Operation for FirstMaxAlong {
    const NAME: &'static str = "first_max_along";
    const SUMMARY: &'static str =
        "1 at the first maximum over `axes` (the first NaN where there is one), else 0";
    const CONSTRAINTS: &'static [&'static str] = &[
        "C1: the axes are distinct and in range, in ascending order",
        "C2: no reduced axis is empty, as nothing has no maximum",
    ];
    const ARITY: Option<usize> = Some(1);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        non_empty(&self.axes, operands[0])?;
        Ok(operands[0].clone())
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        operands[0].first_max(&self.axes, kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::Call(Call::FirstMax(self.axes.clone()))
    }
    fn differentiable(&self, _: usize) -> bool {
        false
    }
    fn vjp<A: Algebra>(&self, _: &A, _: &Site<'_, A::Value>, _: usize) -> A::Value {
        unreachable!("invariant: a position is piecewise constant")
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![("axes", Attribute::Integers(self.axes.to_vec()))]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self { axes: attributes.integers("axes")? })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// 1 at the first maximum over `axes` in row-major order (the first NaN where there is one),
    /// else 0, in the shape of `self`. No gradient passes.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.leaf(Tensor::from([1.0_f32, 3.0, 3.0]));
    /// let y = x.first_max_along(&[0]);
    /// assert_eq!(network.forward().of(y).to_vec(), [0.0, 1.0, 0.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where `axes` are not distinct ascending axes (C1) or one of them is empty (C2).
    #[must_use]
    #[track_caller]
    pub fn first_max_along(self, axes: &[usize]) -> Self {
        self.apply(FirstMaxAlong { axes: axes.into() }, &[])
    }

    /// The twin of [`Value::first_max_along`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `axes` are not distinct ascending axes (C1) or one of them is empty (C2).
    #[track_caller]
    pub fn try_first_max_along(self, axes: &[usize]) -> Result<Self, ShapeError> {
        self.try_apply(FirstMaxAlong { axes: axes.into() }, &[])
    }
}
