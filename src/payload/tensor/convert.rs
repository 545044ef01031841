//! Other element types and narrower storage.

use super::{Layout, Tensor};
use crate::kernel::Elementary;
use crate::payload::storage::{Storage, narrow_to_bf16};
use std::sync::Arc;

impl<E: Elementary> Tensor<E> {
    fn converted<F: Elementary>(&self, convert: impl Fn(E) -> F) -> Tensor<F> {
        match &self.storage {
            Storage::Selection(columns) => Tensor {
                layout: self.layout.clone(),
                storage: Storage::Selection(Arc::clone(columns)),
            },
            _ => self.map(convert),
        }
    }

    /// The same tensor over `f64`. A selection stays one, a constant too.
    #[must_use]
    pub fn to_f64(&self) -> Tensor<f64> {
        self.converted(|x| x.to_f64())
    }

    /// The same tensor over `f32`, each element rounded to the nearest.
    #[must_use]
    pub fn to_f32(&self) -> Tensor<f32> {
        self.converted(|x| f32::from_f64(x.to_f64()))
    }
}

impl Tensor<f32> {
    /// The elements rounded to `bf16`, nearest and ties to even, and widened whenever they are
    /// read: half the bytes, for forward passes.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Tensor;
    ///
    /// let weights = Tensor::from([1.0_f32, 1.003_906_3, -2.5]).to_bf16();
    /// assert_eq!(weights, Tensor::from([1.0, 1.0, -2.5]));
    /// ```
    #[must_use]
    pub fn to_bf16(&self) -> Self {
        if let Storage::Bfloat16(_) = self.storage {
            return self.clone();
        }
        let bits = self.iter().map(narrow_to_bf16).collect();
        let layout = Layout::contiguous(self.shape().clone());
        Self { layout, storage: Storage::Bfloat16(Arc::new(bits)) }
    }
}
