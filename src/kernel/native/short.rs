//! Copies whose rows are a few elements each: windows laid out, channels that become the last axis.
//!
//! COST: a row's length is known to the compiler, so that it is a move or two and no call; and rows that
//! follow one another along a long axis are one loop.

use crate::kernel::Elementary;
use crate::kernel::reference::View;
use crate::kernel::simd::Level;
use crate::kernel::walk::{Axis, Walk};

/// Rows that are worth a loop of their own.
const MANY: usize = 8;

/// Where the rows along a long outer axis begin, and how far the elements of one are apart.
#[derive(Clone, Copy)]
struct Rows {
    count: usize,
    /// From row to row: in the operand, and in the result.
    distances: [usize; 2],
    /// From element to element of the operand.
    stride: usize,
}

/// A copy of which the rows are short, into a result as long. `false`: they are not, or lie in no such order.
pub(super) fn by_short_rows<E: Elementary>(walk: &Walk<1>, x: View<'_, E>, out: &mut [E]) -> bool {
    let [outer @ .., Axis { extent: length, strides: [stride] }] = walk.axes() else {
        return false;
    };
    let place = |i: usize| outer[i + 1..].iter().fold(*length, |place, axis| place * axis.extent);
    // The nearest that is long: what is read and written stays near.
    let Some(long) = (0..outer.len()).rfind(|&i| outer[i].extent >= MANY) else { return false };
    let Axis { extent: count, strides: [distance] } = outer[long];
    let rows = Rows { count, distances: [distance, place(long)], stride: *stride };
    let others = (0..outer.len()).filter(|&i| i != long);
    let others =
        others.map(|i| Axis { extent: outer[i].extent, strides: [outer[i].strides[0], place(i)] });
    let others = Walk::of(others);
    macro_rules! of_length {
        ($copy:ident: $($length:literal)*) => {
            match length {
                $($length => $copy::<E, $length>,)*
                _ => return false,
            }
        };
    }
    // Many rows a call, so that one through a pointer does not count.
    let copy: fn(&[E], Rows, &mut [E]) = if *stride == 1 {
        let copy = of_length!(runs: 2 3 4 5 6 7 8);
        takes!("short runs");
        copy
    } else if distance == 1 && rows.distances[1] == *length {
        let copy = of_length!(interleaved: 2 3 4);
        takes!("interleaved");
        copy
    } else {
        return false;
    };
    others.elements([x.offset, 0], |[at, to]| copy(&x.elements[at..], rows, &mut out[to..]));
    true
}

/// Rows that lie in one piece each.
fn runs<E: Elementary, const L: usize>(from: &[E], rows: Rows, out: &mut [E]) {
    let [distance, place] = rows.distances;
    for row in 0..rows.count {
        let run = &from[row * distance..][..L];
        out[row * place..][..L].clone_from_slice(run);
    }
}

/// Rows that take one element of each of some lines, in turns.
fn interleaved<E: Elementary, const L: usize>(from: &[E], rows: Rows, out: &mut [E]) {
    let mut lines = [&from[..0]; L];
    for (l, line) in lines.iter_mut().enumerate() {
        *line = &from[l * rows.stride..][..rows.count];
    }
    let (to, _) = out.as_chunks_mut::<L>();
    let to = &mut to[..rows.count];
    Level::best().compiled(
        #[inline(always)]
        || {
            // COST: of one length where the compiler sees it, or every element is checked for itself.
            let mut whole = lines;
            for line in &mut whole {
                *line = &line[..to.len()];
            }
            for i in 0..to.len() {
                for l in 0..L {
                    to[i][l] = whole[l][i].clone();
                }
            }
        },
    );
}
