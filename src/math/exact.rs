//! Error-free sums and products, and polynomials.
//!
//! Invariant: for finite values in range, `high + low` equals the exact result
//! (Dekker 1971; Knuth, TAOCP 4.2.2). What a product leaves is exact too, so
//! that a machine may compute it by one fused operation or, as here, from
//! factors cut into halves whose products are exact. Place: used by every
//! function that needs more than one format's precision.

use super::{format::Format, lanes::Lanes, value::Value};

/// An unevaluated sum, `low` no larger than half a unit of `high`.
#[derive(Clone, Copy)]
pub struct Pair<L: Lanes> {
    /// The rounded value.
    pub high: Value<L>,
    /// What rounding lost.
    pub low: Value<L>,
}

/// `a + b` where `a` is zero or not smaller than `b` in magnitude (Dekker).
#[inline(always)]
pub fn sum_ordered<L: Lanes>(a: Value<L>, b: Value<L>) -> Pair<L> {
    let high = a + b;
    Pair { high, low: (a - high) + b }
}

/// `a + b` for any order (Knuth).
#[inline(always)]
pub fn sum<L: Lanes>(a: Value<L>, b: Value<L>) -> Pair<L> {
    let high = a + b;
    let part = high - a;
    Pair { high, low: (a - (high - part)) + (b - part) }
}

/// A value cut into two halves of its significand, the first rounded, so that
/// the second has a bit less than the significand's other half.
#[inline(always)]
fn halves<L: Lanes>(a: Value<L>) -> Pair<L> {
    let rounded = a.bits() + a.word(L::Element::HALF_LEADING);
    let high = (rounded & a.word(L::Element::LEADING)).value();
    Pair { high, low: a - high }
}

/// `c - a * b`, where `c` is the rounded product, or `a` the rounded quotient of
/// `c` by `b`: the difference is representable then, and this is it.
///
/// Nothing is to underflow or overflow.
#[inline(always)]
pub fn remainder<L: Lanes>(c: Value<L>, a: Value<L>, b: Value<L>) -> Value<L> {
    c.remainder(a, b)
}

/// The same without a fused operation. Every step of it is exact: the products of
/// halves fit, and what is left shrinks with each.
#[inline(always)]
pub fn remainder_by_halves<L: Lanes>(c: Value<L>, a: Value<L>, b: Value<L>) -> Value<L> {
    let (a, b) = (halves(a), halves(b));
    (((c - a.high * b.high) - a.high * b.low) - a.low * b.high) - a.low * b.low
}

/// `a * b` as a pair.
#[inline(always)]
pub fn product<L: Lanes>(a: Value<L>, b: Value<L>) -> Pair<L> {
    let high = a * b;
    Pair { high, low: -remainder(high, a, b) }
}

/// Horner's rule on every other coefficient from `top` down.
#[inline(always)]
fn alternate<L: Lanes>(square: Value<L>, top: usize, c: &impl Fn(usize) -> Value<L>) -> Value<L> {
    let mut k = top;
    let mut sum = c(k);
    while k >= 2 {
        k -= 2;
        sum = sum * square + c(k);
    }
    sum
}

/// `c[0] + c[1] x + ...` with `count >= 2` coefficients: Horner's rule in
/// `square = x^2` on the even and the odd terms, which halves the chain of
/// dependent operations.
#[inline(always)]
pub fn polynomial<L: Lanes>(
    x: Value<L>,
    square: Value<L>,
    count: usize,
    c: impl Fn(usize) -> Value<L>,
) -> Value<L> {
    alternate(square, (count - 1) / 2 * 2, &c) + x * alternate(square, count / 2 * 2 - 1, &c)
}

/// The polynomial with constant coefficients, at least two.
#[inline(always)]
pub fn polynomial_of<L: Lanes>(x: Value<L>, square: Value<L>, c: &[L::Element]) -> Value<L> {
    polynomial(
        x,
        square,
        c.len(),
        #[inline(always)]
        |k| x.of(c[k]),
    )
}
