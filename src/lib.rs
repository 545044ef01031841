//! [tour]: documents::tour
//! [plan]: documents::reading_a_plan
//! [spec]: documents::specification
//! [operations]: documents::operations
//! [emission]: documents::emission
//! [design]: documents::design
//! [architecture]: documents::architecture
//! [reliability]: documents::reliability
//! [acceleration]: documents::acceleration
//! [terminology]: documents::terminology
//! [contributing]: documents::contributing
//! [security]: documents::security
//! [changelog]: documents::changelog
//! [ops]: documents::operations
// README's links lead to files. Of two definitions of a link the first wins: these lead to pages.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(any(doc, doctest))]
pub mod documents;
mod draw;
mod emit;
mod engine;
mod graph;
mod kernel;
mod math;
#[cfg(doctest)]
mod misuse;
mod neural;
mod ops;
mod payload;
mod plan;
mod text;

pub use emit::{
    Emit, EmitError, EmitForm, EmittedModule, ModuleArgument, ModuleResult, ModuleSource,
};
pub use engine::{Coordinate, Gradcheck, gradcheck, gradcheck_second};
pub use engine::{Evaluation, Field, Gradients, NonFinite, Oracle, no_feeds};
pub use graph::{Network, NetworkError, ReinferError, Scope, ShapeError, Stats, Symbol, Value};
pub use kernel::memory::{
    Block, MemoryStats, large_pages, memory_stats, set_large_pages, trim_memory,
};
pub use kernel::reference;
pub use kernel::threads::{set_threads, threads};
pub use kernel::{Binary, Comparison, Elementary, Kernels, Lowering, Numerics, Unary, Window};
pub use kernel::{ColumnsTask, Finish, GemmTask, MapTask, Matrix, Packed};
pub use kernel::{ReduceTask, Reduction, Softmax, SoftmaxTask, TransposeTask};
pub use kernel::{WindowForm, WindowTask};
#[cfg(feature = "checkpoint")]
pub use neural::checkpoint;
pub use neural::{
    Activation, AveragePool, BatchNorm, Conv2d, Dropout, Embedding, Flatten, Layer, LayerNorm,
    MaxPool, Mlp, Module, Neuron, Normalized, Residual, RmsNorm, RunningStatistics, Sequential,
    StatisticsError, causal_mask, init, scaled_dot_product_attention,
    try_scaled_dot_product_attention,
};
pub use neural::{
    Adam, AdamW, Batches, BatchesError, ClipError, Optimizer, OptimizerState, Random, RecordedStep,
    RmsProp, Schedule, Sgd, StateError, StateProblem, StateReader, WrittenError, clip_by_norm,
    clip_by_value,
};
pub use neural::{
    Estimate, FitError, Iterate, Lbfgs, LeastSquaresReport, LevenbergMarquardt, MinimumReport, Stop,
};
pub use ops::{Extent, OperationInfo, operations};
pub use payload::{
    Differentiable, Form, Shape, Stored, Tensor, TensorError, TensorIter, Tensorial,
};
pub use plan::{
    Compile, Description, Divergence, MemoryDescription, Pass, Plan, PlanDiff, PlanError, Profile,
    ReadDescription, Report, Results, StepDescription, StepProfile, ValueDescription,
    WriteDescription,
};
pub use text::{Fingerprint, ParseError, ParseErrorKind};
