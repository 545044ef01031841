//! `log_softmax`: `(x - m) - ln(sum(exp(x - m)))` along `axis`.

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

/// `(x - m) - ln(sum(exp(x - m)))` along `axis`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LogSoftmax {
    pub(crate) axis: usize,
}

impl Operation for LogSoftmax {
    const NAME: &'static str = "log_softmax";
    const SUMMARY: &'static str = "`(x - m) - ln(sum(exp(x - m)))` along `axis`";
    const CONSTRAINTS: &'static [&'static str] =
        &["C1: the axis is in range", "C2: the axis is not empty"];
    const ARITY: Option<usize> = Some(1);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        row(self.axis, operands[0])?;
        Ok(operands[0].clone())
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        operands[0].log_softmax(self.axis, kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::Call(Call::LogSoftmax(self.axis))
    }
    fn reads(&self, _: usize) -> Reads {
        Reads::FIRST
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        let (x, g) = (site.operands[0], site.cotangent);
        let total = cx.broadcast_along(&cx.sum_along(g, &[self.axis]), &[self.axis], x);
        cx.sub(g, &cx.absorb(&total, &cx.softmax(x, self.axis)))
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![("axis", Attribute::Integer(self.axis as i64))]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self { axis: attributes.integer("axis")? })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// The logarithm of [`Value::softmax`] along `axis`, without overflow or underflow.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.leaf(Tensor::from([1000.0_f64, 0.0]));
    /// let y = x.log_softmax(0);
    /// assert_eq!(network.forward().of(y).to_vec(), [0.0, -1000.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where `axis` is out of range (C1) or empty (C2).
    #[must_use]
    #[track_caller]
    pub fn log_softmax(self, axis: usize) -> Self {
        self.apply(LogSoftmax { axis }, &[])
    }

    /// The twin of [`Value::log_softmax`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `axis` is out of range (C1) or empty (C2).
    #[track_caller]
    pub fn try_log_softmax(self, axis: usize) -> Result<Self, ShapeError> {
        self.try_apply(LogSoftmax { axis }, &[])
    }
}
