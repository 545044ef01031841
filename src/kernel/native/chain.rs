//! Chains of element-wise functions, tile by tile.
//!
//! BITS: every element sees the functions of the tape in their order; tiles and threads only say
//! which elements come first.

use super::map::map_to;
use super::pointwise::{select_to, zip_in_slice, zip_to_slice};
use super::sum::{sum_into_lanes, sum_of as sum_of_blocks, sum_of_lanes};
use crate::kernel::chain::{Chain, Instruction, Lie, Operand};
use crate::kernel::map::Pointwise;
use crate::kernel::order::{LANES, SB};
use crate::kernel::{Binary, Elementary, scratch, threads};
use smallvec::SmallVec;
use std::mem::take;
use std::ops::Range;

/// Where an operand's elements are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a, E> {
    /// In a slice that nothing writes.
    Slice(&'a [E]),
    /// In the place of an output, element for element: it is overwritten.
    Output(usize),
}

/// A tile's elements, or all of a splat's.
enum Slot<'a, E> {
    Read(&'a [E]),
    Write(&'a mut [E]),
}

impl<E> Default for Slot<'_, E> {
    fn default() -> Self {
        Self::Read(&[])
    }
}

impl<E> Slot<'_, E> {
    #[inline]
    fn read(&self) -> &[E] {
        match self {
            Self::Read(elements) => elements,
            Self::Write(elements) => elements,
        }
    }
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
            return ready.part(outputs, sums, 0..count);
        }
        takes!("a chain over threads");
        // A block is summed in one part.
        let unit = if sums.is_empty() { chain.tile.max(chain.row()) } else { SB };
        let mut work = Vec::with_capacity(parts);
        for bounds in threads::bounds(count, parts, unit) {
            let outputs = outputs.iter_mut().map(|rest| cut(rest, bounds.len())).collect();
            let blocks = bounds.len().div_ceil(SB);
            let sums = sums.iter_mut().map(|rest| cut(rest, blocks)).collect();
            work.push((outputs, sums, bounds));
        }
        threads::each(work, |(outputs, sums, bounds)| ready.part(outputs, sums, bounds));
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
    /// The chain's, but reading outputs where they are.
    instructions: SmallVec<[Instruction; 8]>,
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
    let (instructions, moved) = in_place(chain, operands);
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
        work(&Prepared { chain, operands, copied, instructions, moved })
    })
}

