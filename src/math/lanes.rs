//! The lane token: the only operations an elementary function may use.
//!
//! Invariant: every operation is one IEEE 754 operation (or one bit operation)
//! per lane, so the result of a lane depends on that lane's input alone and on
//! no width. A fused multiply-add stands here in one place alone: for a result that
//! is exact, and so the same whichever way it is computed.
//! Place: the bottom of `math`; `scalar` implements it for one lane, the kernels
//! implement it for registers.

use super::{exact::remainder_by_halves, format::Format, value::Value};

/// Operations on a register of lanes of one floating-point format.
///
/// The functions of [`crate::math`] are written once over this trait. A token
/// is a proof that the instructions it stands for may run, as in `pulp`.
pub trait Lanes: Copy {
    /// The format of a lane: `f32` or `f64`.
    type Element: Format;
    /// A register of floating-point lanes.
    type Float: Copy;
    /// A register of the same lanes seen as unsigned integers.
    type Bits: Copy;
    /// One truth value per lane.
    type Mask: Copy;

    /// The same value in every lane.
    fn splat(self, value: Self::Element) -> Self::Float;
    /// The same bits in every lane.
    fn splat_bits(self, value: <Self::Element as Format>::Word) -> Self::Bits;

    /// `a + b`, rounded to nearest even.
    fn add(self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// `a - b`, rounded to nearest even.
    fn sub(self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// `a * b`, rounded to nearest even.
    fn mul(self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// `a / b`, rounded to nearest even.
    fn div(self, a: Self::Float, b: Self::Float) -> Self::Float;

    /// `c - a * b`, which must be representable.
    ///
    /// BITS: exact, so that one fused operation and several plain ones agree.
    #[inline(always)]
    fn remainder(self, c: Self::Float, a: Self::Float, b: Self::Float) -> Self::Float {
        let [c, a, b] = [c, a, b].map(
            #[inline(always)]
            |lanes| Value::new(self, lanes),
        );
        remainder_by_halves(c, a, b).lanes()
    }

    /// The square root of `a`, rounded to nearest even.
    fn sqrt(self, a: Self::Float) -> Self::Float;

    /// The smaller of `a` and a constant; NaN stays NaN. The constant is neither
    /// NaN nor zero, so that every machine's minimum agrees.
    fn at_most(self, a: Self::Float, constant: Self::Float) -> Self::Float;
    /// The larger of `a` and a constant, under the same conditions.
    fn at_least(self, a: Self::Float, constant: Self::Float) -> Self::Float;
    /// `a < b`, false on NaN.
    fn lt(self, a: Self::Float, b: Self::Float) -> Self::Mask;
    /// `a <= b`, false on NaN.
    fn le(self, a: Self::Float, b: Self::Float) -> Self::Mask;
    /// `a == b`, false on NaN.
    fn eq(self, a: Self::Float, b: Self::Float) -> Self::Mask;
    /// Equality of bits.
    fn eq_bits(self, a: Self::Bits, b: Self::Bits) -> Self::Mask;
    /// Both.
    fn mask_and(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Either.
    fn mask_or(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// The opposite.
    fn mask_not(self, a: Self::Mask) -> Self::Mask;
    /// `a` where the mask holds, else `b`; both sides have been computed.
    fn select(self, mask: Self::Mask, a: Self::Float, b: Self::Float) -> Self::Float;
    /// The same for bits.
    fn select_bits(self, mask: Self::Mask, a: Self::Bits, b: Self::Bits) -> Self::Bits;

    /// The lanes' bits.
    fn to_bits(self, a: Self::Float) -> Self::Bits;
    /// The lanes with these bits.
    fn to_float(self, a: Self::Bits) -> Self::Float;
    /// Wrapping sum.
    fn add_bits(self, a: Self::Bits, b: Self::Bits) -> Self::Bits;
    /// Bitwise and.
    fn and(self, a: Self::Bits, b: Self::Bits) -> Self::Bits;
    /// Bitwise or.
    fn or(self, a: Self::Bits, b: Self::Bits) -> Self::Bits;
    /// Bitwise exclusive or.
    fn xor(self, a: Self::Bits, b: Self::Bits) -> Self::Bits;
    /// Shift towards the high end by a constant below the width.
    fn shl(self, a: Self::Bits, count: u32) -> Self::Bits;
    /// Logical shift towards the low end by a constant below the width.
    fn shr(self, a: Self::Bits, count: u32) -> Self::Bits;

    /// `f(x)` in the lanes of the mask, `main` elsewhere.
    ///
    /// For lanes so rare that a loop over them costs nothing on average. `f`
    /// takes one lane at a time, so its value cannot depend on the width.
    fn rare(
        self,
        mask: Self::Mask,
        main: Self::Float,
        x: Self::Float,
        f: fn(Self::Element) -> Self::Element,
    ) -> Self::Float;
}
