//! Vectors of `f64`: sums in the order of the elements.

/// The inner product.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}

/// The Euclidean norm, without overflow or underflow on the way.
pub(super) fn norm(a: &[f64]) -> f64 {
    let largest = largest(a);
    // A power of two near the largest element: the division rounds nothing that matters.
    let scale = f64::from_bits(largest.to_bits() & 0x7ff0_0000_0000_0000);
    if !(scale > 0.0 && scale.is_finite()) {
        return largest;
    }
    let squares = a.iter().fold(0.0, |sum, a| sum + (a / scale) * (a / scale));
    scale * squares.sqrt()
}

/// The largest magnitude, NaN where an element is one.
pub(super) fn largest(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |most, a| if most.is_nan() || a.abs() <= most { most } else { a.abs() })
}

/// `a + factor b`.
pub(super) fn plus(a: &[f64], factor: f64, b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + factor * b).collect()
}

/// The products of the elements.
pub(super) fn times(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_norm_neither_overflows_nor_vanishes() {
        assert_eq!(norm(&[3.0, -4.0]), 5.0);
        assert!((norm(&[3e200, 4e200]) / 5e200 - 1.0).abs() < 1e-15);
        assert!((norm(&[3e-200, 4e-200]) / 5e-200 - 1.0).abs() < 1e-15);
        assert_eq!((norm(&[]), norm(&[0.0, -0.0])), (0.0, 0.0));
        assert_eq!(norm(&[1.0, f64::NEG_INFINITY]), f64::INFINITY);
        assert!(norm(&[f64::NAN, f64::INFINITY]).is_nan() && norm(&[1.0, f64::NAN, 2.0]).is_nan());
    }
}
