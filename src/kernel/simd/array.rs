//! The portable registers: arrays that the compiler keeps in whatever the target has.

use super::Registers;
use crate::math::scalar::Scalar;
use crate::math::unrolled::Unrolled;

/// Registers of 16 bytes, the width that every 64-bit target has.
pub(crate) type Portable<E, const N: usize> = Unrolled<Scalar<E>, N>;

macro_rules! registers {
    ($float:ident, $width:literal) => {
        impl Registers for Portable<$float, $width> {
            const WIDTH: usize = $width;
            const MANY: bool = false;

            #[inline(always)]
            fn split(elements: &[$float]) -> (&[Self::Float], &[$float]) {
                elements.as_chunks()
            }
            #[inline(always)]
            fn split_mut(elements: &mut [$float]) -> (&mut [Self::Float], &mut [$float]) {
                elements.as_chunks_mut()
            }
        }
    };
}

registers!(f32, 4);
registers!(f64, 2);
