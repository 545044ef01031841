//! The softmax family, line by line in cache.
//!
//! BITS: the steps of the definition, each over a whole line.

use super::lines::{each_line, trailing};
use super::map::map_to;
use super::maximum::line_max;
use super::movement::split;
use super::sum::sum_of;
use crate::kernel::memory::Block;
use crate::kernel::reference::View;
use crate::kernel::simd::Level;
use crate::kernel::threads;
use crate::kernel::{Elementary, Unary};

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
    let (mut out, mut shifted, mut exponentials) = (Vec::new(), Vec::new(), Vec::new());
    each_line(x, &[axis], |line| {
        shifted.resize(line.len(), E::zero());
        exponentials.resize(line.len(), E::zero());
        let max = shift(line, &mut shifted);
        map_to(Unary::Exp, &shifted, &mut exponentials);
        out.push(max.add(&sum_of(&exponentials).ln()));
    });
    out
}

/// As `reference::log_softmax`.
pub(crate) fn log_softmax<E: Elementary>(x: View<'_, E>, axis: usize) -> Block<E> {
    each_line_to(x, axis, |line, scratch, out| {
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
    each_line_to(x, axis, |line, scratch, out| {
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
    line: impl Fn(&[E], &mut [E], &mut [E]) + Sync,
) -> Block<E> {
    let length = x.extents[axis];
    let mut out = Block::stale(x.count());
    if out.is_empty() {
        return out;
    }
    if axis + 1 == x.extents.len()
        && let Some((elements, _)) = trailing(x, &[axis])
    {
        let lines = out.len() / length;
        let parts = threads::parts_here(out.len().saturating_mul(COST), lines);
        let each = lines.div_ceil(parts) * length;
        let work = elements.chunks(each).zip(out.chunks_mut(each)).collect();
        threads::each(work, |(from, to)| {
            let mut scratch = vec![E::zero(); length];
            let lines = from.chunks_exact(length).zip(to.chunks_exact_mut(length));
            lines.for_each(|(from, to)| line(from, &mut scratch, to));
        });
        return out;
    }
    let mut scratch = vec![E::zero(); length];
    let mut results = out.chunks_exact_mut(length);
    each_line(x, &[axis], |from| {
        let to = results.next().expect("invariant: one result per line");
        line(from, &mut scratch, to);
    });
    let (outer, row) = split(x.extents, axis);
    if row == length {
        return out;
    }
    // Lines came out [outer, inner, length]; the array wants [outer, length, inner].
    let inner = row / length;
    let (extents, strides) = ([outer, length, inner], [row, 1, length]);
    super::copy(View::new(&out, &extents, &strides, 0))
}
