//! Maxima in registers: what a machine's own maximum does not say is noted beside it.
//!
//! BITS: where an operand is NaN, or both are zeros, machines give either of the two. So each lane notes
//! the sum of all magnitudes that it met, which is NaN where one was and never else, as infinities of one sign
//! add up; and which bits all have. A maximum that is a zero met a zero and nothing above it: the bits
//! that all have are then a zero's, `-0` where every sign was set and `+0` else, as it must be.
//! COST: four operations an element, none of which moves lanes to a register of masks and back; a maximum
//! that compares and chooses takes five to ten.

use crate::kernel::simd::Registers;
use crate::math::format::Format;

/// What the lanes of one or more registers of maxima met.
#[derive(Clone, Copy)]
pub(super) struct Seen<R: Registers> {
    /// The sum of magnitudes: NaN where one was.
    total: R::Float,
    /// The bits that all have.
    common: R::Bits,
}

impl<R: Registers> Seen<R> {
    /// `x` is all that the lanes met.
    #[inline(always)]
    pub(super) fn first(token: R, x: R::Float) -> Self {
        Self { total: magnitude(token, x), common: token.to_bits(x) }
    }

    /// `x` is among what the lanes met.
    #[inline(always)]
    pub(super) fn note(&mut self, token: R, x: R::Float) {
        self.total = token.add(self.total, magnitude(token, x));
        self.common = token.and(self.common, token.to_bits(x));
    }

    /// The larger of the maximum so far and `x`, which is noted.
    #[inline(always)]
    pub(super) fn larger(&mut self, token: R, high: R::Float, x: R::Float) -> R::Float {
        self.note(token, x);
        token.at_least(x, high)
    }

    /// The maximum of all that was met, among it what `high` came from.
    ///
    /// BITS: several registers may share one `Seen`: a zero for another's sign stands beside the larger
    /// one that it came from, and a NaN for another's makes the whole NaN.
    #[inline(always)]
    pub(super) fn maximum(&self, token: R, high: R::Float) -> R::Float {
        let zero = token.splat(R::Element::exact(0.0));
        let nan = token.splat(R::Element::exact(f64::NAN));
        let signed = token.select(token.eq(high, zero), token.to_float(self.common), high);
        token.select(token.eq(self.total, self.total), signed, nan)
    }
}

#[inline(always)]
fn magnitude<R: Registers>(token: R, x: R::Float) -> R::Float {
    let bits = token.and(token.to_bits(x), token.splat_bits(R::Element::MAGNITUDE));
    token.to_float(bits)
}
