//! `Storage`: what a tensor's elements are kept as.
//!
//! INVARIANT: storage never changes while it is shared; the one way to write is a buffer that has
//! a single owner.

use crate::kernel::memory::Block;
use crate::kernel::{Elementary, Matrix, Packed};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// A dense, shared buffer.
pub(crate) struct Buffer<E: Elementary>(Arc<Held<E>>);

struct Held<E: Elementary> {
    elements: Block<E>,
    /// How often it was asked for as products read it.
    asked: AtomicUsize,
    /// The elements once more, as products read them, by rows or by columns.
    packed: OnceLock<Box<(bool, Packed<E>)>>,
}

/// How often elements are asked for as products read them before they are kept so.
///
/// COST: training asks for a parameter once a generation, or twice where it looks at its loss besides. What
/// is kept takes as much memory as the parameter does.
const OFTEN: usize = 2;

impl<E: Elementary> Buffer<E> {
    #[inline]
    pub(crate) fn new(elements: Block<E>) -> Self {
        Self(Arc::new(Held { elements, asked: AtomicUsize::new(0), packed: OnceLock::new() }))
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[E] {
        &self.0.elements
    }

    /// The elements for writing, where nobody else holds the buffer.
    #[inline]
    pub(crate) fn as_mut_slice(&mut self) -> Option<&mut [E]> {
        Arc::get_mut(&mut self.0).map(|held| {
            held.packed.take();
            *held.asked.get_mut() = 0;
            &mut *held.elements
        })
    }

    /// The elements as a right operand, `k` by `n`, as products read it: by its rows, or `turned`, by its
    /// columns. `None` until they have been asked for often.
    pub(crate) fn packed(&self, [k, n]: [usize; 2], turned: bool) -> Option<&Packed<E>> {
        let Held { elements, asked, packed } = &*self.0;
        if packed.get().is_none() {
            // One of those who come at once does it; the others go on without.
            if asked.fetch_add(1, Ordering::Relaxed) != OFTEN {
                return None;
            }
            let (row, column) = if turned { (1, k) } else { (n, 1) };
            let new = E::pack(Matrix::new(elements, row, column), [k, n])?;
            let _ = packed.set(Box::new((turned, new)));
        }
        let (way, packed) = &**packed.get()?;
        (*way == turned && packed.extents == [k, n]).then_some(packed)
    }

    /// An identity of the buffer while it lives.
    pub(crate) fn id(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

impl<E: Elementary> Clone for Buffer<E> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// The forms in which elements are kept.
pub(crate) enum Storage<E: Elementary> {
    /// One element per position of a layout.
    Dense(Buffer<E>),
    /// One element that stands for all: no allocation.
    Constant(E),
    /// One-hot rows along the last axis: the column of each row's 1.
    Selection(Arc<Vec<usize>>),
    /// The upper halves of `f32`s, widened on read.
    Bfloat16(Arc<Vec<u16>>),
}

impl<E: Elementary> Clone for Storage<E> {
    fn clone(&self) -> Self {
        match self {
            Self::Dense(buffer) => Self::Dense(buffer.clone()),
            Self::Constant(value) => Self::Constant(value.clone()),
            Self::Selection(columns) => Self::Selection(Arc::clone(columns)),
            Self::Bfloat16(bits) => Self::Bfloat16(Arc::clone(bits)),
        }
    }
}

impl<E: Elementary> fmt::Debug for Storage<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl<E: Elementary> Storage<E> {
    /// The name that messages print.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Dense(_) => "dense",
            Self::Constant(_) => "constant",
            Self::Selection(_) => "selection",
            Self::Bfloat16(_) => "bf16",
        }
    }

    /// The bytes that the storage keeps alive.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Dense(buffer) => {
                let packed = buffer.0.packed.get().map_or(0, |held| size_of_val(held.1.elements()));
                size_of_val(buffer.as_slice()) + packed
            }
            Self::Constant(_) => 0,
            Self::Selection(columns) => size_of_val(columns.as_slice()),
            Self::Bfloat16(bits) => size_of_val(bits.as_slice()),
        }
    }

    /// An identity of shared storage.
    pub(crate) fn id(&self) -> Option<usize> {
        match self {
            Self::Dense(buffer) => Some(buffer.id()),
            Self::Constant(_) => None,
            Self::Selection(columns) => Some(Arc::as_ptr(columns).addr()),
            Self::Bfloat16(bits) => Some(Arc::as_ptr(bits).addr()),
        }
    }
}

/// The element that `bf16` bits stand for.
pub(crate) fn widen<E: Elementary>(bits: u16) -> E {
    E::from_f64(f64::from(f32::from_bits(u32::from(bits) << 16)))
}

/// The `bf16` nearest to `value`, ties to even. A NaN stays one.
pub(crate) fn narrow_to_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    if value.is_nan() {
        // Rounding could carry a NaN into an infinity; the quiet bit keeps it a NaN.
        return (bits >> 16) as u16 | 0x0040;
    }
    // Half of the last place, less one where the place is even: a carry out of the lower half is
    // exactly a rounding up, into the exponent and to infinity where it must.
    let half = 0x7fff + ((bits >> 16) & 1);
    ((bits + half) >> 16) as u16
}
