//! Reduction of huge arguments modulo `pi / 2`.
//!
//! Invariant: the remainder is accurate to far below a unit of its last place
//! for every finite `f64`. Place: the rare path of `trigonometry`, one lane at
//! a time.
//!
//! Payne and Hanek (SIGNUM 18, 1983): of the product `x * 2/pi` only the bits
//! around the binary point matter, so a window of `2/pi` is enough; multiples
//! of 4 are dropped unseen.

use super::{exact::product, scalar::Scalar, value::Value};

/// `2 / pi`, 64 bits a word, the binary point before the first.
const TWO_OVER_PI: [u64; 20] = [
    0xA2F9_836E_4E44_1529,
    0xFC27_57D1_F534_DDC0,
    0xDB62_9599_3C43_9041,
    0xFE51_63AB_DEBB_C561,
    0xB724_6E3A_424D_D2E0,
    0x0649_2EEA_09D1_921C,
    0xFE1D_EB1C_B129_A73E,
    0xE882_35F5_2EBB_4484,
    0xE99C_7026_B45F_7E41,
    0x3991_D639_8353_39F4,
    0x9C84_5F8B_BDF9_283B,
    0x1FF8_97FF_DE05_980F,
    0xEF2F_118B_5A0A_6D1F,
    0x6D36_7ECF_27CB_09B7,
    0x4F46_3F66_9E5F_EA2D,
    0x7527_BAC7_EBE5_F17B,
    0x3D07_39F7_8A52_92EA,
    0x6BFB_5FB1_1F8D_5D08,
    0x5603_3046_FC7B_6BAB,
    0xF0CF_BC20_9AF4_361D,
];

/// `pi / 2` as a pair.
const HALF_PI: [f64; 2] = [core::f64::consts::FRAC_PI_2, 6.123233995736766e-17];

/// Bits `start ..` of `2 / pi` after the binary point; before it there are none.
fn window(start: i32) -> u64 {
    let word = |i: i32| usize::try_from(i).ok().and_then(|i| TWO_OVER_PI.get(i)).copied();
    let (index, shift) = (start.div_euclid(64), start.rem_euclid(64));
    let pair =
        (u128::from(word(index).unwrap_or(0)) << 64) | u128::from(word(index + 1).unwrap_or(0));
    (pair >> (64 - shift)) as u64
}

/// `x = (4 k + quadrant) pi / 2 + high + low`, the remainder within `pi / 4`;
/// a remainder of NaN for an `x` that is not finite.
pub fn far(x: f64) -> (u64, f64, f64) {
    let bits = x.to_bits();
    let biased = (bits >> 52 & 0x7ff) as i32;
    if biased == 0x7ff {
        return (0, f64::NAN, f64::NAN);
    }
    // |x| = significand * 2^exponent; the windows start two bits before the
    // place of 1 in the product, less the 53 bits of the significand.
    let significand = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    let exponent = biased - 1075;
    let start = exponent - 2;
    // The product with 256 bits of 2/pi modulo 2^256: top two bits are the
    // quadrant, the others the fraction.
    let mut words = [0u64; 4];
    let mut carry = 0u128;
    for (i, slot) in words.iter_mut().enumerate().rev() {
        let sum = significand * u128::from(window(start + 64 * i as i32)) + carry;
        *slot = sum as u64;
        carry = sum >> 64;
    }
    let quadrant = words[0] >> 62;
    let high = u128::from(words[0]) << 64 | u128::from(words[1]);
    let low = u128::from(words[2]) << 64 | u128::from(words[3]);
    let (mut fraction, mut rest) = (high << 2 | low >> 126, low << 2);
    // Round the quadrant to nearest: the fraction becomes at most 1/2.
    let up = fraction >> 127 == 1;
    if up {
        rest = rest.wrapping_neg();
        fraction = (!fraction).wrapping_add(u128::from(rest == 0));
    }
    let quadrant = quadrant + u64::from(up);
    let zeros = fraction.leading_zeros();
    // INVARIANT: no f64 is within 2^-62 of a multiple of pi/2, so zeros < 64.
    let digits = fraction << zeros | if zeros == 0 { 0 } else { rest >> (128 - zeros) };
    let unit = f64::from_bits(u64::from(1023 - zeros) << 52);
    let leading = (digits >> 75) as f64 / (1u64 << 53) as f64 * unit;
    let trailing = ((digits >> 22) as u64 & ((1 << 53) - 1)) as f64 / (1u128 << 106) as f64 * unit;
    let (high, low) = times_half_pi(leading, trailing);
    let negative = up != (x < 0.0);
    let quadrant = if x < 0.0 { quadrant.wrapping_neg() } else { quadrant };
    if negative { (quadrant, -high, -low) } else { (quadrant, high, low) }
}

/// `(high + low) * pi / 2` as a pair.
fn times_half_pi(high: f64, low: f64) -> (f64, f64) {
    let token = Scalar::<f64>::new();
    let main = product(Value::new(token, high), Value::new(token, HALF_PI[0]));
    let (main, rest) = (main.high.lanes(), main.low.lanes());
    let rest = rest + (high * HALF_PI[1] + low * HALF_PI[0]);
    let sum = main + rest;
    (sum, (main - sum) + rest)
}
