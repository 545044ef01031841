//! The portable registers: arrays that the compiler keeps in whatever the target has.

use super::{Registers, WIDEST, Work};
use crate::math::lanes::Lanes;
use crate::math::scalar::Scalar;
use crate::math::unrolled::Unrolled;
use std::array::from_fn;

/// Registers of 16 bytes, the width that every 64-bit target has.
pub(crate) type Portable<E, const N: usize> = Unrolled<Scalar<E>, N>;

macro_rules! registers {
    ($float:ident, $width:literal) => {
        impl Registers for Portable<$float, $width> {
            const WIDTH: usize = $width;
            const MANY: bool = false;
            const FUSES: bool = false;
            const ASKS: bool = false;

            #[inline(always)]
            fn mul_add(self, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float {
                self.add(self.mul(a, b), c)
            }

            #[inline(always)]
            fn split(elements: &[$float]) -> (&[Self::Float], &[$float]) {
                elements.as_chunks()
            }
            #[inline(always)]
            fn split_mut(elements: &mut [$float]) -> (&mut [Self::Float], &mut [$float]) {
                elements.as_chunks_mut()
            }
            #[inline(always)]
            fn elements(registers: &[Self::Float]) -> &[$float] {
                registers.as_flattened()
            }
            #[inline(always)]
            fn gather_4(self, lines: &[&[$float]; WIDEST], at: usize) -> [Self::Float; 4] {
                let parts: [&[$float]; $width] = from_fn(|j| &lines[j][at..at + 4]);
                from_fn(|t| from_fn(|j| parts[j][t]))
            }
            const ORDER: [usize; WIDEST] = {
                let mut order = [0; WIDEST];
                let mut line = 0;
                while line < $width {
                    order[line] = line;
                    line += 1;
                }
                order
            };
            #[inline(always)]
            fn ahead(self, _: &[$float], _: usize) {}
            #[inline(never)]
            fn apart<W: Work<$float>>(self, work: W) -> W::Output {
                work.run(self)
            }
        }
    };
}

registers!(f32, 4);
registers!(f64, 2);
