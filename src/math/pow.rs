//! `powf` and `powi`.
//!
//! Invariant: the special cases are those of IEEE 754-2019 `pow`; a result that
//! is representable is returned exactly. Place: above `exp` and `ln`.
//!
//! `x^y = exp(y ln |x|)`, signed by the parity of `y`. For `f32` both functions
//! run in `f64`, 29 bits more than needed. For `f64` the logarithm is a pair,
//! `2 s + 2/3 s^3 + ...` with `s = (m - 1) / (m + 1)` as a pair.

use super::{
    exact::{Pair, polynomial_of, product, remainder, sum, sum_ordered},
    exp::{ExpTable, exp, exp_of_pair},
    format::Format,
    lanes::Lanes,
    ln::{decompose, ln},
    value::Value,
};

/// `2/5 + 2/7 z + 2/9 z^2 + ...`, from `tools/math_coefficients.py`.
const TAIL: &[f64] = &[
    0.3999999999999998,
    0.2857142857144515,
    0.22222222217527351,
    0.181818188714394,
    0.1538455679382628,
    0.13336320404119517,
    0.11674757604946012,
    0.11989522759477894,
];

/// `2/3` as a pair.
const TWO_THIRDS: [f64; 2] = [0.6666666666666666, 3.700743415417188e-17];

/// Gives the magnitude `|x|^y` its sign, and the special cases their values.
#[inline(always)]
fn finish<L: Lanes>(x: Value<L>, y: Value<L>, magnitude: Value<L>) -> Value<L> {
    let (zero, one) = (x.number(0.0), x.number(1.0));
    let infinite = x.of(L::Element::INFINITE);
    let (size, power) = (x.abs(), y.abs());
    let integers = x.of(L::Element::INTEGERS);
    // The unit bit of |y| is the lowest after adding 2^MANTISSA, and it is the
    // lowest of |y| itself in the binade where that would round.
    let small = power.lt(integers);
    let raised = power + integers;
    let aligned = small.select(raised, power);
    let integral = !small | (raised - integers).eq(power);
    let unit = x.word(L::Element::ONE_WORD);
    let odd = (aligned.bits() & unit).eq(unit) & integral & power.lt(integers + integers);
    let sign = odd.select_bits(x.sign(), x.word(L::Element::ZERO_WORD));
    let result = magnitude.with_sign(sign);
    let result = (x.lt(zero) & size.lt(infinite) & !integral).select(x.of(L::Element::NAN), result);
    let result = (x.eq(x) & y.eq(y)).select(result, x + y);
    // |x| = 1 with an infinite y, y = 0 and x = 1 have the value 1.
    let result = (size.eq(one) & power.eq(infinite)).select(one, result);
    (y.eq(zero) | x.eq(one)).select(one, result)
}

/// `x^y` of numbers that are `f32`, in `f64`; the caller rounds to `f32`.
///
/// Measured error 0.5 ulp of `f32`: correctly rounded in all samples.
#[inline(always)]
pub fn pow_of_singles<L: Lanes<Element = f64>>(x: Value<L>, y: Value<L>) -> Value<L> {
    finish(x, y, exp(y * ln(x.abs())))
}

/// `ln x` as a pair for a positive finite `x`, to about `2^-66`.
#[inline(always)]
fn ln_pair<L: Lanes<Element = f64>>(x: Value<L>) -> Pair<L> {
    let parts = decompose(x);
    let (e, m) = (parts.exponent, parts.significand);
    let one = x.number(1.0);
    let f = m - one;
    let d = sum(m, one);
    let s = f / d.high;
    let s_low = (remainder(f, s, d.high) - s * d.low) / d.high;
    // z = s^2
    let z = product(s, s);
    let z_low = z.low + (s + s) * s_low;
    // u = 2/3 + z TAIL(z)
    let u = sum_ordered(x.of(TWO_THIRDS[0]), z.high * polynomial_of(z.high, z.high * z.high, TAIL));
    let u_low = u.low + x.of(TWO_THIRDS[1]);
    // v = z u, then s v
    let v = product(z.high, u.high);
    let v_low = v.low + (z.high * u_low + z_low * u.high);
    let w = product(s, v.high);
    let w_low = w.low + (s * v_low + s_low * v.high);
    // e ln 2 + 2 s + s v, from the largest
    let [ln2_high, ln2_low] = f64::LN_2;
    let first = sum_ordered(e * x.of(ln2_high), s + s);
    let second = sum(first.high, w.high);
    let rest = (first.low + second.low) + ((s_low + s_low + w_low) - e * x.of(ln2_low));
    sum_ordered(second.high, rest)
}

/// `x^y` of `f64`. Measured error at most 0.74 ulp, largest where the result is
/// subnormal and rounds twice.
#[inline(always)]
pub fn pow<L: Lanes<Element = f64>>(x: Value<L>, y: Value<L>) -> Value<L> {
    let (size, one) = (x.abs(), x.number(1.0));
    let (infinite, zero) = (x.of(f64::INFINITE), x.number(0.0));
    // Beyond 2^64 every power but those of 1 leaves the range.
    let edge = x.number(18446744073709551616.0);
    let exponent = y.at_most(edge).at_least(-edge);
    let log = ln_pair(size);
    let main = product(exponent, log.high);
    let tail = main.low + exponent * log.low;
    let safe = main.high.abs().lt(x.number(1024.0));
    let tail = safe.select(tail, zero);
    let magnitude = exp_of_pair(main.high, Some(tail));
    // Zero and infinity have no logarithm pair.
    let grows = one.lt(size);
    let upward = zero.lt(y);
    let rises = (grows & upward) | !(grows | upward);
    let limit = rises.select(infinite, zero);
    let extreme = size.eq(zero) | size.eq(infinite);
    finish(x, y, extreme.select(limit, magnitude))
}
