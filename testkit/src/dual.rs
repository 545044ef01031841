//! `Dual`: dual numbers, forward-mode derivatives by an element from outside the crate.
//!
//! INVARIANT: the primal has the bits that the inner element gives alone. Each local derivative is
//! computed by the same formula as the derivative rule of the operation, so that a comparison of
//! forward and reverse mode sees the chain rule and not two roundings of one slope. Kinks take the
//! declared side: they are decided by the primal alone.

use poorgrad::Elementary;
use std::cmp::Ordering;

/// A primal and a tangent over an inner element.
///
/// # Example
///
/// ```
/// use poorgrad::Network;
/// use testkit::Dual;
///
/// let network = Network::new();
/// let x = network.input(Dual::new(3.0, 1.0));
/// let y = x * x;
/// let value = network.forward().of(y);
/// assert_eq!((value.primal, value.tangent), (9.0, 6.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dual<E = f64> {
    /// The value.
    pub primal: E,
    /// The derivative along the direction of the inputs' tangents.
    pub tangent: E,
}

impl<E: Elementary> Dual<E> {
    /// A number with its derivative.
    #[must_use]
    pub fn new(primal: E, tangent: E) -> Self {
        Self { primal, tangent }
    }

    /// A number that does not move.
    #[must_use]
    pub fn constant(primal: E) -> Self {
        Self { primal, tangent: E::zero() }
    }

    /// `primal`, moving as `slope` times the tangent of `self`.
    fn through(&self, primal: E, slope: &E) -> Self {
        Self { primal, tangent: self.tangent.absorb(slope) }
    }
}

impl<E: Elementary> Elementary for Dual<E> {
    const NAME: &'static str = "dual";
    const BYTES: usize = 2 * E::BYTES;

