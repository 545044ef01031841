//! `Spread`: how much a derivative may lose to cancellation.
//!
//! INVARIANT: where a dual number's tangent adds the contributions of all paths, a spread adds
//! their magnitudes. The quotient of the two is the condition of the derivative: no order of the
//! same additions can be expected to agree better than rounding times that.

use crate::dual::Dual;
use poorgrad::Elementary;
use std::cmp::Ordering;

/// A number and the sum, over all paths from the inputs, of the magnitudes of their derivatives.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// The value.
    pub primal: f64,
    /// The sum of magnitudes.
    pub spread: f64,
}

impl Spread {
    /// A number with the magnitude of its own movement.
    #[must_use]
    pub fn new(primal: f64, spread: f64) -> Self {
        Self { primal, spread }
    }

    fn one(&self, f: impl Fn(&Dual) -> Dual) -> Self {
        let moved = f(&Dual::new(self.primal, 1.0));
        Self::new(moved.primal, magnitude(self.spread, moved.tangent))
    }

    fn two(&self, rhs: &Self, f: impl Fn(&Dual, &Dual) -> Dual) -> Self {
        let (left, right) = (Dual::constant(self.primal), Dual::constant(rhs.primal));
        let by_left = f(&Dual::new(self.primal, 1.0), &right);
        let by_right = f(&left, &Dual::new(rhs.primal, 1.0)).tangent;
        let spread = magnitude(self.spread, by_left.tangent) + magnitude(rhs.spread, by_right);
        Self::new(by_left.primal, spread)
    }
}

fn magnitude(spread: f64, slope: f64) -> f64 {
    if spread == 0.0 { 0.0 } else { spread * slope.abs() }
}

impl Elementary for Spread {
    const NAME: &'static str = "spread";
    const BYTES: usize = 16;

    fn from_f64(value: f64) -> Self {
        Self::new(value, 0.0)
    }
    fn to_f64(&self) -> f64 {
        self.primal
    }
    fn is_zero(&self) -> bool {
        self.primal == 0.0 && self.spread == 0.0
    }
    fn add(&self, rhs: &Self) -> Self {
        self.two(rhs, Dual::add)
    }
    fn sub(&self, rhs: &Self) -> Self {
        self.two(rhs, Dual::sub)
    }
    fn mul(&self, rhs: &Self) -> Self {
        self.two(rhs, Dual::mul)
    }
    fn div(&self, rhs: &Self) -> Self {
        self.two(rhs, Dual::div)
    }
    fn neg(&self) -> Self {
        self.one(Dual::neg)
    }
    fn order(&self, rhs: &Self) -> Option<Ordering> {
        self.primal.order(&rhs.primal)
    }
    fn write_bytes(&self, out: &mut Vec<u8>) {
        self.primal.write_bytes(out);
        self.spread.write_bytes(out);
    }
    fn read_bytes(bytes: &[u8]) -> Option<Self> {
        let dual = Dual::read_bytes(bytes)?;
        Some(Self::new(dual.primal, dual.tangent))
    }
    fn maximum(&self, rhs: &Self) -> Self {
        self.two(rhs, Dual::maximum)
    }
    fn relu(&self) -> Self {
        self.one(Dual::relu)
    }
    fn exp(&self) -> Self {
        self.one(Dual::exp)
    }
    fn exp_m1(&self) -> Self {
        self.one(Dual::exp_m1)
    }
    fn ln(&self) -> Self {
        self.one(Dual::ln)
    }
    fn ln_1p(&self) -> Self {
        self.one(Dual::ln_1p)
    }
    fn sqrt(&self) -> Self {
        self.one(Dual::sqrt)
    }
    fn tanh(&self) -> Self {
        self.one(Dual::tanh)
    }
    fn sigmoid(&self) -> Self {
        self.one(Dual::sigmoid)
    }
    fn sin(&self) -> Self {
        self.one(Dual::sin)
    }
    fn cos(&self) -> Self {
        self.one(Dual::cos)
    }
    fn erf(&self) -> Self {
        self.one(Dual::erf)
    }
    fn powf(&self, exponent: &Self) -> Self {
        self.two(exponent, Dual::powf)
    }
    fn powi(&self, exponent: i32) -> Self {
        self.one(|x| x.powi(exponent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cancels_in_a_tangent_adds_up_in_a_spread() {
        let x = Spread::new(3.0, 1.0);
        let difference = x.mul(&x).sub(&x.mul(&Spread::from_f64(6.0)));
        // 2 x - 6 is 0; the paths are x, x and -6.
        assert_eq!(difference, Spread::new(-9.0, 12.0));
        let y = Dual::new(3.0, 1.0);
        assert_eq!(y.mul(&y).sub(&y.mul(&Dual::constant(6.0))).tangent, 0.0);
    }
}
