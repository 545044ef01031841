//! The loops round the tiles: blocks of terms, of columns, and of rows.

use super::output::{Output, Place, store};
use super::panels::{Held, Panel, Panels, pack};
use super::tile::{Left, Right, tile};
use crate::kernel::Numerics;
use crate::kernel::order::KB;
use crate::kernel::simd::{Native, Registers, Work};
use crate::kernel::task::Matrix;

/// Columns of the right operand that are packed at a time: a block of them stays in the
/// second-level cache.
const NC: usize = 512;

/// Rows that read the right operand where it lies, each some registers of it after the other: copying
/// it would cost as much.
const FEW: usize = 18;

/// Bytes of a right operand that stay in the second-level cache while rows of the left one pass.
const NEAR: usize = 512 << 10;

/// Rows that pass together, over all terms: so few that their results wait in the first-level cache.
const BAND: usize = 12;

/// A product of which the result's rows, or their columns, run over the lanes.
pub(in crate::kernel::native) struct Blocks<'a, 'o, E: Native> {
    pub(in crate::kernel::native) sizes: [usize; 3],
    pub(in crate::kernel::native) a: Matrix<'a, E>,
    pub(in crate::kernel::native) b: Matrix<'a, E>,
    /// The right operand laid out before, by panels of this level.
    pub(in crate::kernel::native) held: Option<Held<'a, E>>,
    pub(in crate::kernel::native) out: &'a mut Output<'o, E>,
    pub(in crate::kernel::native) flipped: bool,
    pub(in crate::kernel::native) scratch: &'a mut Vec<E>,
    pub(in crate::kernel::native) numerics: Numerics,
}

