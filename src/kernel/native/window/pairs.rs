//! Pools of windows of two by two that lie side by side and leave nothing out: what most networks use.
//!
//! COST: loops in registers need long rows. Where rows are short, the upper rows of many windows are
//! brought together, and the lower ones: a short copy takes less than a loop that ends early.

use super::copy;
use crate::kernel::simd::{Level, Native};
use crate::kernel::window::{Window, Windows};

/// Whether windows are of this kind.
pub(super) fn fits(windows: &Windows) -> bool {
    let [down, across] = windows.outputs;
    let plain = Window { groups: windows.window.groups, ..Window::new().step([2, 2]) };
    windows.size == [2, 2]
        && windows.window == plain
        && windows.extents == [2 * down, 2 * across]
        && down * across > 0
}

/// Windows whose rows are brought together: they stay in the first-level cache.
const TOGETHER: usize = 256;

/// Windows of one turn of a loop.
///
/// COST: a loop over windows that does not know how many they are spends most of its time finding out.
const TURN: usize = 16;

/// Rows of windows that are brought together: whole turns where that is possible, one where rows are
/// long.
fn together(across: usize) -> usize {
    let (rows, whole) = (TOGETHER / across, TURN >> across.trailing_zeros().min(4));
    if rows < whole { rows.max(1) } else { rows / whole * whole }
}

/// Whether rows are whole turns as they lie.
fn whole(across: usize) -> bool {
    across.is_multiple_of(TURN)
}

/// Runs `$run` with the number of windows of a row, one that is known where it is a turn.
macro_rules! by_turns {
    ($of:expr, $across:ident => $run:expr) => {
        match $of {
            TURN => {
                let $across = TURN;
                $run
            }
            $across => $run,
        }
    };
}

/// The four elements of a window.
type Square<E> = [E; 4];

#[inline(always)]
fn squares<'a, E: Native>([above, below]: [&'a [E]; 2]) -> impl Iterator<Item = Square<E>> + 'a {
    let (above, below) = (above.as_chunks::<2>().0, below.as_chunks::<2>().0);
    above.iter().zip(below).map(
        #[inline(always)]
        |([a, b], [c, d])| [*a, *b, *c, *d],
    )
}

/// Upper rows of windows behind one another, and lower ones.
struct Halves<E>([[E; 2 * TOGETHER]; 2]);

impl<E: Native> Halves<E> {
    #[inline(always)]
    fn new() -> Self {
        Self([[E::exact(0.0); 2 * TOGETHER]; 2])
    }

    /// Brings the halves of `rows` here, each half of `width` elements.
    #[inline(always)]
    fn fill(&mut self, rows: &[E], width: usize) {
        match width {
            8 => self.fill_by::<8>(rows),
            16 => self.fill_by::<16>(rows),
            24 => self.fill_by::<24>(rows),
            _ => {
                let Self([above, below]) = self;
                let halves = above.chunks_exact_mut(width).zip(below.chunks_exact_mut(width));
                for (rows, (above, below)) in rows.chunks_exact(2 * width).zip(halves) {
                    copy(&rows[..width], above);
                    copy(&rows[width..], below);
                }
            }
        }
    }

    #[inline(always)]
    fn fill_by<const WIDTH: usize>(&mut self, rows: &[E]) {
        let Self([above, below]) = self;
        let halves = above.as_chunks_mut::<WIDTH>().0.iter_mut().zip(below.as_chunks_mut().0);
        let rows = rows.as_chunks::<WIDTH>().0.as_chunks::<2>().0;
        for ([upper, lower], (above, below)) in rows.iter().zip(halves) {
            (*above, *below) = (*upper, *lower);
        }
    }

