//! Payloads: shapes, layouts, storage, tensors, scalars, and the open traits they implement.

mod brief;
mod differentiable;
pub(crate) mod layout;
mod scalar;
mod shape;
mod storage;
mod tensor;
mod windowed;

pub(crate) use brief::Brief;
pub use differentiable::{Differentiable, Form, Stored, Tensorial};
pub use shape::Shape;
pub(crate) use shape::volume_of;
pub use tensor::{Tensor, TensorError, TensorIter};
