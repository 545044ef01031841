//! `Chain`: element-wise functions over one space of iteration, as a small program that runs tile
//! by tile, so that what one function hands to the next stays in the first-level cache.
//!
//! INVARIANT: an instruction reads operands and what earlier instructions wrote; outputs are
//! row-major over the space.

mod fold;
mod slot;

pub(crate) use fold::{Act, Op, folds};
pub(crate) use slot::Slot;

use super::map::{Pointwise, Unary};
use super::order::SB;
use super::walk::product_of;
use super::{Binary, Elementary};

/// One instruction. Slots are numbered: operands, then outputs, then registers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Instruction {
    pub(crate) function: Pointwise,
    /// As many as the function takes.
    pub(crate) arguments: [u32; 3],
    pub(crate) to: u32,
}

/// How an operand lies over the space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lie {
    /// Row-major: a tile of it is a slice.
    Slice,
    /// One element for all.
    Splat,
    /// The same row again and again.
    Periodic,
    /// By strides: a tile of it is copied together.
    Strided,
}

/// An operand's strides over the merged axes, and how it lies.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Operand {
    pub(super) strides: Box<[usize]>,
    pub(super) offset: usize,
    pub(super) lie: Lie,
}

/// The sum of all elements of a slot, by the sum rule, into an output of one element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Summed {
    pub(crate) from: u32,
    /// Which of the outputs.
    pub(crate) output: usize,
}

/// The program.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chain {
    /// The merged axes of the space, outermost first.
    pub(super) extents: Box<[usize]>,
    pub(super) operands: Box<[Operand]>,
    pub(super) outputs: usize,
    pub(super) registers: usize,
    /// Slots behind the registers, of [`NEAR`] bytes: each holds what one pass writes and reads again.
    pub(super) near: usize,
    pub(super) ops: Box<[Op]>,
    pub(super) sums: Box<[Summed]>,
    /// The number of elements of a tile, the last apart.
    pub(super) tile: usize,
    /// Plain operations that one element takes.
    pub(super) cost: usize,
}

/// COST: bytes of the tiles of a chain: they stay in a first-level cache of 48 KiB beside what else
/// passes through. Against 2 KiB for every tile, a step of Adam took 0.8 of the time; with 4 KiB for every
/// tile a chain of eighteen functions took 1.1 (`workload b` and `h` of the member `peers`).
const TILES: usize = 32 << 10;

/// COST: bytes of a tile. Dispatching an instruction takes some 10 ns, its loop over the least 50 to
/// 100 ns; beyond the most nothing is gained.
const TILE: [usize; 2] = [2 << 10, 8 << 10];

/// Bytes of the widest group of registers that a pass takes at a time.
pub(crate) const NEAR: usize = 512;

impl Chain {
    /// The program over `extents`, operands by their strides and offset.
    pub(crate) fn new<E: Elementary>(
        extents: &[usize],
        operands: &[(&[usize], usize)],
        [outputs, registers]: [usize; 2],
        instructions: &[Instruction],
        sums: &[Summed],
    ) -> Self {
        let (extents, strides) = merge(extents, operands);
        let row = extents.last().copied().unwrap_or(1);
        let whole = row_major(&extents);
        let lie = |strides: &[usize]| match strides {
            _ if strides.iter().all(|&stride| stride == 0) => Lie::Splat,
            _ if *strides == *whole => Lie::Slice,
            [outer @ .., 1] if outer.iter().all(|&stride| stride == 0) => Lie::Periodic,
            _ => Lie::Strided,
        };
        let operands = strides.into_iter().zip(operands).map(|(strides, &(_, offset))| {
            let lie = lie(&strides);
            Operand { strides: strides.into(), offset, lie }
        });
        let operands: Box<[Operand]> = operands.collect();
        let (first, mut sums) = (operands.len() as u32, Box::<[Summed]>::from(sums));
        let (ops, [registers, near]) = match E::folds() {
            false => (instructions.iter().copied().map(Op::Alone).collect(), [registers, 0]),
            true => {
                let registers = first + outputs as u32;
                let program = fold::folded(instructions, first..registers, &sums);
                fold::compact(program, &mut sums, registers)
            }
        };
        let read = operands.iter().filter(|of| of.lie != Lie::Splat).count();
        let [least, most] = TILE;
        let bytes = (TILES / (read + outputs + registers).max(1)).clamp(least, most);
        let tile = (bytes / 512 * 512 / size_of::<E>().max(1)).max(16);
        let by_rows = operands.iter().any(|of| matches!(of.lie, Lie::Periodic | Lie::Strided));
        let tile = if by_rows && row <= tile { tile / row.max(1) * row.max(1) } else { tile };
        // A small space is one tile, and takes no more scratch than it has elements.
        let tile = tile.min(product_of(&extents)).max(1);
        let costs = instructions.iter().map(|instruction| cost_of(instruction.function));
        let cost = costs.fold(sums.len(), |sum, cost| sum + cost);
        let extents = extents.into();
        Self { extents, operands, outputs, registers, near, ops, sums, tile, cost }
    }

