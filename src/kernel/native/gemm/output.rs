//! Where the sums of tiles go.

use crate::kernel::simd::Registers;
use crate::math::format::Format;

/// The rows of a result: all of them, or a range of columns of each.
pub(in crate::kernel::native) enum Output<'a, E> {
    /// Whole rows of this width behind one another.
    Whole(&'a mut [E], usize),
    /// A part of every row.
    Parts(Vec<&'a mut [E]>),
}

impl<E> Output<'_, E> {
    #[inline(always)]
    pub(super) fn row(&mut self, i: usize) -> &mut [E] {
        match self {
            Self::Whole(elements, width) => &mut elements[i * *width..][..*width],
            Self::Parts(rows) => rows[i],
        }
    }
}

/// The place of a tile in a result.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) row: usize,
    pub(super) column: usize,
    /// Columns that are there; lanes past them are dropped.
    pub(super) width: usize,
    /// Whether these are the first terms, so that there is nothing yet to add to.
    pub(super) first: bool,
    /// Whether the tile's rows are the result's columns.
    pub(super) flipped: bool,
}

/// BITS: the sums of a first block are the result so far, those of the next are added to it.
#[inline(always)]
pub(super) fn store<R: Registers, const MR: usize, const NV: usize>(
    token: R,
    sums: &[[R::Float; NV]; MR],
    out: &mut Output<'_, R::Element>,
    place: Place,
) {
    let Place { row, column, width, first, flipped } = place;
    if !flipped && width == NV * R::WIDTH {
        for (i, sums) in sums.iter().enumerate() {
            let (registers, _) = R::split_mut(&mut out.row(row + i)[column..][..width]);
            let registers = &mut registers[..NV];
            for j in 0..NV {
                registers[j] = if first { sums[j] } else { token.add(registers[j], sums[j]) };
            }
        }
        return;
    }
    // COST: a copy, register by register: whoever takes the address of the sums themselves keeps
    // them in memory while they are summed, at a third of the speed.
    let mut copied = [[token.splat(R::Element::exact(0.0)); NV]; MR];
    for (to, from) in copied.iter_mut().zip(sums) {
        to.copy_from_slice(from);
    }
    scatter(R::elements(copied.as_flattened()), NV * R::WIDTH, out, place);
}

/// The sums of a tile, one by one.
#[inline(never)]
fn scatter<E: crate::kernel::Elementary>(
    sums: &[E],
    stride: usize,
    out: &mut Output<'_, E>,
    Place { row, column, width, first, flipped }: Place,
) {
    let put = |to: &mut E, sum: &E| *to = if first { sum.clone() } else { to.add(sum) };
    if flipped {
        let height = sums.len() / stride;
        for j in 0..width {
            let line = &mut out.row(column + j)[row..][..height];
            for (i, to) in line.iter_mut().enumerate() {
                put(to, &sums[i * stride + j]);
            }
        }
    } else {
        for (i, sums) in sums.chunks_exact(stride).enumerate() {
            let line = &mut out.row(row + i)[column..][..width];
            line.iter_mut().zip(sums).for_each(|(to, sum)| put(to, sum));
        }
    }
}
