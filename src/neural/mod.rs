//! What models are made of: initial values, losses, activations, layers, optimisers.
//!
//! INVARIANT: everything here is written with what the crate exports and nothing else, so that a
//! layer or an optimiser from outside is as good as these. It stands above the engine.

mod activation;
pub mod init;
mod layer;
mod loss;
mod mlp;
mod neuron;
mod optimizer;
mod sgd;

pub use activation::Activation;
pub use layer::Layer;
pub use mlp::Mlp;
pub use neuron::Neuron;
pub use optimizer::Optimizer;
pub use sgd::Sgd;
