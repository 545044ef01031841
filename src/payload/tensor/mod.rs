//! `Tensor`: an immutable, shaped, strided payload over shared storage.
//!
//! INVARIANT: a tensor never changes after it is made. A clone or a view shares storage in O(1);
//! an operation that owns the only handle of a buffer may reuse it, with the same bits.

mod construct;
mod convert;
mod differentiable;
mod display;
mod error;
mod iter;
mod operators;
mod read;
mod reduce;
mod sample;
mod tensorial;
mod view;

#[cfg(test)]
mod tests;

pub use error::TensorError;
pub use iter::TensorIter;

use super::Shape;
use super::layout::Layout;
use super::storage::{Buffer, Storage};
use crate::kernel::Elementary;
use crate::kernel::memory::Block;
use crate::kernel::reference::View;
use std::borrow::Cow;

/// A multi-dimensional array of elements: immutable, cheap to clone, `Send + Sync`.
///
/// Transposition, permutation, narrowing and broadcasting are views that share storage. Elements
/// are stored densely, as one constant (no allocation), as a selection (one-hot rows) or as
/// `bf16`; every form reads as its dense twin does.
///
/// # Example
///
/// ```
/// use poorgrad::Tensor;
///
/// let a = Tensor::from([[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// let column_sums = a.sum_along(&[0]);
/// assert_eq!(column_sums, Tensor::from([5.0, 7.0, 9.0]));
/// assert_eq!(a.transpose().get(&[2, 0]), Some(3.0));
/// assert_eq!((&a - 0.5 * &a).to_vec(), [0.5, 1.0, 1.5, 2.0, 2.5, 3.0]);
/// ```
#[derive(Clone)]
pub struct Tensor<E: Elementary = f32> {
    layout: Layout,
    storage: Storage<E>,
}

impl<E: Elementary> Tensor<E> {
    /// The tensor of elements in row-major order, as many as the shape has.
    fn dense(shape: Shape, elements: impl Into<Block<E>>) -> Self {
        let elements = elements.into();
        debug_assert_eq!(
            elements.len(),
            shape.count(),
            "invariant: one element per index of {shape}"
        );
        Self { layout: Layout::contiguous(shape), storage: Storage::Dense(Buffer::new(elements)) }
    }

    /// The tensor of this one's shape with elements in row-major order.
    #[inline]
    fn with_elements(&self, elements: impl Into<Block<E>>) -> Self {
        let elements = elements.into();
        // COST: copying a layout is a third of the time that making one takes, which shows in
        // small tensors.
        if self.layout.offset() == 0 && self.layout.is_contiguous() {
            return Self {
                layout: self.layout.clone(),
                storage: Storage::Dense(Buffer::new(elements)),
            };
        }
        Self::dense(self.shape().clone(), elements)
    }

    fn constant(shape: Shape, value: E) -> Self {
        Self { layout: Layout::constant(shape), storage: Storage::Constant(value) }
    }

    /// The elements as kernels read them, where the storage has strides.
    #[inline]
    fn strided(&self) -> Option<View<'_, E>> {
        let elements = match &self.storage {
            Storage::Dense(buffer) => buffer.as_slice(),
            Storage::Constant(value) => std::slice::from_ref(value),
            Storage::Selection(_) | Storage::Bfloat16(_) => return None,
        };
        Some(View {
            elements,
            extents: self.layout.shape(),
            strides: self.layout.strides(),
            offset: self.layout.offset(),
        })
    }

    /// This tensor where its storage has strides, else its dense twin.
    fn plain(&self) -> Cow<'_, Self> {
        match &self.storage {
            Storage::Dense(_) | Storage::Constant(_) => Cow::Borrowed(self),
            Storage::Selection(_) | Storage::Bfloat16(_) => {
                Cow::Owned(Self::dense(self.shape().clone(), self.to_vec()))
            }
        }
    }

    /// The elements as kernels read them.
    ///
    /// INVARIANT: only of a tensor that [`Self::plain`] returned.
    #[inline]
    fn view(&self) -> View<'_, E> {
        self.strided().expect("invariant: kernels read the dense twin of other storage")
    }

    /// The single element of constant storage.
    fn as_constant(&self) -> Option<&E> {
        match &self.storage {
            Storage::Constant(value) => Some(value),
            _ => None,
        }
    }
}