    /// Brings the halves to where [`Halves::fill`] took them from.
    #[inline(always)]
    fn empty(&self, rows: &mut [E], width: usize) {
        match width {
            8 => self.empty_by::<8>(rows),
            16 => self.empty_by::<16>(rows),
            24 => self.empty_by::<24>(rows),
            _ => {
                let Self([above, below]) = self;
                let halves = above.chunks_exact(width).zip(below.chunks_exact(width));
                for (rows, (above, below)) in rows.chunks_exact_mut(2 * width).zip(halves) {
                    copy(above, &mut rows[..width]);
                    copy(below, &mut rows[width..]);
                }
            }
        }
    }

    #[inline(always)]
    fn empty_by<const WIDTH: usize>(&self, rows: &mut [E]) {
        let Self([above, below]) = self;
        let halves = above.as_chunks::<WIDTH>().0.iter().zip(below.as_chunks().0);
        let rows = rows.as_chunks_mut::<WIDTH>().0.as_chunks_mut::<2>().0;
        for ([upper, lower], (above, below)) in rows.iter_mut().zip(halves) {
            (*upper, *lower) = (*above, *below);
        }
    }
}

/// One element for each window.
#[inline(always)]
fn reduced<E: Native>(
    across: usize,
    images: &[E],
    out: &mut [E],
    f: impl Fn(Square<E>) -> E + Copy,
) {
    if whole(across) {
        by_turns!(across, across => {
            for (rows, out) in images.chunks_exact(4 * across).zip(out.chunks_exact_mut(across)) {
                let (above, below) = rows.split_at(2 * across);
                out.iter_mut().zip(squares([above, below])).for_each(
                    #[inline(always)]
                    |(to, square)| *to = f(square),
                );
            }
        });
        return;
    }
    let (rows, mut halves) = (together(across), Halves::new());
    let images = images.chunks(4 * across * rows);
    for (rows, out) in images.zip(out.chunks_mut(across * rows)) {
        if rows.len() == 4 * across {
            let (above, below) = rows.split_at(2 * across);
            reduce([above, below], out, f);
        } else {
            halves.fill(rows, 2 * across);
            let Halves([above, below]) = &halves;
            reduce([&above[..rows.len() / 2], &below[..rows.len() / 2]], out, f);
        }
    }
}

#[inline(always)]
fn reduce<E: Native>([above, below]: [&[E]; 2], out: &mut [E], f: impl Fn(Square<E>) -> E + Copy) {
    let (above, last_above) = above.as_chunks::<{ 2 * TURN }>();
    let (below, last_below) = below.as_chunks::<{ 2 * TURN }>();
    let (out, last) = out.as_chunks_mut::<TURN>();
    for ((above, below), out) in above.iter().zip(below).zip(out) {
        out.iter_mut().zip(squares([above, below])).for_each(
            #[inline(always)]
            |(to, square)| *to = f(square),
        );
    }
    last.iter_mut().zip(squares([last_above, last_below])).for_each(
        #[inline(always)]
        |(to, square)| *to = f(square),
    );
}

/// The maximum of each window.
pub(super) fn max<E: Native>(level: Level, windows: &Windows, images: &[E], out: &mut [E]) {
    takes!("maxima by pairs");
    level.compiled(
        #[inline(always)]
        || {
            reduced(
                windows.outputs[1],
                images,
                out,
                #[inline(always)]
                |[a, b, c, d]| a.maximum(&b).maximum(&c.maximum(&d)),
            );
        },
    );
}

/// The mean of each window.
///
/// BITS: the sum rule of four elements: lanes from `+0`, then the first two with the last two.
pub(super) fn mean<E: Native>(level: Level, windows: &Windows, images: &[E], out: &mut [E]) {
    takes!("means by pairs");
    let (zero, four) = (E::exact(0.0), E::exact(4.0));
    level.compiled(
        #[inline(always)]
        || {
            reduced(
                windows.outputs[1],
                images,
                out,
                #[inline(always)]
                |square| {
                    let [a, b, c, d] = square.map(
                        #[inline(always)]
                        |x| zero.add(&x),
                    );
                    a.add(&c).add(&b.add(&d)).div(&four)
                },
            );
        },
    );
}

