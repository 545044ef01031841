//! `fold`: the adjoint of `unfold`.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::kernel::call::Call;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Site, rule};
use crate::payload::{Shape, Tensorial};

use super::{Unfold, windows};

/// Windows added back onto an axis of `extent` positions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fold {
    pub(crate) axis: usize,
    pub(crate) extent: usize,
    pub(crate) step: usize,
    pub(crate) dilation: usize,
}

impl Operation for Fold {
    const NAME: &'static str = "fold";
    const SUMMARY: &'static str =
        "the adjoint of `unfold`: windows added, ascending, back onto `axis` of `extent` positions";
    const CONSTRAINTS: &'static [&'static str] = &[
        "C1: there are an axis and a last axis of positions behind it",
        "C2: step, dilation and the last extent are at least 1",
        "C3: the extent has as many windows as the operand",
        "C4: the result fits the address space",
    ];
    const ARITY: Option<usize> = Some(1);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        let Self { axis, extent, step, dilation } = *self;
        let shape = operands[0];
        if shape.rank() < 2 || axis >= shape.rank() - 1 {
            return Err(Violation::new(
                1,
                format!("axis {axis} has no axis of positions behind it"),
            ));
        }
        let last = shape.rank() - 1;
        let expected = windows(extent, shape[last], step, dilation)?;
        if shape[axis] != expected {
            let problem = format!("an extent of {extent} has {expected} windows on axis {axis}");
            return Err(Violation::new(3, problem));
        }
        rule::volume(4, Shape::from_fn(last, |to| if to == axis { extent } else { shape[to] }))
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        operands[0].fold(self.axis, self.extent, self.step, self.dilation, kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        let Self { axis, extent, step, dilation } = *self;
        Lowered::Call(Call::Fold { axis, extent, step, dilation })
    }
    fn counts(&self, _: usize, axis: usize, rank: usize) -> bool {
        axis == self.axis || axis + 1 == rank
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        let Self { axis, step, dilation, .. } = *self;
        let shape = cx.shape(site.operands[0]);
        let size = shape[shape.rank() - 1];
        cx.apply(Unfold { axis, size, step, dilation }.into(), &[site.cotangent])
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![
            ("axis", Attribute::Count(self.axis)),
            ("extent", Attribute::Count(self.extent)),
            ("step", Attribute::Count(self.step)),
            ("dilation", Attribute::Count(self.dilation)),
        ]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self {
            axis: attributes.integer("axis")?,
            extent: attributes.integer("extent")?,
            step: attributes.integer("step")?,
            dilation: attributes.integer("dilation")?,
        })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// The adjoint of [`Value::unfold`]: windows on `axis` with their positions on the last axis,
    /// added back onto `extent` positions. Each result starts at `+0` and adds its windows in
    /// ascending order.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.leaf(Tensor::from([[1.0_f32, 2.0], [3.0, 4.0]]));
    /// let y = x.fold(0, 3, 1, 1);
    /// assert_eq!(network.forward().of(y).to_vec(), [1.0, 5.0, 4.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where there is no such axis (C1), a number is 0 (C2), `extent` has another number of windows
    /// (C3) or the result overflows the address space (C4).
    #[must_use]
    #[track_caller]
    pub fn fold(self, axis: usize, extent: usize, step: usize, dilation: usize) -> Self {
        self.apply(Fold { axis, extent, step, dilation }, &[])
    }

    /// The twin of [`Value::fold`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where there is no such axis (C1), a number is 0 (C2), `extent` has another number of windows
    /// (C3) or the result overflows the address space (C4).
    #[track_caller]
    pub fn try_fold(
        self,
        axis: usize,
        extent: usize,
        step: usize,
        dilation: usize,
    ) -> Result<Self, ShapeError> {
        self.try_apply(Fold { axis, extent, step, dilation }, &[])
    }
}
