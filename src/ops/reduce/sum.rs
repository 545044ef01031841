//! `sum`: the sum of all elements.

use crate::graph::Value;
use crate::graph::error::Violation;
use crate::kernel::Kernels;
use crate::kernel::call::Call;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Site};
use crate::payload::{Shape, Tensorial};

/// The sum of all elements, a scalar.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sum;

impl Operation for Sum {
    const NAME: &'static str = "sum";
    const SUMMARY: &'static str = "the sum of all elements, in the specified order";
    const ARITY: Option<usize> = Some(1);

    fn infer(&self, _: &[&Shape]) -> Result<Shape, Violation> {
        Ok(Shape::scalar())
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        let axes: Vec<usize> = (0..operands[0].shape().rank()).collect();
        operands[0].sum(&axes, kernels)
    }
    fn lower(&self, operands: &[&Shape]) -> Lowered {
        Lowered::Call(Call::Sum((0..operands[0].rank()).collect()))
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        cx.broadcast_like(site.cotangent, site.operands[0])
    }
    fn from_attributes(_: &Attributes) -> Option<Self> {
        Some(Self)
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// The sum of all elements, a scalar, in the specified order: blocks of 4096 elements,
    /// 16 lanes in a block (`docs/spec`).
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let y = network.leaf(Tensor::from([1.0_f32, 2.0, 3.0])).sum();
    /// assert_eq!(network.forward().of(y).item(), 6.0);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn sum(self) -> Self {
        self.apply(Sum, &[])
    }
}