impl<E: Native> Work<E> for Blocks<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, token: R) {
        let Self { sizes: [m, k, n], a, b, held, out, flipped, scratch, numerics } = self;
        let fused = R::FUSES && numerics == Numerics::Fast;
        if fused {
            takes!("fused");
        }
        // Rows that overlap or are all one are packed: they are no runs at a distance.
        let lies = b.column == 1 && b.row >= n;
        let in_place =
            held.is_some() || lies && (m <= FEW || KB.min(k) * n <= 8192 && b.row % 512 != 0);
        if held.is_some() {
            takes!("right operand packed before");
        } else if in_place {
            takes!("right operand in place");
        } else {
            takes!("right operand packed");
        }
        // What no near cache holds is asked for where the machine would not see it coming.
        let mebibytes = |elements: usize| (elements * size_of::<E>()) >> 20;
        let ahead = [a.column == 1 && mebibytes(m * k) >= 16, in_place && mebibytes(k * n) >= 8];
        if ahead.contains(&true) {
            takes!("asked for ahead");
        }
        let mut repeated = Vec::new();
        if a.column == 0 {
            repeated.resize(6 * KB.min(k), E::zero());
        }
        for first in (0..n).step_by(NC) {
            let end = n.min(first + NC);
            let depth = KB.min(k);
            let roomy = held.is_some();
            let panels = Panels { column: first, end, in_place, roomy, packed: 0, depth };
            let packed = panels.packed_elements::<R>();
            // Rows once, over all their terms, where the right operand stays near meanwhile.
            let deep = k > KB && k * (end - first) * size_of::<E>() <= NEAR;
            let (band, kept) = if deep { (BAND, k.div_ceil(KB)) } else { (m, 1) };
            if deep && m > BAND {
                takes!("rows once");
            }
            let aligned = aligned(scratch, packed * kept);
            let mut finished = 0;
            for top in (0..m).step_by(band) {
                let bottom = m.min(top + band);
                for start in (0..k).step_by(KB) {
                    let depth = KB.min(k - start);
                    let past = (start + depth - 1) * b.row + end.next_multiple_of(R::WIDTH);
                    let roomy = held.is_some() || past <= b.elements.len();
                    let panels = Panels { roomy, ..panels };
                    let packed = &mut aligned[start / KB % kept * packed..][..packed];
                    if top == 0 {
                        pack(token, &b, [start, depth], panels, packed);
                    }
                    let last = start + depth == k;
                    let mut row = top;
                    while row < bottom {
                        let left = if a.column == 0 {
                            // One element a row, for all terms: a tile counts the distance to the next.
                            for (i, line) in repeated.chunks_exact_mut(depth).enumerate().take(6) {
                                line.fill(*a.at((row + i).min(bottom - 1), 0));
                            }
                            Left { elements: &repeated, row: depth, step: 1, ahead: false }
                        } else {
                            Left {
                                elements: &a.elements[row * a.row + start * a.column..],
                                row: a.row,
                                step: a.column,
                                ahead: false,
                            }
                        };
                        let height = match bottom - row {
                            6.. => 6,
                            4.. => 4,
                            2.. => 2,
                            _ => 1,
                        };
                        let mut left_over = panels;
                        while let Some(panel) = left_over.next::<R>() {
                            let left = Left { ahead: ahead[0] && panel.column == first, ..left };
                            let wide = panel.registers * R::WIDTH;
                            let right = match (held, panel.packed) {
                                (Some(held), _) => {
                                    let elements = held.rows(panel, start, wide);
                                    let ahead = ahead[1] && row == top;
                                    Right { elements, row: wide, ahead }
                                }
                                (None, Some(at)) => {
                                    Right { elements: &packed[at..], row: wide, ahead: false }
                                }
                                (None, None) => {
                                    let at = start * b.row + panel.column;
                                    let ahead = ahead[1] && row == top;
                                    Right { elements: &b.elements[at..], row: b.row, ahead }
                                }
                            };
                            let Panel { column, width, .. } = panel;
                            let alone = k <= KB && width == n && !flipped;
                            let place =
                                Place { row, column, width, first: start == 0, flipped, alone };
                            macro_rules! run {
                                ($asks:literal, $height:literal, $registers:literal) => {{
                                    let sums = if fused {
                                        tile::<R, true, $asks, $height, $registers>(
                                            token, depth, left, right,
                                        )
                                    } else {
                                        tile::<R, false, $asks, $height, $registers>(
                                            token, depth, left, right,
                                        )
                                    };
                                    store(token, &sums, out, place);
                                }};
                            }
                            if height == 6 && (left.ahead || right.ahead) {
                                match panel.registers {
                                    4 => run!(true, 6, 4),
                                    2 => run!(true, 6, 2),
                                    _ => run!(true, 6, 1),
                                }
                                continue;
                            }
                            match (height, panel.registers) {
                                (6, 4) => run!(false, 6, 4),
                                (6, 2) => run!(false, 6, 2),
                                (6, _) => run!(false, 6, 1),
                                (4, 4) => run!(false, 4, 4),
                                (4, 2) => run!(false, 4, 2),
                                (4, _) => run!(false, 4, 1),
                                (2, 4) => run!(false, 2, 4),
                                (2, 2) => run!(false, 2, 2),
                                (2, _) => run!(false, 2, 1),
                                (_, 4) => run!(false, 1, 4),
                                (_, 2) => run!(false, 1, 2),
                                _ => run!(false, 1, 1),
                            }
                        }
                        row += height;
                        if last && !flipped && out.is_due(&(finished..row), &(first..end)) {
                            out.finish(finished..row, first..end);
                            finished = row;
                        }
                    }
                    if last && bottom == m {
                        match flipped {
                            true => out.finish(first..end, 0..m),
                            false => out.finish(finished..m, first..end),
                        }
                    }
                }
            }
        }
    }
}

/// `count` elements of a buffer from the first cache line that starts in it.
///
/// COST: a register that lies in two lines is loaded at half the speed.
fn aligned<E: Native>(buffer: &mut Vec<E>, count: usize) -> &mut [E] {
    const LINE: usize = 64;
    let spare = LINE / size_of::<E>();
    if buffer.len() < count + spare {
        buffer.resize(count + spare, E::zero());
    }
    let start = buffer.as_ptr().align_offset(LINE).min(spare);
    &mut buffer[start..][..count]
}
