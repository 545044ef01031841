//! `exp` and `exp_m1`.
//!
//! Invariant: one sequence of operations for all inputs; specials fall out of
//! clamps that keep NaN. Place: also the core of `tanh`, `sigmoid` and `pow`.
//!
//! Cody and Waite (Software Manual for the Elementary Functions, 1980):
//! `x = n ln 2 + r` with `n ln 2` subtracted in two parts, the first exactly;
//! `exp x = 2^n (1 + r + r^2 P(r))`, the sum kept as a pair until the end.

use super::{
    exact::{polynomial_of, sum_ordered},
    format::Format,
    lanes::Lanes,
    value::{Bits, Value},
};

/// Constants of `exp`, from `tools/math_coefficients.py`.
pub trait ExpTable: Sized + 'static {
    /// `1 / ln 2`.
    const LOG2_E: Self;
    /// `ln 2` and, negated, what is missing; multiples of the first by an
    /// exponent are exact.
    const LN_2: [Self; 2];
    /// `(exp r - 1 - r) / r^2` for `|r| <= ln 2 / 2`.
    const EXP: &'static [Self];
    /// The same, precise relative to `exp r - 1`.
    const EXP_M1: &'static [Self];
    /// Above it the result is infinite.
    const EXP_HIGH: Self;
    /// Below it the result is zero.
    const EXP_LOW: Self;
    /// Below it `exp_m1` is -1.
    const EXP_M1_LOW: Self;
    /// Below it, in magnitude, `exp_m1(x)` is `x`.
    const EXP_M1_TINY: Self;
}

impl ExpTable for f32 {
    const LOG2_E: f32 = core::f32::consts::LOG2_E;
    const LN_2: [f32; 2] = [0.69314575, -1.4286068e-6];
    const EXP: &'static [f32] = &[0.5, 0.16666521, 0.04166639, 0.008368749, 0.0013941946];
    const EXP_M1: &'static [f32] =
        &[0.5, 0.16666667, 0.04166648, 0.008333283, 0.0013933338, 0.00019909597];
    const EXP_HIGH: f32 = 89.0;
    const EXP_LOW: f32 = -104.5;
    const EXP_M1_LOW: f32 = -20.0;
    const EXP_M1_TINY: f32 = 1.0 / (1u64 << 26) as f32;
}

impl ExpTable for f64 {
    const LOG2_E: f64 = core::f64::consts::LOG2_E;
    const LN_2: [f64; 2] = [0.6931471805592082, -7.371002565167799e-13];
    const EXP: &'static [f64] = Self::EXP_M1;
    const EXP_M1: &'static [f64] = &[
        0.5,
        0.16666666666666677,
        0.04166666666666669,
        0.00833333333332167,
        0.0013888888888870248,
        0.0001984126988605659,
        2.4801587355902053e-5,
        2.755724425764903e-6,
        2.755724575487103e-7,
        2.510902583951251e-8,
        2.0923707272174104e-9,
    ];
    const EXP_HIGH: f64 = 710.0;
    const EXP_LOW: f64 = -746.0;
    const EXP_M1_LOW: f64 = -40.0;
    const EXP_M1_TINY: f64 = 1.0 / (1u64 << 55) as f64;
}

/// `exp x = 2^n (1 + high + low)`.
pub struct Parts<L: Lanes> {
    power: Bits<L>,
    /// The exactly reduced argument.
    pub high: Value<L>,
    /// What is missing of the reduced argument.
    rest: Value<L>,
    /// Their sum.
    r: Value<L>,
}

impl<L: Lanes> Parts<L> {
    /// The bracket without `1 + high`, from one of the two polynomials.
    #[inline(always)]
    pub fn low(&self, terms: &[L::Element]) -> Value<L> {
        let square = self.r * self.r;
        self.rest + square * polynomial_of(self.r, square, terms)
    }

    /// The same with half the rounding errors: `r^2 / 2` on its own.
    #[inline(always)]
    pub fn precise_low(&self) -> Value<L> {
        let square = self.r * self.r;
        let cubic = polynomial_of(self.r, square, &L::Element::EXP_M1[1..]);
        self.rest + (self.r.number(0.5) * square + self.r * square * cubic)
    }

    /// `2^(n + shift)`, which must be normal.
    #[inline(always)]
    pub fn scale(&self, shift: Bits<L>) -> Value<L> {
        ((self.power << L::Element::MANTISSA) + shift).value()
    }
}

/// The parts of `exp(x + tail)` for `x` between the clamps.
#[inline(always)]
pub fn parts<L: Lanes>(x: Value<L>, tail: Option<Value<L>>) -> Parts<L> {
    let [ln2_high, ln2_low] = L::Element::LN_2;
    let rounder = x.of(L::Element::ROUNDER);
    let shifted = x * x.of(L::Element::LOG2_E) + rounder;
    let n = shifted - rounder;
    let high = x - n * x.of(ln2_high);
    let rest = n * x.of(ln2_low);
    let rest = match tail {
        Some(tail) => tail + rest,
        None => rest,
    };
    Parts { power: shifted.bits(), high, rest, r: high + rest }
}

/// `exp(x + tail)`; the tail is at most half a unit of `x`.
#[inline(always)]
pub fn exp_of_pair<L: Lanes>(x: Value<L>, tail: Option<Value<L>>) -> Value<L> {
    let x = x.at_most(x.of(L::Element::EXP_HIGH)).at_least(x.of(L::Element::EXP_LOW));
    let parts = parts(x, tail);
    let bracket = sum_ordered(x.number(1.0), parts.high);
    let bracket = bracket.high + (bracket.low + parts.low(L::Element::EXP));
    // BITS: 2^n is applied in two factors, so that neither leaves the range of
    // normal numbers and only the second can round.
    let small = x.lt(x.number(0.0));
    let shift =
        small.select_bits(x.word(L::Element::power_word(64)), x.word(L::Element::power_word(-1)));
    let last = small.select(x.number(TWO_TO_MINUS_64), x.number(2.0));
    bracket * parts.scale(shift) * last
}

const TWO_TO_MINUS_64: f64 = 1.0 / (1u128 << 64) as f64;

/// The exponential.
///
/// Measured error at most 0.79 ulp in `f32` (all inputs), 0.75 in `f64`; the
/// largest where the result is subnormal and rounds twice.
#[inline(always)]
pub fn exp<L: Lanes>(x: Value<L>) -> Value<L> {
    exp_of_pair(x, None)
}

/// `exp(x) - 1` without cancellation: `2^n - 1` is split off exactly.
///
/// Measured error at most 0.91 ulp in `f32` (all inputs), 0.90 in `f64`.
#[inline(always)]
pub fn exp_m1<L: Lanes>(x: Value<L>) -> Value<L> {
    let clamped = x.at_most(x.of(L::Element::EXP_HIGH)).at_least(x.of(L::Element::EXP_M1_LOW));
    let parts = parts(clamped, None);
    // Everything is halved, so that the scale of the largest result is finite.
    let half = x.number(0.5);
    let scale = parts.scale(x.word(L::Element::power_word(-1)));
    let whole = scale - half;
    let lost = (scale - whole) - half;
    let sum = sum_ordered(whole, scale * parts.high);
    let y = sum.high + (sum.low + (lost + scale * parts.precise_low()));
    x.abs().lt(x.of(L::Element::EXP_M1_TINY)).select(x, y + y)
}
