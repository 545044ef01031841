//! Faster loops with the bits of the definitions.
//!
//! Each function here has a twin of the same name in `reference` and returns the same bits. What
//! makes it faster is packing, contiguous rows and independent accumulators, in shapes that the
//! compiler vectorises; never another order of floating-point work.

pub(crate) mod chain;
pub(crate) mod columns;
pub(crate) mod gemm;
mod index;
pub(crate) mod lanes;
mod lines;
mod map;
mod maximum;
mod movement;
mod parts;
mod pointwise;
pub(crate) mod power;
mod product;
pub(crate) mod reduce;
mod rows;
mod seen;
mod short;
mod softmax;
mod sum;
#[cfg(test)]
mod tests;
mod tiles;
pub(crate) mod transpose;
pub(crate) mod window;

pub(crate) use index::{gather, gather_into, row_update, row_update_into, scatter, scatter_into};
pub(crate) use map::{map, select, zip, zip_in_place};
pub(crate) use maximum::{first_max, first_max_into, max, max_into};
pub(crate) use movement::{
    as_slice, concat, concat_into, copy, copy_into, is_contiguous, packed, pad, pad_into,
};
pub(crate) use product::{matmul_into, product};
pub(crate) use softmax::{
    log_softmax, log_softmax_into, log_sum_exp, log_sum_exp_into, softmax, softmax_into,
    softmax_lines,
};
pub(crate) use sum::{sum, sum_into};
pub(crate) use window::{fold, fold_into, window};

use crate::kernel::simd::Native;

/// Parts of a buffer of these lengths, each from the start of a cache line.
///
/// COST: a register that lies in two lines is loaded at half the speed.
fn carve<E: Native, const N: usize>(buffer: &mut Vec<E>, lengths: [usize; N]) -> [&mut [E]; N] {
    const LINE: usize = 64;
    let line = LINE / size_of::<E>();
    let total = lengths.iter().fold(line, |total, length| total + length.next_multiple_of(line));
    if buffer.len() < total {
        buffer.resize(total, E::zero());
    }
    let start = buffer.as_ptr().align_offset(LINE).min(line);
    let mut rest = &mut buffer[start..];
    lengths.map(|length| {
        let (part, after) = std::mem::take(&mut rest).split_at_mut(length.next_multiple_of(line));
        rest = after;
        &mut part[..length]
    })
}
