//! `powi`: an integer power.

use crate::graph::Value;
use crate::graph::error::Violation;
use crate::kernel::{Kernels, Unary};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Reads, Site};
use crate::payload::{Shape, Tensorial};

/// An integer power, 1 at exponent 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Powi {
    pub(crate) exponent: i32,
}

impl Operation for Powi {
    const NAME: &'static str = "powi";
    const SUMMARY: &'static str = "an integer power";
    const ARITY: Option<usize> = Some(1);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        Ok(operands[0].clone())
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        operands[0].map(Unary::Powi(self.exponent), kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::unary(Unary::Powi(self.exponent))
    }
    fn reads(&self, _: usize) -> Reads {
        match self.exponent {
            0 => Reads::NOTHING,
            i32::MIN => Reads::FIRST.and(Reads::OUTPUT),
            _ => Reads::FIRST,
        }
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        let (x, g) = (site.operands[0], site.cotangent);
        let factor = cx.literal_like(f64::from(self.exponent), x);
        let slope = match self.exponent {
            // The power is constant, also where `x^-1` is infinite.
            0 => return cx.literal_like(0.0, x),
            // There is no lower exponent: `x^n / x`.
            i32::MIN => cx.mul(&factor, &cx.div(site.output, x)),
            exponent => cx.mul(&factor, &cx.powi(x, exponent - 1)),
        };
        cx.absorb(g, &slope)
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![("exponent", Attribute::Integer(i64::from(self.exponent)))]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self { exponent: attributes.integer("exponent")? })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// `self` to an integer power, element by element; 1 at exponent 0.
    ///
    /// # Example
    ///
    /// ```
    /// let network = poorgrad::Network::new();
    /// let y = network.leaf(-2.0_f64).powi(3);
    /// assert_eq!(network.forward().of(y), -8.0);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn powi(self, exponent: i32) -> Self {
        self.apply(Powi { exponent }, &[])
    }
}
