//! `Lines`: an array seen as lines over some axes, one for each index of the others.
//!
//! INVARIANT: lines come in row-major order of the kept axes, and a line's elements in row-major
//! order of the reduced axes, whatever the strides.

use super::movement::as_slice;
use crate::kernel::Elementary;
use crate::kernel::memory::Block;
use crate::kernel::reference::View;
use crate::kernel::threads;
use crate::kernel::walk::{Axis, Walk, product_of};

/// Fewer lines side by side than this are gathered one by one.
const FEW: usize = 6;

/// Runs as long as this are copied whole where a line is gathered.
const RUN: usize = 8;

/// Lines shorter than this are not shared.
const SHORT: usize = 16;

/// COST: plain operations that an element of a line takes that is gathered first.
const GATHERED: usize = 4;

/// The number of lines over the ascending `axes`.
pub(super) fn kept(extents: &[usize], axes: &[usize]) -> usize {
    let kept = extents.iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
    kept.fold(1, |count, (_, &extent)| count.wrapping_mul(extent))
}

/// Calls `visit` with every line of `x` over the ascending `axes`.
pub(super) fn each_line<E: Elementary>(
    x: View<'_, E>,
    axes: &[usize],
    mut visit: impl FnMut(&[E]),
) {
    if let Some((elements, length)) = trailing(x, axes) {
        return elements.chunks_exact(length).for_each(visit);
    }
    Lines::new(x, axes).each(&mut visit);
}

/// The elements and the length of a line, where lines lie behind one another and are not empty.
pub(super) fn trailing<'a, E>(x: View<'a, E>, axes: &[usize]) -> Option<(&'a [E], usize)> {
    let first = x.extents.len() - axes.len();
    let length = product_of(&x.extents[first..]);
    let is_last = axes.first().is_none_or(|&axis| axis == first);
    (is_last && length > 0).then_some((as_slice(x)?, length))
}

/// An array seen as lines.
pub(super) struct Lines<'a, E> {
    elements: &'a [E],
    offset: usize,
    outer: Walk<1>,
    inner: Walk<1>,
    /// The number of elements of a line.
    pub(super) length: usize,
}

impl<'a, E: Elementary> Lines<'a, E> {
    /// The lines of `x` over the ascending `axes`.
    pub(super) fn new(x: View<'a, E>, axes: &[usize]) -> Self {
        let walk_over = |kept: bool| {
            let axes = (0..x.extents.len()).filter(|axis| axes.contains(axis) != kept);
            Walk::of(axes.map(|axis| Axis { extent: x.extents[axis], strides: [x.strides[axis]] }))
        };
        let times = |product: usize, axis: usize| product.wrapping_mul(x.extents[axis]);
        let length = axes.iter().copied().fold(1, times);
        let (outer, inner) = (walk_over(true), walk_over(false));
        Self { elements: x.elements, offset: x.offset, outer, inner, length }
    }

    /// Calls `visit` with every line; one that lies in one piece is not copied.
    pub(super) fn each(&self, visit: impl FnMut(&[E])) {
        self.from(|at| self.outer.elements([self.offset], |[start]| at(start)), visit);
    }

    /// One element for each line, by `reduce`; on several threads where that is worth it.
    pub(super) fn reduced(&self, out: &mut [E], reduce: impl Fn(&[E]) -> E + Sync) {
        let operations = self.length.saturating_mul(out.len()).saturating_mul(GATHERED);
        // A list of where lines begin takes less than they do.
        let most = if self.length < SHORT { 1 } else { out.len() };
        let parts = threads::parts_here(operations, most);
        if parts == 1 {
            let mut results = out.iter_mut();
            return self.each(|line| {
                *results.next().expect("invariant: one result per line") = reduce(line);
            });
        }
        takes!("lines over threads");
        let mut starts = Vec::with_capacity(out.len());
        self.outer.elements([self.offset], |[start]| starts.push(start));
        let each = out.len().div_ceil(parts);
        let work = out.chunks_mut(each).zip(starts.chunks(each)).collect();
        threads::each(work, |(out, starts): (&mut [E], &[usize])| {
            let mut results = out.iter_mut();
            self.from(
                |at| starts.iter().for_each(|start| at(*start)),
                |line| *results.next().expect("invariant: one result per line") = reduce(line),
            );
        });
    }

