//! `maximum` and `relu`. A minimum is `-maximum(-a, -b)`.
//!
//! Invariant: a tree of `maximum` of any shape has the same bits. Place: used
//! by the scalar functions and by reductions.

use super::{format::Format, lanes::Lanes, value::Value};

/// IEEE 754-2019 `maximum`: NaN if either is NaN, and `-0 < +0`.
#[inline(always)]
pub fn maximum<L: Lanes>(a: Value<L>, b: Value<L>) -> Value<L> {
    // Of two equal numbers only the zeros can differ: +0 unless both are -0.
    let tied = (a.bits() & b.bits()).value();
    let y = a.lt(b).select(b, a);
    let y = a.eq(b).select(tied, y);
    let y = b.eq(b).select(y, b);
    a.eq(a).select(y, a)
}

/// `x` above 0, NaN of NaN, else `+0`.
#[inline(always)]
pub fn relu<L: Lanes>(x: Value<L>) -> Value<L> {
    let zero = x.word(L::Element::ZERO_WORD).value();
    x.le(zero).select(zero, x)
}
