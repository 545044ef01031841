//! What the functions need to know about a floating-point format.
//!
//! Invariant: constants only; nothing here rounds. Place: below every function
//! file; the per-function tables are supertraits kept beside their functions.

use super::{erf::ErfTable, exp::ExpTable, ln::LnTable, tanh::TanhTable, trigonometry::TrigTable};

/// A binary interchange format of IEEE 754: `f32` or `f64`.
pub trait Format:
    Copy + PartialEq + PartialOrd + ExpTable + LnTable + TanhTable + ErfTable + TrigTable + 'static
{
    /// The unsigned integer of the same width.
    type Word: Copy;
    /// Explicit bits of the significand.
    const MANTISSA: u32;
    /// Width of the whole number.
    const WIDTH: u32;
    /// `1.5 * 2^MANTISSA`: adding it rounds to an integer in the low bits.
    const ROUNDER: Self;
    /// `2^MANTISSA`, the first value above which all values are integers.
    const INTEGERS: Self;
    /// Smallest normal number.
    const MIN_NORMAL: Self;
    /// Positive infinity.
    const INFINITE: Self;
    /// A quiet NaN.
    const NAN: Self;
    /// The sign bit.
    const SIGN: Self::Word;
    /// All bits but the sign.
    const MAGNITUDE: Self::Word;
    /// The explicit significand.
    const FRACTION: Self::Word;
    /// Keeps the leading half of a significand, so that products of two such
    /// halves are exact.
    const LEADING: Self::Word;
    /// Half of the last bit that `LEADING` keeps.
    const HALF_LEADING: Self::Word;
    /// Zero.
    const ZERO_WORD: Self::Word;
    /// One.
    const ONE_WORD: Self::Word;
    /// Two.
    const TWO_WORD: Self::Word;
    /// Bits of `2^MANTISSA`: or-ing a small integer into it converts it.
    const INTEGER_WORD: Self::Word;

    /// Bits of `sqrt(1/2)`, rounded.
    const ROOT_HALF_WORD: Self::Word;
    /// Bits of 1 less those of `sqrt(1/2)`.
    const ABOVE_ROOT_HALF_WORD: Self::Word;

    /// The value, which must be representable exactly.
    fn exact(value: f64) -> Self;
    /// The bits of `2^k` for a normal `2^k`.
    fn power_word(k: i32) -> Self::Word;
}

macro_rules! format {
    ($float:ident, $word:ident, $mantissa:literal, $leading:literal) => {
        impl Format for $float {
            type Word = $word;
            const MANTISSA: u32 = $mantissa;
            const WIDTH: u32 = $word::BITS;
            const ROUNDER: Self = 1.5 * (1u64 << $mantissa) as $float;
            const INTEGERS: Self = (1u64 << $mantissa) as $float;
            const MIN_NORMAL: Self = $float::MIN_POSITIVE;
            const INFINITE: Self = $float::INFINITY;
            const NAN: Self = $float::NAN;
            const SIGN: $word = 1 << ($word::BITS - 1);
            const MAGNITUDE: $word = $word::MAX >> 1;
            const FRACTION: $word = (1 << $mantissa) - 1;
            const LEADING: $word = $word::MAX << $leading;
            const HALF_LEADING: $word = 1 << ($leading - 1);
            const ZERO_WORD: $word = 0;
            const ONE_WORD: $word = 1;
            const TWO_WORD: $word = 2;
            const INTEGER_WORD: $word = Self::INTEGERS.to_bits();
            const ROOT_HALF_WORD: $word = core::$float::consts::FRAC_1_SQRT_2.to_bits();
            const ABOVE_ROOT_HALF_WORD: $word = (1.0 as $float).to_bits() - Self::ROOT_HALF_WORD;

            #[inline(always)]
            fn exact(value: f64) -> Self {
                value as $float
            }

            #[inline(always)]
            fn power_word(k: i32) -> $word {
                ((k + $float::MAX_EXP - 1) as $word) << $mantissa
            }
        }
    };
}

format!(f32, u32, 23, 12);
format!(f64, u64, 52, 27);