    /// Calls `visit` with the line from each of the places that `starts` calls its argument with.
    fn from(&self, starts: impl FnOnce(&mut dyn FnMut(usize)), mut visit: impl FnMut(&[E])) {
        let Self { elements, inner, length, .. } = self;
        if *length == 0 {
            return starts(&mut |_| visit(&[]));
        }
        if let [] | [Axis { strides: [1], .. }] = inner.axes() {
            return starts(&mut |start| visit(&elements[start..start + length]));
        }
        // COST: a long one comes from the pool, so that its pages are not fresh each time.
        let mut line = Block::stale(*length);
        if let Axis { extent: run @ RUN.., strides: [1] } = inner.inner() {
            return starts(&mut |start| {
                let mut rest = &mut line[..];
                inner.rows([start], |[at]| {
                    let (to, after) = std::mem::take(&mut rest).split_at_mut(run);
                    rest = after;
                    to.clone_from_slice(&elements[at..][..run]);
                });
                visit(&line);
            });
        }
        let offsets = self.offsets();
        starts(&mut |start| {
            line.iter_mut().zip(&offsets).for_each(|(to, at)| to.clone_from(&elements[start + at]));
            visit(&line);
        });
    }

    /// Where the elements of a line are, from its first.
    fn offsets(&self) -> Vec<usize> {
        let mut offsets = Vec::with_capacity(self.length);
        self.inner.elements([0], |[at]| offsets.push(at));
        offsets
    }

    /// The lines as runs of columns side by side, where neighbouring lines are neighbours in the
    /// slice.
    pub(super) fn columns(&self) -> Option<Columns<'_, E>> {
        let Axis { extent: width @ FEW.., strides: [1] } = self.outer.inner() else { return None };
        let together = match self.inner.axes() {
            [] => true,
            [Axis { strides: [stride], .. }] => *stride == width,
            _ => false,
        };
        Some(Columns { lines: self, width, rows: self.offsets(), together })
    }
}

/// Runs of lines that lie side by side as columns.
pub(super) struct Columns<'l, E> {
    lines: &'l Lines<'l, E>,
    /// The columns of a run.
    pub(super) width: usize,
    /// The rows of every run, from its first.
    pub(super) rows: Vec<usize>,
    /// Whether rows are whole and lie behind one another.
    pub(super) together: bool,
}

/// Columns of a part for a thread: whole cache lines.
const UNIT: usize = 64;

impl<E: Elementary> Columns<'_, E> {
    /// One element for each line: `visit` gets the elements from the start of a run of columns and
    /// where their results go; on several threads where that is worth it.
    pub(super) fn reduced(&self, out: &mut [E], visit: impl Fn(&[E], &mut [E]) + Sync) {
        let Lines { elements, offset, outer, .. } = self.lines;
        let operations = self.rows.len().saturating_mul(self.width);
        let parts = threads::parts_here(operations, self.width.div_ceil(UNIT));
        let mut runs = out.chunks_exact_mut(self.width);
        outer.rows([*offset], |[at]| {
            let mut rest = runs.next().expect("invariant: one run of the result per run");
            if self.rows.is_empty() {
                // There is no first element to start from.
                return visit(&[], rest);
            }
            let mut work = Vec::with_capacity(parts);
            for columns in threads::bounds(self.width, parts, UNIT) {
                let (part, after) = std::mem::take(&mut rest).split_at_mut(columns.len());
                rest = after;
                work.push((&elements[at + columns.start..], part));
            }
            threads::each(work, |(elements, out)| visit(elements, out));
        });
    }
}
