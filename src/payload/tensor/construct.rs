//! How tensors are made.
//!
//! INVARIANT: every constructor checks the volume of its shape before anything is allocated.

use super::{Tensor, TensorError};
use crate::kernel::Elementary;
use crate::kernel::memory::Block;
use crate::payload::Shape;
use crate::payload::layout::Layout;
use crate::payload::storage::Storage;
use std::sync::Arc;

pub(super) fn checked(shape: Shape) -> Result<(Shape, usize), TensorError> {
    match shape.volume() {
        Some(volume) => Ok((shape, volume)),
        None => Err(TensorError::Overflow { shape }),
    }
}

impl<E: Elementary> Tensor<E> {
    /// The tensor of `shape` with these elements in row-major order.
    ///
    /// # Panics
    ///
    /// Panics where the number of elements is not the volume of the shape; see
    /// [`Tensor::try_new`].
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Tensor;
    ///
    /// let t = Tensor::new([2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    /// assert_eq!(t.get(&[1, 0]), Some(4.0));
    /// assert!(Tensor::try_new([2, 3], vec![1.0]).is_err());
    /// ```
    #[track_caller]
    #[must_use]
    pub fn new(shape: impl Into<Shape>, elements: Vec<E>) -> Self {
        match Self::try_new(shape, elements) {
            Ok(tensor) => tensor,
            Err(error) => error.raise(),
        }
    }

    /// As [`Tensor::new`], with an error for a number of elements that does not fit.
    ///
    /// # Errors
    ///
    /// [`TensorError::Length`] or [`TensorError::Overflow`].
    pub fn try_new(shape: impl Into<Shape>, elements: Vec<E>) -> Result<Self, TensorError> {
        let (shape, volume) = checked(shape.into())?;
        if volume != elements.len() {
            return Err(TensorError::Length { shape, got: elements.len() });
        }
        Ok(Self::dense(shape, elements))
    }

    /// `value` everywhere, without allocation.
    ///
    /// # Panics
    ///
    /// Panics where the volume of the shape overflows; see [`Tensor::try_full`].
    #[track_caller]
    #[must_use]
    pub fn full(shape: impl Into<Shape>, value: E) -> Self {
        match Self::try_full(shape, value) {
            Ok(tensor) => tensor,
            Err(error) => error.raise(),
        }
    }

    /// As [`Tensor::full`], with an error for a volume that overflows.
    ///
    /// # Errors
    ///
    /// [`TensorError::Overflow`].
    pub fn try_full(shape: impl Into<Shape>, value: E) -> Result<Self, TensorError> {
        let (shape, _) = checked(shape.into())?;
        Ok(Self::constant(shape, value))
    }

    /// 0 everywhere, without allocation.
    ///
    /// # Panics
    ///
    /// Panics where the volume of the shape overflows.
    #[track_caller]
    #[must_use]
    pub fn zeros(shape: impl Into<Shape>) -> Self {
        Self::full(shape, E::zero())
    }

    /// 1 everywhere, without allocation.
    ///
    /// # Panics
    ///
    /// Panics where the volume of the shape overflows.
    #[track_caller]
    #[must_use]
    pub fn ones(shape: impl Into<Shape>) -> Self {
        Self::full(shape, E::one())
    }

    /// The tensor of shape `[]` with this element.
    #[must_use]
    pub fn scalar(value: E) -> Self {
        Self::constant(Shape::scalar(), value)
    }

    /// The identity matrix of `n` rows.
    ///
    /// # Panics
    ///
    /// Panics where the volume overflows.
    #[track_caller]
    #[must_use]
    pub fn eye(n: usize) -> Self {
        Self::from_fn([n, n], |index| if index[0] == index[1] { E::one() } else { E::zero() })
    }

    /// The vector `0, 1, .., count - 1`.
    ///
    /// # Panics
    ///
    /// Panics where the volume overflows.
    #[track_caller]
    #[must_use]
    pub fn arange(count: usize) -> Self {
        Self::from_fn([count], |index| E::from_f64(index[0] as f64))
    }