/// Each window's cotangent at its first maximum, or at its first NaN; all of `out` is written.
///
/// BITS: what lands on an element is added to `+0`.
pub(super) fn max_gradient<E: Native>(
    level: Level,
    windows: &Windows,
    [images, cotangent]: [&[E]; 2],
    out: &mut [E],
) {
    takes!("maxima's gradients by pairs");
    let across = windows.outputs[1];
    let rows = together(across);
    let size = 4 * across * rows;
    level.compiled(
        #[inline(always)]
        || {
            if whole(across) {
                return by_turns!(across, across => {
                    let rows = images.chunks_exact(4 * across).zip(out.chunks_exact_mut(4 * across));
                    for ((rows, out), g) in rows.zip(cotangent.chunks_exact(across)) {
                        let (above, below) = rows.split_at(2 * across);
                        let (above_out, below_out) = out.split_at_mut(2 * across);
                        routed([above, below], g, [above_out, below_out]);
                    }
                });
            }
            let (mut from, mut to) = (Halves::new(), Halves::new());
            let cotangent = cotangent.chunks(across * rows);
            for ((rows, out), g) in images.chunks(size).zip(out.chunks_mut(size)).zip(cotangent) {
                if rows.len() == 4 * across {
                    let (above, below) = rows.split_at(2 * across);
                    let (above_out, below_out) = out.split_at_mut(2 * across);
                    route([above, below], g, [above_out, below_out]);
                    continue;
                }
                from.fill(rows, 2 * across);
                let (Halves([above, below]), half) = (&from, rows.len() / 2);
                let Halves([above_out, below_out]) = &mut to;
                let results = [&mut above_out[..half], &mut below_out[..half]];
                route([&above[..half], &below[..half]], g, results);
                to.empty(out, 2 * across);
            }
        },
    );
}

#[inline(always)]
fn route<E: Native>([above, below]: [&[E]; 2], cotangent: &[E], out: [&mut [E]; 2]) {
    let (above, last_above) = above.as_chunks::<{ 2 * TURN }>();
    let (below, last_below) = below.as_chunks::<{ 2 * TURN }>();
    let (cotangent, last) = cotangent.as_chunks::<TURN>();
    let [above_out, below_out] = out;
    let (above_out, last_above_out) = above_out.as_chunks_mut::<{ 2 * TURN }>();
    let (below_out, last_below_out) = below_out.as_chunks_mut::<{ 2 * TURN }>();
    let halves = above.iter().zip(below).zip(cotangent);
    for (((above, below), g), (above_out, below_out)) in
        halves.zip(above_out.iter_mut().zip(below_out))
    {
        routed([above, below], g, [above_out, below_out]);
    }
    routed([last_above, last_below], last, [last_above_out, last_below_out]);
}

#[inline(always)]
fn routed<E: Native>(halves: [&[E]; 2], cotangent: &[E], [above, below]: [&mut [E]; 2]) {
    let zero = E::exact(0.0);
    let (above, below) = (above.as_chunks_mut::<2>().0, below.as_chunks_mut::<2>().0);
    let out = above.iter_mut().zip(below);
    for (([a, b, c, d], g), (above, below)) in squares(halves).zip(cotangent).zip(out) {
        let (best, second) = later(a, b);
        let (best, third) = later(best, c);
        let (_, fourth) = later(best, d);
        let g = zero.add(g);
        let at = |here: bool| if here { g } else { zero };
        let (third, second) = (third & !fourth, second & !third & !fourth);
        *above = [at(!second & !third & !fourth), at(second)];
        *below = [at(third), at(fourth)];
    }
}

/// The first maximum of the first so far and one element more, and whether it is that.
#[inline(always)]
#[expect(clippy::eq_op, reason = "NaN is what differs from itself")]
fn later<E: Native>(best: E, x: E) -> (E, bool) {
    let takes = (x > best) | ((x != x) & (best == best));
    (if takes { x } else { best }, takes)
}
