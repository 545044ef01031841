//! The machine's limits: arithmetic in registers, and reading memory.

use crate::race;
use pulp::{Arch, Simd, WithSimd};
use std::hint::black_box;

/// Billions of operations a second on one core.
#[derive(Clone, Copy, Debug)]
pub struct Peaks {
    /// With one rounding: a fused multiplication and addition counts twice.
    pub fused: f64,
    /// With two roundings, as the specified order of arithmetic has them.
    pub separate: f64,
}

/// Few, so that no product leaves the range of normal numbers.
const ROUNDS: usize = 400;
/// Independent chains, enough for the latency of any machine's units and few enough for registers.
const CHAINS: usize = 12;

macro_rules! peaks {
    ($name:ident, $float:ident, $splat:ident, $add:ident, $mul:ident, $fused:ident, $lanes:ident) => {
        /// The peaks of the element that the name says.
        #[must_use]
        pub fn $name() -> Peaks {
            struct Chains {
                fused: bool,
            }
            impl WithSimd for Chains {
                type Output = usize;
                #[inline(always)]
                fn with_simd<S: Simd>(self, simd: S) -> usize {
                    let (a, b) = (simd.$splat(black_box(0.5)), simd.$splat(black_box(1.0 + 1e-4)));
                    let mut sums = [simd.$splat(0.0); CHAINS];
                    let mut products = [simd.$splat(1.0); CHAINS];
                    for _ in 0..ROUNDS {
                        for i in 0..CHAINS {
                            if self.fused {
                                sums[i] = simd.$fused(a, b, sums[i]);
                            } else {
                                products[i] = simd.$mul(products[i], b);
                                sums[i] = simd.$add(sums[i], a);
                            }
                        }
                    }
                    black_box((sums, products));
                    S::$lanes
                }
            }
            let arch = Arch::new();
            let lanes = arch.dispatch(Chains { fused: true });
            let operations = (2 * lanes * CHAINS * ROUNDS) as f64 * 1e-9;
            let seconds = race(&mut [
                ("fused", &mut || {
                    black_box(arch.dispatch(Chains { fused: true }));
                }),
                ("separate", &mut || {
                    black_box(arch.dispatch(Chains { fused: false }));
                }),
            ]);
            Peaks { fused: operations / seconds[0], separate: operations / seconds[1] }
        }
    };
}

peaks!(singles, f32, splat_f32s, add_f32s, mul_f32s, mul_add_e_f32s, F32_LANES);
peaks!(doubles, f64, splat_f64s, add_f64s, mul_f64s, mul_add_e_f64s, F64_LANES);

/// Reads every element once, in registers.
pub fn read(elements: &[f32]) {
    struct Read<'a>(&'a [f32]);
    impl WithSimd for Read<'_> {
        type Output = ();
        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            let (registers, _) = S::as_simd_f32s(self.0);
            let mut sums = [simd.splat_f32s(0.0); 8];
            for group in registers.chunks_exact(8) {
                for i in 0..8 {
                    sums[i] = simd.add_f32s(sums[i], group[i]);
                }
            }
            black_box(sums);
        }
    }
    Arch::new().dispatch(Read(elements));
}
