//! A tensor as a payload: shape, storage, identity.

use super::Tensor;
use crate::kernel::memory::Block;
use crate::kernel::native::as_slice;
use crate::kernel::{Elementary, Lowering, Packed};
use crate::payload::layout::Layout;
use crate::payload::storage::Storage;
use crate::payload::{Differentiable, Form, Shape, Stored, volume_of};
use std::sync::Arc;

impl<E: Elementary> Differentiable for Tensor<E> {
    type Element = E;

    fn form() -> Form {
        Form::Tensor
    }

    fn shape(&self) -> Shape {
        self.layout.shape().clone()
    }

    fn full(shape: &Shape, value: E) -> Self {
        Self::constant(shape.clone(), value)
    }

    fn as_selection(&self) -> Option<&[usize]> {
        match &self.storage {
            Storage::Selection(columns) => Some(columns),
            _ => None,
        }
    }

    fn as_elements(&self) -> Option<&[E]> {
        match &self.storage {
            Storage::Dense(_) => as_slice(self.view()),
            _ => None,
        }
    }

    fn as_packed(&self, [k, n]: [usize; 2], turned: bool) -> Option<&Packed<E>> {
        let Storage::Dense(buffer) = &self.storage else { return None };
        // The whole buffer: what is kept is kept with that.
        let whole = as_slice(self.view())?.len() == buffer.as_slice().len();
        let fits = k.checked_mul(n) == Some(buffer.as_slice().len());
        if whole && fits { buffer.packed([k, n], turned) } else { None }
    }

    fn from_block(shape: &Shape, elements: Block<E>) -> Option<Self> {
        (shape.volume() == Some(elements.len())).then(|| Self::dense(shape.clone(), elements))
    }

    fn stored(&self) -> Stored<E> {
        match &self.storage {
            Storage::Dense(_) => Stored::Dense(self.to_vec()),
            Storage::Constant(value) => Stored::Constant(value.clone()),
            Storage::Selection(columns) => Stored::Selection(columns.to_vec()),
            Storage::Bfloat16(_) => Stored::Bfloat16(self.bf16_bits()),
        }
    }

    fn from_stored(shape: &Shape, stored: Stored<E>) -> Option<Self> {
        let volume = shape.volume()?;
        match stored {
            Stored::Constant(value) => Some(Self::constant(shape.clone(), value)),
            Stored::Dense(elements) => {
                (elements.len() == volume).then(|| Self::dense(shape.clone(), elements))
            }
            Stored::Selection(columns) => {
                let (&classes, leading) = shape.split_last()?;
                let rows = volume_of(leading.iter().copied())?;
                let fits = rows == columns.len() && columns.iter().all(|&column| column < classes);
                fits.then(|| Self::of_columns(shape.clone(), columns))
            }
            Stored::Bfloat16(bits) => {
                let fits = bits.len() == volume && E::lowering() == Lowering::F32;
                fits.then(|| Self {
                    layout: Layout::contiguous(shape.clone()),
                    storage: Storage::Bfloat16(Arc::new(bits)),
                })
            }
        }
    }

    fn for_each(&self, visit: &mut dyn FnMut(&E)) {
        match self.as_slice() {
            Some(elements) => elements.iter().for_each(visit),
            None => self.iter().for_each(|x| visit(&x)),
        }
    }

    fn is_selection(&self) -> bool {
        matches!(self.storage, Storage::Selection(_))
    }

    fn bytes(&self) -> usize {
        self.storage.bytes()
    }

    fn storage_id(&self) -> Option<usize> {
        self.storage.id()
    }
}

impl<E: Elementary> Tensor<E> {
    /// The bits of `bf16` storage in row-major order; of nothing for other storage.
    fn bf16_bits(&self) -> Vec<u16> {
        let Storage::Bfloat16(bits) = &self.storage else { return Vec::new() };
        let walk = crate::kernel::walk::Walk::new(self.layout.shape(), [self.layout.strides()]);
        let mut out = Vec::with_capacity(self.len());
        walk.elements([self.layout.offset()], |[at]| out.push(bits[at]));
        out
    }
}
