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
                    let (packed, repeated, out) = (&*packed, &mut repeated[..], &mut *out);
                    let whole = if k <= KB { n } else { usize::MAX };
                    #[rustfmt::skip]
                    let mut band = Band {
                        a: &a, b: &b, held, panels, packed, repeated, out, top, row: top, finished, bottom,
                        start, depth, last, ahead, flipped, whole,
                    };
                    macro_rules! tiles {
                        ($asks:literal, $height:literal) => {
                            if bottom - band.row >= $height {
                                if R::FUSES && fused {
                                    token.apart(Tiles::<_, true, $asks, $height>(&mut band));
                                } else {
                                    token.apart(Tiles::<_, false, $asks, $height>(&mut band));
                                }
                            }
                        };
                    }
                    if R::ASKS && ahead.contains(&true) {
                        tiles!(true, 6);
                    } else {
                        tiles!(false, 6);
                    }
                    tiles!(false, 4);
                    tiles!(false, 2);
                    tiles!(false, 1);
                    finished = band.finished;
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

/// Rows of a product over one block of terms and of columns.
struct Band<'w, 'a, 'o, E: Native> {
    a: &'w Matrix<'a, E>,
    b: &'w Matrix<'a, E>,
    held: Option<Held<'a, E>>,
    /// The right operand's panels, and those that are packed.
    panels: Panels,
    packed: &'w [E],
    /// Six rows of the left operand, where its rows are one element each, or none.
    repeated: &'w mut [E],
    out: &'w mut Output<'o, E>,
    top: usize,
    /// The next row, and the first that is not finished.
    row: usize,
    finished: usize,
    bottom: usize,
    /// The terms.
    start: usize,
    depth: usize,
    last: bool,
    /// Whether each operand is asked for ahead.
    ahead: [bool; 2],
    flipped: bool,
    /// Columns of a result of one block of terms; of others none is as wide.
    whole: usize,
}

/// The next rows of a band, as many as make tiles of `MR`.
struct Tiles<'t, 'w, 'a, 'o, E: Native, const FUSED: bool, const ASKS: bool, const MR: usize>(
    &'t mut Band<'w, 'a, 'o, E>,
);

impl<E: Native, const FUSED: bool, const ASKS: bool, const MR: usize> Work<E>
    for Tiles<'_, '_, '_, '_, E, FUSED, ASKS, MR>
{
    type Output = ();

    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, token: R) {
        let Self(band) = self;
        let Band { a, b, held, panels, packed, top, bottom, start, depth, ahead, flipped, .. } =
            *band;
        let (first, end) = (panels.column, panels.end);
        while bottom - band.row >= MR {
            let row = band.row;
            let left = if a.column == 0 {
                // One element a row, for all terms: a tile counts the distance to the next.
                for (i, line) in band.repeated.chunks_exact_mut(depth).enumerate().take(MR) {
                    line.fill(*a.at(row + i, 0));
                }
                Left { elements: band.repeated, row: depth, step: 1, ahead: false }
            } else {
                Left {
                    elements: &a.elements[row * a.row + start * a.column..],
                    row: a.row,
                    step: a.column,
                    ahead: false,
                }
            };
            let mut left_over = panels;
            while let Some(panel) = left_over.next::<R>() {
                let left = Left { ahead: ahead[0] && panel.column == first, ..left };
                let wide = panel.registers * R::WIDTH;
                let right = match (held, panel.packed) {
                    (Some(held), _) => {
                        let elements = held.rows(panel, start, wide);
                        Right { elements, row: wide, ahead: ahead[1] && row == top }
                    }
                    (None, Some(at)) => Right { elements: &packed[at..], row: wide, ahead: false },
                    (None, None) => {
                        let elements = &b.elements[start * b.row + panel.column..];
                        Right { elements, row: b.row, ahead: ahead[1] && row == top }
                    }
                };
                let Panel { column, width, .. } = panel;
                let alone = width == band.whole && !flipped;
                let place = Place { row, column, width, first: start == 0, flipped, alone };
                let out = &mut *band.out;
                macro_rules! tile {
                    ($registers:literal) => {{
                        let sums = if ASKS && (left.ahead || right.ahead) {
                            tile::<R, FUSED, true, MR, $registers>(token, depth, left, right)
                        } else {
                            tile::<R, FUSED, false, MR, $registers>(token, depth, left, right)
                        };
                        store(token, &sums, out, place);
                    }};
                }
                match panel.registers {
                    4 if R::MANY => tile!(4),
                    2 => tile!(2),
                    _ => tile!(1),
                }
            }
            band.row += MR;
            let done = band.finished..band.row;
            if band.last && !flipped && band.out.is_due(&done, &(first..end)) {
                band.out.finish(done, first..end);
                band.finished = band.row;
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
