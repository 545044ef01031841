//! Several registers as one, advanced in step.
//!
//! Invariant: lane by lane the operations of the inner token, so the bits are
//! its bits. Place: the kernels' portable registers, and further lane widths in
//! tests, which show that no bit depends on the width.

use super::{format::Format, lanes::Lanes};
use core::array::from_fn;

/// `N` registers of the token `T`.
#[derive(Clone, Copy, Debug)]
pub struct Unrolled<T, const N: usize>(
    /// The token of one register.
    pub T,
);

macro_rules! pairwise {
    ($($name:ident: $from:ident -> $to:ident;)*) => {
        $(#[inline(always)]
        fn $name(self, a: Self::$from, b: Self::$from) -> Self::$to {
            from_fn(#[inline(always)] |i| self.0.$name(a[i], b[i]))
        })*
    };
}

impl<T: Lanes, const N: usize> Lanes for Unrolled<T, N> {
    type Element = T::Element;
    type Float = [T::Float; N];
    type Bits = [T::Bits; N];
    type Mask = [T::Mask; N];

    pairwise! {
        add: Float -> Float;
        sub: Float -> Float;
        mul: Float -> Float;
        div: Float -> Float;
        at_most: Float -> Float;
        at_least: Float -> Float;
        lt: Float -> Mask;
        le: Float -> Mask;
        eq: Float -> Mask;
        eq_bits: Bits -> Mask;
        mask_and: Mask -> Mask;
        mask_or: Mask -> Mask;
        add_bits: Bits -> Bits;
        and: Bits -> Bits;
        or: Bits -> Bits;
        xor: Bits -> Bits;
    }

    #[inline(always)]
    fn splat(self, value: T::Element) -> Self::Float {
        [self.0.splat(value); N]
    }
    #[inline(always)]
    fn splat_bits(self, value: <T::Element as Format>::Word) -> Self::Bits {
        [self.0.splat_bits(value); N]
    }
    #[inline(always)]
    fn remainder(self, c: Self::Float, a: Self::Float, b: Self::Float) -> Self::Float {
        from_fn(
            #[inline(always)]
            |i| self.0.remainder(c[i], a[i], b[i]),
        )
    }
    #[inline(always)]
    fn sqrt(self, a: Self::Float) -> Self::Float {
        from_fn(
            #[inline(always)]
            |i| self.0.sqrt(a[i]),
        )
    }
    #[inline(always)]
    fn mask_not(self, a: Self::Mask) -> Self::Mask {
        from_fn(
            #[inline(always)]
            |i| self.0.mask_not(a[i]),
        )
    }
    #[inline(always)]
    fn select(self, mask: Self::Mask, a: Self::Float, b: Self::Float) -> Self::Float {
        from_fn(
            #[inline(always)]
            |i| self.0.select(mask[i], a[i], b[i]),
        )
    }
    #[inline(always)]
    fn select_bits(self, mask: Self::Mask, a: Self::Bits, b: Self::Bits) -> Self::Bits {
        from_fn(
            #[inline(always)]
            |i| self.0.select_bits(mask[i], a[i], b[i]),
        )
    }
    #[inline(always)]
    fn to_bits(self, a: Self::Float) -> Self::Bits {
        from_fn(
            #[inline(always)]
            |i| self.0.to_bits(a[i]),
        )
    }
    #[inline(always)]
    fn to_float(self, a: Self::Bits) -> Self::Float {
        from_fn(
            #[inline(always)]
            |i| self.0.to_float(a[i]),
        )
    }
    #[inline(always)]
    fn shl(self, a: Self::Bits, count: u32) -> Self::Bits {
        from_fn(
            #[inline(always)]
            |i| self.0.shl(a[i], count),
        )
    }
    #[inline(always)]
    fn shr(self, a: Self::Bits, count: u32) -> Self::Bits {
        from_fn(
            #[inline(always)]
            |i| self.0.shr(a[i], count),
        )
    }
    #[inline(always)]
    fn rare(
        self,
        mask: Self::Mask,
        main: Self::Float,
        x: Self::Float,
        f: fn(T::Element) -> T::Element,
    ) -> Self::Float {
        from_fn(
            #[inline(always)]
            |i| self.0.rare(mask[i], main[i], x[i], f),
        )
    }
}
