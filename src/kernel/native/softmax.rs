//! The softmax family, line by line in cache.
//!
//! BITS: the steps of the definition, each over a whole line.

use super::lines::{each_line, trailing};
use super::map::map_to;
use super::maximum::line_max;
use super::sum::sum_of;
use crate::kernel::memory::Block;
use crate::kernel::reference::View;
use crate::kernel::simd::Level;
use crate::kernel::walk::product_of;
use crate::kernel::{Elementary, Unary, scratch, threads};

/// What one element costs, in plain operations.
const COST: usize = 24;

/// `x - m` of a line, where `m` is its maximum, or 0 where that is not finite. Gives `m`.
fn shift<E: Elementary>(line: &[E], out: &mut [E]) -> E {
    let max = line_max(line).filter(Elementary::is_finite).unwrap_or_else(E::zero);
    compiled(
        #[inline(always)]
        || line.iter().zip(&mut *out).for_each(|(x, out)| *out = x.sub(&max)),
    );
    max
}

fn compiled(run: impl FnOnce()) {
    Level::best().compiled(run);
}

/// As `reference::log_sum_exp`.
pub(crate) fn log_sum_exp<E: Elementary>(x: View<'_, E>, axis: usize) -> Vec<E> {
    let lines = product_of(&x.extents[..axis]).wrapping_mul(product_of(&x.extents[axis + 1..]));
    let mut out = vec![E::zero(); lines];
    log_sum_exp_into(x, axis, &mut out);
    out
}

/// As `reference::log_sum_exp`, into `out`.
pub(crate) fn log_sum_exp_into<E: Elementary>(x: View<'_, E>, axis: usize, out: &mut [E]) {
    let length = x.extents[axis];
    let mut results = out.iter_mut();
    scratch::with(2 * length, |scratch| {
        let (shifted, exponentials) = scratch.split_at_mut(length);
        each_line(x, &[axis], |line| {
            let max = shift(line, shifted);
            map_to(Unary::Exp, shifted, exponentials);
            let result = results.next().expect("invariant: one result per line");
            *result = max.add(&sum_of(exponentials).ln());
        });
    });
}

/// As `reference::log_softmax`.
pub(crate) fn log_softmax<E: Elementary>(x: View<'_, E>, axis: usize) -> Block<E> {
    let mut out = Block::stale(x.count());
    log_softmax_into(x, axis, &mut out);
    out
}

/// As `reference::log_softmax`, into `out`.
pub(crate) fn log_softmax_into<E: Elementary>(x: View<'_, E>, axis: usize, out: &mut [E]) {
    each_line_to(x, axis, out, |line, scratch, out| {
        shift(line, out);
        map_to(Unary::Exp, out, scratch);
        let ln = sum_of(scratch).ln();
        compiled(
            #[inline(always)]
            || out.iter_mut().for_each(|x| *x = x.sub(&ln)),
        );
    })
}

/// As `reference::softmax`.
pub(crate) fn softmax<E: Elementary>(x: View<'_, E>, axis: usize) -> Block<E> {
    let mut out = Block::stale(x.count());
    softmax_into(x, axis, &mut out);
    out
}

/// As `reference::softmax`, into `out`.
pub(crate) fn softmax_into<E: Elementary>(x: View<'_, E>, axis: usize, out: &mut [E]) {
    each_line_to(x, axis, out, |line, scratch, out| {
        shift(line, scratch);
        map_to(Unary::Exp, scratch, out);
        let sum = sum_of(out);
        compiled(
            #[inline(always)]
            || out.iter_mut().for_each(|e| *e = e.div(&sum)),
        );
    })
}

/// The array that `line` makes of every line along `axis`, laid out as `x` is. It is given a line,
/// scratch and a result, all of one length.
fn each_line_to<E: Elementary>(
    x: View<'_, E>,
    axis: usize,
    out: &mut [E],
    line: impl Fn(&[E], &mut [E], &mut [E]) + Sync,
) {
    let length = x.extents[axis];
    if out.is_empty() {
        return;
    }
    if axis + 1 == x.extents.len()
        && let Some((elements, _)) = trailing(x, &[axis])
    {
        let lines = out.len() / length;
        let parts = threads::parts_here(out.len().saturating_mul(COST), lines);
        let each = lines.div_ceil(parts) * length;
        let run = |(from, to): (&[E], &mut [E])| {
            scratch::with(length, |scratch| {
                let lines = from.chunks_exact(length).zip(to.chunks_exact_mut(length));
                lines.for_each(|(from, to)| line(from, scratch, to));
            });
        };
        if parts == 1 {
            return run((elements, out));
        }
        threads::each(elements.chunks(each).zip(out.chunks_mut(each)).collect(), run);
        return;
    }
    let inner = product_of(&x.extents[axis + 1..]);
    if inner == 1 {
        return each_line_in_order(x, axis, out, line);
    }
    // Lines come out [outer, inner, length]; the array wants [outer, length, inner].
    let mut lines = Block::stale(out.len());
    each_line_in_order(x, axis, &mut lines, line);
    let outer = product_of(&x.extents[..axis]);
    let (extents, strides) = ([outer, length, inner], [length * inner, 1, length]);
    super::copy_into(View::new(&lines, &extents, &strides, 0), out);
}

/// Every line along `axis` behind the one before it.
fn each_line_in_order<E: Elementary>(
    x: View<'_, E>,
    axis: usize,
    out: &mut [E],
    line: impl Fn(&[E], &mut [E], &mut [E]),
) {
    let length = x.extents[axis];
    let mut results = out.chunks_exact_mut(length);
    scratch::with(length, |scratch| {
        each_line(x, &[axis], |from| {
            let to = results.next().expect("invariant: one result per line");
            line(from, scratch, to);
        });
    });
}
