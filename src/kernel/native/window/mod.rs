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

pub(crate) use fold::{fold, fold_into};

use super::carve;
use crate::kernel::simd::{Level, Native, Registers, Work};
use crate::kernel::task::{WindowForm, WindowTask};
use crate::kernel::threads;
use crate::kernel::window::Windows;

/// The work on windows: see `Elementary::window`.
pub(crate) fn window<E: Native>(task: &mut WindowTask<'_, E>) -> bool {
    let windows = Windows::new(task.extents, task.filters, &task.window);
    let (level, threads, operands) = (Level::best(), threads::threads, task.operands);
    let out = &mut *task.out;
    match task.form {
        WindowForm::Product => {
            forward::forward(level, threads, forward::Across::Either, &windows, operands, out);
        }
        WindowForm::ImagesGradient => {
            let [cotangent, weights] = operands;
            images::images_gradient(level, threads, &windows, [weights, cotangent], out);
        }
        WindowForm::WeightsGradient => {
            weights::weights_gradient(level, threads, &windows, operands, out);
        }
        WindowForm::MaxPool => pool::max_pool(level, threads, &windows, operands[0], out),
        WindowForm::MaxPoolGradient => {
            unpool::max_pool_gradient(level, threads, &windows, operands, out);
        }
    }
    true
}

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
