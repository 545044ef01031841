//! The machine's own registers, through `pulp`: the one crate here that holds intrinsics, so that
//! this one needs no unsafe code.

use super::ahead::Ahead;
use super::{Registers, WIDEST, Work};
use crate::math::format::Format;
use crate::math::lanes::Lanes;
use core::marker::PhantomData;
use pulp::{NullaryFnOnce, Simd, WithSimd};

/// The registers of `E` that the instructions of `S` work on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector<S, E> {
    simd: S,
    element: PhantomData<E>,
}

/// Work in registers of `S` as `pulp` takes it; `T` says of which element.
pub(super) struct Run<W, S, T> {
    work: W,
    simd: S,
    element: PhantomData<T>,
}

impl<W, S, T> Run<W, S, T> {
    #[inline(always)]
    pub(super) fn new(work: W, simd: S) -> Self {
        Self { work, simd, element: PhantomData }
    }
}

/// A closure as `pulp` takes it.
pub(super) struct Closure<F>(pub(super) F);

impl<T, F: FnOnce() -> T> WithSimd for Closure<F> {
    type Output = T;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> T {
        (self.0)()
    }
}

macro_rules! vector {
    ($float:ident, $word:ident, $floats:ident, $words:ident, $masks:ident, $lanes:ident,
     $split:ident, $split_mut:ident, $first_true:ident, $min:ident, $max:ident,
     $splat:ident, $splat_bits:ident, $fused:ident, $deinterleave:ident,
     { $($name:ident = $of:ident($($argument:ident: $from:ident),*) -> $to:ident;)* }) => {
        impl<W: Work<$float>, S: Ahead> NullaryFnOnce for Run<W, S, $float> {
            type Output = W::Output;
            #[inline(always)]
            fn call(self) -> W::Output {
                self.work.run(Vector { simd: self.simd, element: self.element })
            }
        }

        impl<S: Ahead> Registers for Vector<S, $float> {
            const WIDTH: usize = S::$lanes;
            const MANY: bool = S::REGISTER_COUNT >= 32;
            const FUSES: bool = true;
            const ASKS: bool = S::ASKS;

            #[inline(always)]
            fn mul_add(self, a: S::$floats, b: S::$floats, c: S::$floats) -> S::$floats {
                self.simd.$fused(a, b, c)
            }

            #[inline(always)]
            fn split(elements: &[$float]) -> (&[S::$floats], &[$float]) {
                S::$split(elements)
            }
            #[inline(always)]
            fn split_mut(elements: &mut [$float]) -> (&mut [S::$floats], &mut [$float]) {
                S::$split_mut(elements)
            }
            #[inline(always)]
            fn elements(registers: &[S::$floats]) -> &[$float] {
                bytemuck::cast_slice(registers)
            }
            #[inline(always)]
            fn gather_4(self, lines: &[&[$float]; WIDEST], at: usize) -> [S::$floats; 4] {
                let mut quads = [self.simd.$splat(0.0); 4];
                let parts = bytemuck::cast_slice_mut::<_, [$float; 4]>(&mut quads);
                for (part, line) in parts.iter_mut().zip(lines) {
                    part.copy_from_slice(&line[at..at + 4]);
                }
                self.simd.$deinterleave(quads)
            }
            const ORDER: [usize; WIDEST] = super::order(Self::WIDTH, size_of::<$float>());
            #[inline(always)]
            fn ahead(self, elements: &[$float], at: usize) {
                self.simd.ahead(elements, at);
            }
            // Compiled for any machine, so that what it calls is part neither of it nor of the caller.
            #[inline(never)]
            fn apart<W: Work<$float>>(self, work: W) -> W::Output {
                Simd::vectorize(
                    self.simd,
                    Closure(
                        #[inline(always)]
                        || work.run(self),
                    ),
                )
            }
        }

        impl<S: Ahead> Lanes for Vector<S, $float> {
            type Element = $float;
            type Float = S::$floats;
            type Bits = S::$words;
            type Mask = S::$masks;

            $(#[inline(always)]
            fn $name(self, $($argument: Self::$from),*) -> Self::$to {
                self.simd.$of($($argument),*)
            })*

            #[inline(always)]
            fn splat(self, value: $float) -> Self::Float {
                self.simd.$splat(value)
            }
            #[inline(always)]
            fn splat_bits(self, value: $word) -> Self::Bits {
                self.simd.$splat_bits(value)
            }
            #[inline(always)]
            fn remainder(self, c: Self::Float, a: Self::Float, b: Self::Float) -> Self::Float {
                let negative = self.to_float(self.xor(self.to_bits(a), self.splat_bits(<$float as Format>::SIGN)));
                self.simd.$fused(negative, b, c)
            }
            // BITS: the constant stands first. Where the other operand is NaN, x86 gives the
            // second and NEON gives NaN: the same.
            #[inline(always)]
            fn at_most(self, a: Self::Float, constant: Self::Float) -> Self::Float {
                self.simd.$min(constant, a)
            }
            #[inline(always)]
            fn at_least(self, a: Self::Float, constant: Self::Float) -> Self::Float {
                self.simd.$max(constant, a)
            }
            #[inline(always)]
            fn shl(self, mut a: Self::Bits, count: u32) -> Self::Bits {
                for word in bytemuck::cast_slice_mut::<_, $word>(core::slice::from_mut(&mut a)) {
                    *word <<= count;
                }
                a
            }
            #[inline(always)]
            fn shr(self, mut a: Self::Bits, count: u32) -> Self::Bits {
                for word in bytemuck::cast_slice_mut::<_, $word>(core::slice::from_mut(&mut a)) {
                    *word >>= count;
                }
                a
            }
            #[inline(always)]
            fn rare(
                self,
                mask: Self::Mask,
                mut main: Self::Float,
                x: Self::Float,
                f: fn($float) -> $float,
            ) -> Self::Float {
                if self.simd.$first_true(mask) < Self::WIDTH {
                    // All ones in the lanes of the mask.
                    let ones = self.splat_bits($word::MAX);
                    let chosen = self.select_bits(mask, ones, self.splat_bits(0));
                    let chosen = bytemuck::cast_slice::<_, $word>(core::slice::from_ref(&chosen));
                    let x = bytemuck::cast_slice::<_, $float>(core::slice::from_ref(&x));
                    let main = bytemuck::cast_slice_mut::<_, $float>(core::slice::from_mut(&mut main));
                    for lane in 0..Self::WIDTH {
                        if chosen[lane] != 0 {
                            main[lane] = f(x[lane]);
                        }
                    }
                }
                main
            }
        }
    };
}

