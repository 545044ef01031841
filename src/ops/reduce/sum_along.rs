//! `sum_along`: the sum over some axes.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::kernel::call::Call;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Site, rule};
use crate::payload::{Shape, Tensorial};

/// The sum over `axes`, which are removed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SumAlong {
    pub(crate) axes: Box<[usize]>,
}

impl Operation for SumAlong {
    const NAME: &'static str = "sum_along";
    const SUMMARY: &'static str = "the sum over `axes`, which are removed";
    const CONSTRAINTS: &'static [&'static str] = &[
        "C1: the axes are distinct and in range, in ascending order",
        "C2: the result fits the address space",
    ];
    const ARITY: Option<usize> = Some(1);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        rule::axes(1, &self.axes, operands[0])?;
        // Without its extent of 0, a shape may have a volume that is too large.
        rule::volume(2, operands[0].without_axes(&self.axes))
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        operands[0].sum(&self.axes, kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::Call(Call::Sum(self.axes.clone()))
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        cx.broadcast_along(site.cotangent, &self.axes, site.operands[0])
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![("axes", Attribute::Integers(self.axes.to_vec()))]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self { axes: attributes.integers("axes")? })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// The sum over `axes` (ascending), which are removed. Several axes reduce as one, in row-major
    /// order.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.leaf(Tensor::from([[1.0_f32, 2.0], [3.0, 4.0]]));
    /// let y = x.sum_along(&[0]);
    /// assert_eq!(network.forward().of(y).to_vec(), [4.0, 6.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where `axes` are not distinct ascending axes (C1), or the result overflows the address space
    /// (C2), which takes an empty axis among them.
    #[must_use]
    #[track_caller]
    pub fn sum_along(self, axes: &[usize]) -> Self {
        self.apply(SumAlong { axes: axes.into() }, &[])
    }

    /// The twin of [`Value::sum_along`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `axes` are not distinct ascending axes (C1), or the result overflows the address space
    /// (C2), which takes an empty axis among them.
    #[track_caller]
    pub fn try_sum_along(self, axes: &[usize]) -> Result<Self, ShapeError> {
        self.try_apply(SumAlong { axes: axes.into() }, &[])
    }
}
