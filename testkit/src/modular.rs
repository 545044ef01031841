//! `Modular`: integers modulo a prime, an element without rounding.
//!
//! INVARIANT: it implements what a residue means and nothing else. Sums and products are exact and
//! may be taken in any order, so that two ways of moving data agree or are wrong. It has no order:
//! two residues are equal or incomparable.

use poorgrad::Elementary;
use std::cmp::Ordering;

/// The prime: `2^31 - 1`.
pub const PRIME: u64 = (1 << 31) - 1;

/// An integer modulo [`PRIME`].
///
/// # Example
///
/// ```
/// use poorgrad::Elementary;
/// use testkit::Modular;
///
/// let third = Modular::new(1).div(&Modular::new(3));
/// assert_eq!(third.mul(&Modular::new(3)), Modular::new(1));
/// assert_eq!(Modular::from_f64(-1.0), Modular::new(testkit::modular::PRIME - 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modular(u32);

impl Modular {
    /// The residue of an integer.
    #[must_use]
    pub fn new(integer: u64) -> Self {
        Self((integer % PRIME) as u32)
    }

    /// The representative below [`PRIME`].
    #[must_use]
    pub fn residue(self) -> u64 {
        u64::from(self.0)
    }

    fn power(self, mut exponent: u64) -> Self {
        let (mut base, mut product) = (self.residue(), 1);
        while exponent > 0 {
            if exponent & 1 == 1 {
                product = product * base % PRIME;
            }
            base = base * base % PRIME;
            exponent >>= 1;
        }
        Self::new(product)
    }
}

impl Elementary for Modular {
    const NAME: &'static str = "modular";
    const BYTES: usize = 4;

    /// Exactly: a finite number is an integer times a power of 2, and 2 has an inverse.
    fn from_f64(value: f64) -> Self {
        assert!(value.is_finite(), "{value} is no residue");
        let bits = value.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
        let (integer, power) =
            if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
        // 2 has the order 31 modulo 2^31 - 1.
        let shift = Self::new(1 << power.rem_euclid(31));
        let magnitude = Self::new(integer).mul(&shift);
        if value.is_sign_negative() { magnitude.neg() } else { magnitude }
    }
    fn to_f64(&self) -> f64 {
        f64::from(self.0)
    }
    fn is_zero(&self) -> bool {
        self.0 == 0
    }
    fn add(&self, rhs: &Self) -> Self {
        Self::new(self.residue() + rhs.residue())
    }
    fn sub(&self, rhs: &Self) -> Self {
        Self::new(self.residue() + PRIME - rhs.residue())
    }
    fn mul(&self, rhs: &Self) -> Self {
        Self::new(self.residue() * rhs.residue())
    }
    /// By the inverse that Fermat's little theorem gives.
    fn div(&self, rhs: &Self) -> Self {
        assert!(!rhs.is_zero(), "a residue has no quotient by 0");
        self.mul(&rhs.power(PRIME - 2))
    }
    fn neg(&self) -> Self {
        Self::new(PRIME - self.residue())
    }
    fn order(&self, rhs: &Self) -> Option<Ordering> {
        (self == rhs).then_some(Ordering::Equal)
    }
    fn write_bytes(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0.to_le_bytes());
    }
    fn read_bytes(bytes: &[u8]) -> Option<Self> {
        let residue = u32::from_le_bytes(bytes.try_into().ok()?);
        (u64::from(residue) < PRIME).then_some(Self(residue))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decisions::mixed;

    #[test]
    fn residues_form_a_field() {
        for seed in 0..1000 {
            let [a, b, c] = [0, 1, 2].map(|k| Modular::new(mixed(3 * seed + k)));
            assert_eq!(a.add(&b).mul(&c), a.mul(&c).add(&b.mul(&c)));
            assert_eq!(a.sub(&b).add(&b), a);
            assert_eq!(a.add(&a.neg()), Modular::zero());
            if !b.is_zero() {
                assert_eq!(a.div(&b).mul(&b), a);
            }
        }
    }

    #[test]
    fn literals_are_exact() {
        assert_eq!(Modular::from_f64(0.5).add(&Modular::from_f64(0.5)), Modular::one());
        assert_eq!(Modular::from_f64(PRIME as f64), Modular::zero());
        assert_eq!(Modular::from_f64(-3.0).add(&Modular::new(3)), Modular::zero());
        assert_eq!(Modular::from_f64(2.0_f64.powi(31)), Modular::one());
        let tiny = Modular::from_f64(f64::from_bits(1));
        assert_eq!(tiny.mul(&Modular::new(2).power(1074)), Modular::one());
    }

    #[test]
    fn bytes_come_back_and_foreign_ones_are_refused() {
        let mut bytes = Vec::new();
        Modular::new(12345).write_bytes(&mut bytes);
        assert_eq!(Modular::read_bytes(&bytes), Some(Modular::new(12345)));
        assert_eq!(Modular::read_bytes(&[255; 4]), None);
    }
}
