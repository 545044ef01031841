//! The integration suite: one binary, one module for each promise or part.

mod cases;
#[cfg(feature = "checkpoint")]
mod checkpoints;
#[cfg(feature = "checkpoint")]
mod checkpoints_limits;
mod constraints;
mod conventions;
mod deep;
mod documents;
mod elements;
mod emission;
mod engine;
mod filetests;
mod fitting;
mod forks;
mod golden;
mod gradients;
mod jacobians;
mod layers;
mod movement;
mod neural;
mod nist;
mod operations_document;
mod optimizers;
mod parallel;
mod plans;
mod plans_deep;
mod plans_generations;
mod plans_refused;
mod plans_shared;
mod plans_sources;
mod plans_training;
mod properties;
mod referees;
mod refusal;
mod refused;
mod reinferred;
mod text;
mod threads;
