//! Payloads: shapes, layouts, storage, tensors, scalars, and the open traits they implement.

mod differentiable;
pub(crate) mod layout;
mod scalar;
mod shape;
mod storage;
mod tensor;
mod windowed;

pub use differentiable::{Differentiable, Form, Stored, Tensorial};
pub use shape::Shape;
pub use tensor::{Tensor, TensorError, TensorIter};
