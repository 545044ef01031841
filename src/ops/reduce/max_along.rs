//! `max_along`: the maximum over some axes.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::kernel::call::Call;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Reads, Site};
use crate::payload::{Shape, Tensorial};

use super::first_max_along::{FirstMaxAlong, non_empty};

/// The maximum over `axes`, which are removed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MaxAlong {
    pub(crate) axes: Box<[usize]>,
}

impl Operation for MaxAlong {
    const NAME: &'static str = "max_along";
    const SUMMARY: &'static str =
        "the maximum over `axes`, which are removed; the first of a tie gets the gradient";
    const CONSTRAINTS: &'static [&'static str] = &[
        "C1: the axes are distinct and in range, in ascending order",
        "C2: no reduced axis is empty, as nothing has no maximum",
    ];
    const ARITY: Option<usize> = Some(1);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        non_empty(&self.axes, operands[0])?;
        Ok(operands[0].without_axes(&self.axes))
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        operands[0].max(&self.axes, kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::Call(Call::Max(self.axes.clone()))
    }
    fn reads(&self, _: usize) -> Reads {
        Reads::FIRST
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        let x = site.operands[0];
        let first = cx.apply(FirstMaxAlong { axes: self.axes.clone() }.into(), &[x]);
        cx.route(&first, &cx.broadcast_along(site.cotangent, &self.axes, x))
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![("axes", Attribute::Integers(self.axes.to_vec()))]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self { axes: attributes.integers("axes")? })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// The maximum over `axes` (ascending), which are removed; NaN where there is one. The gradient
    /// goes to the first maximum in row-major order, or to the first NaN.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.leaf(Tensor::from([[1.0_f32, 2.0], [5.0, 4.0]]));
    /// let y = x.max_along(&[1]);
    /// assert_eq!(network.forward().of(y).to_vec(), [2.0, 5.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where `axes` are not distinct ascending axes (C1) or one of them is empty (C2).
    #[must_use]
    #[track_caller]
    pub fn max_along(self, axes: &[usize]) -> Self {
        self.apply(MaxAlong { axes: axes.into() }, &[])
    }

    /// The twin of [`Value::max_along`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `axes` are not distinct ascending axes (C1) or one of them is empty (C2).
    #[track_caller]
    pub fn try_max_along(self, axes: &[usize]) -> Result<Self, ShapeError> {
        self.try_apply(MaxAlong { axes: axes.into() }, &[])
    }
}
