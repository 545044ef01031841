//! `squeeze`: an axis of extent 1 removed.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Site, rule};
use crate::payload::{Shape, Tensorial};

/// An axis of extent 1 removed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Squeeze {
    pub(crate) axis: usize,
}

impl Operation for Squeeze {
    const NAME: &'static str = "squeeze";
    const SUMMARY: &'static str = "an axis of extent 1 removed";
    const CONSTRAINTS: &'static [&'static str] =
        &["C1: the axis is in range", "C2: its extent is 1"];
    const ARITY: Option<usize> = Some(1);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        let shape = operands[0];
        rule::axis(1, self.axis, shape)?;
        if shape[self.axis] != 1 {
            let extent = shape[self.axis];
            let problem = format!("axis {} has extent {extent}, not 1", self.axis);
            let help = "`narrow` takes one position of an axis, `sum_along` adds all up";
            return Err(Violation::new(2, problem).help(help));
        }
        Ok(shape.without_axes(&[self.axis]))
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        operands[0].reshape(&operands[0].shape().without_axes(&[self.axis]), kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::Reshape
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        cx.unsqueeze(site.cotangent, self.axis)
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![("axis", Attribute::Integer(self.axis as i64))]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self { axis: attributes.integer("axis")? })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// `axis`, of extent 1, removed.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.input(Tensor::<f32>::zeros([2, 1, 3]));
    /// assert_eq!(*x.squeeze(1).shape(), [2, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where `axis` is out of range (C1) or has another extent (C2).
    #[must_use]
    #[track_caller]
    pub fn squeeze(self, axis: usize) -> Self {
        self.apply(Squeeze { axis }, &[])
    }

    /// The twin of [`Value::squeeze`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `axis` is out of range (C1) or has another extent (C2).
    #[track_caller]
    pub fn try_squeeze(self, axis: usize) -> Result<Self, ShapeError> {
        self.try_apply(Squeeze { axis }, &[])
    }
}