    /// The tensor of `shape` whose element at each index is `element(index)`, called in row-major
    /// order.
    ///
    /// # Panics
    ///
    /// Panics where the volume of the shape overflows.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Tensor;
    ///
    /// let table = Tensor::from_fn([2, 2], |index| (10 * index[0] + index[1]) as f64);
    /// assert_eq!(table.to_vec(), [0.0, 1.0, 10.0, 11.0]);
    /// ```
    #[track_caller]
    #[must_use]
    pub fn from_fn(shape: impl Into<Shape>, mut element: impl FnMut(&[usize]) -> E) -> Self {
        let (shape, volume) = match checked(shape.into()) {
            Ok(checked) => checked,
            Err(error) => error.raise(),
        };
        let mut index = vec![0; shape.rank()];
        let mut elements = Block::stale(volume);
        for place in elements.iter_mut() {
            *place = element(&index);
            for axis in (0..index.len()).rev() {
                index[axis] += 1;
                if index[axis] < shape[axis] {
                    break;
                }
                index[axis] = 0;
            }
        }
        Self::dense(shape, elements)
    }

    /// One-hot rows `[columns.len(), classes]`, stored as their columns alone.
    ///
    /// # Panics
    ///
    /// Panics where a column is not below `classes`; see [`Tensor::try_selection`].
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Tensor;
    ///
    /// let labels = Tensor::<f32>::selection(&[2, 0], 3);
    /// assert_eq!(labels, Tensor::from([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]));
    /// ```
    #[track_caller]
    #[must_use]
    pub fn selection(columns: &[usize], classes: usize) -> Self {
        match Self::try_selection(columns, classes) {
            Ok(tensor) => tensor,
            Err(error) => error.raise(),
        }
    }

    /// As [`Tensor::selection`], with an error for a column that is not below `classes`.
    ///
    /// # Errors
    ///
    /// [`TensorError::Column`] or [`TensorError::Overflow`].
    pub fn try_selection(columns: &[usize], classes: usize) -> Result<Self, TensorError> {
        Self::try_selection_shaped([columns.len()], columns, classes)
    }

    /// One-hot rows `[..leading, classes]`, one column per index of `leading`.
    ///
    /// # Panics
    ///
    /// Panics as [`Tensor::try_selection_shaped`] fails.
    #[track_caller]
    #[must_use]
    pub fn selection_shaped(leading: impl Into<Shape>, columns: &[usize], classes: usize) -> Self {
        match Self::try_selection_shaped(leading, columns, classes) {
            Ok(tensor) => tensor,
            Err(error) => error.raise(),
        }
    }

    /// As [`Tensor::selection_shaped`], with an error where columns and shape don't fit.
    ///
    /// # Errors
    ///
    /// [`TensorError::Column`], [`TensorError::Length`] or [`TensorError::Overflow`].
    pub fn try_selection_shaped(
        leading: impl Into<Shape>,
        columns: &[usize],
        classes: usize,
    ) -> Result<Self, TensorError> {
        let (leading, rows) = checked(leading.into())?;
        if rows != columns.len() {
            return Err(TensorError::Length { shape: leading, got: columns.len() });
        }
        if let Some(row) = columns.iter().position(|&column| column >= classes) {
            return Err(TensorError::Column { row, column: columns[row], classes });
        }
        let (shape, _) = checked(leading.with_axis(leading.rank(), classes))?;
        Ok(Self::of_columns(shape, columns.to_vec()))
    }

    /// The selection of `shape` with columns that are known to fit.
    pub(super) fn of_columns(shape: Shape, columns: Vec<usize>) -> Self {
        Self { layout: Layout::contiguous(shape), storage: Storage::Selection(Arc::new(columns)) }
    }
}

/// A vector; [`Tensor::new`] takes any shape beside the elements.
impl<E: Elementary> From<Vec<E>> for Tensor<E> {
    fn from(elements: Vec<E>) -> Self {
        Self::dense(Shape::from([elements.len()]), elements)
    }
}

/// A vector of clones; [`Tensor::new`] takes any shape beside the elements.
impl<E: Elementary> From<&[E]> for Tensor<E> {
    fn from(elements: &[E]) -> Self {
        Self::from(elements.to_vec())
    }
}

/// A vector.
impl<E: Elementary, const N: usize> From<[E; N]> for Tensor<E> {
    fn from(elements: [E; N]) -> Self {
        Self::from(Vec::from(elements))
    }
}

/// A matrix, row by row. Beyond two dimensions, `Tensor::new(shape, vec)` takes the elements in
/// row-major order: see [`Tensor::new`].
impl<E: Elementary, const N: usize, const M: usize> From<[[E; M]; N]> for Tensor<E> {
    fn from(rows: [[E; M]; N]) -> Self {
        Self::dense(Shape::from([N, M]), rows.into_iter().flatten().collect::<Vec<_>>())
    }
}