/// The chain's instructions, reading an operand that stands in an output there, unless it is read
/// again after it is overwritten; and whether each operand is.
fn in_place<E>(
    chain: &Chain,
    operands: &[Place<'_, E>],
) -> (SmallVec<[Instruction; 8]>, SmallVec<[bool; 8]>) {
    let mut instructions: SmallVec<[Instruction; 8]> = chain.instructions.iter().copied().collect();
    let mut moved: SmallVec<[bool; 8]> = SmallVec::from_elem(false, operands.len());
    for (i, place) in operands.iter().enumerate() {
        let &Place::Output(output) = place else { continue };
        let to = (operands.len() + output) as u32;
        let reads = |instruction: &Instruction| {
            let arguments = &instruction.arguments[..instruction.function.arity()];
            arguments.iter().filter(|&&argument| argument as usize == i).count()
        };
        let written = instructions.iter().position(|instruction| instruction.to == to);
        let written = written.unwrap_or(instructions.len());
        let after = instructions.iter().skip(written + 1).any(|of| reads(of) > 0);
        let there = instructions.get(written).is_some_and(|of| match of.function {
            Pointwise::Binary(Binary::Powf) | Pointwise::Unary(_) | Pointwise::Select => {
                reads(of) > 0
            }
            Pointwise::Binary(_) => reads(of) > 1,
        });
        moved[i] = after || there;
        if !moved[i] {
            for argument in instructions.iter_mut().flat_map(|of| &mut of.arguments) {
                if *argument as usize == i {
                    *argument = to;
                }
            }
        }
    }
    (instructions, moved)
}

impl<E: Elementary> Prepared<'_, '_, E> {
    /// Runs the chain, of one output, which its first operand stands in, on the elements from `start`.
    pub(crate) fn finish(&self, start: usize, run: &mut [E]) {
        let bounds = start..start + run.len();
        self.part([run].into_iter().collect(), Outputs::new(), bounds);
    }

    /// Runs the elements of `bounds`; outputs begin with the first of them, and so do the sums of
    /// blocks.
    fn part(&self, mut outputs: Outputs<'_, E>, sums: Outputs<'_, E>, bounds: Range<usize>) {
        let Self { chain, .. } = self;
        let tile = chain.tile.max(1);
        let copied = self.copied.iter().flatten().count();
        scratch::with(tile * (chain.operands.len() - copied + chain.registers), |scratch| {
            let tiles = scratch.chunks_exact_mut(tile);
            // Outputs for as long as the scratch is there.
            let outputs = outputs.iter_mut().map(|output| &mut **output).collect();
            Part { ready: self, slots: SmallVec::new() }.run(outputs, sums, bounds, tiles);
        });
    }
}

struct Part<'p, 'o, 'a, E> {
    ready: &'p Prepared<'o, 'a, E>,
    slots: SmallVec<[Slot<'p, E>; 16]>,
}

impl<'p, E: Elementary> Part<'p, '_, '_, E> {
    fn run(
        mut self,
        mut outputs: Outputs<'p, E>,
        mut sums: Outputs<'_, E>,
        bounds: Range<usize>,
        mut tiles: impl Iterator<Item = &'p mut [E]>,
    ) {
        let ready = self.ready;
        let chain = ready.chain;
        let mut tile = || tiles.next().expect("invariant: scratch for every register");
        let row = chain.row();
        // A row that is not copied is a slice: a tile ends where it does at the latest.
        let mut apart = false;
        for (i, (operand, place)) in chain.operands.iter().zip(ready.operands).enumerate() {
            self.slots.push(match (operand.lie, place) {
                (_, Place::Output(_)) if !ready.moved[i] => Slot::default(),
                (_, Place::Output(_)) | (Lie::Strided, _) => Slot::Write(tile()),
                (Lie::Splat, Place::Slice(elements)) => {
                    Slot::Read(&elements[operand.offset..][..1])
                }
                (Lie::Periodic, Place::Slice(_)) => {
                    apart |= ready.copied[i].is_none();
                    Slot::default()
                }
                (Lie::Slice, Place::Slice(_)) => Slot::default(),
            });
        }
        self.slots.extend((0..chain.outputs).map(|_| Slot::default()));
        self.slots.extend((0..chain.registers).map(|_| Slot::Write(tile())));
        let mut lanes: SmallVec<[[E; LANES]; 4]> =
            sums.iter().map(|_| std::array::from_fn(|_| E::zero())).collect();
        let mut at = bounds.start;
        while at < bounds.end {
            let row_left = if apart { row - at % row } else { usize::MAX };
            let block_left = if sums.is_empty() { usize::MAX } else { SB - at % SB };
            let room = row_left.min(block_left);
            let length = chain.tile.min(bounds.end - at).min(room);
            for (o, rest) in outputs.iter_mut().enumerate() {
                self.slots[chain.operands.len() + o] = Slot::Write(cut(rest, length));
            }
            self.load(at, length);
            for instruction in &ready.instructions {
                step(instruction, &mut self.slots, length);
            }
            let ends = length == block_left || at + length == bounds.end;
            for ((sum, lanes), blocks) in chain.sums.iter().zip(&mut lanes).zip(&mut sums) {
                let elements = &self.slots[sum.from as usize].read()[..length];
                sum_into_lanes(lanes, at, elements);
                if ends {
                    let taken = std::mem::replace(lanes, std::array::from_fn(|_| E::zero()));
                    cut(blocks, 1)[0] = sum_of_lanes(taken);
                }
            }
            at += length;
        }
    }

    /// Sets the operands' slots for the elements from `at`.
    fn load(&mut self, at: usize, length: usize) {
        let Self { ready, ref mut slots } = *self;
        let chain = ready.chain;
        let row = chain.row();
        for (i, (operand, place)) in chain.operands.iter().zip(ready.operands).enumerate() {
            match (operand.lie, place) {
                (_, Place::Output(_)) if !ready.moved[i] => {}
                (_, Place::Output(o)) => {
                    let mut loaded = take(&mut slots[i]);
                    if let Slot::Write(to) = &mut loaded {
                        to[..length].clone_from_slice(slots[chain.operands.len() + o].read());
                    }
                    slots[i] = loaded;
                }
                (Lie::Splat, Place::Slice(_)) => {}
                (Lie::Slice, Place::Slice(elements)) => {
                    slots[i] = Slot::Read(&elements[operand.offset + at..][..length]);
                }
                (Lie::Periodic, Place::Slice(elements)) => {
                    slots[i] = Slot::Read(match ready.copied[i] {
                        Some(copies) => &copies[at % row..][..length],
                        None => &elements[operand.offset + at % row..][..length],
                    });
                }
                (Lie::Strided, Place::Slice(elements)) => {
                    if let Slot::Write(to) = &mut slots[i] {
                        load(chain, operand, elements, at, &mut to[..length]);
                    }
                }
            }
        }
    }
}

/// Copies the elements from position `at` of the space together.
fn load<E: Elementary>(
    chain: &Chain,
    operand: &Operand,
    elements: &[E],
    at: usize,
    mut to: &mut [E],
) {
    let row = chain.row();
    let stride = operand.strides.last().copied().unwrap_or(0);
    let outer = chain.extents.len().saturating_sub(1);
    let (mut number, mut start) = (at / row, at % row);
    while !to.is_empty() {
        let width = to.len().min(row - start);
        let (part, after) = to.split_at_mut(width);
        let mut offset = operand.offset + start * stride;
        let mut rest = number;
        for axis in (0..outer).rev() {
            offset += rest % chain.extents[axis] * operand.strides[axis];
            rest /= chain.extents[axis];
        }
        let from = &elements[offset..];
        match stride {
            0 => part.fill(from[0].clone()),
            1 => part.clone_from_slice(&from[..width]),
            _ => {
                let from = from.iter().step_by(stride);
                part.iter_mut().zip(from).for_each(|(to, x)| *to = x.clone());
            }
        }
        (number, start, to) = (number + 1, 0, after);
    }
}

#[inline]
fn step<E: Elementary>(instruction: &Instruction, slots: &mut [Slot<'_, E>], length: usize) {
    let mut to = take(&mut slots[instruction.to as usize]);
    let Slot::Write(out) = &mut to else {
        unreachable!("invariant: instructions write outputs and registers")
    };
    let out = &mut out[..length];
    let argument = |i: usize| {
        let elements = slots[instruction.arguments[i] as usize].read();
        &elements[..elements.len().min(length)]
    };
    match instruction.function {
        Pointwise::Unary(op) => match argument(0) {
            [x] => out.fill(op.apply(x)),
            elements => map_to(op, elements, out),
        },
        // The slot that is written is empty meanwhile: its old elements are what is read.
        Pointwise::Binary(op) if instruction.arguments[0] == instruction.to => {
            zip_in_slice(op, out, argument(1), false)
        }
        Pointwise::Binary(op) if instruction.arguments[1] == instruction.to => {
            zip_in_slice(op, out, argument(0), true)
        }
        Pointwise::Binary(op) => zip_to_slice(op, argument(0), argument(1), out),
        Pointwise::Select => select_to(argument(0), argument(1), argument(2), out),
    }
    slots[instruction.to as usize] = to;
}
