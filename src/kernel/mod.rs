//! Arithmetic over slices: what an element offers, and the loops that use it.
//!
//! A kernel sees slices, extents and strides and knows nothing of tensors, nodes or plans. The
//! definitions under [`reference`] are the meaning of every operation; whatever runs faster
//! (the private `native`) computes the same bits.

/// In test builds notes that a fast path was taken, so that a test can prove it.
macro_rules! takes {
    ($path:literal) => {
        #[cfg(test)]
        $crate::kernel::testing::note($path);
    };
}

pub(crate) mod call;
pub(crate) mod chain;
pub mod element;
pub(crate) mod far;
pub mod map;
pub(crate) mod memory;
pub(crate) mod native;
pub mod numerics;
pub(crate) mod order;
pub mod reference;
pub(crate) mod scratch;
pub(crate) mod simd;
pub mod task;
#[cfg(test)]
pub(crate) mod testing;
pub mod threads;
pub(crate) mod walk;
pub mod window;

pub use element::{Elementary, Kernels, Lowering};
pub use map::{Binary, Comparison, Unary};
pub use numerics::Numerics;
pub use task::{
    ColumnsTask, Finish, GemmTask, MapTask, Matrix, Packed, ReduceTask, Reduction, Softmax,
    SoftmaxTask, TransposeTask, WindowForm, WindowTask,
};
pub use window::Window;