    fn from_f64(value: f64) -> Self {
        Self::constant(E::from_f64(value))
    }
    fn to_f64(&self) -> f64 {
        self.primal.to_f64()
    }
    fn is_zero(&self) -> bool {
        self.primal.is_zero() && self.tangent.is_zero()
    }
    fn add(&self, rhs: &Self) -> Self {
        Self::new(self.primal.add(&rhs.primal), self.tangent.add(&rhs.tangent))
    }
    fn sub(&self, rhs: &Self) -> Self {
        Self::new(self.primal.sub(&rhs.primal), self.tangent.sub(&rhs.tangent))
    }
    fn mul(&self, rhs: &Self) -> Self {
        let (left, right) = (self.tangent.absorb(&rhs.primal), rhs.tangent.absorb(&self.primal));
        Self::new(self.primal.mul(&rhs.primal), left.add(&right))
    }
    fn div(&self, rhs: &Self) -> Self {
        let quotient = self.primal.div(&rhs.primal);
        let left = self.tangent.absorb_div(&rhs.primal);
        let right = rhs.tangent.absorb(&quotient.div(&rhs.primal));
        Self::new(quotient, left.sub(&right))
    }
    fn neg(&self) -> Self {
        Self::new(self.primal.neg(), self.tangent.neg())
    }
    fn order(&self, rhs: &Self) -> Option<Ordering> {
        self.primal.order(&rhs.primal)
    }
    fn write_bytes(&self, out: &mut Vec<u8>) {
        self.primal.write_bytes(out);
        self.tangent.write_bytes(out);
    }
    fn read_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != Self::BYTES {
            return None;
        }
        let (primal, tangent) = bytes.split_at(E::BYTES);
        Some(Self::new(E::read_bytes(primal)?, E::read_bytes(tangent)?))
    }
    fn maximum(&self, rhs: &Self) -> Self {
        // As the rule of `maximum`: the left of a tie, the first NaN.
        let left = match self.primal.order(&rhs.primal) {
            Some(order) => order != Ordering::Less,
            None => self.primal.is_nan(),
        };
        let tangent = if left { &self.tangent } else { &rhs.tangent };
        Self::new(self.primal.maximum(&rhs.primal), tangent.clone())
    }
    fn relu(&self) -> Self {
        let primal = self.primal.relu();
        let positive = self.primal.order(&E::zero()) == Some(Ordering::Greater);
        Self::new(primal, if positive { self.tangent.clone() } else { E::zero() })
    }
    fn exp(&self) -> Self {
        let primal = self.primal.exp();
        self.through(primal.clone(), &primal)
    }
    fn exp_m1(&self) -> Self {
        self.through(self.primal.exp_m1(), &self.primal.exp())
    }
    fn ln(&self) -> Self {
        Self::new(self.primal.ln(), self.tangent.absorb_div(&self.primal))
    }
    fn ln_1p(&self) -> Self {
        let tangent = self.tangent.absorb_div(&E::one().add(&self.primal));
        Self::new(self.primal.ln_1p(), tangent)
    }
    fn sqrt(&self) -> Self {
        let root = self.primal.sqrt();
        let tangent = self.tangent.absorb_div(&root.add(&root));
        Self::new(root, tangent)
    }
    fn tanh(&self) -> Self {
        let t = self.primal.tanh();
        let slope = E::one().sub(&t).mul(&E::one().add(&t));
        self.through(t, &slope)
    }
    fn sigmoid(&self) -> Self {
        let s = self.primal.sigmoid();
        let slope = s.mul(&self.primal.neg().sigmoid());
        self.through(s, &slope)
    }
    fn sin(&self) -> Self {
        self.through(self.primal.sin(), &self.primal.cos())
    }
    fn cos(&self) -> Self {
        self.through(self.primal.cos(), &self.primal.sin().neg())
    }
    fn erf(&self) -> Self {
        let bell = self.primal.mul(&self.primal).neg().exp();
        let slope = E::from_f64(std::f64::consts::FRAC_2_SQRT_PI).mul(&bell);
        self.through(self.primal.erf(), &slope)
    }
    fn powf(&self, exponent: &Self) -> Self {
        let power = self.primal.powf(&exponent.primal);
        let lower = self.primal.powf(&exponent.primal.sub(&E::one()));
        let base = self.tangent.absorb(&exponent.primal.absorb(&lower));
        let raised = exponent.tangent.absorb(&power.absorb(&self.primal.ln()));
        Self::new(power, base.add(&raised))
    }
    fn powi(&self, exponent: i32) -> Self {
        let power = self.primal.powi(exponent);
        if exponent == 0 {
            return Self::constant(power);
        }
        let factor = E::from_f64(f64::from(exponent));
        let slope = match exponent.checked_sub(1) {
            Some(lower) => factor.mul(&self.primal.powi(lower)),
            None => factor.mul(&power.div(&self.primal)),
        };
        self.through(power, &slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_of_derivatives() {
        // x^3 at 2 with two independent directions: 12 is the second derivative.
        let x = Dual::new(Dual::new(2.0, 1.0), Dual::new(1.0, 0.0));
        let y = x.mul(&x).mul(&x);
        assert_eq!(y.primal.primal, 8.0);
        assert_eq!(y.tangent.primal, 12.0);
        assert_eq!(y.tangent.tangent, 12.0);
    }

    #[test]
    fn a_moving_zero_is_not_zero() {
        assert!(Dual::constant(-0.0).is_zero());
        assert!(!Dual::new(0.0, 1.0).is_zero());
        assert_eq!(Dual::new(0.0, 1.0).absorb(&Dual::constant(3.0)).tangent, 3.0);
    }

    #[test]
    fn kinks_take_the_declared_side() {
        assert_eq!(Dual::new(0.0, 1.0).relu().tangent, 0.0);
        let (left, right) = (Dual::new(1.0, 5.0), Dual::new(1.0, 7.0));
        assert_eq!(left.maximum(&right).tangent, 5.0);
        assert!(Dual::new(f64::NAN, 1.0).relu().primal.is_nan());
        assert_eq!(Dual::new(f64::NAN, 1.0).relu().tangent, 0.0);
    }

    #[test]
    fn bytes_come_back() {
        let mut bytes = Vec::new();
        Dual::new(1.5, -2.0).write_bytes(&mut bytes);
        assert_eq!(Dual::read_bytes(&bytes), Some(Dual::new(1.5, -2.0)));
        assert_eq!(Dual::<f64>::read_bytes(&bytes[1..]), None);
    }
}
