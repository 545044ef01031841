//! The operations: one card each, and the registry made of them.
//!
//! A card holds an operation's numbered constraints, shape rule, definition, derivative rule
//! with what it reads, text, the method on `Value`, and tests. To add one: write its file, then
//! add its module and its line in `operations!` below.

pub(crate) mod algebra;
pub(crate) mod attribute;
pub(crate) mod card;
pub(crate) mod composite;
pub(crate) mod contract;
pub(crate) mod elementwise;
pub(crate) mod index;
pub(crate) mod info;
pub(crate) mod lower;
pub(crate) mod movement;
pub(crate) mod reduce;
pub(crate) mod rule;
pub(crate) mod source;
#[cfg(test)]
mod tests;
pub(crate) mod window;

pub use info::{OperationInfo, operations};
pub use movement::Extent;

use crate::graph::error::Violation;
use crate::kernel::Kernels;
use crate::payload::{Shape, Tensorial};
use algebra::Algebra;
use attribute::{Attribute, Attributes};
pub(crate) use card::{Operation, Reads, Site};
use lower::Lowered;

pub(crate) use contract::*;
pub(crate) use elementwise::*;
pub(crate) use index::*;
pub(crate) use movement::*;
pub(crate) use reduce::*;
pub(crate) use source::*;
pub(crate) use window::*;

/// How a card with attributes lies in `Function`: where they are many, behind a pointer, so that
/// the nodes of all the others are smaller.
macro_rules! stored {
    ($op:ident) => { $op };
    ($op:ident boxed) => { Box<$op> };
}

macro_rules! operations {
    ($($op:ident $($boxed:ident)?),* $(,)?) => {
        /// An operation of the tape with its attributes.
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) enum Function { $($op(stored!($op $($boxed)?))),* }

        $(impl From<$op> for Function {
            #[allow(clippy::useless_conversion, reason = "a box for those that are boxed")]
            fn from(op: $op) -> Self { Self::$op(op.into()) }
        })*

        impl Function {
            pub(crate) const ENTRIES: &'static [OperationInfo] = &[$(OperationInfo {
                name: $op::NAME,
                summary: $op::SUMMARY,
                arity: $op::ARITY,
                constraints: $op::CONSTRAINTS,
            }),*];

            pub(crate) fn name(&self) -> &'static str {
                match self { $(Self::$op(_) => $op::NAME),* }
            }
            pub(crate) fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
                match self { $(Self::$op(op) => op.infer(operands)),* }
            }
            /// [`Function::infer`] of an operation that has any number of operands, without a list of them.
            pub(crate) fn infer_each<'s>(
                &self,
                operands: impl Iterator<Item = &'s Shape> + Clone,
            ) -> Result<Shape, Violation> {
                match self {
                    Self::Concat(op) => op.infer_each(operands),
                    _ => unreachable!("invariant: only a concatenation has more than three operands"),
                }
            }
            #[inline]
            pub(crate) fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
                match self { $(Self::$op(op) => op.eval(operands, kernels)),* }
            }
            pub(crate) fn lower(&self, operands: &[&Shape]) -> Lowered {
                match self { $(Self::$op(op) => op.lower(operands)),* }
            }
            #[inline]
            pub(crate) fn differentiable(&self, position: usize) -> bool {
                match self { $(Self::$op(op) => op.differentiable(position)),* }
            }
            pub(crate) fn counts(&self, position: usize, axis: usize, rank: usize) -> bool {
                match self { $(Self::$op(op) => op.counts(position, axis, rank)),* }
            }
            pub(crate) fn selection(&self) -> Option<(usize, u8)> {
                match self { $(Self::$op(op) => op.selection()),* }
            }
            #[cfg_attr(not(test), expect(dead_code, reason = "for liveness in plans; proved by poisoning"))]
            pub(crate) fn reads(&self, position: usize) -> Reads {
                match self { $(Self::$op(op) => op.reads(position)),* }
            }
            #[cfg(test)]
            pub(crate) fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, position: usize) -> A::Value {
                match self { $(Self::$op(op) => op.vjp(cx, site, position)),* }
            }
            #[inline]
            pub(crate) fn vjp_each<A: Algebra>(
                &self,
                cx: &A,
                site: &Site<'_, A::Value>,
                asked: impl Fn(usize) -> bool,
                take: impl FnMut(usize, A::Value),
            ) {
                match self { $(Self::$op(op) => op.vjp_each(cx, site, asked, take)),* }
            }
            pub(crate) fn attributes(&self) -> Vec<(&'static str, Attribute)> {
                match self { $(Self::$op(op) => op.attributes()),* }
            }
            /// The operation of that name with these attributes, `None` where there is none.
            pub(crate) fn from_text(name: &str, attributes: &Attributes) -> Option<Self> {
                match name { $($op::NAME => $op::from_attributes(attributes).map(Self::from),)* _ => None }
            }
            /// The number of operands that text must give, `None` where it varies.
            pub(crate) fn arity(&self) -> Option<usize> {
                match self { $(Self::$op(_) => $op::ARITY),* }
            }
        }
    };
}

operations! {
    Leaf, Parameter, Input,
    Add, Sub, Mul, Div, Neg, Absorb, AbsorbDiv,
    Exp, ExpM1, Ln, Ln1p, Sqrt, Tanh, Sigmoid, Sin, Cos, Erf, Powf, Powi,
    Maximum, Relu, Softplus, Compare, Select,
    Matmul,
    Reshape, ReshapeLike, Permute, Unsqueeze, Squeeze, Narrow boxed, Pad boxed, Concat,
    BroadcastLike, SumLike, BroadcastAlong, Count,
    Unfold boxed, Fold boxed,
    Gather, Scatter, RowUpdate,
    Sum, SumAlong, MaxAlong, FirstMaxAlong, LogSumExp, LogSoftmax, Softmax,
}
