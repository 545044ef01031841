//! `broadcast_along`: axes added and repeated: the adjoint of `sum_along`.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::lower::{Lowered, Rearrangement};
use crate::ops::{Operation, Site, rule};
use crate::payload::{Brief, Shape, Tensorial};

/// `axes` of the second operand added to the first, repeated. Of the second only the shape is read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BroadcastAlong {
    pub(crate) axes: Box<[usize]>,
}

impl Operation for BroadcastAlong {
    const NAME: &'static str = "broadcast_along";
    const SUMMARY: &'static str =
        "the first operand repeated along added `axes`, in the shape of the second";
    const CONSTRAINTS: &'static [&'static str] = &[
        "C1: the axes are distinct, ascending, and axes of the second operand",
        "C2: the other extents are those of the first operand",
    ];
    const ARITY: Option<usize> = Some(2);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        let [from, to] = operands else { unreachable!("invariant: arity 2") };
        rule::axes(1, &self.axes, to)?;
        if !to.is_without_axes(&self.axes, from) {
            let problem = format!("extents differ outside axes {}", Brief(&self.axes));
            return Err(Violation::new(2, problem));
        }
        Ok((*to).clone())
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], _: Kernels) -> P {
        let shape = operands[1].shape();
        let kept: Vec<usize> =
            (0..shape.rank()).filter(|axis| self.axes.binary_search(axis).is_err()).collect();
        operands[0].broadcast(&shape, &kept)
    }
    fn lower(&self, operands: &[&Shape]) -> Lowered {
        let rank = operands[1].rank();
        let kept = (0..rank).filter(|axis| self.axes.binary_search(axis).is_err());
        Lowered::View(Rearrangement::Broadcast(kept.collect()))
    }
    fn differentiable(&self, position: usize) -> bool {
        position == 0
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        cx.sum_along(site.cotangent, &self.axes)
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![("axes", Attribute::Integers(self.axes.to_vec()))]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self { axes: attributes.integers("axes")? })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// `self` repeated along added `axes`, in the shape of `like`: what undoes the shape of
    /// [`Value::sum_along`]. Only the shape of `like` counts.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.input(Tensor::<f32>::zeros([2, 3]));
    /// let centred = x - x.mean_along(&[1]).broadcast_along(&[1], x);
    /// assert_eq!(*centred.shape(), [2, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where `axes` are not distinct ascending axes of `like` (C1) or the other extents differ (C2).
    #[must_use]
    #[track_caller]
    pub fn broadcast_along(self, axes: &[usize], like: Self) -> Self {
        self.apply(BroadcastAlong { axes: axes.into() }, &[like])
    }

    /// The twin of [`Value::broadcast_along`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `axes` are not distinct ascending axes of `like` (C1) or the other extents differ (C2).
    #[track_caller]
    pub fn try_broadcast_along(self, axes: &[usize], like: Self) -> Result<Self, ShapeError> {
        self.try_apply(BroadcastAlong { axes: axes.into() }, &[like])
    }
}
