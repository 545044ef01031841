//! What models are made of: initial values, losses, activations, parts, optimisers.
//!
//! INVARIANT: everything here is written with what the crate exports and nothing else, so that a
//! layer or an optimiser from outside is as good as these. It stands above the engine.

mod activation;
mod adam;
mod adam_w;
mod algebra;
mod attention;
mod batch_norm;
mod batches;
#[cfg(feature = "checkpoint")]
pub mod checkpoint;
mod clip;
mod conv2d;
mod dropout;
mod embedding;
mod fitting;
pub mod init;
mod layer;
mod loss;
mod mlp;
mod module;
mod neuron;
mod norm;
mod optimizer;
mod pool;
mod random;
mod recorded_step;
mod rms_prop;
mod rule;
mod running_statistics;
mod schedule;
mod sequential;
mod sgd;
mod state;
mod written;

pub use activation::Activation;
pub use adam::Adam;
pub use adam_w::AdamW;
pub use attention::{causal_mask, scaled_dot_product_attention, try_scaled_dot_product_attention};
pub use batch_norm::{BatchNorm, Normalized};
pub use batches::{Batches, BatchesError};
pub use clip::{ClipError, clip_by_norm, clip_by_value};
pub use conv2d::Conv2d;
pub use dropout::Dropout;
pub use embedding::Embedding;
pub use fitting::{
    Estimate, FitError, Iterate, Lbfgs, LeastSquaresReport, LevenbergMarquardt, MinimumReport, Stop,
};
pub use layer::Layer;
pub use mlp::Mlp;
pub use module::Module;
pub use neuron::Neuron;
pub use norm::{LayerNorm, RmsNorm};
pub use optimizer::Optimizer;
pub use pool::{AveragePool, Flatten, MaxPool};
pub use random::Random;
pub use recorded_step::RecordedStep;
pub use rms_prop::RmsProp;
pub use running_statistics::{RunningStatistics, StatisticsError};
pub use schedule::Schedule;
pub use sequential::{Residual, Sequential};
pub use sgd::Sgd;
pub use state::{OptimizerState, StateError, StateProblem, StateReader};
pub use written::WrittenError;
