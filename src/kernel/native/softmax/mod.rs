//! The softmax family, line by line in cache.
//!
//! BITS: the steps of the definition, each over a whole line.

mod registers;
#[cfg(test)]
mod tests;

pub(crate) use registers::softmax as softmax_lines;
#[cfg(test)]
use registers::softmax_at;

use super::lines::{each_line, trailing};
use super::map::map_to;
use super::maximum::maxima;
use super::sum::{lines as sums_of_blocks, sum_of};
use crate::kernel::memory::Block;
use crate::kernel::order::SB;
use crate::kernel::reference::View;
use crate::kernel::simd::Level;
use crate::kernel::walk::product_of;
use crate::kernel::{Elementary, Softmax, SoftmaxTask, Unary, scratch, threads};

/// What one element costs, in plain operations.
const COST: usize = 24;

/// Elements of the lines that are computed together.
///
/// COST: each step is a call; short lines share it, and all of its numbers stay in the first-level cache.
const TOGETHER: usize = 2048;

/// Lines of one length, one behind the other.
#[derive(Clone, Copy)]
struct Lines<'a, E> {
    elements: &'a [E],
    length: usize,
}

impl<E: Elementary> Lines<'_, E> {
    fn count(&self) -> usize {
        self.elements.len() / self.length
    }

    /// `x - m` of each line, where `m` is its maximum, or 0 where that is not finite. Gives every `m`.
    fn shift(&self, shifts: &mut [E], out: &mut [E]) {
        maxima(self.elements, self.length, shifts);
        shifts.iter_mut().filter(|m| !m.is_finite()).for_each(|m| *m = E::zero());
        out.clone_from_slice(self.elements);
        by_line(
            out,
            shifts,
            #[inline(always)]
            |x, m| x.sub(m),
        );
    }

    fn sum(&self, sums: &mut [E]) {
        if self.length <= SB {
            return sums_of_blocks(self.elements, self.length, sums);
        }
        let lines = self.elements.chunks_exact(self.length);
        sums.iter_mut().zip(lines).for_each(|(sum, line)| *sum = sum_of(line));
    }
}

/// `f` of each element and of its line's number.
fn by_line<E: Elementary>(elements: &mut [E], numbers: &[E], f: impl Fn(&E, &E) -> E) {
    let length = elements.len() / numbers.len();
    Level::best().compiled(
        #[inline(always)]
        || {
            for (line, number) in elements.chunks_exact_mut(length).zip(numbers) {
                line.iter_mut().for_each(
                    #[inline(always)]
                    |x| *x = f(x, number),
                );
            }
        },
    );
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
    let each = |lines: Lines<'_, E>, out: &mut [E]| {
        let (form, elements) = (Softmax::LogSumExp, lines.elements);
        if E::softmax(&mut SoftmaxTask { form, elements, length, out: &mut *out }) {
            return;
        }
        let (size, count) = (lines.elements.len(), lines.count());
        scratch::with(2 * size + count, |scratch| {
            let (shifted, scratch) = scratch.split_at_mut(size);
            let (elements, sums) = scratch.split_at_mut(size);
            lines.shift(out, shifted);
            map_to(Unary::Exp, shifted, elements);
            Lines { elements, length }.sum(sums);
            out.iter_mut().zip(sums).for_each(|(out, sum)| *out = out.add(&sum.ln()));
        });
    };
    if let Some((elements, _)) = trailing(x, &[axis]) {
        let together = (TOGETHER / length).max(1);
        let lines = elements.chunks(together * length).zip(out.chunks_mut(together));
        return lines.for_each(|(elements, out)| each(Lines { elements, length }, out));
    }
    let mut results = out.iter_mut();
    each_line(x, &[axis], |elements| {
        let result = results.next().expect("invariant: one result per line");
        if length == 0 {
            // The maximum of nothing is not finite, and its sum is 0.
            *result = E::zero().add(&E::zero().ln());
            return;
        }
        each(Lines { elements, length }, std::slice::from_mut(result));
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
    each_line_to(x, axis, out, Softmax::LogSoftmax, |lines, exponentials, logarithms, out| {
        lines.shift(logarithms, out);
        map_to(Unary::Exp, out, exponentials);
        Lines { elements: exponentials, ..lines }.sum(logarithms);
        logarithms.iter_mut().for_each(|sum| *sum = sum.ln());
        by_line(
            out,
            logarithms,
            #[inline(always)]
            |x, ln| x.sub(ln),
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
    each_line_to(x, axis, out, Softmax::Softmax, |lines, shifted, sums, out| {
        lines.shift(sums, shifted);
        map_to(Unary::Exp, shifted, out);
        Lines { elements: out, ..lines }.sum(sums);
        by_line(
            out,
            sums,
            #[inline(always)]
            |e, sum| e.div(sum),
        );
    })
}

/// The array of `form` that `of` makes of the lines along `axis`, laid out as `x` is, where the
/// element has no kernel of its own. It is given some lines, scratch of as many elements and of one for
/// each line, and their results.
fn each_line_to<E: Elementary>(
    x: View<'_, E>,
    axis: usize,
    out: &mut [E],
    form: Softmax,
    of: impl Fn(Lines<'_, E>, &mut [E], &mut [E], &mut [E]) + Sync,
) {
    let length = x.extents[axis];
    if out.is_empty() {
        return;
    }
    let run = |elements: &[E], to: &mut [E]| {
        if E::softmax(&mut SoftmaxTask { form, elements, length, out: &mut *to }) {
            return;
        }
        let lines = Lines { elements, length };
        scratch::with(elements.len() + lines.count(), |scratch| {
            let (scratch, numbers) = scratch.split_at_mut(elements.len());
            of(lines, scratch, numbers, to);
        });
    };
    if axis + 1 == x.extents.len()
        && let Some((elements, _)) = trailing(x, &[axis])
    {
        let lines = out.len() / length;
        let parts = threads::parts_here(out.len().saturating_mul(COST), lines);
        let each = lines.div_ceil(parts) * length;
        let together = (TOGETHER / length).max(1) * length;
        let run = |(from, to): (&[E], &mut [E])| {
            from.chunks(together).zip(to.chunks_mut(together)).for_each(|(from, to)| run(from, to));
        };
        if parts == 1 {
            return run((elements, out));
        }
        threads::each(elements.chunks(each).zip(out.chunks_mut(each)).collect(), run);
        return;
    }
    // Lines come out [outer, inner, length]; where that is not the array's order, they are brought
    // into it.
    let in_order = |out: &mut [E]| {
        let mut results = out.chunks_exact_mut(length);
        each_line(x, &[axis], |from| {
            run(from, results.next().expect("invariant: one result per line"));
        });
    };
    let inner = product_of(&x.extents[axis + 1..]);
    if inner == 1 {
        return in_order(out);
    }
    let mut lines = Block::stale(out.len());
    in_order(&mut lines);
    let outer = product_of(&x.extents[..axis]);
    let (extents, strides) = ([outer, length, inner], [length * inner, 1, length]);
    super::copy_into(View::new(&lines, &extents, &strides, 0), out);
}
