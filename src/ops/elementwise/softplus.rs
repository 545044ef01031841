//! `softplus`: `ln(1 + exp(x))` without overflow, with the derivative `sigmoid(x)`.

use crate::graph::Value;
use crate::graph::error::Violation;
use crate::kernel::map::Pointwise;
use crate::kernel::{Binary, Kernels, Unary};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::lower::{Argument, Lowered, Micro};
use crate::ops::{Operation, Reads, Site};
use crate::payload::{Shape, Tensorial};

/// `relu(x) + ln_1p(exp(-|x|))`.
///
/// An operation and not a composite: the chain rule through `relu` and `|x|` gives 0 at 0, where
/// the derivative is 1/2.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Softplus;

impl Operation for Softplus {
    const NAME: &'static str = "softplus";
    const SUMMARY: &'static str = "`relu(x) + ln_1p(exp(-|x|))`, with derivative `sigmoid(x)`";
    const ARITY: Option<usize> = Some(1);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        Ok(operands[0].clone())
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        let map = |x: &P, op| x.map(op, kernels);
        let positive = map(operands[0], Unary::Relu);
        let negative = map(&map(operands[0], Unary::Neg), Unary::Relu);
        let magnitude = positive.zip(Binary::Add, &negative, kernels);
        let tail = map(&map(&map(&magnitude, Unary::Neg), Unary::Exp), Unary::Ln1p);
        positive.zip(Binary::Add, &tail, kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        use Argument::{Earlier, Operand};
        let micro = |function, arguments: [Argument; 2]| Micro {
            function,
            arguments: [arguments[0], arguments[1], Operand(0)],
        };
        let unary = |op, argument| micro(Pointwise::Unary(op), [argument, Operand(0)]);
        let add = |a, b| micro(Pointwise::Binary(Binary::Add), [a, b].map(Earlier));
        Lowered::Pointwise(vec![
            unary(Unary::Relu, Operand(0)),
            unary(Unary::Neg, Operand(0)),
            unary(Unary::Relu, Earlier(1)),
            add(0, 2),
            unary(Unary::Neg, Earlier(3)),
            unary(Unary::Exp, Earlier(4)),
            unary(Unary::Ln1p, Earlier(5)),
            add(0, 6),
        ])
    }
    fn reads(&self, _: usize) -> Reads {
        Reads::FIRST
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        cx.absorb(site.cotangent, &cx.sigmoid(site.operands[0]))
    }
    fn from_attributes(_: &Attributes) -> Option<Self> {
        Some(Self)
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// `ln(1 + exp(self))`, element by element, without overflow.
    ///
    /// # Example
    ///
    /// ```
    /// let network = poorgrad::Network::new();
    /// let y = network.leaf(1000.0_f64).softplus();
    /// assert_eq!(network.forward().of(y), 1000.0);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn softplus(self) -> Self {
        self.apply(Softplus, &[])
    }
}
