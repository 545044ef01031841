//! `softmax`: `exp(x - m) / sum(exp(x - m))` along `axis`.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::kernel::call::Call;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Reads, Site};
use crate::payload::{Shape, Tensorial};

use super::row;

/// `exp(x - m) / sum(exp(x - m))` along `axis`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Softmax {
    pub(crate) axis: usize,
}

impl Operation for Softmax {
    const NAME: &'static str = "softmax";
    const SUMMARY: &'static str = "`exp(x - m) / sum(exp(x - m))` along `axis`";
    const CONSTRAINTS: &'static [&'static str] =
        &["C1: the axis is in range", "C2: the axis is not empty"];
    const ARITY: Option<usize> = Some(1);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        row(self.axis, operands[0])?;
        Ok(operands[0].clone())
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        operands[0].softmax(self.axis, kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::Call(Call::Softmax(self.axis))
    }
    fn reads(&self, _: usize) -> Reads {
        Reads::OUTPUT
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        let (y, axes) = (site.output, [self.axis]);
        let mean = cx.sum_along(&cx.absorb(site.cotangent, y), &axes);
        let centred = cx.sub(site.cotangent, &cx.broadcast_along(&mean, &axes, y));
        cx.absorb(&centred, y)
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![("axis", Attribute::Integer(self.axis as i64))]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self { axis: attributes.integer("axis")? })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// `exp(x) / sum(exp(x))` along `axis`, without overflow.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.leaf(Tensor::from([0.0_f64, 0.0]));
    /// let y = x.softmax(0);
    /// assert_eq!(network.forward().of(y).to_vec(), [0.5, 0.5]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where `axis` is out of range (C1) or empty (C2).
    #[must_use]
    #[track_caller]
    pub fn softmax(self, axis: usize) -> Self {
        self.apply(Softmax { axis }, &[])
    }

    /// The twin of [`Value::softmax`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `axis` is out of range (C1) or empty (C2).
    #[track_caller]
    pub fn try_softmax(self, axis: usize) -> Result<Self, ShapeError> {
        self.try_apply(Softmax { axis }, &[])
    }
}
