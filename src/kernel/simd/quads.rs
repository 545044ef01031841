//! Quads: four elements of each of a register's lines, brought into registers.
//!
//! COST: put together in memory, a register is read back before its parts have left the core's store
//! queue. AVX2 and AVX-512 insert a part straight from where it lies. What that is worth beside a
//! product's other work has not been measured by itself: where memory is what bounds, nothing was seen.

use pulp::Simd;

/// Registers that are put together from quads.
///
/// Part `p` of four registers is four elements of line `p`: the registers hold the parts one after
/// the other.
pub(crate) trait Quads: Simd {
    #[inline(always)]
    fn quads_f32(self, part: impl Fn(usize) -> [f32; 4]) -> [Self::f32s; 4] {
        let mut staged = [self.splat_f32s(0.0); 4];
        let parts = bytemuck::cast_slice_mut::<_, [f32; 4]>(&mut staged);
        parts.iter_mut().enumerate().for_each(|(at, to)| *to = part(at));
        staged
    }

    #[inline(always)]
    fn quads_f64(self, part: impl Fn(usize) -> [f64; 4]) -> [Self::f64s; 4] {
        let mut staged = [self.splat_f64s(0.0); 4];
        let parts = bytemuck::cast_slice_mut::<_, [f64; 4]>(&mut staged);
        parts.iter_mut().enumerate().for_each(|(at, to)| *to = part(at));
        staged
    }
}

#[cfg(target_arch = "aarch64")]
impl Quads for pulp::aarch64::Neon {}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Quads;
    use bytemuck::cast;
    use core::arch::x86_64::{__m128, __m256, __m256d, __m512d};
    use pulp::x86::{V3, V4};
    use pulp::{f32x8, f32x16, f64x4, f64x8};

    // Functions, not closures: whatever is not inlined here is compiled for the oldest machine.
    #[inline(always)]
    fn eight(simd: V3, low: [f32; 4], high: [f32; 4]) -> __m256 {
        let low = simd.avx._mm256_castps128_ps256(cast(low));
        simd.avx._mm256_insertf128_ps::<1>(low, cast::<_, __m128>(high))
    }

    #[inline(always)]
    fn sixteen(simd: V4, low: __m256, high: __m256) -> f32x16 {
        let low: __m512d = cast(simd.avx512f._mm512_castps256_ps512(low));
        cast(simd.avx512f._mm512_insertf64x4::<1>(low, cast::<_, __m256d>(high)))
    }

    #[inline(always)]
    fn eight_wide(simd: V4, low: [f64; 4], high: [f64; 4]) -> f64x8 {
        let low = simd.avx512f._mm512_castpd256_pd512(cast(low));
        cast(simd.avx512f._mm512_insertf64x4::<1>(low, cast::<_, __m256d>(high)))
    }

    impl Quads for V3 {
        #[inline(always)]
        fn quads_f32(self, part: impl Fn(usize) -> [f32; 4]) -> [f32x8; 4] {
            [
                cast(eight(self, part(0), part(1))),
                cast(eight(self, part(2), part(3))),
                cast(eight(self, part(4), part(5))),
                cast(eight(self, part(6), part(7))),
            ]
        }

        #[inline(always)]
        fn quads_f64(self, part: impl Fn(usize) -> [f64; 4]) -> [f64x4; 4] {
            [cast(part(0)), cast(part(1)), cast(part(2)), cast(part(3))]
        }
    }

    impl Quads for V4 {
        #[inline(always)]
        fn quads_f32(self, part: impl Fn(usize) -> [f32; 4]) -> [f32x16; 4] {
            let narrow = *self;
            [
                sixteen(self, eight(narrow, part(0), part(1)), eight(narrow, part(2), part(3))),
                sixteen(self, eight(narrow, part(4), part(5)), eight(narrow, part(6), part(7))),
                sixteen(self, eight(narrow, part(8), part(9)), eight(narrow, part(10), part(11))),
                sixteen(self, eight(narrow, part(12), part(13)), eight(narrow, part(14), part(15))),
            ]
        }

        #[inline(always)]
        fn quads_f64(self, part: impl Fn(usize) -> [f64; 4]) -> [f64x8; 4] {
            [
                eight_wide(self, part(0), part(1)),
                eight_wide(self, part(2), part(3)),
                eight_wide(self, part(4), part(5)),
                eight_wide(self, part(6), part(7)),
            ]
        }
    }
}