    /// The number of elements of the space.
    pub(crate) fn count(&self) -> usize {
        product_of(&self.extents)
    }

    /// Plain operations that the whole space takes.
    pub(crate) fn work(&self) -> usize {
        self.count().saturating_mul(self.cost)
    }

    /// Whether tiles are whole rows, not parts of one.
    pub(super) fn row(&self) -> usize {
        self.extents.last().copied().unwrap_or(1)
    }

    /// Whether copies of an operand's row lie one behind the other while the chain runs.
    pub(super) fn repeats(&self, operand: &Operand) -> bool {
        operand.lie == Lie::Periodic && self.row() <= self.tile
    }

    /// The number of elements that one thread works in, at most.
    pub(crate) fn scratch<E>(&self) -> usize {
        let copies = self.operands.iter().filter(|operand| self.repeats(operand)).count();
        let tiles = self.registers + self.operands.len() - copies;
        let blocks = self.sums.len() * self.count().div_ceil(SB);
        let near = self.near * (NEAR / size_of::<E>().max(1));
        tiles * self.tile + copies * (self.tile + self.row()) + near + blocks
    }

    /// What depends on the machine: tiles and registers, in words.
    pub(crate) fn machine(&self) -> String {
        let loads = self.operands.iter().filter(|operand| operand.lie == Lie::Strided).count();
        format!(
            "{} acts over tiles of {} elements, {} registers, {loads} operands copied together",
            self.ops.len(),
            self.tile,
            self.registers + self.near
        )
    }
}

/// What one element costs, in plain operations.
pub(crate) fn cost_of(function: Pointwise) -> usize {
    match function {
        Pointwise::Select => 1,
        Pointwise::Unary(op) => match op {
            Unary::Neg | Unary::Relu => 1,
            Unary::Sqrt => 4,
            Unary::Powi(_) => 64,
            _ => 16,
        },
        Pointwise::Binary(op) => match op {
            Binary::Powf => 64,
            Binary::Div | Binary::AbsorbDiv => 4,
            _ => 1,
        },
    }
}

/// The strides of row-major order.
pub(super) fn row_major(extents: &[usize]) -> Vec<usize> {
    let mut strides = vec![0; extents.len()];
    let mut stride = 1_usize;
    for (axis, &extent) in extents.iter().enumerate().rev() {
        strides[axis] = stride;
        stride = stride.wrapping_mul(extent);
    }
    strides
}

/// The axes that are left when those that all operands, and row-major order, step through as one
/// are joined; and each operand's strides over them.
fn merge(extents: &[usize], operands: &[(&[usize], usize)]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut merged: Vec<usize> = Vec::new();
    let mut strides = vec![Vec::new(); operands.len()];
    for (axis, &extent) in extents.iter().enumerate().filter(|(_, extent)| **extent != 1) {
        let steps = |of: usize| operands[of].0[axis];
        let joins = !merged.is_empty()
            && strides.iter().enumerate().all(|(of, strides): (usize, &Vec<usize>)| {
                strides.last() == Some(&extent.wrapping_mul(steps(of)))
            });
        match merged.last_mut() {
            Some(last) if joins => {
                *last = last.wrapping_mul(extent);
                for (of, strides) in strides.iter_mut().enumerate() {
                    if let Some(last) = strides.last_mut() {
                        *last = steps(of);
                    }
                }
            }
            _ => {
                merged.push(extent);
                strides.iter_mut().enumerate().for_each(|(of, list)| list.push(steps(of)));
            }
        }
    }
    (merged, strides)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_join_where_every_operand_steps_through_them_as_one() {
        let dense: (&[usize], usize) = (&[12, 4, 1], 0);
        assert_eq!(merge(&[2, 3, 4], &[dense]), (vec![24], vec![vec![1]]));
        let bias: (&[usize], usize) = (&[0, 0, 1], 0);
        let (extents, strides) = merge(&[2, 3, 4], &[dense, bias]);
        assert_eq!((extents, strides), (vec![6, 4], vec![vec![4, 1], vec![0, 1]]));
        let plane: (&[usize], usize) = (&[0, 4, 1], 0);
        let (extents, strides) = merge(&[2, 3, 4], &[dense, plane]);
        assert_eq!((extents, strides), (vec![2, 12], vec![vec![12, 1], vec![0, 1]]));
        assert_eq!(merge(&[], &[(&[], 0)]), (vec![], vec![vec![]]));
    }

    #[test]
    fn an_operand_lies_as_its_strides_say() {
        let lies = |strides: &[usize]| {
            let operands: [(&[usize], usize); 2] = [(strides, 0), (&[3, 1], 0)];
            Chain::new::<f32>(&[2, 3], &operands, [1, 0], &[], &[]).operands[0].lie
        };
        assert_eq!(lies(&[3, 1]), Lie::Slice);
        assert_eq!(lies(&[0, 0]), Lie::Splat);
        assert_eq!(lies(&[0, 1]), Lie::Periodic);
        assert_eq!(lies(&[1, 2]), Lie::Strided);
        assert_eq!(lies(&[1, 0]), Lie::Strided);
    }
}
