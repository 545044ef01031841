//! Pools of windows of two by two that lie side by side and leave nothing out: what most networks use.

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

/// Whether maxima of them are worth it.
///
/// COST: a comparison in lanes needs rows that fill registers; rows of twelve windows ran at two thirds
/// of the speed of the general loop.
pub(super) fn fits_maxima(windows: &Windows) -> bool {
    let across = windows.outputs[1];
    fits(windows) && (matches!(across, 4 | 8) || across.is_multiple_of(16))
}

/// The four elements of a window.
type Square<E> = [E; 4];

#[inline(always)]
fn squares<'a, E: Native>(rows: &'a [E], across: usize) -> impl Iterator<Item = Square<E>> + 'a {
    let (above, below) = rows.split_at(2 * across);
    let (above, below) = (above.as_chunks::<2>().0, below.as_chunks::<2>().0);
    above.iter().zip(below).map(
        #[inline(always)]
        |([a, b], [c, d])| [*a, *b, *c, *d],
    )
}

/// One element for each window.
#[inline(always)]
fn reduced<E: Native>(
    across: usize,
    images: &[E],
    out: &mut [E],
    f: impl Fn(Square<E>) -> E + Copy,
) {
    for (rows, out) in images.chunks_exact(4 * across).zip(out.chunks_exact_mut(across)) {
        let squares = squares(rows, across);
        out.iter_mut().zip(squares).for_each(
            #[inline(always)]
            |(to, square)| *to = f(square),
        );
    }
}

/// Runs `$run` compiled for the level, with a width that is known then where rows are short.
///
/// COST: a loop over four windows that does not know that they are four spends most of its time
/// finding out.
macro_rules! by_width {
    ($level:expr, $of:expr, $across:ident => $run:expr) => {
        $level.compiled(
            #[inline(always)]
            || match $of {
                4 => {
                    let $across = 4;
                    $run
                }
                8 => {
                    let $across = 8;
                    $run
                }
                16 => {
                    let $across = 16;
                    $run
                }
                $across => $run,
            },
        )
    };
}

/// The maximum of each window.
pub(super) fn max<E: Native>(level: Level, windows: &Windows, images: &[E], out: &mut [E]) {
    takes!("maxima by pairs");
    by_width!(
        level,
        windows.outputs[1],
        across => reduced(
            across,
            images,
            out,
            #[inline(always)]
            |[a, b, c, d]| a.maximum(&b).maximum(&c.maximum(&d)),
        )
    );
}

/// The mean of each window.
///
/// BITS: the sum rule of four elements: lanes from `+0`, then the first two with the last two.
pub(super) fn mean<E: Native>(level: Level, windows: &Windows, images: &[E], out: &mut [E]) {
    takes!("means by pairs");
    let (zero, four) = (E::exact(0.0), E::exact(4.0));
    by_width!(
        level,
        windows.outputs[1],
        across => reduced(
            across,
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
        )
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
    by_width!(
        level,
        windows.outputs[1],
        across => routed(across, images, cotangent, out)
    );
}

#[inline(always)]
fn routed<E: Native>(across: usize, images: &[E], cotangent: &[E], out: &mut [E]) {
    let zero = E::exact(0.0);
    let rows = images.chunks_exact(4 * across).zip(out.chunks_exact_mut(4 * across));
    for ((rows, out), cotangent) in rows.zip(cotangent.chunks_exact(across)) {
        let (above, below) = out.split_at_mut(2 * across);
        let (above, below) = (above.as_chunks_mut::<2>().0, below.as_chunks_mut::<2>().0);
        let out = above.iter_mut().zip(below);
        for (([a, b, c, d], g), (above, below)) in squares(rows, across).zip(cotangent).zip(out) {
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
}

/// The first maximum of the first so far and one element more, and whether it is that.
#[inline(always)]
#[expect(clippy::eq_op, reason = "NaN is what differs from itself")]
fn later<E: Native>(best: E, x: E) -> (E, bool) {
    let takes = (x > best) | ((x != x) & (best == best));
    (if takes { x } else { best }, takes)
}
