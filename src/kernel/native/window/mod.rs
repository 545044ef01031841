//! Convolutions and pools of `f32` and `f64` as direct walks over images: the windows are never
//! laid out in memory.
//!
//! BITS: each function computes what the chain of operations that records it computes; where it
//! reads windows is a matter of indices, never of another order.
//!
//! Only the tiles (`spread`, `gather`, `adjoint`, `apart`, those of `periods`) hold registers; the walks round them are compiled once.

mod adjoint;
mod apart;
mod channels;
mod classes;
mod filters;
mod fold;
mod forward;
mod gather;
mod images;
mod padded;
mod pairs;
mod periods;
mod pool;
mod spread;
mod stacked;
mod strips;
#[cfg(test)]
mod tests;
mod unpool;
mod weights;

pub(crate) use fold::{fold, fold_into};

use super::carve;
use super::transpose::transpose_at;
use crate::kernel::simd::{Level, Native, Registers, Work};
use crate::kernel::task::{Finish, WindowForm, WindowTask};
use crate::kernel::threads;
use crate::kernel::window::Windows;
use crate::kernel::{Elementary, Numerics, TransposeTask};

/// The work on windows: see `Elementary::window`.
pub(crate) fn window<E: Native>(task: &mut WindowTask<'_, E>) -> bool {
    let windows = Windows::new(task.extents, task.filters, &task.window);
    let (threads, operands) = (threads::threads, task.operands);
    let fast = task.numerics == Numerics::Fast;
    let mut manner = Manner { level: Level::best(), fast, finish: None };
    let out = &mut *task.out;
    match task.form {
        WindowForm::Product => {
            manner.finish = task.finish.take();
            forward::forward(manner, threads, Across::Either, &windows, operands, out);
        }
        WindowForm::ImagesGradient => {
            manner.finish = task.finish.take();
            let [cotangent, weights] = operands;
            let operands = [weights, cotangent];
            images::images_gradient(manner, threads, Across::Either, &windows, operands, out);
        }
        WindowForm::WeightsGradient => {
            weights::weights_gradient(manner, threads, Across::Either, &windows, operands, out);
        }
        WindowForm::MaxPool => pool::max_pool(manner.level, threads, &windows, operands[0], out),
        WindowForm::MaxPoolGradient => {
            manner.finish = task.finish.take();
            unpool::max_pool_gradient(manner, threads, &windows, operands, out);
        }
    }
    true
}

/// Does a walk by its `Wide`, tiles of as many registers first as a level has room for, then narrower ones: what is
/// left of `all` places, of which a register takes `each`.
///
/// COST: tiles of each width are a function of their own, which a level that cannot use them does not have.
macro_rules! widest_first {
    ($token:ident, $of:ident.$place:ident, $all:expr, $each:expr) => {{
        let (all, each, fused) = ($all, $each, $of.fast);
        let (mut $place, of) = (0, &mut $of);
        if R::MANY {
            widest_first!(@ 4, $token, of, $place, all, each, fused);
        }
        widest_first!(@ 2, $token, of, $place, all, each, fused);
        widest_first!(@ 1, $token, of, $place, all, each, fused);
    }};
    (@ $registers:literal, $token:ident, $of:ident, $place:ident, $all:ident, $each:ident, $fused:ident) => {
        if $all - $place >= $registers * $each {
            let (of, $place) = (&mut *$of, &mut $place);
            if R::FUSES && $fused {
                $token.apart(Wide::<_, true, $registers> { of, $place });
            } else {
                $token.apart(Wide::<_, false, $registers> { of, $place });
            }
        }
    };
}
use widest_first;

/// What lanes run over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Across {
    /// Neighbours in an image: windows, or the elements that have them.
    Windows,
    /// Channels of the result, filters or the image's own: their weights are packed once.
    Channels,
    /// Images: one element of each of many, which are turned round.
    Images,
    /// Whatever takes fewer registers.
    Either,
}

/// How a walk is done, whatever it computes.
struct Manner<'a, E> {
    level: Level,
    /// Whether a multiplication and an addition may round once.
    fast: bool,
    /// What follows on each element that has its sum.
    finish: Option<Finish<'a, E>>,
}

impl<E> Clone for Manner<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<E> Copy for Manner<'_, E> {}

impl<E: Native> Manner<'_, E> {
    /// Exact and with nothing to follow.
    #[cfg(test)]
    fn exact(level: Level) -> Self {
        Self { level, fast: false, finish: None }
    }

    /// These elements, the first of which is at `start` of the whole result, have their sums.
    fn finished(&self, start: usize, out: &mut [E]) {
        self.unsign(out);
        let Some(finish) = self.finish else { return };
        for (i, run) in out.chunks_mut(RUN).enumerate() {
            finish(start + i * RUN, run);
        }
    }
}

impl<E: Native> Manner<'_, E> {
    /// Sums that may be rounded once a term, without the sign of a zero.
    ///
    /// BITS: a fused term that underflows is `-0`, and whether a later term in the padding makes it `+0` depends
    /// on the walk, which depends on the number of threads. A sum that rounds twice is never `-0`.
    fn unsign(&self, out: &mut [E]) {
        if self.fast {
            out.iter_mut().for_each(|sum| *sum = Elementary::add(sum, &E::zero()));
        }
    }
}

/// Elements that are finished together: what follows on them keeps its own in the first-level cache.
const RUN: usize = 2048;

/// How many parts a convolution is worth, of as many as there are threads.
fn parts(operations: usize, threads: impl FnOnce() -> usize) -> usize {
    match threads::parts(operations, usize::MAX) {
        1 => 1,
        parts => parts.min(threads()),
    }
}

/// The items in the order of their keys, and else as they were.
///
/// COST: it sorts keys, so that there is one such code for items of any kind.
fn sorted<T>(items: Vec<T>, key: impl Fn(&T) -> [usize; 2]) -> Vec<T> {
    let mut order: Vec<_> = items.iter().map(key).zip(0_usize..).collect();
    order.sort_unstable();
    let mut items: Vec<_> = items.into_iter().map(Some).collect();
    let taken = order.into_iter().filter_map(|(_, at)| items[at].take());
    taken.collect()
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

/// Whether all elements are finite.
///
/// COST: runs without a way out are compared in registers.
fn finite<E: Native>(level: Level, elements: &[E]) -> bool {
    level.compiled(
        #[inline(always)]
        || {
            elements.chunks(RUN).all(
                #[inline(always)]
                |run| {
                    run.iter().fold(
                        true,
                        #[inline(always)]
                        |all, x| all & (x.sub(x) == E::exact(0.0)),
                    )
                },
            )
        },
    )
}

/// Columns of `elements`, `stride` apart, as rows of `out`, `pitch` apart: as many rows and columns
/// of `out` as `extents` says.
fn turn<E: Native>(
    level: Level,
    extents: [usize; 2],
    elements: &[E],
    stride: usize,
    (out, pitch): (&mut [E], usize),
) {
    let [rows, columns] = extents;
    if rows >= 4 && columns > 0 {
        return transpose_at(level, &mut TransposeTask::new(extents, elements, stride, out, pitch));
    }
    for row in 0..rows {
        let from = elements[row..].iter().step_by(stride);
        out[row * pitch..][..columns].iter_mut().zip(from).for_each(|(to, x)| *to = *x);
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
