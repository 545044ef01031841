//! Sums of what a chain computes, on their way.
//!
//! BITS: by the sum rule (A6) over the elements in the order in which they are taken, whatever tiles and
//! runs they come in.

use super::{Outputs, cut};
use crate::kernel::Elementary;
use crate::kernel::native::sum::{sum_into_lanes, sum_of_lanes};
use crate::kernel::order::{LANES, SB};
use smallvec::SmallVec;
use std::array::from_fn;
use std::mem::replace;

/// The sums of the blocks of consecutive elements, the first of which begins a block.
pub(crate) struct Sums<'s, E> {
    /// For each sum the places of the blocks that have not ended.
    blocks: Outputs<'s, E>,
    lanes: SmallVec<[[E; LANES]; 2]>,
    /// How many elements were taken.
    at: usize,
}

impl<'s, E: Elementary> Sums<'s, E> {
    /// Sums into these places, one for every block.
    pub(crate) fn new(blocks: Outputs<'s, E>) -> Self {
        let lanes = blocks.iter().map(|_| from_fn(|_| E::zero())).collect();
        Self { blocks, lanes, at: 0 }
    }

    /// How many elements the block can take; one that sums nothing takes all.
    pub(super) fn room(&self) -> usize {
        if self.lanes.is_empty() { usize::MAX } else { SB - self.at % SB }
    }

    /// Takes elements, of each sum as many, no more than there is room for.
    pub(super) fn take<'e>(&mut self, length: usize, of: impl Fn(usize) -> &'e [E])
    where
        E: 'e,
    {
        for (number, lanes) in self.lanes.iter_mut().enumerate() {
            sum_into_lanes(lanes, self.at, &of(number)[..length]);
        }
        self.at += length;
        if self.at.is_multiple_of(SB) {
            self.end();
        }
    }

    /// Ends the last block, after the last element.
    pub(crate) fn close(mut self) {
        if !self.at.is_multiple_of(SB) {
            self.end();
        }
    }

    fn end(&mut self) {
        for (lanes, blocks) in self.lanes.iter_mut().zip(&mut self.blocks) {
            let taken = replace(lanes, from_fn(|_| E::zero()));
            cut(blocks, 1)[0] = sum_of_lanes(taken);
        }
    }
}
