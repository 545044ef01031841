//! Powers of `f32` and `f64` in registers.
//!
//! BITS: the definition of both runs in `f64` (`math::pow`), so that one kernel over `f64` registers
//! serves both; the conversions are exact on the way in and the definition's rounding on the way out.

use crate::kernel::simd::{Level, Native, Registers, Work};
use crate::kernel::{Elementary, Lowering};
use crate::math::pow::{pow, pow_of_singles};
use crate::math::value::Value;

/// Elements taken at a time: their `f64`s stay in the first-level cache.
const CHUNK: usize = 64;

/// `a[i]` to the power `exponent(i)` into `out`. `false`: the element has no such kernel.
pub(crate) fn powers<E: Elementary>(
    level: Level,
    a: &[E],
    exponent: impl Fn(usize) -> f64,
    out: &mut [E],
) -> bool {
    let singles = match E::lowering() {
        Lowering::F32 => true,
        Lowering::F64 => false,
        Lowering::Generic => return false,
    };
    let (mut bases, mut exponents) = ([1.0_f64; CHUNK], [1.0_f64; CHUNK]);
    for (chunk, (a, out)) in a.chunks(CHUNK).zip(out.chunks_mut(CHUNK)).enumerate() {
        for (i, a) in a.iter().enumerate() {
            bases[i] = a.to_f64();
            exponents[i] = exponent(chunk * CHUNK + i);
        }
        f64::at(level, Powers { bases: &mut bases, exponents: &exponents, singles });
        out.iter_mut().zip(&bases).for_each(|(out, power)| *out = E::from_f64(*power));
    }
    true
}

struct Powers<'a> {
    bases: &'a mut [f64; CHUNK],
    exponents: &'a [f64; CHUNK],
    singles: bool,
}

impl Work<f64> for Powers<'_> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = f64>>(self, token: R) {
        let (bases, _) = R::split_mut(self.bases);
        let (exponents, _) = R::split(self.exponents);
        for (x, y) in bases.iter_mut().zip(exponents) {
            let (base, exponent) = (Value::new(token, *x), Value::new(token, *y));
            let power =
                if self.singles { pow_of_singles(base, exponent) } else { pow(base, exponent) };
            *x = power.lanes();
        }
    }
}
