//! Transposes: matrices that lie by columns laid out by rows, in registers, by squares.
//!
//! COST: a square is copied into a buffer first, a whole run of each line. Lines that are a power of
//! two apart fall into the same few places of the first-level cache, so that reading each a register
//! at a time would read it from the second level as many times as a run has registers.

use super::carve;
use crate::kernel::TransposeTask;
use crate::kernel::simd::{Level, Native, Registers, Work};

/// Bytes of a run of a line, and of a run of a row of the result.
const RUN: usize = 256;

/// Columns that are done before the next rows.
///
/// COST: so many pages stay in the second-level table of addresses.
const COLUMNS: usize = 512;

/// Less than this is not worth a buffer.
const LITTLE: usize = 64;

/// The transpose in registers: see `Elementary::transpose`.
pub(crate) fn transpose<E: Native>(task: &mut TransposeTask<'_, E>) -> bool {
    let [rows, columns] = task.extents;
    if rows < 4 || columns < 4 || rows * columns < LITTLE {
        return false;
    }
    transpose_at(Level::best(), task);
    true
}

/// The transpose with the instructions of `level`.
pub(crate) fn transpose_at<E: Native>(level: Level, task: &mut TransposeTask<'_, E>) {
    takes!("transposed in registers");
    E::at(level, Squares(task));
}

struct Squares<'t, 'a, E>(&'t mut TransposeTask<'a, E>);

impl<E: Native> Work<E> for Squares<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, token: R) {
        // A line of the buffer is a cache line longer than a run, so that not all begin in one place.
        match size_of::<E>() {
            8 => squares::<R, { RUN / 8 }, { RUN / 8 + 8 }>(token, self.0),
            _ => squares::<R, { RUN / 4 }, { RUN / 4 + 16 }>(token, self.0),
        }
    }
}

#[inline(always)]
fn squares<R: Registers, const SIDE: usize, const LINE: usize>(
    token: R,
    task: &mut TransposeTask<'_, R::Element>,
) {
    let TransposeTask { elements, stride, extents: [rows, columns], ref mut out, pitch } = *task;
    let mut scratch = R::Element::take_scratch();
    let [buffer] = carve(&mut scratch, [SIDE * LINE]);
    for band in (0..columns).step_by(COLUMNS) {
        let end = columns.min(band + COLUMNS);
        for row in (0..rows).step_by(SIDE) {
            let height = SIDE.min(rows - row);
            for column in (band..end).step_by(SIDE) {
                let width = SIDE.min(end - column);
                let lines = buffer.chunks_exact_mut(LINE).take(width);
                for (j, line) in lines.enumerate() {
                    let from = &elements[(column + j) * stride + row..];
                    if height == SIDE {
                        line[..SIDE].copy_from_slice(&from[..SIDE]);
                    } else {
                        line.iter_mut().zip(&from[..height]).for_each(|(to, from)| *to = *from);
                    }
                }
                let out = &mut out[row * pitch + column..];
                square::<R, LINE>(token, buffer, [height, width], out, pitch);
            }
        }
    }
    R::Element::put_scratch(scratch);
}

/// The first elements of the first lines become rows; lines and elements past them are read and
/// dropped.
#[inline(always)]
fn square<R: Registers, const LINE: usize>(
    token: R,
    buffer: &[R::Element],
    [height, width]: [usize; 2],
    out: &mut [R::Element],
    pitch: usize,
) {
    for column in (0..width).step_by(R::WIDTH) {
        let lines = &buffer[column * LINE..][..R::WIDTH * LINE];
        let there = R::WIDTH.min(width - column);
        let mut at = 0;
        if there == R::WIDTH {
            while at + 4 <= height {
                let registers = token.columns_4::<LINE>(&lines[at..]);
                let out = &mut out[at * pitch + column..];
                for (row, register) in out.chunks_mut(pitch).zip(registers) {
                    R::split_mut(&mut row[..R::WIDTH]).0[0] = register;
                }
                at += 4;
            }
        }
        while at < height {
            let registers = token.columns_4::<LINE>(&lines[at..]);
            let rows = out[at * pitch + column..].chunks_mut(pitch);
            let lanes = R::elements(&registers).chunks_exact(R::WIDTH);
            for (row, lanes) in rows.zip(lanes).take(height - at) {
                row[..there].iter_mut().zip(lanes).for_each(|(to, x)| *to = *x);
            }
            at += 4;
        }
    }
}
