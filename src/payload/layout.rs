//! `Layout`: where the elements of a shape lie in a buffer.
//!
//! INVARIANT: every index of `shape` reaches an element of the buffer that the layout was made
//! for. Views only rearrange extents, strides and the offset, in O(rank), so they keep it; a
//! stride of 0 repeats an element.

use super::Shape;
use crate::kernel::native::is_contiguous;

#[cfg(test)]
mod tests;

#[derive(Clone, Debug)]
pub(crate) struct Layout {
    shape: Shape,
    // Another short list of numbers, inline up to rank 4 as the extents are.
    strides: Shape,
    offset: usize,
}

impl Layout {
    /// Row-major from the start of the buffer.
    #[inline]
    pub(crate) fn contiguous(shape: Shape) -> Self {
        let strides = shape.strides();
        Self { shape, strides, offset: 0 }
    }

    /// One element for every index.
    #[inline]
    pub(crate) fn constant(shape: Shape) -> Self {
        let strides = Shape::from_fn(shape.rank(), |_| 0);
        Self { shape, strides, offset: 0 }
    }

    #[inline]
    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    #[inline]
    pub(crate) fn strides(&self) -> &[usize] {
        &self.strides
    }

    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// The number of elements; the shape was checked when it was made.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.shape.count()
    }

    /// Whether the elements lie side by side in row-major order.
    #[inline]
    pub(crate) fn is_contiguous(&self) -> bool {
        is_contiguous(&self.shape, &self.strides)
    }

    /// The position of an index in the buffer, `None` outside the extents.
    pub(crate) fn position(&self, index: &[usize]) -> Option<usize> {
        let fits = index.len() == self.shape.rank()
            && index.iter().zip(self.shape.iter()).all(|(i, extent)| i < extent);
        fits.then(|| {
            index
                .iter()
                .zip(self.strides.iter())
                .fold(self.offset, |at, (i, stride)| at + i * stride)
        })
    }

    /// Axis `i` of the result is axis `axes[i]`.
    pub(crate) fn permute(&self, axes: &[usize]) -> Self {
        let of = |list: &Shape| Shape::from_fn(axes.len(), |i| list[axes[i]]);
        Self { shape: of(&self.shape), strides: of(&self.strides), offset: self.offset }
    }

    /// `length` positions of `axis` from `start`.
    pub(crate) fn narrow(&self, axis: usize, start: usize, length: usize) -> Self {
        Self {
            shape: self.shape.with_extent(axis, length),
            strides: self.strides.clone(),
            // An empty view reads nothing; its offset stays inside the buffer. (The strides of an
            // empty shape may have wrapped.)
            offset: if length == 0 || self.shape.contains(&0) {
                self.offset
            } else {
                self.offset + start * self.strides[axis]
            },
        }
    }

    /// Axis `i` becomes axis `axes[i]` (ascending) of `shape`, kept or repeated; axes of `shape`
    /// that are not named repeat the whole.
    pub(crate) fn broadcast(&self, shape: &Shape, axes: &[usize]) -> Self {
        let strides =
            Shape::from_fn(shape.rank(), |to| match axes.iter().position(|&axis| axis == to) {
                Some(from) if self.shape[from] == shape[to] => self.strides[from],
                _ => 0,
            });
        Self { shape: shape.clone(), strides, offset: self.offset }
    }

    /// Windows of `size` along `axis`; the position in the window is a new last axis.
    pub(crate) fn unfold(&self, axis: usize, size: usize, step: usize, dilation: usize) -> Self {
        let (rank, stride) = (self.shape.rank(), self.strides[axis]);
        let reach = dilation * (size - 1) + 1;
        let windows = self.shape[axis].checked_sub(reach).map_or(0, |room| room / step + 1);
        Self {
            shape: self.shape.with_extent(axis, windows).with_axis(rank, size),
            // Wraps only where there is at most one window, and then no step is taken.
            strides: self
                .strides
                .with_extent(axis, stride.wrapping_mul(step))
                .with_axis(rank, stride.wrapping_mul(dilation)),
            offset: self.offset,
        }
    }

    /// The same elements in the same order under another shape of the same volume, where strides
    /// can express that.
    pub(crate) fn reshape(&self, shape: &Shape) -> Option<Self> {
        if self.is_contiguous() {
            return Some(Self { offset: self.offset, ..Self::contiguous(shape.clone()) });
        }
        let old = (0..self.shape.rank()).filter(|&axis| self.shape[axis] != 1).collect::<Vec<_>>();
        let mut strides = vec![0; shape.rank()];
        let (mut from, mut to) = (0, 0);
        while from < old.len() && to < shape.rank() {
            // The shortest runs of old and of new axes with equal volumes.
            let (first_from, first_to) = (from, to);
            let (mut volume_from, mut volume_to) = (self.shape[old[from]], shape[to]);
            (from, to) = (from + 1, to + 1);
            while volume_from != volume_to {
                if volume_from < volume_to {
                    volume_from *= self.shape[old[from]];
                    from += 1;
                } else {
                    volume_to *= shape[to];
                    to += 1;
                }
            }
            let run = &old[first_from..from];
            let steps_as_one = run
                .windows(2)
                .all(|pair| self.strides[pair[0]] == self.shape[pair[1]] * self.strides[pair[1]]);
            if !steps_as_one {
                return None;
            }
            let mut stride = self.strides[old[from - 1]];
            for axis in (first_to..to).rev() {
                strides[axis] = stride;
                stride *= shape[axis];
            }
        }
        Some(Self { shape: shape.clone(), strides: Shape::from(strides), offset: self.offset })
    }
}
