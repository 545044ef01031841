//! `Real`: the elements whose networks can be written down, and the numbers they are read from.

use super::{Array, Dtype};
use crate::Elementary;

/// An element that files have a form for: `f32` and `f64`.
///
/// What is read may be written as any of `F64`, `F32`, `F16` and `BF16`. The same kind keeps every bit;
/// a wider one is taken over exactly; a narrower one is rounded to nearest, ties to even.
pub trait Real: Elementary {
    /// The kind that it is written as.
    const DTYPE: Dtype;

    /// The elements of an array, row-major; `None` where it holds no floating-point numbers.
    fn read(array: &Array<'_>) -> Option<Vec<Self>>;
}

/// A number by number reading: `size` bytes each.
fn each<const SIZE: usize, E>(bytes: &[u8], element: impl Fn([u8; SIZE]) -> E) -> Vec<E> {
    let (numbers, _) = bytes.as_chunks::<SIZE>();
    numbers.iter().map(|number| element(*number)).collect()
}

macro_rules! real {
    ($E:ident $Dtype:ident) => {
        impl Real for $E {
            const DTYPE: Dtype = Dtype::$Dtype;

            fn read(array: &Array<'_>) -> Option<Vec<Self>> {
                let bytes = array.bytes();
                // A conversion between equal kinds is none, and keeps the bits.
                Some(match array.dtype() {
                    Dtype::F64 => each(bytes, |number| f64::from_le_bytes(number) as $E),
                    Dtype::F32 => each(bytes, |number| f32::from_le_bytes(number) as $E),
                    Dtype::F16 => each(bytes, |number| half(u16::from_le_bytes(number)) as $E),
                    Dtype::BF16 => {
                        let widened = |bits| f32::from_bits(u32::from(bits) << 16);
                        each(bytes, |number| widened(u16::from_le_bytes(number)) as $E)
                    }
                    _ => return None,
                })
            }
        }
    };
}
real!(f32 F32);
real!(f64 F64);

/// The value of a binary16: one bit of sign, five of exponent, ten of fraction.
fn half(bits: u16) -> f32 {
    let (sign, exponent, fraction) =
        (u32::from(bits >> 15) << 31, u32::from(bits >> 10 & 31), u32::from(bits & 1023));
    match exponent {
        // Zero and subnormals: units of 2^-24, which binary32 has as normal numbers.
        0 => {
            let magnitude = fraction as f32 * f32::from_bits((127 - 24) << 23);
            f32::from_bits(sign | magnitude.to_bits())
        }
        // Infinity and NaN.
        31 => f32::from_bits(sign | 255 << 23 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 127 - 15) << 23 | fraction << 13),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "powers of two are exact everywhere")]
    fn every_half_has_its_value() {
        for bits in 0..=u16::MAX {
            let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
            let magnitude = match exponent {
                31 if fraction > 0.0 => f64::NAN,
                31 => f64::INFINITY,
                0 => fraction * 2.0_f64.powi(-24),
                _ => (1024.0 + fraction) * 2.0_f64.powi(exponent - 25),
            };
            let expected = if bits >> 15 == 1 { -magnitude } else { magnitude };
            let found = f64::from(half(bits));
            assert!(found.is_nan() && expected.is_nan() || found.to_bits() == expected.to_bits());
        }
    }

    #[test]
    fn numbers_are_rounded_once_and_equal_kinds_keep_their_bits() {
        let wide = [0.1_f64, 1e-46, 1e300, -0.0].map(f64::to_le_bytes).concat();
        let array = Array::new(Dtype::F64, [4], wide).unwrap();
        let found = f32::read(&array).unwrap();
        assert_eq!(found[..3], [0.1, 0.0, f32::INFINITY]);
        assert_eq!(found[3].to_bits(), (-0.0_f32).to_bits());
        let quiet = f64::from_bits(0x7ff8_0000_0000_1234);
        let array = Array::new(Dtype::F64, [], quiet.to_le_bytes().to_vec()).unwrap();
        assert_eq!(f64::read(&array).unwrap()[0].to_bits(), quiet.to_bits());
        let bf16 = Array::new(Dtype::BF16, [2], vec![0x80, 0x3f, 0x00, 0xff]).unwrap();
        assert_eq!(f64::read(&bf16).unwrap()[0], 1.0);
        let integer = Array::new(Dtype::I32, [1], vec![0; 4]).unwrap();
        assert_eq!(f32::read(&integer), None);
    }
}
