//! The token of a single lane: plain `f32` and `f64`.
//!
//! Invariant: ordinary operators only, which the compiler never contracts, so
//! this is the definition the wide tokens are compared with. Place: the scalar
//! form behind `math::f32` and `math::f64`.

use super::lanes::Lanes;
use core::marker::PhantomData;

/// One lane of `E`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scalar<E>(PhantomData<E>);

impl<E> Scalar<E> {
    /// The token; one lane needs no permission.
    #[inline(always)]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

macro_rules! scalar {
    ($float:ident, $word:ident) => {
        impl Lanes for Scalar<$float> {
            type Element = $float;
            type Float = $float;
            type Bits = $word;
            type Mask = bool;

            #[inline(always)]
            fn splat(self, value: $float) -> $float {
                value
            }
            #[inline(always)]
            fn splat_bits(self, value: $word) -> $word {
                value
            }
            #[inline(always)]
            fn add(self, a: $float, b: $float) -> $float {
                a + b
            }
            #[inline(always)]
            fn sub(self, a: $float, b: $float) -> $float {
                a - b
            }
            #[inline(always)]
            fn mul(self, a: $float, b: $float) -> $float {
                a * b
            }
            #[inline(always)]
            fn div(self, a: $float, b: $float) -> $float {
                a / b
            }
            #[inline(always)]
            fn sqrt(self, a: $float) -> $float {
                a.sqrt()
            }
            #[inline(always)]
            fn at_most(self, a: $float, constant: $float) -> $float {
                if constant < a { constant } else { a }
            }
            #[inline(always)]
            fn at_least(self, a: $float, constant: $float) -> $float {
                if constant > a { constant } else { a }
            }
            #[inline(always)]
            fn lt(self, a: $float, b: $float) -> bool {
                a < b
            }
            #[inline(always)]
            fn le(self, a: $float, b: $float) -> bool {
                a <= b
            }
            #[inline(always)]
            fn eq(self, a: $float, b: $float) -> bool {
                a == b
            }
            #[inline(always)]
            fn eq_bits(self, a: $word, b: $word) -> bool {
                a == b
            }
            #[inline(always)]
            fn mask_and(self, a: bool, b: bool) -> bool {
                a & b
            }
            #[inline(always)]
            fn mask_or(self, a: bool, b: bool) -> bool {
                a | b
            }
            #[inline(always)]
            fn mask_not(self, a: bool) -> bool {
                !a
            }
            #[inline(always)]
            fn select(self, mask: bool, a: $float, b: $float) -> $float {
                if mask { a } else { b }
            }
            #[inline(always)]
            fn select_bits(self, mask: bool, a: $word, b: $word) -> $word {
                if mask { a } else { b }
            }
            #[inline(always)]
            fn to_bits(self, a: $float) -> $word {
                a.to_bits()
            }
            #[inline(always)]
            fn to_float(self, a: $word) -> $float {
                $float::from_bits(a)
            }
            #[inline(always)]
            fn add_bits(self, a: $word, b: $word) -> $word {
                a.wrapping_add(b)
            }
            #[inline(always)]
            fn and(self, a: $word, b: $word) -> $word {
                a & b
            }
            #[inline(always)]
            fn or(self, a: $word, b: $word) -> $word {
                a | b
            }
            #[inline(always)]
            fn xor(self, a: $word, b: $word) -> $word {
                a ^ b
            }
            #[inline(always)]
            fn shl(self, a: $word, count: u32) -> $word {
                a << count
            }
            #[inline(always)]
            fn shr(self, a: $word, count: u32) -> $word {
                a >> count
            }
            #[inline(always)]
            fn rare(self, mask: bool, main: $float, x: $float, f: fn($float) -> $float) -> $float {
                if mask { f(x) } else { main }
            }
        }
    };
}

scalar!(f32, u32);
scalar!(f64, u64);
