//! Maxima down columns of `f32` and `f64` in registers: a lane is a column.
//!
//! BITS: a maximum is the same for any tree, and of what is taken twice.

use super::seen::Seen;
use crate::kernel::simd::{Level, Native, Registers, Work};
use crate::kernel::{ColumnsTask, Reduction};

/// The columns in registers: see `Elementary::reduce_columns`.
pub(crate) fn columns<E: Native>(task: &mut ColumnsTask<'_, E>) -> bool {
    columns_at(Level::best(), task)
}

/// The columns with the instructions of `level`. `false`: they are sums, or fill no register.
pub(crate) fn columns_at<E: Native>(level: Level, task: &mut ColumnsTask<'_, E>) -> bool {
    E::at(level, Columns(task))
}

/// Rows that are compared before a maximum so far is stored.
const DEEP: usize = 8;

struct Columns<'t, 'a, E>(&'t mut ColumnsTask<'a, E>);

impl<E: Native> Work<E> for Columns<'_, '_, E> {
    type Output = bool;

    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, token: R) -> bool {
        let ColumnsTask { reduction, elements, rows, ref mut out } = *self.0;
        if out.len() < R::WIDTH || reduction != Reduction::Max {
            return false;
        }
        takes!("maxima down columns in registers");
        maxima(token, elements, rows, out);
        true
    }
}

#[inline(always)]
fn maxima<R: Registers>(token: R, elements: &[R::Element], rows: &[usize], out: &mut [R::Element]) {
    let width = out.len();
    let (first, rest) = rows.split_first().expect("invariant: there is a row");
    out.copy_from_slice(&elements[*first..][..width]);
    let (groups, rest) = rest.as_chunks::<DEEP>();
    for group in groups {
        let mut lines = [&elements[..0]; DEEP];
        for d in 0..DEEP {
            lines[d] = &elements[group[d]..][..width];
        }
        deepen(token, &lines, out);
    }
    for &row in rest {
        deepen(token, &[&elements[row..][..width]], out);
    }
}

/// The maxima with further rows, which are as wide.
#[inline(always)]
fn deepen<R: Registers, const N: usize>(
    token: R,
    lines: &[&[R::Element]; N],
    out: &mut [R::Element],
) {
    let width = out.len();
    for start in (0..width).step_by(R::WIDTH) {
        // The last columns are taken with some once more that were done.
        let start = start.min(width - R::WIDTH);
        let to = &mut R::split_mut(&mut out[start..start + R::WIDTH]).0[0];
        let mut high = *to;
        let mut seen = Seen::first(token, high);
        for line in lines {
            let x = R::split(&line[start..start + R::WIDTH]).0[0];
            high = seen.larger(token, high, x);
        }
        *to = seen.maximum(token, high);
    }
}
