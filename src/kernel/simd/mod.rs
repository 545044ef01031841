//! Registers: the widths in which one and the same code runs.
//!
//! A kernel that works on registers is a [`Work`], written once over a token of [`Registers`]. A
//! [`Level`] is a set of instructions that this machine has; [`Native::at`] runs the work with that
//! level's token, compiled for its instructions.
//!
//! BITS: every operation of a token is one IEEE operation in each lane, so that no result depends
//! on the level. The one exception, a fused multiplication and addition, is for `Numerics::Fast` alone.

#[cfg(feature = "simd")]
mod ahead;
mod array;
mod level;
#[cfg(test)]
mod tests;
#[cfg(feature = "simd")]
mod vector;

pub(crate) use level::Level;

use super::Elementary;
use crate::math::format::Format;
use crate::math::lanes::Lanes;

/// Elements of the widest register there is.
pub(crate) const WIDEST: usize = 16;

/// A token whose registers can be seen in slices.
pub(crate) trait Registers: Lanes<Element: Native> {
    /// Elements of a register.
    const WIDTH: usize;
    /// Whether the machine has 32 registers of this kind, not 16: what a tile may fill.
    const MANY: bool;

    /// Whether the machine has a multiplication and addition of one rounding.
    const FUSES: bool;

    /// `a * b + c`, rounded once where the machine can, twice elsewhere.
    ///
    /// BITS: for `Numerics::Fast` alone.
    fn mul_add(self, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float;
    /// A slice as registers and what is left behind the last whole one.
    fn split(elements: &[Self::Element]) -> (&[Self::Float], &[Self::Element]);
    /// The same for writing.
    fn split_mut(elements: &mut [Self::Element]) -> (&mut [Self::Float], &mut [Self::Element]);
    /// Registers as their elements.
    fn elements(registers: &[Self::Float]) -> &[Self::Element];
    /// The elements `at..at + 4` of each of the first `WIDTH` lines, as four registers: the lanes of
    /// register `t` are the lines, in the machine's favourite order.
    fn gather_4(self, lines: &[&[Self::Element]; WIDEST], at: usize) -> [Self::Float; 4];
    /// Which line's elements are to stand where in [`Registers::gather_4`] for lanes in order.
    const ORDER: [usize; WIDEST];
    /// Whether [`Registers::ahead`] does anything.
    const ASKS: bool;
    /// Asks for the cache line of element `at`, to be read later; it may lie past the last.
    fn ahead(self, elements: &[Self::Element], at: usize);
    /// Runs `work` with these instructions in a function of its own.
    ///
    /// COST: what is compiled as one function takes more than its share of a build. Of a kernel with tiles of many
    /// shapes, each shape that runs over and over has its own.
    fn apart<W: Work<Self::Element>>(self, work: W) -> W::Output;
}

/// The order in which `pulp` turns four registers of `width` elements of `size` bytes round.
#[cfg(feature = "simd")]
const fn order(width: usize, size: usize) -> [usize; WIDEST] {
    let mut order = [0; WIDEST];
    let mut part = 0;
    while part < width {
        order[part] = match (size, width) {
            (4, _) => part % (width / 4) * 4 + part / (width / 4),
            // The middle two of every four change places.
            (_, 8) => part / 4 * 4 + part % 2 * 2 + part / 2 % 2,
            _ => part,
        };
        part += 1;
    }
    order
}

/// Something to do in registers of elements `E`.
pub(crate) trait Work<E> {
    type Output;
    /// INVARIANT: `#[inline(always)]` in every implementation and whatever it calls in its loops,
    /// or those would be compiled for the oldest machine.
    fn run<R: Registers<Element = E>>(self, token: R) -> Self::Output;
}

/// An element that registers hold: `f32` and `f64`.
pub(crate) trait Native: Elementary + Format {
    /// Runs `work` with the instructions of `level`.
    fn at<W: Work<Self>>(level: Level, work: W) -> W::Output;
    /// A buffer of this thread's for packed operands. Taken out, not borrowed: whoever comes in
    /// between on this thread gets another.
    fn take_scratch() -> Vec<Self>;
    /// Gives the buffer back, for the next to take.
    fn put_scratch(scratch: Vec<Self>);
}
