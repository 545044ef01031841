//! Products of `f32` and `f64` in registers.
//!
//! BITS: lanes run over rows or columns of the result, never over the terms of a sum; a tile sums
//! one block of `KB` terms, and blocks are added in ascending order. So no result depends on the
//! registers' width, on how operands lie, on packing or on threads.

mod blocks;
mod output;
mod pack;
#[cfg(test)]
mod tests;
mod tile;

use crate::kernel::GemmTask;
use crate::kernel::simd::{Level, Native};
use blocks::Blocks;
use output::Output;

/// The product in registers: see `Elementary::gemm`.
pub(crate) fn gemm<E: Native>(task: &mut GemmTask<'_, E>) -> bool {
    gemm_at(Level::best(), task);
    true
}

/// The product with the instructions of `level`.
pub(crate) fn gemm_at<E: Native>(level: Level, task: &mut GemmTask<'_, E>) {
    let GemmTask { m, k, n, a, b, ref mut out } = *task;
    if m == 0 || n == 0 || k == 0 {
        return;
    }
    let flipped = false;
    let mut out = Output::Whole(out, n);
    let mut scratch = E::take_scratch();
    let sizes = [m, k, n];
    E::at(level, Blocks { sizes, a, b, out: &mut out, flipped, scratch: &mut scratch });
    E::put_scratch(scratch);
}
