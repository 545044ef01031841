//! `unfold`: sliding windows along one axis.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::lower::{Lowered, Rearrangement};
use crate::ops::{Operation, Site, rule};
use crate::payload::{Shape, Tensorial};

use super::{Fold, windows};

/// Sliding windows along `axis`: it becomes the windows, and a last axis of their positions is added.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unfold {
    pub(crate) axis: usize,
    pub(crate) size: usize,
    pub(crate) step: usize,
    pub(crate) dilation: usize,
}

impl Operation for Unfold {
    const NAME: &'static str = "unfold";
    const SUMMARY: &'static str =
        "sliding windows: `axis` becomes the windows, a last axis of `size` positions is added";
    const CONSTRAINTS: &'static [&'static str] = &[
        "C1: the axis is in range",
        "C2: size, step and dilation are at least 1",
        "C3: a window fits the extent",
        "C4: the result fits the address space",
    ];
    const ARITY: Option<usize> = Some(1);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        let Self { axis, size, step, dilation } = *self;
        rule::axis(1, axis, operands[0])?;
        let extent = operands[0][axis];
        let windows = windows(extent, size, step, dilation)?;
        let shape = operands[0];
        let extent = |to: usize| if to == axis { windows } else { shape[to] };
        let shape = Shape::from_fn(shape.rank() + 1, |to| match to < shape.rank() {
            true => extent(to),
            false => size,
        });
        rule::volume(4, shape)
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], _: Kernels) -> P {
        operands[0].unfold(self.axis, self.size, self.step, self.dilation)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        let Self { axis, size, step, dilation } = *self;
        Lowered::View(Rearrangement::Unfold { axis, size, step, dilation })
    }
    fn counts(&self, _: usize, axis: usize, _: usize) -> bool {
        axis == self.axis
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        let Self { axis, step, dilation, .. } = *self;
        let extent = cx.shape(site.operands[0])[axis];
        cx.apply(Fold { axis, extent, step, dilation }.into(), &[site.cotangent])
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![
            ("axis", Attribute::Count(self.axis)),
            ("size", Attribute::Count(self.size)),
            ("step", Attribute::Count(self.step)),
            ("dilation", Attribute::Count(self.dilation)),
        ]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self {
            axis: attributes.integer("axis")?,
            size: attributes.integer("size")?,
            step: attributes.integer("step")?,
            dilation: attributes.integer("dilation")?,
        })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// Sliding windows along `axis`: window `w` takes positions `w * step + i * dilation` for `i` in
    /// `0..size`. The axis becomes the windows, and a last axis of extent `size` is added. A view.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.leaf(Tensor::from([1.0_f32, 2.0, 3.0]));
    /// let y = x.unfold(0, 2, 1, 1);
    /// assert_eq!(network.forward().of(y).to_vec(), [1.0, 2.0, 2.0, 3.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where `axis` is out of range (C1), a number is 0 (C2), no window fits (C3) or the result
    /// overflows the address space (C4).
    #[must_use]
    #[track_caller]
    pub fn unfold(self, axis: usize, size: usize, step: usize, dilation: usize) -> Self {
        self.apply(Unfold { axis, size, step, dilation }, &[])
    }

    /// The twin of [`Value::unfold`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `axis` is out of range (C1), a number is 0 (C2), no window fits (C3) or the result
    /// overflows the address space (C4).
    #[track_caller]
    pub fn try_unfold(
        self,
        axis: usize,
        size: usize,
        step: usize,
        dilation: usize,
    ) -> Result<Self, ShapeError> {
        self.try_apply(Unfold { axis, size, step, dilation }, &[])
    }
}
