//! `compare`: a relation as 0 or 1. No gradient passes.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::{Binary, Comparison, Kernels};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Site, rule};
use crate::payload::{Shape, Tensorial};

/// A relation between two values: 1 where it holds, else 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Compare {
    pub(crate) relation: Comparison,
}

impl Operation for Compare {
    const NAME: &'static str = "compare";
    const SUMMARY: &'static str = "1 where the relation holds, else 0; on NaN only `ne` holds";
    const CONSTRAINTS: &'static [&'static str] = &["C1: the operands have one shape"];
    const ARITY: Option<usize> = Some(2);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        rule::same_shape(operands)
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        operands[0].zip(Binary::Compare(self.relation), operands[1], kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::binary(Binary::Compare(self.relation))
    }
    fn differentiable(&self, _: usize) -> bool {
        false
    }
    fn vjp<A: Algebra>(&self, _: &A, _: &Site<'_, A::Value>, _: usize) -> A::Value {
        unreachable!("invariant: a comparison is piecewise constant")
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![("relation", Attribute::Word(self.relation.name()))]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        let word = attributes.word("relation")?;
        let relation = Comparison::ALL.into_iter().find(|relation| relation.name() == word)?;
        Some(Self { relation })
    }
}

macro_rules! relations {
    ($($relation:ident $method:ident $try_method:ident $symbol:literal),*) => { $(
        impl<P: Tensorial> Value<'_, P> {
            #[doc = concat!("1 where `self ", $symbol, " rhs`, else 0, element by element. No gradient passes.")]
            ///
            /// # Panics
            ///
            /// Where the shapes differ (C1).
            #[must_use]
            #[track_caller]
            pub fn $method(self, rhs: Self) -> Self {
                self.apply(Compare { relation: Comparison::$relation }, &[rhs])
            }

            #[doc = concat!("The twin of [`Value::", stringify!($method), "`] that returns what it would panic with.")]
            ///
            /// # Errors
            ///
            /// Where the shapes differ (C1).
            #[track_caller]
            pub fn $try_method(self, rhs: Self) -> Result<Self, ShapeError> {
                self.try_apply(Compare { relation: Comparison::$relation }, &[rhs])
            }
        }
    )* };
}
relations! {
    Lt lt try_lt "<", Le le try_le "<=", Gt gt try_gt ">",
    Ge ge try_ge ">=", Eq eq try_eq "==", Ne ne try_ne "!="
}
