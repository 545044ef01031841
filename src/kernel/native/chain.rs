//! Chains of element-wise functions, tile by tile.
//!
//! BITS: every element sees the functions of the tape in their order; tiles and threads only say
//! which elements come first.

use super::map::map_to;
use super::pointwise::{select_to, zip_to_slice};
use crate::kernel::Elementary;
use crate::kernel::chain::{Chain, Instruction, Lie, Operand};
use crate::kernel::map::Pointwise;
use crate::kernel::threads;
use std::mem::take;

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

/// Runs a chain. `scratch` has [`Chain::scratch`] elements for each of `parts` threads.
pub(crate) fn run<'a, E: Elementary>(
    chain: &Chain,
    operands: &[Place<'a, E>],
    mut outputs: Vec<&'a mut [E]>,
    scratch: &'a mut [E],
) {
    let count = chain.count();
    if count == 0 {
        return;
    }
    let need = chain.scratch();
    let most = if need == 0 { usize::MAX } else { (scratch.len() / need).max(1) };
    let parts = threads::parts_here(count.saturating_mul(chain.cost), most);
    if parts == 1 {
        return part(chain, operands, outputs, scratch, 0..count);
    }
    takes!("a chain over threads");
    let unit = if chain.tile >= chain.row() { chain.tile } else { chain.row() };
    let mut work = Vec::with_capacity(parts);
    let mut scratch = scratch;
    for bounds in threads::bounds(count, parts, unit) {
        let cut = |rest: &mut &'a mut [E]| {
            let (part, after) = take(rest).split_at_mut(bounds.len());
            *rest = after;
            part
        };
        let outputs: Vec<_> = outputs.iter_mut().map(cut).collect();
        let (own, after) = take(&mut scratch).split_at_mut(need);
        scratch = after;
        work.push((outputs, own, bounds));
    }
    threads::each(work, |(outputs, scratch, bounds)| {
        part(chain, operands, outputs, scratch, bounds);
    });
}

/// The number of threads that a chain of this work is worth.
pub(crate) fn parts_of(chain: &Chain) -> usize {
    threads::parts(chain.count().saturating_mul(chain.cost), usize::MAX)
}

/// Runs the elements of `bounds`; outputs begin with the first of them.
fn part<'a, E: Elementary>(
    chain: &Chain,
    operands: &[Place<'a, E>],
    mut outputs: Vec<&'a mut [E]>,
    scratch: &'a mut [E],
    bounds: std::ops::Range<usize>,
) {
    let row = chain.row();
    let first_output = chain.operands.len();
    let first_register = first_output + chain.outputs;
    let mut slots: Vec<Slot<'a, E>> = Vec::with_capacity(first_register + chain.registers);
    let mut tiles = scratch.chunks_exact_mut(chain.tile.max(1));
    let mut tile = || Slot::Write(tiles.next().expect("invariant: scratch for every register"));
    for (operand, place) in chain.operands.iter().zip(operands) {
        slots.push(match (operand.lie, place) {
            (Lie::Splat, Place::Slice(elements)) => Slot::Read(&elements[operand.offset..][..1]),
            (Lie::Slice, Place::Slice(_)) => Slot::default(),
            (Lie::Periodic, Place::Slice(elements)) if row <= chain.tile => {
                let Slot::Write(copies) = tile() else { continue };
                let period = &elements[operand.offset..][..row];
                copies.chunks_mut(row).for_each(|to| to.clone_from_slice(&period[..to.len()]));
                Slot::Write(copies)
            }
            (Lie::Periodic, Place::Slice(_)) => Slot::default(),
            (_, Place::Output(_)) | (Lie::Strided, _) => tile(),
        });
    }
    slots.extend((0..chain.outputs).map(|_| Slot::default()));
    slots.extend((0..chain.registers).map(|_| tile()));
    let whole_rows = row <= chain.tile;
    let by_rows = chain.operands.iter().any(|of| matches!(of.lie, Lie::Periodic | Lie::Strided));
    let mut at = bounds.start;
    while at < bounds.end {
        let room = if by_rows && !whole_rows { row - at % row } else { usize::MAX };
        let length = chain.tile.min(bounds.end - at).min(room);
        for (o, rest) in outputs.iter_mut().enumerate() {
            let (to, after) = take(rest).split_at_mut(length);
            *rest = after;
            slots[first_output + o] = Slot::Write(to);
        }
        for (i, (operand, place)) in chain.operands.iter().zip(operands).enumerate() {
            match (operand.lie, place) {
                (_, Place::Output(o)) => {
                    let mut loaded = take(&mut slots[i]);
                    if let Slot::Write(to) = &mut loaded {
                        to[..length].clone_from_slice(slots[first_output + o].read());
                    }
                    slots[i] = loaded;
                }
                (Lie::Splat, Place::Slice(_)) => {}
                (Lie::Slice, Place::Slice(elements)) => {
                    slots[i] = Slot::Read(&elements[operand.offset + at..][..length]);
                }
                (Lie::Periodic, Place::Slice(elements)) => {
                    if !whole_rows {
                        let start = operand.offset + at % row;
                        slots[i] = Slot::Read(&elements[start..][..length]);
                    }
                }
                (Lie::Strided, Place::Slice(elements)) => {
                    if let Slot::Write(to) = &mut slots[i] {
                        load(chain, operand, elements, at, &mut to[..length]);
                    }
                }
            }
        }
        for instruction in &chain.instructions {
            step(instruction, &mut slots, length);
        }
        at += length;
    }
}

/// Copies the elements from position `at` of the space together.
fn load<E: Elementary>(chain: &Chain, operand: &Operand, elements: &[E], at: usize, to: &mut [E]) {
    let row = chain.row();
    let stride = operand.strides.last().copied().unwrap_or(0);
    let outer = chain.extents.len().saturating_sub(1);
    let (mut number, start) = (at / row, at % row);
    let width = row.min(to.len());
    for to in to.chunks_mut(width) {
        let mut offset = operand.offset + start * stride;
        let mut rest = number;
        for axis in (0..outer).rev() {
            offset += rest % chain.extents[axis] * operand.strides[axis];
            rest /= chain.extents[axis];
        }
        let from = &elements[offset..];
        match stride {
            0 => to.fill(from[0].clone()),
            1 => to.clone_from_slice(&from[..to.len()]),
            _ => {
                let from = from.iter().step_by(stride);
                to.iter_mut().zip(from).for_each(|(to, x)| *to = x.clone());
            }
        }
        number += 1;
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
