//! A right operand as a kernel of products lays it out, to be read by many of them.

use crate::kernel::Elementary;
use crate::kernel::memory::Block;
use crate::kernel::scratch::LINE;
use std::fmt;

/// A right operand, `k` by `n`, once more: in the order in which the element's own kernel of products reads it.
/// What [`Elementary::pack`] returns, for [`GemmTask::packed`](crate::GemmTask::packed).
///
/// # Example
///
/// ```
/// use poorgrad::{Elementary, GemmTask, Matrix};
///
/// let (a, b) = (vec![1.0_f32; 20 * 30], vec![0.5_f32; 30 * 40]);
/// let (a, b) = (Matrix::new(&a, 30, 1), Matrix::new(&b, 40, 1));
/// let packed = f32::pack(b, [30, 40]).expect("`f32` has a kernel of its own");
/// let mut out = vec![0.0; 20 * 40];
/// assert!(f32::gemm(&mut GemmTask::new([20, 30, 40], a, b, &mut out).packed(&packed)));
/// assert_eq!(out, vec![15.0; 20 * 40]);
/// ```
pub struct Packed<E: Elementary> {
    /// Rows and columns.
    pub(crate) extents: [usize; 2],
    /// Columns that lie together: a kernel reads what was laid out for another one no more than a stranger's.
    pub(crate) panel: usize,
    elements: Block<E>,
    /// The first element on a border of a line of the cache.
    start: usize,
}

impl<E: Elementary> Packed<E> {
    /// Room for `count` elements, which the caller writes.
    pub(crate) fn stale(extents: [usize; 2], panel: usize, count: usize) -> Self {
        let spare = LINE / size_of::<E>().max(1);
        let elements: Block<E> = Block::stale(count + spare);
        let start = elements.as_ptr().align_offset(LINE).min(spare);
        Self { extents, panel, elements, start }
    }

    pub(crate) fn elements(&self) -> &[E] {
        &self.elements[self.start..]
    }

    pub(crate) fn elements_mut(&mut self) -> &mut [E] {
        &mut self.elements[self.start..]
    }
}

impl<E: Elementary> fmt::Debug for Packed<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [k, n] = self.extents;
        write!(f, "Packed {k} x {n} by {}", self.panel)
    }
}
