//! Chains of element-wise functions, tile by tile.
//!
//! BITS: every element sees the functions of the tape in their order; tiles and threads only say
//! which elements come first.

mod fused;
mod part;
mod sums;
#[cfg(test)]
mod tests;

use super::sum::sum_of as sum_of_blocks;
use crate::kernel::chain::{Chain, NEAR, Op, Operand};
use crate::kernel::map::Pointwise;
use crate::kernel::order::SB;
use crate::kernel::{Binary, Elementary, scratch, threads};
pub(crate) use fused::fused;
use part::Part;
use smallvec::SmallVec;
use std::mem::take;
use std::ops::Range;
pub(crate) use sums::Sums;

/// Where an operand's elements are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a, E> {
    /// In a slice that nothing writes.
    Slice(&'a [E]),
    /// In the place of an output, element for element: it is overwritten.
    Output(usize),
}

/// The outputs of a chain: few enough, mostly, for no list on the heap.
pub(crate) type Outputs<'a, E> = SmallVec<[&'a mut [E]; 4]>;

/// Runs a chain, split over threads where it is worth that.
pub(crate) fn run<E: Elementary>(
    chain: &Chain,
    operands: &[Place<'_, E>],
    mut outputs: Outputs<'_, E>,
) {
    let count = chain.count();
    let totals = chain.sums.iter().map(|sum| take(&mut outputs[sum.output]));
    let totals: Outputs<'_, E> = totals.collect();
    if count == 0 {
        return totals.into_iter().for_each(|total| total.fill(E::zero()));
    }
    let blocks = count.div_ceil(SB);
    let parts = threads::parts_here(count.saturating_mul(chain.cost), usize::MAX);
    let whole = |ready: &Prepared<'_, '_, E>, sums: &mut [E]| {
        let mut sums: Outputs<'_, E> = sums.chunks_exact_mut(blocks).collect();
        if parts == 1 {
            let mut sums = Sums::new(sums);
            ready.part(outputs, &mut sums, 0..count);
            return sums.close();
        }
        takes!("a chain over threads");
        // A block is summed in one part.
        let unit = if sums.is_empty() { chain.tile.max(chain.row()) } else { SB };
        let mut work = Vec::with_capacity(parts);
        for bounds in threads::bounds(count, parts, unit) {
            let outputs = outputs.iter_mut().map(|rest| cut(rest, bounds.len())).collect();
            let blocks = bounds.len().div_ceil(SB);
            let sums = sums.iter_mut().map(|rest| cut(rest, blocks)).collect();
            work.push((outputs, Sums::new(sums), bounds));
        }
        threads::each(work, |(outputs, mut sums, bounds)| {
            ready.part(outputs, &mut sums, bounds);
            sums.close();
        });
    };
    prepared(chain, operands, |ready| {
        if totals.is_empty() {
            return whole(ready, &mut []);
        }
        takes!("sums of a chain");
        scratch::with(totals.len() * blocks, |sums| {
            whole(ready, sums);
            for (total, sums) in totals.into_iter().zip(sums.chunks_exact(blocks)) {
                total[0] = sum_of_blocks(sums);
            }
        });
    })
}

/// Runs a chain of some of the elements that `sums` are of, the next ones, on this thread; the places of
/// the sums' outputs are empty.
pub(crate) fn run_next<E: Elementary>(
    chain: &Chain,
    operands: &[Place<'_, E>],
    outputs: Outputs<'_, E>,
    sums: &mut Sums<'_, E>,
) {
    prepared(chain, operands, |ready| ready.part(outputs, sums, 0..chain.count()));
}

/// The sum of what blocks sum to.
pub(crate) fn total<E: Elementary>(blocks: &[E]) -> E {
    sum_of_blocks(blocks)
}

/// The first elements of the rest of an output; none of one that has none, as it is a sum's.
fn cut<'a, E>(rest: &mut &'a mut [E], length: usize) -> &'a mut [E] {
    let (part, after) = take(rest).split_at_mut_checked(length).unwrap_or_default();
    *rest = after;
    part
}

/// A chain and what it reads, ready to run on any part of its space.
pub(crate) struct Prepared<'p, 'a, E> {
    chain: &'p Chain,
    operands: &'p [Place<'a, E>],
    /// Of each operand that repeats a short row: many copies of the row, one behind the other.
    copied: SmallVec<[Option<&'p [E]>; 8]>,
    /// The chain's program, reading outputs where they are.
    ops: &'p [Op],
    /// Whether each operand that stands in an output must be copied out of it first.
    moved: SmallVec<[bool; 8]>,
}

