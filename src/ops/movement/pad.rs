//! `pad`: further positions round one axis.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Elementary;
use crate::kernel::Kernels;
use crate::kernel::call::Call;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Site, rule};
use crate::payload::{Shape, Tensorial};

/// `before` and `after` further positions of `axis`, filled with `value`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pad {
    pub(crate) axis: usize,
    pub(crate) before: usize,
    pub(crate) after: usize,
    pub(crate) value: f64,
}

impl Operation for Pad {
    const NAME: &'static str = "pad";
    const SUMMARY: &'static str =
        "`before` and `after` further positions of `axis`, filled with `value`";
    const CONSTRAINTS: &'static [&'static str] =
        &["C1: the axis is in range", "C2: the result fits the address space"];
    const ARITY: Option<usize> = Some(1);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        rule::axis(1, self.axis, operands[0])?;
        let extent = operands[0][self.axis]
            .checked_add(self.before)
            .and_then(|extent| extent.checked_add(self.after))
            .ok_or_else(|| Violation::new(2, "the padded extent overflows"))?;
        rule::volume(2, operands[0].with_extent(self.axis, extent))
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        let value = P::Element::from_f64(self.value);
        operands[0].pad(self.axis, self.before, self.after, &value, kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        let Self { axis, before, after, value } = *self;
        Lowered::Call(Call::Pad { axis, before, after, bits: value.to_bits() })
    }
    fn counts(&self, _: usize, axis: usize, _: usize) -> bool {
        axis == self.axis
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        let extent = cx.shape(site.operands[0])[self.axis];
        cx.narrow(site.cotangent, self.axis, self.before, extent)
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![
            ("axis", Attribute::Count(self.axis)),
            ("before", Attribute::Count(self.before)),
            ("after", Attribute::Count(self.after)),
            ("value", Attribute::Number(self.value)),
        ]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self {
            axis: attributes.integer("axis")?,
            before: attributes.integer("before")?,
            after: attributes.integer("after")?,
            value: attributes.number("value")?,
        })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// `before` and `after` further positions of `axis`, filled with `value` (max pooling pads with
    /// `f64::NEG_INFINITY`).
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.input(Tensor::from([1.0_f32, 2.0]));
    /// let y = x.pad(0, 1, 0, -1.0);
    /// assert_eq!(network.forward().of(y).to_vec(), [-1.0, 1.0, 2.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where `axis` is out of range (C1) or the result overflows the address space (C2).
    #[must_use]
    #[track_caller]
    pub fn pad(self, axis: usize, before: usize, after: usize, value: f64) -> Self {
        self.apply(Pad { axis, before, after, value }, &[])
    }

    /// The twin of [`Value::pad`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `axis` is out of range (C1) or the result overflows the address space (C2).
    #[track_caller]
    pub fn try_pad(
        self,
        axis: usize,
        before: usize,
        after: usize,
        value: f64,
    ) -> Result<Self, ShapeError> {
        self.try_apply(Pad { axis, before, after, value }, &[])
    }
}
