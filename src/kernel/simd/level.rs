//! `Level`: the sets of instructions that kernels are compiled for, and the best one here.

use super::array::Portable;
#[cfg(all(feature = "simd", any(target_arch = "x86_64", target_arch = "aarch64")))]
use super::vector::Run;
use super::{Native, Work};
use crate::math::scalar::Scalar;
use crate::math::unrolled::Unrolled;
use std::cell::Cell;

/// A set of instructions that this machine has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    /// What the whole crate is compiled for.
    Portable,
    /// AVX2.
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    V3(pulp::x86::V3),
    /// AVX-512.
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    V4(pulp::x86::V4),
    /// NEON.
    #[cfg(all(feature = "simd", target_arch = "aarch64"))]
    Neon(pulp::aarch64::Neon),
}

impl Level {
    /// All levels that this machine has, best last.
    pub(crate) fn all() -> Vec<Self> {
        #[allow(unused_mut, reason = "only some targets have more than one")]
        let mut levels = vec![Self::Portable];
        #[cfg(all(feature = "simd", target_arch = "x86_64"))]
        {
            levels.extend(pulp::x86::V3::try_new().map(Self::V3));
            levels.extend(pulp::x86::V4::try_new().map(Self::V4));
        }
        #[cfg(all(feature = "simd", target_arch = "aarch64"))]
        levels.extend(pulp::aarch64::Neon::try_new().map(Self::Neon));
        levels
    }

    /// The best level of this machine.
    pub(crate) fn best() -> Self {
        static BEST: std::sync::OnceLock<Level> = std::sync::OnceLock::new();
        *BEST.get_or_init(|| Self::all().pop().unwrap_or(Self::Portable))
    }

    /// A level of half as many lanes, where there is one: for work that could not fill more than
    /// those.
    pub(crate) fn narrower(self) -> Self {
        match self {
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            Self::V4(_) => pulp::x86::V3::try_new().map_or(self, Self::V3),
            other => other,
        }
    }

    /// As [`Level::compiled`], and narrower where there are two: for loops that are seldom run.
    ///
    /// COST: of code that is there once for each function, a level more is a second of a build.
    #[inline(always)]
    pub(crate) fn compiled_narrow<T>(self, f: impl FnOnce() -> T) -> T {
        match self.narrower() {
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            Self::V3(simd) => pulp::Simd::vectorize(simd, super::vector::Closure(f)),
            #[cfg(all(feature = "simd", target_arch = "aarch64"))]
            Self::Neon(simd) => pulp::Simd::vectorize(simd, super::vector::Closure(f)),
            _ => f(),
        }
    }

    /// Runs a closure compiled for this level: loops that the compiler vectorises by itself.
    #[inline(always)]
    pub(crate) fn compiled<T>(self, f: impl FnOnce() -> T) -> T {
        match self {
            Self::Portable => f(),
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            Self::V3(simd) => pulp::Simd::vectorize(simd, super::vector::Closure(f)),
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            Self::V4(simd) => pulp::Simd::vectorize(simd, super::vector::Closure(f)),
            #[cfg(all(feature = "simd", target_arch = "aarch64"))]
            Self::Neon(simd) => pulp::Simd::vectorize(simd, super::vector::Closure(f)),
        }
    }
}

macro_rules! native {
    ($float:ident, $width:literal, $scratch:ident) => {
        impl Native for $float {
            // COST: not inlined, or each module that runs a kernel would have it once more.
            #[inline(never)]
            fn at<W: Work<Self>>(level: Level, work: W) -> W::Output {
                match level {
                    Level::Portable => {
                        let token: Portable<$float, $width> = Unrolled(Scalar::new());
                        work.run(token)
                    }
                    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
                    Level::V3(simd) => {
                        let work = Run::<_, _, $float>::new(work, simd);
                        simd.vectorize(work)
                    }
                    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
                    Level::V4(simd) => {
                        let work = Run::<_, _, $float>::new(work, simd);
                        simd.vectorize(work)
                    }
                    #[cfg(all(feature = "simd", target_arch = "aarch64"))]
                    Level::Neon(simd) => {
                        let work = Run::<_, _, $float>::new(work, simd);
                        simd.vectorize(work)
                    }
                }
            }
            fn take_scratch() -> Vec<Self> {
                let mut spare = $scratch.take();
                let scratch = spare.pop().unwrap_or_default();
                $scratch.set(spare);
                scratch
            }
            fn put_scratch(scratch: Vec<Self>) {
                let mut spare = $scratch.take();
                spare.push(scratch);
                $scratch.set(spare);
            }
        }
    };
}

thread_local! {
    static SINGLES: Cell<Vec<Vec<f32>>> = const { Cell::new(Vec::new()) };
    static DOUBLES: Cell<Vec<Vec<f64>>> = const { Cell::new(Vec::new()) };
}

native!(f32, 4, SINGLES);
native!(f64, 2, DOUBLES);
