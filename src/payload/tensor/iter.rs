//! `TensorIter`: the elements in logical row-major order.
//!
//! INVARIANT: stepping costs an addition; axes further out are touched once per row. No element
//! costs a division.

use super::Tensor;
use crate::kernel::Elementary;
use crate::kernel::walk::{Axis, Walk};
use crate::payload::storage::{Storage, widen};
use std::iter::FusedIterator;

/// The iterator of [`Tensor::iter`].
#[derive(Debug)]
pub struct TensorIter<'a, E: Elementary>(Source<'a, E>);

#[derive(Debug)]
enum Source<'a, E> {
    /// Dense elements in row-major order.
    Slice(std::slice::Iter<'a, E>),
    Rows(Rows<'a, E>),
}

/// A pass over any storage, row by row.
#[derive(Debug)]
struct Rows<'a, E> {
    elements: Elements<'a, E>,
    left: usize,
    at: usize,
    in_row: usize,
    row: Axis<1>,
    outer: Vec<(Axis<1>, usize)>,
}

/// What a position of the walk reads.
#[derive(Debug)]
enum Elements<'a, E> {
    Dense(&'a [E]),
    Constant(&'a E),
    Selection { columns: &'a [usize], classes: usize, row: usize, column: usize },
    Bfloat16(&'a [u16]),
}

impl<'a, E: Elementary> TensorIter<'a, E> {
    pub(super) fn new(tensor: &'a Tensor<E>) -> Self {
        Self(match tensor.as_slice() {
            Some(elements) => Source::Slice(elements.iter()),
            None => Source::Rows(Rows::new(tensor)),
        })
    }
}

impl<'a, E: Elementary> Rows<'a, E> {
    fn new(tensor: &'a Tensor<E>) -> Self {
        let elements = match &tensor.storage {
            Storage::Dense(buffer) => Elements::Dense(buffer.as_slice()),
            Storage::Constant(value) => Elements::Constant(value),
            Storage::Selection(columns) => Elements::Selection {
                columns,
                classes: tensor.shape().last().copied().unwrap_or(0),
                row: 0,
                column: 0,
            },
            Storage::Bfloat16(bits) => Elements::Bfloat16(bits),
        };
        let walk = Walk::new(tensor.shape(), [tensor.layout.strides()]);
        let row = walk.inner();
        let outer = match walk.axes() {
            [outer @ .., _] => outer.iter().map(|&axis| (axis, 0)).collect(),
            [] => Vec::new(),
        };
        Self { elements, left: tensor.len(), at: tensor.layout.offset(), in_row: 0, row, outer }
    }

    /// Moves from the end of a row to the start of the next.
    #[cold]
    fn next_row(&mut self) {
        self.in_row = 0;
        self.at = self.at.wrapping_sub(self.row.extent.wrapping_mul(self.row.strides[0]));
        for (axis, index) in self.outer.iter_mut().rev() {
            *index += 1;
            self.at = self.at.wrapping_add(axis.strides[0]);
            if *index < axis.extent {
                return;
            }
            *index = 0;
            self.at = self.at.wrapping_sub(axis.extent.wrapping_mul(axis.strides[0]));
        }
    }

    #[inline]
    fn next(&mut self) -> Option<E> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let element = match &mut self.elements {
            Elements::Dense(elements) => elements[self.at].clone(),
            Elements::Constant(value) => value.clone(),
            Elements::Bfloat16(bits) => widen(bits[self.at]),
            Elements::Selection { columns, classes, row, column } => {
                let hot = columns[*row] == *column;
                *column += 1;
                if column == classes {
                    (*row, *column) = (*row + 1, 0);
                }
                if hot { E::one() } else { E::zero() }
            }
        };
        self.at = self.at.wrapping_add(self.row.strides[0]);
        self.in_row += 1;
        if self.in_row == self.row.extent && self.left > 0 {
            self.next_row();
        }
        Some(element)
    }
}

impl<E: Elementary> Iterator for TensorIter<'_, E> {
    type Item = E;

    #[inline]
    fn next(&mut self) -> Option<E> {
        match &mut self.0 {
            Source::Slice(elements) => elements.next().cloned(),
            Source::Rows(rows) => rows.next(),
        }
    }

    fn fold<B, F: FnMut(B, E) -> B>(self, init: B, mut f: F) -> B {
        match self.0 {
            Source::Slice(elements) => elements.fold(init, |folded, x| f(folded, x.clone())),
            Source::Rows(mut rows) => {
                let mut folded = init;
                while let Some(element) = rows.next() {
                    folded = f(folded, element);
                }
                folded
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = match &self.0 {
            Source::Slice(elements) => elements.len(),
            Source::Rows(rows) => rows.left,
        };
        (left, Some(left))
    }
}

impl<E: Elementary> ExactSizeIterator for TensorIter<'_, E> {}
impl<E: Elementary> FusedIterator for TensorIter<'_, E> {}

impl<'a, E: Elementary> IntoIterator for &'a Tensor<E> {
    type Item = E;
    type IntoIter = TensorIter<'a, E>;
    fn into_iter(self) -> TensorIter<'a, E> {
        self.iter()
    }
}
