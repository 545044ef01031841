//! `reshape`: the same elements, row-major, under another shape. The node keeps the request.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Site, rule};
use crate::payload::{Brief, Shape, Tensorial, volume_of};
use std::fmt;

/// One extent of a requested shape. A plain number is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Extent {
    /// This many positions.
    Exactly(usize),
    /// As many as this axis of the operand has.
    Keep(usize),
    /// As many as the volume leaves; one at most.
    Infer,
}

impl From<usize> for Extent {
    fn from(extent: usize) -> Self {
        Self::Exactly(extent)
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(extent) => write!(f, "{extent}"),
            Self::Keep(axis) => write!(f, "keep{axis}"),
            Self::Infer => f.write_str("infer"),
        }
    }
}

impl Extent {
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        match text.strip_prefix("keep") {
            Some(axis) => axis.parse().ok().map(Self::Keep),
            None if text == "infer" => Some(Self::Infer),
            None => text.parse().ok().map(Self::Exactly),
        }
    }
}

/// The elements under a requested shape.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reshape {
    pub(crate) extents: Box<[Extent]>,
}

impl Operation for Reshape {
    const NAME: &'static str = "reshape";
    const SUMMARY: &'static str = "the elements, row-major, under a requested shape";
    const CONSTRAINTS: &'static [&'static str] = &[
        "C1: kept extents name axes of the operand",
        "C2: at most one extent is inferred, and the others divide the volume",
        "C3: the volumes are equal",
    ];
    const ARITY: Option<usize> = Some(1);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        let from = operands[0];
        let volume = from.volume().expect("invariant: recorded shapes have volumes");
        let mut infers = false;
        for extent in &self.extents {
            match *extent {
                Extent::Exactly(_) => {}
                Extent::Keep(axis) => rule::axis(1, axis, from)?,
                Extent::Infer if infers => {
                    return Err(Violation::new(2, "two extents are to be inferred").help(
                        "one is enough: `Extent::Keep(axis)` takes over the operand's extent",
                    ));
                }
                Extent::Infer => infers = true,
            }
        }
        let extent = |extent: &Extent, inferred: usize| match *extent {
            Extent::Exactly(extent) => extent,
            Extent::Keep(axis) => from[axis],
            Extent::Infer => inferred,
        };
        let mut inferred = 1;
        if infers {
            let rest = volume_of(self.extents.iter().map(|of| extent(of, 1)))
                .filter(|&rest| rest > 0 && volume.is_multiple_of(rest));
            let Some(rest) = rest else {
                let request = Brief(&self.extents);
                let problem = format!("{request} does not divide the volume {volume}");
                return Err(Violation::new(2, problem));
            };
            inferred = volume / rest;
        }
        if volume_of(self.extents.iter().map(|of| extent(of, inferred))) != Some(volume) {
            let problem = format!("{} does not have the volume {volume}", Brief(&self.extents));
            return Err(Violation::new(3, problem));
        }
        Ok(Shape::from_fn(self.extents.len(), |axis| extent(&self.extents[axis], inferred)))
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        let shape = self.infer(&[&operands[0].shape()]);
        let shape = shape.expect("invariant: the shape was inferred when recorded");
        operands[0].reshape(&shape, kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::Reshape
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        cx.reshape_like(site.cotangent, site.operands[0])
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![("extents", Attribute::Extents(self.extents.to_vec()))]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self { extents: attributes.extents("extents")? })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// The elements in row-major order under another shape. An extent is a number, one kept
    /// from an axis, or inferred from the volume; the tape keeps the request.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Extent, Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.input(Tensor::<f32>::zeros([4, 3, 2]));
    /// assert_eq!(*x.reshape([4, 6]).shape(), [4, 6]);
    /// assert_eq!(*x.reshape([Extent::Keep(0), Extent::Infer]).shape(), [4, 6]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where a kept extent names no axis (C1), the inferred extent is not determined (C2) or the
    /// volumes differ (C3).
    #[must_use]
    #[track_caller]
    pub fn reshape(self, extents: impl IntoIterator<Item = impl Into<Extent>>) -> Self {
        self.apply(Reshape { extents: extents.into_iter().map(Into::into).collect() }, &[])
    }

    /// The twin of [`Value::reshape`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// As [`Value::reshape`] panics (C1, C2, C3).
    #[track_caller]
    pub fn try_reshape(
        self,
        extents: impl IntoIterator<Item = impl Into<Extent>>,
    ) -> Result<Self, ShapeError> {
        self.try_apply(Reshape { extents: extents.into_iter().map(Into::into).collect() }, &[])
    }
}
