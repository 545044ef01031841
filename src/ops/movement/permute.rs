//! `permute`: the axes in another order.

use crate::graph::error::{Violation, recorded};
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::lower::{Lowered, Rearrangement};
use crate::ops::{Operation, Site};
use crate::payload::{Brief, Shape, Tensorial};

/// Axis `i` of the result is axis `axes[i]` of the operand.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Permute {
    pub(crate) axes: Box<[usize]>,
}

impl Operation for Permute {
    const NAME: &'static str = "permute";
    const SUMMARY: &'static str = "the axes in another order; no element moves";
    const CONSTRAINTS: &'static [&'static str] =
        &["C1: the axes are a permutation of the operand's"];
    const ARITY: Option<usize> = Some(1);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        let shape = operands[0];
        let mut seen = vec![false; shape.rank()];
        for &axis in &self.axes {
            if axis >= shape.rank() || std::mem::replace(&mut seen[axis], true) {
                seen.clear();
                break;
            }
        }
        if self.axes.len() != shape.rank() || seen.len() != shape.rank() {
            let problem = format!("axes {} are no permutation", Brief(&self.axes));
            let help = format!("each of the {} axes is named once, from 0 on", shape.rank());
            return Err(Violation::new(1, problem).help(help));
        }
        Ok(Shape::from_fn(shape.rank(), |axis| shape[self.axes[axis]]))
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], _: Kernels) -> P {
        operands[0].permute(&self.axes)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::View(Rearrangement::Permute(self.axes.clone()))
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        let mut inverse = vec![0; self.axes.len()];
        for (position, &axis) in self.axes.iter().enumerate() {
            inverse[axis] = position;
        }
        cx.permute(site.cotangent, inverse)
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![("axes", Attribute::Integers(self.axes.to_vec()))]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self { axes: attributes.integers("axes")? })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// The axes in another order: axis `i` of the result is axis `axes[i]` of `self`.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.input(Tensor::<f32>::zeros([2, 3, 4]));
    /// assert_eq!(*x.permute(&[2, 0, 1]).shape(), [4, 2, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where `axes` is no permutation of the axes (C1).
    #[must_use]
    #[track_caller]
    pub fn permute(self, axes: &[usize]) -> Self {
        self.apply(Permute { axes: axes.into() }, &[])
    }

    /// The twin of [`Value::permute`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `axes` is no permutation of the axes (C1).
    #[track_caller]
    pub fn try_permute(self, axes: &[usize]) -> Result<Self, ShapeError> {
        self.try_apply(Permute { axes: axes.into() }, &[])
    }

    /// The last two axes exchanged.
    ///
    /// # Panics
    ///
    /// Where the rank is under 2 (C1).
    #[must_use]
    #[track_caller]
    pub fn transpose(self) -> Self {
        recorded(self.try_transpose())
    }

    /// The twin of [`Value::transpose`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where the rank is under 2 (C1).
    #[track_caller]
    pub fn try_transpose(self) -> Result<Self, ShapeError> {
        let rank = self.shape().rank();
        if rank < 2 {
            let problem = "it exchanges the last two axes, and needs rank 2 (`unsqueeze` first)";
            let node = self.network.node(self.index);
            return Err(ShapeError::new("transpose", Violation::new(1, problem), &[node]));
        }
        let mut axes: Vec<usize> = (0..rank).collect();
        axes.swap(rank - 2, rank - 1);
        self.try_apply(Permute { axes: axes.into() }, &[])
    }
}
