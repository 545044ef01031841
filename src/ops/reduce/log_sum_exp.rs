//! `log_sum_exp`: `m + ln(sum(exp(x - m)))` along `axis`, which is removed.

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

/// `m + ln(sum(exp(x - m)))` along `axis`, which is removed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LogSumExp {
    pub(crate) axis: usize,
}

impl Operation for LogSumExp {
    const NAME: &'static str = "log_sum_exp";
    const SUMMARY: &'static str = "`m + ln(sum(exp(x - m)))` along `axis`, which is removed";
    const CONSTRAINTS: &'static [&'static str] =
        &["C1: the axis is in range", "C2: the axis is not empty"];
    const ARITY: Option<usize> = Some(1);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        row(self.axis, operands[0])?;
        Ok(operands[0].without_axes(&[self.axis]))
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        operands[0].log_sum_exp(self.axis, kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::Call(Call::LogSumExp(self.axis))
    }
    fn reads(&self, _: usize) -> Reads {
        Reads::FIRST.and(Reads::OUTPUT)
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        let (x, axes) = (site.operands[0], [self.axis]);
        let y = cx.broadcast_along(site.output, &axes, x);
        let g = cx.broadcast_along(site.cotangent, &axes, x);
        cx.absorb(&g, &cx.exp(&cx.sub(x, &y)))
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![("axis", Attribute::Integer(self.axis as i64))]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self { axis: attributes.integer("axis")? })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// `ln(sum(exp(x)))` along `axis`, which is removed, without overflow: `m + ln(sum(exp(x - m)))`
    /// with the maximum `m`, or 0 where that is not finite.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.leaf(Tensor::from([1000.0_f64, f64::NEG_INFINITY]));
    /// let y = x.log_sum_exp(0);
    /// assert_eq!(network.forward().of(y).item(), 1000.0);
    /// ```
    ///
    /// # Panics
    ///
    /// Where `axis` is out of range (C1) or empty (C2).
    #[must_use]
    #[track_caller]
    pub fn log_sum_exp(self, axis: usize) -> Self {
        self.apply(LogSumExp { axis }, &[])
    }

    /// The twin of [`Value::log_sum_exp`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `axis` is out of range (C1) or empty (C2).
    #[track_caller]
    pub fn try_log_sum_exp(self, axis: usize) -> Result<Self, ShapeError> {
        self.try_apply(LogSumExp { axis }, &[])
    }
}
