//! `narrow`: a range of positions of one axis.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::lower::{Lowered, Rearrangement};
use crate::ops::{Operation, Site, rule};
use crate::payload::{Shape, Tensorial};

/// `length` positions of `axis` from `start`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Narrow {
    pub(crate) axis: usize,
    pub(crate) start: usize,
    pub(crate) length: usize,
}

impl Operation for Narrow {
    const NAME: &'static str = "narrow";
    const SUMMARY: &'static str = "`length` positions of `axis` from `start`";
    const CONSTRAINTS: &'static [&'static str] =
        &["C1: the axis is in range", "C2: the range lies within the extent"];
    const ARITY: Option<usize> = Some(1);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        let Self { axis, start, length } = *self;
        rule::axis(1, axis, operands[0])?;
        if start.checked_add(length).is_none_or(|end| end > operands[0][axis]) {
            let problem = format!("{length} positions from {start} exceed axis {axis}");
            let left = operands[0][axis].saturating_sub(start);
            let help = format!("the axis has {left} from there");
            return Err(Violation::new(2, problem).help(help));
        }
        Ok(operands[0].with_extent(axis, length))
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], _: Kernels) -> P {
        operands[0].narrow(self.axis, self.start, self.length)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        let Self { axis, start, length } = *self;
        Lowered::View(Rearrangement::Narrow { axis, start, length })
    }
    fn counts(&self, _: usize, axis: usize, _: usize) -> bool {
        axis == self.axis
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        let extent = cx.shape(site.operands[0])[self.axis];
        cx.pad(site.cotangent, self.axis, self.start, extent - self.start - self.length)
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![
            ("axis", Attribute::Count(self.axis)),
            ("start", Attribute::Count(self.start)),
            ("length", Attribute::Count(self.length)),
        ]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self {
            axis: attributes.integer("axis")?,
            start: attributes.integer("start")?,
            length: attributes.integer("length")?,
        })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// `length` positions of `axis` from `start`.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.input(Tensor::from([1.0_f32, 2.0, 3.0]));
    /// let y = x.narrow(0, 1, 2);
    /// assert_eq!(network.forward().of(y).to_vec(), [2.0, 3.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where `axis` is out of range (C1) or the range exceeds the extent (C2).
    #[must_use]
    #[track_caller]
    pub fn narrow(self, axis: usize, start: usize, length: usize) -> Self {
        self.apply(Narrow { axis, start, length }, &[])
    }

    /// The twin of [`Value::narrow`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `axis` is out of range (C1) or the range exceeds the extent (C2).
    #[track_caller]
    pub fn try_narrow(self, axis: usize, start: usize, length: usize) -> Result<Self, ShapeError> {
        self.try_apply(Narrow { axis, start, length }, &[])
    }
}
