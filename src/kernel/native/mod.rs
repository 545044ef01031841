//! Faster loops with the bits of the definitions.
//!
//! Each function here has a twin of the same name in `reference` and returns the same bits. What
//! makes it faster is packing, contiguous rows and independent accumulators, in shapes that the
//! compiler vectorises; never another order of floating-point work.

pub(crate) mod gemm;
mod index;
pub(crate) mod lanes;
mod lines;
mod map;
mod maximum;
mod movement;
mod parts;
pub(crate) mod power;
mod product;
pub(crate) mod reduce;
mod softmax;
mod sum;
#[cfg(test)]
mod tests;
mod window;

pub(crate) use index::{gather, row_update, scatter};
pub(crate) use map::{map, select, zip, zip_in_place};
pub(crate) use maximum::{first_max, max};
pub(crate) use movement::{concat, copy, is_contiguous, packed, pad};
#[cfg_attr(not(test), expect(unused_imports, reason = "for plans, which own their buffers"))]
pub(crate) use product::matmul_into;
pub(crate) use product::product;
pub(crate) use softmax::{log_softmax, log_sum_exp, softmax};
pub(crate) use sum::sum;
pub(crate) use window::{fold, windowed_product};
