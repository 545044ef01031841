//! `sin` and `cos`.
//!
//! Invariant: the quadrant and the reduced argument depend on the input alone;
//! huge inputs take the scalar reduction of `reduction`. Place: above `exact`.
//!
//! Cody and Waite's reduction without fused operations: the parts of `pi/2` are
//! so short that their multiples are exact; the remainder is kept as a pair.

use super::{
    exact::{Pair, polynomial_of, sum, sum_ordered},
    format::Format,
    lanes::Lanes,
    reduction::far,
    scalar::Scalar,
    value::{Bits, Value},
};

/// Constants of `sin` and `cos`, from `tools/math_coefficients.py`.
pub trait TrigTable: Sized + 'static {
    /// `2 / pi`.
    const TWO_OVER_PI: Self;
    /// `pi / 2` in four parts, the first three short.
    const HALF_PI: [Self; 4];
    /// The largest magnitude that the parts reduce.
    const TRIG_NEAR: Self;
    /// Below it, in magnitude, `sin(x)` is `x`.
    const SIN_TINY: Self;
    /// `(sin r - r) / r^3` in `r^2`.
    const SIN: &'static [Self];
    /// `(cos r - 1 + r^2 / 2) / r^4` in `r^2`.
    const COS: &'static [Self];
    /// The sine of a huge or special argument.
    fn far_sin(self) -> Self;
    /// The cosine of a huge or special argument.
    fn far_cos(self) -> Self;
}

impl TrigTable for f32 {
    const TWO_OVER_PI: f32 = core::f32::consts::FRAC_2_PI;
    const HALF_PI: [f32; 4] = [1.5703125, 0.0004837513, 7.5495336e-8, 2.563344e-12];
    const TRIG_NEAR: f32 = 6400.0;
    const SIN_TINY: f32 = 1.0 / (1u64 << 13) as f32;
    const SIN: &'static [f32] = &[-0.16666651, 0.008331965, -0.00019493887];
    const COS: &'static [f32] = &[0.041666646, -0.0013887353, 2.4436615e-5];

    fn far_sin(self) -> f32 {
        far_f32(self, 0)
    }
    fn far_cos(self) -> f32 {
        far_f32(self, 1)
    }
}

impl TrigTable for f64 {
    const TWO_OVER_PI: f64 = core::f64::consts::FRAC_2_PI;
    const HALF_PI: [f64; 4] =
        [1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32];
    const TRIG_NEAR: f64 = 1.6e6;
    const SIN_TINY: f64 = 1.0 / (1u64 << 28) as f64;
    const SIN: &'static [f64] = &[
        -0.16666666666666666,
        0.008333333333333316,
        -0.0001984126984124814,
        2.7557319211164647e-6,
        -2.5052104226409874e-8,
        1.6058289012765576e-10,
        -7.575219352675178e-13,
    ];
    const COS: &'static [f64] = &[
        0.041666666666666664,
        -0.0013888888888888874,
        2.4801587301571133e-5,
        -2.7557319215218033e-7,
        2.087675433016485e-9,
        -1.1470289132577095e-11,
        4.737920455452855e-14,
    ];

    fn far_sin(self) -> f64 {
        far_f64(self, 0)
    }
    fn far_cos(self) -> f64 {
        far_f64(self, 1)
    }
}

/// `sin(r + quadrant * pi / 2)` for `r` within `pi / 4`: one of the two series
/// by the lowest bit of the quadrant, the sign by the next.
#[inline(always)]
fn on_quadrant<L: Lanes>(r: Pair<L>, quadrant: Bits<L>) -> Value<L> {
    let Pair { high: r, low } = r;
    let one = r.number(1.0);
    let z = r * r;
    let square = z * z;
    let h = r.number(0.5) * z;
    let sine = r + (z * r * polynomial_of(z, square, L::Element::SIN) + (low - h * low));
    let whole = one - h;
    let cosine = whole
        + (((one - whole) - h) + (square * polynomial_of(z, square, L::Element::COS) - r * low));
    let odd = (quadrant & r.word(L::Element::ONE_WORD)).eq(r.word(L::Element::ONE_WORD));
    let sign = (quadrant & r.word(L::Element::TWO_WORD)) << (L::Element::WIDTH - 2);
    (odd.select(cosine, sine).bits() ^ sign).value()
}

/// The quadrant in the low bits, and the rest.
#[inline(always)]
fn near<L: Lanes>(x: Value<L>) -> (Bits<L>, Pair<L>) {
    let [a, b, c, d] = L::Element::HALF_PI;
    let rounder = x.of(L::Element::ROUNDER);
    let shifted = x * x.of(L::Element::TWO_OVER_PI) + rounder;
    let n = shifted - rounder;
    let first = x - n * x.of(a);
    let second = sum(first, -(n * x.of(b)));
    let third = sum(second.high, -(n * x.of(c)));
    let tail = (second.low + third.low) - n * x.of(d);
    (shifted.bits(), sum_ordered(third.high, tail))
}

/// The sine.
///
/// Measured error at most 0.84 ulp in `f32`, 0.81 in `f64`.
#[inline(always)]
pub fn sin<L: Lanes>(x: Value<L>) -> Value<L> {
    let (quadrant, r) = near(x);
    let y = on_quadrant(r, quadrant);
    let magnitude = x.abs();
    let y = magnitude.lt(x.of(L::Element::SIN_TINY)).select(x, y);
    y.rare(!magnitude.le(x.of(L::Element::TRIG_NEAR)), x, L::Element::far_sin)
}

/// The cosine.
///
/// Measured error at most 0.86 ulp in `f32`, 0.86 in `f64`.
#[inline(always)]
pub fn cos<L: Lanes>(x: Value<L>) -> Value<L> {
    let (quadrant, r) = near(x);
    let y = on_quadrant(r, quadrant + x.word(L::Element::ONE_WORD));
    y.rare(!x.abs().le(x.of(L::Element::TRIG_NEAR)), x, L::Element::far_cos)
}

#[cold]
fn far_f64(x: f64, turn: u64) -> f64 {
    let token = Scalar::<f64>::new();
    let (quadrant, high, low) = far(x);
    let r = Pair { high: Value::new(token, high), low: Value::new(token, low) };
    on_quadrant(r, r.high.word(quadrant.wrapping_add(turn))).lanes()
}

#[cold]
fn far_f32(x: f32, turn: u32) -> f32 {
    let token = Scalar::<f32>::new();
    let (quadrant, high, low) = far(f64::from(x));
    let single = (high + low) as f32;
    let rest = ((high - f64::from(single)) + low) as f32;
    let r = Pair { high: Value::new(token, single), low: Value::new(token, rest) };
    on_quadrant(r, r.high.word((quadrant as u32).wrapping_add(turn))).lanes()
}
