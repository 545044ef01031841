//! Bit oracles: payloads, runs and gradients compared to the last bit, and their digests.
//!
//! BITS: NaN is compared as one value, whatever its sign and payload, since platforms differ in
//! both; everything else by all of its bytes, the sign of zero included.

use poorgrad::{Differentiable, Elementary, Evaluation, Field, Network, Tensorial};
use std::fmt;
use xxhash_rust::xxh3::Xxh3;

/// The bytes of an element with NaN made canonical.
pub fn write_canonical<E: Elementary>(element: &E, out: &mut Vec<u8>) {
    if element.is_nan() {
        E::from_f64(f64::NAN).write_bytes(out);
    } else {
        element.write_bytes(out);
    }
}

/// The canonical bytes of a payload's elements in row-major order.
#[must_use]
pub fn bytes_of<P: Differentiable>(payload: &P) -> Vec<u8> {
    let mut bytes = Vec::new();
    payload.for_each(&mut |element| write_canonical(element, &mut bytes));
    bytes
}

/// Whether two payloads agree in shape and in all bits.
#[must_use]
pub fn identical<P: Differentiable>(left: &P, right: &P) -> bool {
    left.shape() == right.shape() && bytes_of(left) == bytes_of(right)
}

/// Where two payloads differ, in words; `None` where they agree in shape and in all bits.
#[must_use]
pub fn difference<P: Differentiable>(left: &P, right: &P) -> Option<String> {
    let (shape, other) = (left.shape(), right.shape());
    if shape != other {
        return Some(format!("shape {shape} against {other}"));
    }
    let texts = |payload: &P| {
        let mut texts = Vec::new();
        payload.for_each(&mut |element| {
            let mut bytes = Vec::new();
            write_canonical(element, &mut bytes);
            texts.push((bytes, format!("{element:?}")));
        });
        texts
    };
    let (left, right) = (texts(left), texts(right));
    let at = left.iter().zip(&right).position(|(a, b)| a.0 != b.0)?;
    let count = left.iter().zip(&right).filter(|(a, b)| a.0 != b.0).count();
    Some(format!(
        "{count} of {} elements differ in shape {shape}, first at {at}: {} against {}",
        left.len(),
        left[at].1,
        right[at].1
    ))
}

/// The first value of a network, in tape order, whose bits differ between two of its runs.
#[must_use]
pub fn first_difference<P: Tensorial>(
    network: &Network<P>,
    left: &Evaluation<P>,
    right: &Evaluation<P>,
) -> Option<String> {
    network.values().find_map(|value| {
        let (Ok(left), Ok(right)) = (left.try_of(value), right.try_of(value)) else { return None };
        difference(&left, &right).map(|difference| format!("{value:?}: {difference}"))
    })
}

/// The last value of a network, the first that a gradient reaches, whose cotangents differ between
/// two fields.
#[must_use]
pub fn first_gradient_difference<P: Tensorial>(
    network: &Network<P>,
    left: &Field<P>,
    right: &Field<P>,
) -> Option<String> {
    let values: Vec<_> = network.values().collect();
    values.into_iter().rev().find_map(|value| {
        if left.contains(value) != right.contains(value) {
            return Some(format!("{value:?}: in the support of one field only"));
        }
        let (Ok(left), Ok(right)) = (left.try_of(value), right.try_of(value)) else { return None };
        difference(&left, &right).map(|difference| format!("gradient of {value:?}: {difference}"))
    })
}

/// A digest of bits: XXH3-128 over canonical bytes.
#[derive(Clone, Default)]
pub struct Digest(Xxh3);

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({})", self.text())
    }
}

impl Digest {
    /// A digest of nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in an element.
    pub fn element<E: Elementary>(&mut self, element: &E) {
        let mut bytes = Vec::with_capacity(E::BYTES);
        write_canonical(element, &mut bytes);
        self.0.update(&bytes);
    }

    /// Takes in a payload: its extents and its elements.
    pub fn payload<P: Differentiable>(&mut self, payload: &P) {
        for extent in payload.shape().iter() {
            self.0.update(&(*extent as u64).to_le_bytes());
        }
        self.0.update(&bytes_of(payload));
    }

    /// The digest as 32 hexadecimal digits.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{:032x}", self.0.digest128())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use poorgrad::Tensor;

    #[test]
    fn every_bit_counts_but_those_of_nan() {
        let nan = f64::from_bits(0xfff8_0000_0000_0001);
        assert!(identical(&nan, &f64::NAN));
        assert!(!identical(&0.0, &-0.0));
        assert!(!identical(&1.0, &f64::from_bits(1.0_f64.to_bits() + 1)));
        assert!(!identical(&Tensor::from([1.0]), &Tensor::from([[1.0]])));
        let told = difference(&Tensor::from([1.0, 2.0]), &Tensor::from([1.0, 3.0]));
        assert!(told.is_some_and(|told| told.contains("first at 1: 2.0 against 3.0")));
    }

    #[test]
    fn runs_that_differ_are_told_at_their_first_node() {
        let network = Network::new();
        let x = network.input(1.0_f64);
        let y = x + 1.0;
        let _ = y * y;
        let (left, right) = (network.forward(), network.forward_with([(x, 2.0)]));
        assert_eq!(first_difference(&network, &left, &left), None);
        let told = first_difference(&network, &left, &right).unwrap();
        assert!(told.starts_with("%0 = input"), "{told}");
    }

    #[test]
    fn digests_see_shapes_and_signs() {
        let digest = |tensor: Tensor<f64>| {
            let mut digest = Digest::new();
            digest.payload(&tensor);
            digest.text()
        };
        assert_ne!(digest(Tensor::from([0.0])), digest(Tensor::from([-0.0])));
        assert_ne!(digest(Tensor::from([0.0])), digest(Tensor::from([[0.0]])));
        assert_eq!(digest(Tensor::from([0.0])).len(), 32);
    }
}