/// Calls `work` with the chain made ready.
///
/// COST: rows that repeat are copied together once, for all parts: a bias's row of 200 elements
/// behind a product took half as long again when every part copied it or went row by row.
pub(crate) fn prepared<E: Elementary, R>(
    chain: &Chain,
    operands: &[Place<'_, E>],
    work: impl FnOnce(&Prepared<'_, '_, E>) -> R,
) -> R {
    let row = chain.row();
    let repeats = |(operand, place): (&Operand, &Place<'_, E>)| {
        chain.repeats(operand) && matches!(place, Place::Slice(_))
    };
    let pairs = || chain.operands.iter().zip(operands);
    // A tile of copied rows begins anywhere in a row.
    let reach = (chain.tile + row).min(chain.count() + row);
    let copies = pairs().filter(|&pair| repeats(pair)).count();
    let mut copy = SmallVec::new();
    let moved = in_place(chain, operands, &mut copy);
    let ops = if copy.is_empty() { &chain.ops } else { &copy[..] };
    scratch::with(copies * reach, |scratch| {
        let mut scratch = scratch.chunks_exact_mut(reach.max(1));
        let copied = pairs().map(|pair| match pair {
            (operand, Place::Slice(elements)) if repeats(pair) => {
                let period = &elements[operand.offset..][..row];
                let copies = scratch.next().expect("invariant: scratch for every repeated row");
                for to in copies.chunks_mut(row) {
                    to.clone_from_slice(&period[..to.len()]);
                }
                Some(&*copies)
            }
            _ => None,
        });
        let copied = copied.collect();
        work(&Prepared { chain, operands, copied, ops, moved })
    })
}

/// Whether each operand that stands in an output must be copied out of it first, as it is read again after
/// it is overwritten; where some need not, `program` is the chain's, reading them there.
fn in_place<E>(
    chain: &Chain,
    operands: &[Place<'_, E>],
    program: &mut SmallVec<[Op; 32]>,
) -> SmallVec<[bool; 8]> {
    let mut moved: SmallVec<[bool; 8]> = SmallVec::from_elem(false, operands.len());
    for (i, place) in operands.iter().enumerate() {
        let &Place::Output(output) = place else { continue };
        if program.is_empty() {
            program.extend_from_slice(&chain.ops);
        }
        let to = (operands.len() + output) as u32;
        let reads = |op: &Op| op.reads().iter().filter(|&&slot| slot as usize == i).count();
        let written = program.iter().position(|op| op.writes() == Some(to));
        let written = written.unwrap_or(program.len());
        let after = program.iter().skip(written + 1).any(|op| reads(op) > 0);
        let there = match program.get(written) {
            // One of two is read where it is written; the other is not there meanwhile.
            Some(Op::Alone(of)) => match of.function {
                Pointwise::Binary(op) if op != Binary::Powf => {
                    let here = &of.arguments[..2];
                    here.iter().filter(|&&slot| slot as usize == i || slot == to).count() > 1
                }
                _ => of.arguments[..of.function.arity()].iter().any(|&slot| slot as usize == i),
            },
            // What a pass stores, it has read.
            _ => false,
        };
        moved[i] = after || there;
        if !moved[i] {
            let slots = program.iter_mut().flat_map(Op::slots_mut);
            slots.filter(|slot| **slot as usize == i).for_each(|slot| *slot = to);
        }
    }
    moved
}

impl<E: Elementary> Prepared<'_, '_, E> {
    /// Runs the chain, of one output, which its first operand stands in, on the elements from `start`.
    pub(crate) fn finish(&self, start: usize, run: &mut [E]) {
        let bounds = start..start + run.len();
        self.part([run].into_iter().collect(), &mut Sums::new(Outputs::new()), bounds);
    }

    /// Runs the elements of `bounds`; outputs begin with the first of them.
    fn part(&self, mut outputs: Outputs<'_, E>, sums: &mut Sums<'_, E>, bounds: Range<usize>) {
        let Self { chain, .. } = self;
        let tile = chain.tile.max(1);
        let copied = self.copied.iter().flatten().count();
        let tiles = tile * (chain.operands.len() - copied + chain.registers);
        let near = NEAR / size_of::<E>().max(1);
        scratch::with(tiles + near * chain.near, |scratch| {
            let (tiles, nears) = scratch.split_at_mut(tiles);
            let (tiles, nears) =
                (tiles.chunks_exact_mut(tile), nears.chunks_exact_mut(near.max(1)));
            // Outputs for as long as the scratch is there.
            let outputs = outputs.iter_mut().map(|output| &mut **output).collect();
            Part::new(self).run(outputs, sums, bounds, tiles, nears);
        });
    }
}
