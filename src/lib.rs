//! `poorgrad`: a complete autodiff compiler stack, small enough to read, fast enough to prefer.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod engine;
mod graph;
mod kernel;
mod math;
mod ops;
mod payload;

pub use engine::{Evaluation, Field, Gradients, NonFinite, Oracle};
pub use graph::{Network, NetworkError, Scope, ShapeError, Symbol, Value};
pub use kernel::reference;
pub use kernel::{Binary, Comparison, Elementary, Kernels, Lowering, Unary};
pub use ops::Extent;
pub use payload::{Differentiable, Shape, Stored, Tensor, TensorError, TensorIter, Tensorial};
