//! Where the sums of tiles go.

use crate::kernel::Elementary;
use crate::kernel::simd::Registers;
use crate::kernel::task::Finish;
use crate::math::format::Format;
use std::ops::Range;

/// The rows of a result, and what follows on each element.
pub(in crate::kernel::native) struct Output<'a, E> {
    rows: Rows<'a, E>,
    ending: Ending<'a, E>,
}

enum Rows<'a, E> {
    /// Whole rows of this width behind one another.
    Whole(&'a mut [E], usize),
    /// A part of every row.
    Parts(Vec<&'a mut [E]>),
}

/// What follows on each element that has its sum.
pub(in crate::kernel::native) struct Ending<'a, E> {
    pub(in crate::kernel::native) finish: Option<Finish<'a, E>>,
    /// Where the first element is in the whole result.
    pub(in crate::kernel::native) start: usize,
    /// The distance of rows there.
    pub(in crate::kernel::native) stride: usize,
}

impl<E> Clone for Ending<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<E> Copy for Ending<'_, E> {}

impl<E> Ending<'_, E> {
    /// Nothing follows.
    pub(in crate::kernel::native) const NONE: Self = Self { finish: None, start: 0, stride: 0 };
}

/// Elements that are finished together where they lie in one piece.
///
/// COST: enough that a call through a pointer does not count, few enough for the first-level cache.
const RUN: usize = 2048;

impl<'a, E> Output<'a, E> {
    /// Whole rows of this width behind one another.
    pub(in crate::kernel::native) fn whole(
        elements: &'a mut [E],
        width: usize,
        ending: Ending<'a, E>,
    ) -> Self {
        Self { rows: Rows::Whole(elements, width), ending }
    }

    /// A part of every row.
    pub(super) fn parts(rows: Vec<&'a mut [E]>, ending: Ending<'a, E>) -> Self {
        Self { rows: Rows::Parts(rows), ending }
    }

    #[inline(always)]
    pub(super) fn row(&mut self, i: usize) -> &mut [E] {
        match &mut self.rows {
            Rows::Whole(elements, width) => &mut elements[i * *width..][..*width],
            Rows::Parts(rows) => rows[i],
        }
    }

    /// The elements from the start of a row on, where whole rows lie behind one another.
    #[inline(always)]
    fn behind(&mut self, i: usize) -> Option<&mut [E]> {
        match &mut self.rows {
            Rows::Whole(elements, width) => Some(&mut elements[i * *width..]),
            Rows::Parts(_) => None,
        }
    }

    /// Whether so many elements are worth a call of what follows; where nothing does, none are.
    #[inline(always)]
    pub(super) fn is_due(&self, rows: &Range<usize>, columns: &Range<usize>) -> bool {
        self.ending.finish.is_some() && rows.len() * columns.len() >= RUN / 2
    }

    /// These elements have their sums.
    #[inline(never)]
    pub(super) fn finish(&mut self, rows: Range<usize>, columns: Range<usize>) {
        let Ending { finish: Some(finish), start, stride } = self.ending else { return };
        let at = |row: usize| start + row * stride;
        match &mut self.rows {
            Rows::Whole(elements, width) if columns.len() == *width => {
                takes!("finished by rows");
                let elements = &mut elements[rows.start * *width..rows.end * *width];
                for (i, run) in elements.chunks_mut(RUN).enumerate() {
                    finish(at(rows.start) + i * RUN, run);
                }
            }
            _ => {
                takes!("finished by parts of rows");
                for row in rows {
                    finish(at(row) + columns.start, &mut self.row(row)[columns.clone()]);
                }
            }
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
    /// Whether the tile has whole rows with all their terms, and those behind are still to come: it may
    /// leave anything there.
    pub(super) alone: bool,
}

/// BITS: the sums of a first block are the result so far, those of the next are added to it.
#[inline(always)]
pub(super) fn store<R: Registers, const MR: usize, const NV: usize>(
    token: R,
    sums: &[[R::Float; NV]; MR],
    out: &mut Output<'_, R::Element>,
    place: Place,
) {
    let Place { row, column, width, first, flipped, alone } = place;
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
    if alone
        && let Some(elements) = out.behind(row)
        && elements.len() >= (MR - 1) * width + NV * R::WIDTH
    {
        // Whole registers: what reaches into the next row is overwritten with that.
        takes!("rows over one another");
        for i in 0..MR {
            let (registers, _) = R::split_mut(&mut elements[i * width..][..NV * R::WIDTH]);
            registers[..NV].copy_from_slice(&sums[i]);
        }
        return;
    }
    // COST: a copy, register by register: whoever takes the address of the sums themselves keeps
    // them in memory while they are summed, at a third of the speed.
    let mut copied = [[token.splat(R::Element::exact(0.0)); NV]; MR];
    for (to, from) in copied.iter_mut().zip(sums) {
        to.copy_from_slice(from);
    }
    let sums = R::elements(copied.as_flattened());
    if flipped {
        turn::<_, MR>(sums, NV * R::WIDTH, out, place);
    } else {
        scatter(sums, NV * R::WIDTH, out, place);
    }
}

/// The sums of a tile, one by one.
#[inline(never)]
fn scatter<E: Elementary>(sums: &[E], stride: usize, out: &mut Output<'_, E>, place: Place) {
    let Place { row, column, width, first, .. } = place;
    for (i, sums) in sums.chunks_exact(stride).enumerate() {
        let line = &mut out.row(row + i)[column..][..width];
        line.iter_mut().zip(sums).for_each(|(to, sum)| put(first, to, sum));
    }
}

/// The sums of a tile whose `MR` rows are columns of the result.
#[inline(never)]
fn turn<E: Elementary, const MR: usize>(
    sums: &[E],
    stride: usize,
    out: &mut Output<'_, E>,
    place: Place,
) {
    let Place { row, column, width, first, .. } = place;
    let lines: [&[E]; MR] = std::array::from_fn(|i| &sums[i * stride..][..width]);
    #[expect(clippy::needless_range_loop, reason = "of as many lines as there are rows")]
    for j in 0..width {
        if let Some(to) = out.row(column + j)[row..].first_chunk_mut::<MR>() {
            for i in 0..MR {
                put(first, &mut to[i], &lines[i][j]);
            }
        }
    }
}

#[inline(always)]
fn put<E: Elementary>(first: bool, to: &mut E, sum: &E) {
    *to = if first { sum.clone() } else { to.add(sum) };
}
