//! Transposes: matrices that lie by columns laid out by rows, in registers, by squares.
//!
//! COST: a cache line of each of many lines is read, and all of it is used at once: runs of the result
//! are long, and a line that shares its places in the cache with others is not there for long.

use crate::kernel::TransposeTask;
use crate::kernel::simd::{Level, Native, Registers, WIDEST, Work};

/// Bytes of a line that are taken at a time: a cache line.
const LINE: usize = 64;

/// Columns that are done before the next rows.
///
/// COST: so many lines stay in the first-level cache while they are used, and so many pages in the
/// table of addresses.
const COLUMNS: usize = 512;

/// Less than this is not worth turning.
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

/// The transpose with the instructions of `level`, of at least four rows.
pub(crate) fn transpose_at<E: Native>(level: Level, task: &mut TransposeTask<'_, E>) {
    takes!("transposed in registers");
    E::at(level, Squares(task));
}

struct Squares<'t, 'a, E>(&'t mut TransposeTask<'a, E>);

impl<E: Native> Work<E> for Squares<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, token: R) {
        match const { size_of::<E>() } {
            8 => squares::<R, { LINE / 8 }>(token, self.0),
            _ => squares::<R, { LINE / 4 }>(token, self.0),
        }
    }
}

#[inline(always)]
fn squares<R: Registers, const SIDE: usize>(token: R, task: &mut TransposeTask<'_, R::Element>) {
    let [rows, columns] = task.extents;
    for band in (0..columns).step_by(COLUMNS) {
        let end = columns.min(band + COLUMNS);
        for row in (0..rows).step_by(SIDE) {
            for column in (band..end).step_by(R::WIDTH) {
                if row + SIDE <= rows && column + R::WIDTH <= end {
                    square::<R, SIDE>(token, task, row, column);
                    continue;
                }
                // Fewer than four rows are done with the ones in front once more.
                let top = row.min(rows - 4);
                let height = (row + SIDE).min(rows) - top;
                let width = R::WIDTH.min(end - column);
                part(token, task, [top, height], [column, width]);
            }
        }
    }
}

/// `SIDE` rows of a register's columns.
#[inline(always)]
fn square<R: Registers, const SIDE: usize>(
    token: R,
    task: &mut TransposeTask<'_, R::Element>,
    row: usize,
    column: usize,
) {
    let TransposeTask { elements, stride, ref mut out, pitch, .. } = *task;
    let mut lines = [&elements[..0]; WIDEST];
    for j in 0..R::WIDTH {
        lines[j] = &elements[(column + R::ORDER[j]) * stride + row..][..SIDE];
    }
    let mut to = &mut out[row * pitch + column..];
    for four in 0..SIDE / 4 {
        let registers = token.gather_4(&lines, 4 * four);
        // COST: an array that is taken apart by an iterator lies in memory first.
        #[expect(clippy::needless_range_loop, reason = "registers stay registers")]
        for t in 0..4 {
            R::split_mut(&mut to[..R::WIDTH]).0[0] = registers[t];
            if 4 * four + t + 1 < SIDE {
                to = &mut to[pitch..];
            }
        }
    }
}

/// At least four rows of at most a register's columns.
#[inline(always)]
fn part<R: Registers>(
    token: R,
    task: &mut TransposeTask<'_, R::Element>,
    [row, height]: [usize; 2],
    [column, width]: [usize; 2],
) {
    let TransposeTask { elements, stride, ref mut out, pitch, .. } = *task;
    let mut lines = [&elements[..0]; WIDEST];
    for (line, j) in lines[..R::WIDTH].iter_mut().zip(R::ORDER) {
        // Lanes without a line repeat the last, and are dropped.
        *line = &elements[(column + j.min(width - 1)) * stride + row..][..height];
    }
    let mut at = 0;
    loop {
        let registers = token.gather_4(&lines, at);
        for t in 0..4 {
            let to = &mut out[(row + at + t) * pitch + column..][..width];
            if width == R::WIDTH {
                R::split_mut(to).0[0] = registers[t];
            } else {
                to.copy_from_slice(&R::elements(&registers[t..=t])[..width]);
            }
        }
        if at + 4 == height {
            return;
        }
        at = (at + 4).min(height - 4);
    }
}
