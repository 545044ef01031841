//! Convolutions and pools of `f32` and `f64` as direct walks over images: the windows are never
//! laid out in memory.
//!
//! BITS: each function computes what the chain of operations that records it computes; where it
//! reads windows is a matter of indices, never of another order.
//!
//! Only the tiles (`spread`, `gather`, `adjoint`) hold registers; the walks round them are compiled once.

mod adjoint;
mod fold;
mod forward;
mod gather;
mod images;
mod padded;
mod pairs;
mod pool;
mod spread;
mod strips;
#[cfg(test)]
mod tests;
mod unpool;
mod weights;

pub(crate) use fold::fold;
pub(crate) use forward::windowed_product;
#[cfg_attr(
    not(test),
    expect(unused_imports, reason = "a plan calls them; the tape records the chain")
)]
pub(crate) use {
    images::images_gradient,
    pool::{average_pool, max_pool},
    unpool::max_pool_gradient,
    weights::weights_gradient,
};

use super::carve;
use crate::kernel::simd::{Native, Registers, Work};
use crate::kernel::threads;

/// How many parts a convolution is worth, of as many as there are threads.
fn parts(operations: usize, threads: impl FnOnce() -> usize) -> usize {
    match threads::parts(operations, usize::MAX) {
        1 => 1,
        parts => parts.min(threads()),
    }
}

/// Elements of a register.
struct Width;

impl<E: Native> Work<E> for Width {
    type Output = usize;
    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, _: R) -> usize {
        R::WIDTH
    }
}

/// The height of the next tile where that many rows are left: as few low tiles as three heights
/// allow.
#[inline(always)]
fn height(rows: usize) -> usize {
    match rows {
        8 | 9 => 4,
        6.. => 6,
        4.. => 4,
        _ => 1,
    }
}

/// A short run: a call costs more than it moves.
#[inline(always)]
fn copy<E: Copy>(from: &[E], to: &mut [E]) {
    const RUN: usize = 8;
    let to = &mut to[..from.len()];
    if from.len() < RUN {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        return;
    }
    let (runs, _) = from.as_chunks::<RUN>();
    let (results, _) = to.as_chunks_mut::<RUN>();
    results.iter_mut().zip(runs).for_each(|(to, from)| *to = *from);
    // The last run overlaps the one before it.
    if let (Some(from), Some(to)) = (from.last_chunk::<RUN>(), to.last_chunk_mut::<RUN>()) {
        *to = *from;
    }
}
