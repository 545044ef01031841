//! Chains of element-wise functions, tile by tile.
//!
//! BITS: every element sees the functions of the tape in their order; tiles and threads only say
//! which elements come first.

use super::map::map_to;
use super::pointwise::{select_to, zip_to_slice};
use crate::kernel::chain::{Chain, Instruction, Lie, Operand};
use crate::kernel::map::Pointwise;
use crate::kernel::{Elementary, scratch, threads};
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
    if count == 0 {
        return;
    }
    let parts = threads::parts_here(count.saturating_mul(chain.cost), usize::MAX);
    if parts == 1 {
        return part(chain, operands, outputs, 0..count, false);
    }
    takes!("a chain over threads");
    let unit = chain.tile.max(chain.row());
    let mut work = Vec::with_capacity(parts);
    for bounds in threads::bounds(count, parts, unit) {
        let outputs: Outputs<'_, E> = outputs
            .iter_mut()
            .map(|rest| {
                let (part, after) = take(rest).split_at_mut(bounds.len());
                *rest = after;
                part
            })
            .collect();
        work.push((outputs, bounds));
    }
    threads::each(work, |(outputs, bounds)| part(chain, operands, outputs, bounds, false));
}

/// Runs a chain of one output, which its first operand stands in, on the elements from `start`.
pub(crate) fn finish<E: Elementary>(
    chain: &Chain,
    operands: &[Place<'_, E>],
    start: usize,
    run: &mut [E],
) {
    let bounds = start..start + run.len();
    part(chain, operands, [run].into_iter().collect(), bounds, true);
}

/// How operands that repeat a row are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    /// A tile ends where a row does at the latest: they are slices.
    Apart,
    /// A tile may have many rows: they are copied behind one another, once.
    Together,
}

/// COST: rows as long as this are taken one by one where what is copied for many of them would not
/// be used often.
const LONG: usize = 64;

/// Runs the elements of `bounds`; outputs begin with the first of them. `once` where so few
/// elements follow that nothing is worth preparing.
fn part<E: Elementary>(
    chain: &Chain,
    operands: &[Place<'_, E>],
    mut outputs: Outputs<'_, E>,
    bounds: Range<usize>,
    once: bool,
) {
    let row = chain.row();
    let apart = row > chain.tile || once && row >= LONG;
    let rows = if apart { Rows::Apart } else { Rows::Together };
    // A tile of copied rows begins anywhere in a row.
    let tile = chain.tile + row.min(chain.tile);
    scratch::with(tile * (chain.operands.len() + chain.registers), |scratch| {
        let tiles = scratch.chunks_exact_mut(tile.max(1));
        // Outputs for as long as the scratch is there.
        let outputs = outputs.iter_mut().map(|output| &mut **output).collect();
        Part { chain, operands, rows, slots: SmallVec::new() }.run(outputs, bounds, tiles);
    });
}

struct Part<'c, 'a, E> {
    chain: &'c Chain,
    operands: &'c [Place<'a, E>],
    rows: Rows,
    slots: SmallVec<[Slot<'a, E>; 16]>,
}

impl<'a, E: Elementary> Part<'_, 'a, E> {
    fn run(
        mut self,
        mut outputs: Outputs<'a, E>,
        bounds: Range<usize>,
        mut tiles: impl Iterator<Item = &'a mut [E]>,
    ) {
        let Self { chain, rows, .. } = self;
        let mut tile = || tiles.next().expect("invariant: scratch for every register");
        let row = chain.row();
        let mut by_rows = false;
        for (operand, place) in chain.operands.iter().zip(self.operands) {
            by_rows |= operand.lie == Lie::Periodic;
            self.slots.push(match (operand.lie, place) {
                (_, Place::Output(_)) | (Lie::Strided, _) => Slot::Write(tile()),
                (Lie::Splat, Place::Slice(elements)) => {
                    Slot::Read(&elements[operand.offset..][..1])
                }
                (Lie::Periodic, Place::Slice(elements)) if rows == Rows::Together => {
                    let period = &elements[operand.offset..][..row];
                    let copies = tile();
                    let reach = copies.len().min(bounds.len() + row);
                    for to in copies[..reach].chunks_mut(row) {
                        to.clone_from_slice(&period[..to.len()]);
                    }
                    Slot::Write(copies)
                }
                (Lie::Slice | Lie::Periodic, Place::Slice(_)) => Slot::default(),
            });
        }
        // Copied rows stay in the scratch; what a tile reads of them is a window.
        let copied: SmallVec<[Option<&'a [E]>; 16]> = chain
            .operands
            .iter()
            .zip(&mut self.slots)
            .map(|(operand, slot)| match (operand.lie, take(slot)) {
                (Lie::Periodic, Slot::Write(copies)) => Some(&*copies),
                (_, kept) => {
                    *slot = kept;
                    None
                }
            })
            .collect();
        self.slots.extend((0..chain.outputs).map(|_| Slot::default()));
        self.slots.extend((0..chain.registers).map(|_| Slot::Write(tile())));
        let mut at = bounds.start;
        while at < bounds.end {
            let room = if by_rows && rows == Rows::Apart { row - at % row } else { usize::MAX };
            let length = chain.tile.min(bounds.end - at).min(room);
            for (o, rest) in outputs.iter_mut().enumerate() {
                let (to, after) = take(rest).split_at_mut(length);
                *rest = after;
                self.slots[chain.operands.len() + o] = Slot::Write(to);
            }
            self.load(at, length, &copied);
            for instruction in &chain.instructions {
                step(instruction, &mut self.slots, length);
            }
            at += length;
        }
    }

    /// Sets the operands' slots for the elements from `at`.
    fn load(&mut self, at: usize, length: usize, copied: &[Option<&'a [E]>]) {
        let Self { chain, operands, ref mut slots, .. } = *self;
        let row = chain.row();
        for (i, (operand, place)) in chain.operands.iter().zip(operands).enumerate() {
            match (operand.lie, place) {
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
                    slots[i] = Slot::Read(match copied[i] {
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
        Pointwise::Binary(op) => zip_to_slice(op, argument(0), argument(1), out),
        Pointwise::Select => select_to(argument(0), argument(1), argument(2), out),
    }
    slots[instruction.to as usize] = to;
}
