//! `count`: how many elements some axes span.

use crate::graph::error::{Violation, recorded};
use crate::graph::{ShapeError, Value};
use crate::kernel::Elementary;
use crate::kernel::Kernels;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Site, rule};
use crate::payload::{Shape, Tensorial};

/// The number of elements along `axes`, as a scalar. Only the shape is read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Count {
    pub(crate) axes: Box<[usize]>,
}

impl Operation for Count {
    const NAME: &'static str = "count";
    const SUMMARY: &'static str =
        "the number of elements along `axes`, as a scalar; only the shape is read";
    const CONSTRAINTS: &'static [&'static str] =
        &["C1: the axes are distinct and in range, in ascending order"];
    const ARITY: Option<usize> = Some(1);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        if !self.axes.is_empty() {
            rule::axes(1, &self.axes, operands[0])?;
        }
        Ok(Shape::scalar())
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], _: Kernels) -> P {
        let shape = operands[0].shape();
        let count = self.axes.iter().fold(1.0, |count, &axis| count * shape[axis] as f64);
        P::full(&Shape::scalar(), P::Element::from_f64(count))
    }
    fn lower(&self, operands: &[&Shape]) -> Lowered {
        let times = |count: f64, &axis: &usize| count * operands[0][axis] as f64;
        Lowered::Number(self.axes.iter().fold(1.0, times).to_bits())
    }
    fn differentiable(&self, _: usize) -> bool {
        false
    }
    fn vjp<A: Algebra>(&self, _: &A, _: &Site<'_, A::Value>, _: usize) -> A::Value {
        unreachable!("invariant: a count is constant")
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![("axes", Attribute::Integers(self.axes.to_vec()))]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self { axes: attributes.integers("axes")? })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// The number of elements along `axes` (ascending), a scalar: what a sum over them has added. Of no axes
    /// it is 1. Of this value only the shape is read, and no gradient goes there.
    ///
    /// It is a part of the tape, so that it follows where [`Network::reinferred`](crate::Network::reinferred)
    /// changes an extent; an extent that is read off [`Value::shape`] and recorded as a number does not. It
    /// is rounded to the element: `f32` holds every count up to `2^24`.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.input(Tensor::from([[1.0_f32, 2.0], [3.0, 4.0]]));
    /// // The square root of the mean of squares.
    /// let size = ((x * x).sum() / x.count_along(&[0, 1])).sqrt();
    /// assert_eq!(network.forward().of(size).item(), 7.5_f32.sqrt());
    ///
    /// let row = network.reinferred([(x, [1, 2])]);
    /// let run = row.forward_with([(x, Tensor::from([[1.0, 7.0]]))]);
    /// assert_eq!(run.of(size.symbol()).item(), 5.0);
    /// ```
    ///
    /// # Panics
    ///
    /// Where `axes` are not distinct ascending axes.
    #[must_use]
    #[track_caller]
    pub fn count_along(self, axes: &[usize]) -> Self {
        recorded(self.try_count_along(axes))
    }

    /// The twin of [`Value::count_along`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `axes` are not distinct ascending axes.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.leaf(Tensor::from([1.0_f64, 2.0]));
    /// let error = x.try_count_along(&[1]).unwrap_err();
    /// assert!(error.to_string().starts_with("count_along: "));
    /// ```
    #[track_caller]
    pub fn try_count_along(self, axes: &[usize]) -> Result<Self, ShapeError> {
        let count = self.try_apply(Count { axes: axes.into() }, &[]);
        count.map_err(|error| error.named("count_along"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c1_axes_are_in_range() {
        let shape = Shape::from([2, 3]);
        let refused = |axes: &[usize]| Count { axes: axes.into() }.infer(&[&shape]).unwrap_err();
        assert_eq!(refused(&[2]).constraint, 1);
        assert_eq!(refused(&[1, 0]).constraint, 1);
        assert!(Count { axes: [].into() }.infer(&[&shape]).is_ok());
    }
}
