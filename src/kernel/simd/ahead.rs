//! Asking for memory ahead of reading it.
//!
//! COST: a core follows a stream of addresses by itself, but not over the end of a page and not while
//! all it may begin waits for what it has. An instruction that asks for a line and waits for nothing
//! brings a matrix that is read once nearer to what memory gives (`1 x 768 x 50257` of the bench `gemm` of the member
//! `peers`).

use pulp::Simd;

/// Registers of a machine that may be asked for memory.
pub(crate) trait Ahead: Simd {
    /// Whether that does anything here.
    const ASKS: bool = false;
    /// Asks for the cache line of element `at`, which may lie past the last.
    #[inline(always)]
    fn ahead<E>(self, _elements: &[E], _at: usize) {}
}

#[cfg(target_arch = "aarch64")]
impl Ahead for pulp::aarch64::Neon {}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Ahead;
    use core::arch::x86_64::_MM_HINT_T0;
    use pulp::x86::{V3, V4};

    impl Ahead for V3 {
        const ASKS: bool = true;
        #[inline(always)]
        fn ahead<E>(self, elements: &[E], at: usize) {
            self.sse._mm_prefetch::<_MM_HINT_T0>(elements.as_ptr().wrapping_add(at).cast());
        }
    }

    impl Ahead for V4 {
        const ASKS: bool = true;
        #[inline(always)]
        fn ahead<E>(self, elements: &[E], at: usize) {
            self.sse._mm_prefetch::<_MM_HINT_T0>(elements.as_ptr().wrapping_add(at).cast());
        }
    }
}
