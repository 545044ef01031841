//! What models are made of: initial values, losses, activations, layers, optimisers.
//!
//! INVARIANT: everything here is written with what the crate exports and nothing else, so that a
//! layer or an optimiser from outside is as good as these. It stands above the engine.

mod activation;
mod adam;
mod adam_w;
mod algebra;
mod attention;
mod batches;
#[cfg(feature = "checkpoint")]
pub mod checkpoint;
mod fitting;
pub mod init;
mod layer;
mod loss;
mod mlp;
mod neuron;
mod optimizer;
mod random;
mod recorded_step;
mod rms_prop;
mod rule;
mod sgd;
mod state;

pub use activation::Activation;
pub use adam::Adam;
pub use adam_w::AdamW;
pub use attention::{causal_mask, scaled_dot_product_attention};
pub use batches::{Batches, BatchesError};
pub use fitting::{
    Estimate, FitError, Iterate, Lbfgs, LeastSquaresReport, LevenbergMarquardt, MinimumReport, Stop,
};
pub use layer::Layer;
pub use mlp::Mlp;
pub use neuron::Neuron;
pub use optimizer::Optimizer;
pub use random::Random;
pub use recorded_step::RecordedStep;
pub use rms_prop::RmsProp;
pub use sgd::Sgd;
pub use state::{OptimizerState, StateError, StateProblem, StateReader};
