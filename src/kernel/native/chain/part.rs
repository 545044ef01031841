//! A part of a chain's space, tile by tile: every instruction over the whole tile, so that what one hands
//! to the next stays in the first-level cache.

use super::{Outputs, Place, Prepared, Sums, cut};
use crate::kernel::Elementary;
use crate::kernel::chain::{Chain, Instruction, Lie, Op, Operand, Slot};
use crate::kernel::map::Pointwise;
use crate::kernel::native::map::map_to;
use crate::kernel::native::pointwise::{select_to, zip_in_slice, zip_to_slice};
use crate::kernel::task::ChainTask;
use smallvec::SmallVec;
use std::mem::take;
use std::ops::Range;

/// The part that runs.
pub(super) struct Part<'p, 'o, 'a, E> {
    ready: &'p Prepared<'o, 'a, E>,
    slots: SmallVec<[Slot<'p, E>; 16]>,
}

impl<'p, 'o, 'a, E: Elementary> Part<'p, 'o, 'a, E> {
    pub(super) fn new(ready: &'p Prepared<'o, 'a, E>) -> Self {
        Self { ready, slots: SmallVec::new() }
    }

    /// Runs the elements of `bounds`; outputs begin with the first of them.
    pub(super) fn run(
        mut self,
        mut outputs: Outputs<'p, E>,
        sums: &mut Sums<'_, E>,
        bounds: Range<usize>,
        mut tiles: impl Iterator<Item = &'p mut [E]>,
        near: impl Iterator<Item = &'p mut [E]>,
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
        self.slots.extend(near.map(Slot::Near));
        let mut at = bounds.start;
        while at < bounds.end {
            let row_left = if apart { row - at % row } else { usize::MAX };
            let room = row_left.min(sums.room());
            let length = chain.tile.min(bounds.end - at).min(room);
            for (o, rest) in outputs.iter_mut().enumerate() {
                self.slots[chain.operands.len() + o] = Slot::Write(cut(rest, length));
            }
            self.load(at, length);
            self.pass(length);
            let slots = &self.slots;
            sums.take(length, |sum| slots[chain.sums[sum].from as usize].read());
            at += length;
        }
    }

    /// Runs the program on a tile.
    fn pass(&mut self, count: usize) {
        for ops in self.ready.ops.chunk_by(Op::joins) {
            match ops {
                [Op::Alone(instruction)] => step(instruction, &mut self.slots, count),
                _ => {
                    let taken = E::chain(&mut ChainTask { ops, slots: &mut self.slots, count });
                    assert!(taken, "invariant: an element that folds has passes");
                }
            }
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
