//! `unsqueeze`: a new axis of extent 1.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Site};
use crate::payload::{Shape, Tensorial};

/// A new axis of extent 1 before `axis`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unsqueeze {
    pub(crate) axis: usize,
}

impl Operation for Unsqueeze {
    const NAME: &'static str = "unsqueeze";
    const SUMMARY: &'static str = "a new axis of extent 1 before `axis`";
    const CONSTRAINTS: &'static [&'static str] = &["C1: the axis is at most the rank"];
    const ARITY: Option<usize> = Some(1);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        if self.axis > operands[0].rank() {
            let problem = format!("axis {} is beyond the rank", self.axis);
            let help = match operands[0].rank() {
                0 => "a scalar's first axis is 0".to_owned(),
                rank => format!("a new axis goes to one of 0 to {rank}"),
            };
            return Err(Violation::new(1, problem).help(help));
        }
        Ok(operands[0].with_axis(self.axis, 1))
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        operands[0].reshape(&operands[0].shape().with_axis(self.axis, 1), kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::Reshape
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        cx.squeeze(site.cotangent, self.axis)
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![("axis", Attribute::Integer(self.axis as i64))]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self { axis: attributes.integer("axis")? })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// A new axis of extent 1 before `axis` (behind the last, where `axis` is the rank).
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.input(Tensor::<f32>::zeros([2, 3]));
    /// assert_eq!(*x.unsqueeze(1).shape(), [2, 1, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where `axis` exceeds the rank (C1).
    #[must_use]
    #[track_caller]
    pub fn unsqueeze(self, axis: usize) -> Self {
        self.apply(Unsqueeze { axis }, &[])
    }

    /// The twin of [`Value::unsqueeze`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `axis` exceeds the rank (C1).
    #[track_caller]
    pub fn try_unsqueeze(self, axis: usize) -> Result<Self, ShapeError> {
        self.try_apply(Unsqueeze { axis }, &[])
    }
}