vector!(f32, u32, f32s, u32s, m32s, F32_LANES, as_simd_f32s, as_mut_simd_f32s, first_true_m32s,
    min_f32s, max_f32s, splat_f32s, splat_u32s, mul_add_f32s, deinterleave_shfl_f32s, {
    add = add_f32s(a: Float, b: Float) -> Float;
    sub = sub_f32s(a: Float, b: Float) -> Float;
    mul = mul_f32s(a: Float, b: Float) -> Float;
    div = div_f32s(a: Float, b: Float) -> Float;
    sqrt = sqrt_f32s(a: Float) -> Float;
    lt = less_than_f32s(a: Float, b: Float) -> Mask;
    le = less_than_or_equal_f32s(a: Float, b: Float) -> Mask;
    eq = equal_f32s(a: Float, b: Float) -> Mask;
    eq_bits = equal_u32s(a: Bits, b: Bits) -> Mask;
    mask_and = and_m32s(a: Mask, b: Mask) -> Mask;
    mask_or = or_m32s(a: Mask, b: Mask) -> Mask;
    mask_not = not_m32s(a: Mask) -> Mask;
    select = select_f32s(mask: Mask, a: Float, b: Float) -> Float;
    select_bits = select_u32s(mask: Mask, a: Bits, b: Bits) -> Bits;
    to_bits = transmute_u32s_f32s(a: Float) -> Bits;
    to_float = transmute_f32s_u32s(a: Bits) -> Float;
    add_bits = add_u32s(a: Bits, b: Bits) -> Bits;
    and = and_u32s(a: Bits, b: Bits) -> Bits;
    or = or_u32s(a: Bits, b: Bits) -> Bits;
    xor = xor_u32s(a: Bits, b: Bits) -> Bits;
});

vector!(f64, u64, f64s, u64s, m64s, F64_LANES, as_simd_f64s, as_mut_simd_f64s, first_true_m64s,
    min_f64s, max_f64s, splat_f64s, splat_u64s, mul_add_f64s, deinterleave_shfl_f64s, {
    add = add_f64s(a: Float, b: Float) -> Float;
    sub = sub_f64s(a: Float, b: Float) -> Float;
    mul = mul_f64s(a: Float, b: Float) -> Float;
    div = div_f64s(a: Float, b: Float) -> Float;
    sqrt = sqrt_f64s(a: Float) -> Float;
    lt = less_than_f64s(a: Float, b: Float) -> Mask;
    le = less_than_or_equal_f64s(a: Float, b: Float) -> Mask;
    eq = equal_f64s(a: Float, b: Float) -> Mask;
    eq_bits = equal_u64s(a: Bits, b: Bits) -> Mask;
    mask_and = and_m64s(a: Mask, b: Mask) -> Mask;
    mask_or = or_m64s(a: Mask, b: Mask) -> Mask;
    mask_not = not_m64s(a: Mask) -> Mask;
    select = select_f64s(mask: Mask, a: Float, b: Float) -> Float;
    select_bits = select_u64s(mask: Mask, a: Bits, b: Bits) -> Bits;
    to_bits = transmute_u64s_f64s(a: Float) -> Bits;
    to_float = transmute_f64s_u64s(a: Bits) -> Float;
    add_bits = add_u64s(a: Bits, b: Bits) -> Bits;
    and = and_u64s(a: Bits, b: Bits) -> Bits;
    or = or_u64s(a: Bits, b: Bits) -> Bits;
    xor = xor_u64s(a: Bits, b: Bits) -> Bits;
});
