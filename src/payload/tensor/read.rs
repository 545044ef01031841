//! Reading a tensor: extents, elements, equality.

use super::{Tensor, TensorError, TensorIter};
use crate::kernel::{Elementary, native};
use crate::payload::Shape;
use crate::payload::storage::{Storage, widen};
use std::cmp::Ordering;

impl<E: Elementary> Tensor<E> {
    /// The extents.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        self.layout.shape()
    }

    /// The number of axes.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shape().rank()
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.layout.count()
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shape().contains(&0)
    }

    /// The only element.
    ///
    /// # Panics
    ///
    /// Panics where there is not exactly one; see [`Tensor::try_item`].
    #[track_caller]
    #[must_use]
    pub fn item(&self) -> E {
        match self.try_item() {
            Ok(item) => item,
            Err(error) => error.raise(),
        }
    }

    /// As [`Tensor::item`], with an error where there is not exactly one element.
    ///
    /// # Errors
    ///
    /// [`TensorError::NotOne`].
    pub fn try_item(&self) -> Result<E, TensorError> {
        let mut elements = self.iter();
        match (elements.next(), elements.next()) {
            (Some(item), None) => Ok(item),
            _ => Err(TensorError::NotOne { shape: self.shape().clone() }),
        }
    }

    /// The element at an index, `None` where the index has another rank or leaves the extents.
    #[must_use]
    pub fn get(&self, index: &[usize]) -> Option<E> {
        let position = self.layout.position(index)?;
        Some(match &self.storage {
            Storage::Dense(buffer) => buffer.as_slice()[position].clone(),
            Storage::Constant(value) => value.clone(),
            Storage::Bfloat16(bits) => widen(bits[position]),
            Storage::Selection(columns) => {
                let classes = self.shape()[self.rank() - 1];
                let hot = columns[position / classes] == position % classes;
                if hot { E::one() } else { E::zero() }
            }
        })
    }

    /// The elements in row-major order, whatever the storage.
    #[must_use]
    pub fn iter(&self) -> TensorIter<'_, E> {
        TensorIter::new(self)
    }

    /// The elements in place, where they are dense and lie in row-major order.
    #[must_use]
    pub fn as_slice(&self) -> Option<&[E]> {
        match &self.storage {
            Storage::Dense(buffer) if self.layout.is_contiguous() => {
                let (start, count) = (self.layout.offset(), self.len());
                Some(if count == 0 { &[] } else { &buffer.as_slice()[start..start + count] })
            }
            _ => None,
        }
    }

    /// The elements in row-major order, copied.
    #[must_use]
    pub fn to_vec(&self) -> Vec<E> {
        match &self.storage {
            Storage::Dense(_) | Storage::Constant(_) => match self.as_slice() {
                Some(elements) => elements.to_vec(),
                None => native::copy(self.view()).into_vec(),
            },
            Storage::Selection(columns) => {
                let classes = self.shape()[self.rank() - 1];
                let mut elements = vec![E::zero(); self.len()];
                for (row, &column) in columns.iter().enumerate() {
                    elements[row * classes + column] = E::one();
                }
                elements
            }
            Storage::Bfloat16(_) => self.iter().collect(),
        }
    }

    /// The columns of a selection, in row-major order of the leading axes; `None` where the
    /// tensor is stored otherwise.
    #[must_use]
    pub fn columns(&self) -> Option<&[usize]> {
        match &self.storage {
            Storage::Selection(columns) => Some(columns),
            _ => None,
        }
    }

    /// Whether shapes and all bits agree; NaN agrees with NaN, `-0` does not with `+0`.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Tensor;
    ///
    /// let (a, b) = (Tensor::from([0.0, f64::NAN]), Tensor::from([-0.0, f64::NAN]));
    /// assert!(a.is_identical(&a) && !a.is_identical(&b));
    /// assert_ne!(a, a); // by value, NaN equals nothing
    /// ```
    #[must_use]
    pub fn is_identical(&self, other: &Self) -> bool {
        let bytes = |x: &E, bytes: &mut Vec<u8>| {
            bytes.clear();
            x.write_bytes(bytes);
        };
        let (mut left, mut right) = (Vec::new(), Vec::new());
        self.shape() == other.shape()
            && self.iter().zip(other.iter()).all(|(a, b)| {
                bytes(&a, &mut left);
                bytes(&b, &mut right);
                left == right || (a.is_nan() && b.is_nan())
            })
    }
}

/// Equal shapes and equal values, as IEEE compares them: `-0` equals `+0`, NaN equals nothing. How
/// the elements are stored does not matter.
impl<E: Elementary> PartialEq for Tensor<E> {
    fn eq(&self, other: &Self) -> bool {
        self.shape() == other.shape()
            && self.iter().zip(other.iter()).all(|(a, b)| a.order(&b) == Some(Ordering::Equal))
    }
}
