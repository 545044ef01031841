//! `count`: how many elements some axes span.

use crate::graph::error::Violation;
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
        Some(Self { axes: attributes.integers("axes")?.into() })
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
