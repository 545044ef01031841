//! Operators over lanes, so that a formula in the source reads as a formula.
//!
//! Invariant: each operator is exactly one operation of the token; nothing is
//! reassociated or fused. Place: between `lanes` and the functions.

use super::{format::Format, lanes::Lanes};
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Shl, Shr, Sub};

type Word<L> = <<L as Lanes>::Element as Format>::Word;

/// Floating-point lanes with their token.
#[derive(Clone, Copy)]
pub struct Value<L: Lanes> {
    token: L,
    lanes: L::Float,
}

/// The bits of lanes with their token.
#[derive(Clone, Copy)]
pub struct Bits<L: Lanes> {
    token: L,
    lanes: L::Bits,
}

/// One truth value per lane with its token.
#[derive(Clone, Copy)]
pub struct Mask<L: Lanes> {
    token: L,
    lanes: L::Mask,
}

impl<L: Lanes> Value<L> {
    /// Wraps lanes.
    #[inline(always)]
    pub fn new(token: L, lanes: L::Float) -> Self {
        Self { token, lanes }
    }

    /// The lanes themselves.
    #[inline(always)]
    pub fn lanes(self) -> L::Float {
        self.lanes
    }

    /// A constant in every lane.
    #[inline(always)]
    pub fn of(self, value: L::Element) -> Self {
        Self::new(self.token, self.token.splat(value))
    }

    /// A constant that both formats represent exactly.
    #[inline(always)]
    pub fn number(self, value: f64) -> Self {
        self.of(L::Element::exact(value))
    }

    /// A constant word in every lane.
    #[inline(always)]
    pub fn word(self, value: Word<L>) -> Bits<L> {
        Bits { token: self.token, lanes: self.token.splat_bits(value) }
    }

    /// `self - a * b`, which must be representable: see [`Lanes::remainder`].
    #[inline(always)]
    pub fn remainder(self, a: Self, b: Self) -> Self {
        Self::new(self.token, self.token.remainder(self.lanes, a.lanes, b.lanes))
    }

    /// The bits.
    #[inline(always)]
    pub fn bits(self) -> Bits<L> {
        Bits { token: self.token, lanes: self.token.to_bits(self.lanes) }
    }

    /// Without the sign bit.
    #[inline(always)]
    pub fn abs(self) -> Self {
        (self.bits() & self.word(L::Element::MAGNITUDE)).value()
    }

    /// The sign bit alone.
    #[inline(always)]
    pub fn sign(self) -> Bits<L> {
        self.bits() & self.word(L::Element::SIGN)
    }

    /// Takes over a sign bit; `self` has none.
    #[inline(always)]
    pub fn with_sign(self, sign: Bits<L>) -> Self {
        (self.bits() | sign).value()
    }

    /// `self < other`, false on NaN.
    #[inline(always)]
    pub fn lt(self, other: Self) -> Mask<L> {
        Mask { token: self.token, lanes: self.token.lt(self.lanes, other.lanes) }
    }

    /// `self <= other`, false on NaN.
    #[inline(always)]
    pub fn le(self, other: Self) -> Mask<L> {
        Mask { token: self.token, lanes: self.token.le(self.lanes, other.lanes) }
    }

    /// `self == other`, false on NaN.
    #[inline(always)]
    pub fn eq(self, other: Self) -> Mask<L> {
        Mask { token: self.token, lanes: self.token.eq(self.lanes, other.lanes) }
    }

    /// At most the constant `bound`; NaN stays NaN.
    #[inline(always)]
    pub fn at_most(self, bound: Self) -> Self {
        Self::new(self.token, self.token.at_most(self.lanes, bound.lanes))
    }

    /// At least the constant `bound`; NaN stays NaN.
    #[inline(always)]
    pub fn at_least(self, bound: Self) -> Self {
        Self::new(self.token, self.token.at_least(self.lanes, bound.lanes))
    }

    /// `f(x)` in the lanes of the mask, `self` elsewhere.
    #[inline(always)]
    pub fn rare(self, mask: Mask<L>, x: Self, f: fn(L::Element) -> L::Element) -> Self {
        Self::new(self.token, self.token.rare(mask.lanes, self.lanes, x.lanes, f))
    }
}

impl<L: Lanes> Value<L> {
    /// The square root, rounded once.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self::new(self.token, self.token.sqrt(self.lanes))
    }
}

impl<L: Lanes> Bits<L> {
    /// The lanes with these bits.
    #[inline(always)]
    pub fn value(self) -> Value<L> {
        Value::new(self.token, self.token.to_float(self.lanes))
    }

    /// Equality.
    #[inline(always)]
    pub fn eq(self, other: Self) -> Mask<L> {
        Mask { token: self.token, lanes: self.token.eq_bits(self.lanes, other.lanes) }
    }
}

impl<L: Lanes> Mask<L> {
    /// `a` where the mask holds, else `b`.
    #[inline(always)]
    pub fn select(self, a: Value<L>, b: Value<L>) -> Value<L> {
        Value::new(self.token, self.token.select(self.lanes, a.lanes, b.lanes))
    }

    /// The same for bits.
    #[inline(always)]
    pub fn select_bits(self, a: Bits<L>, b: Bits<L>) -> Bits<L> {
        Bits { token: self.token, lanes: self.token.select_bits(self.lanes, a.lanes, b.lanes) }
    }
}

macro_rules! operator {
    ($kind:ident, $trait:ident, $method:ident, $token:ident) => {
        impl<L: Lanes> $trait for $kind<L> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self { token: self.token, lanes: self.token.$token(self.lanes, other.lanes) }
            }
        }
    };
}

operator!(Value, Add, add, add);
operator!(Value, Sub, sub, sub);
operator!(Value, Mul, mul, mul);
operator!(Value, Div, div, div);
operator!(Bits, Add, add, add_bits);
operator!(Bits, BitAnd, bitand, and);
operator!(Bits, BitOr, bitor, or);
operator!(Bits, BitXor, bitxor, xor);
operator!(Mask, BitAnd, bitand, mask_and);
operator!(Mask, BitOr, bitor, mask_or);

impl<L: Lanes> Shl<u32> for Bits<L> {
    type Output = Self;
    #[inline(always)]
    fn shl(self, count: u32) -> Self {
        Self { token: self.token, lanes: self.token.shl(self.lanes, count) }
    }
}

impl<L: Lanes> Shr<u32> for Bits<L> {
    type Output = Self;
    #[inline(always)]
    fn shr(self, count: u32) -> Self {
        Self { token: self.token, lanes: self.token.shr(self.lanes, count) }
    }
}

impl<L: Lanes> Neg for Value<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        (self.bits() ^ self.word(L::Element::SIGN)).value()
    }
}

impl<L: Lanes> Not for Mask<L> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self { token: self.token, lanes: self.token.mask_not(self.lanes) }
    }
}
