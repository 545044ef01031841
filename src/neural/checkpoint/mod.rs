//! Checkpoints: networks, and all that a training run needs to go on, in files.
//!
//! A [`Checkpoint`] is arrays by name and notes (short texts by name). It comes from and goes to
//! `safetensors` files and NumPy's `.npz` and `.npy`. [`save`] and [`load`] are the short way for the parameters of a network, by
//! their paths; a run that goes on bit for bit also keeps its optimiser
//! ([`Checkpoint::put_optimizer`], [`Checkpoint::resume`]) and, as notes, what it follows and where it
//! stands: the [`Schedule`](crate::Schedule) and the [`Batches`](crate::Batches) in their written form,
//! which are functions of the step, and the step.
//!
//! INVARIANT: whatever a file says, reading it does not panic and takes memory in proportion to the
//! file; and a file that does not fit changes nothing: loading gives a new generation or an error that
//! names everything that is missing, left over or of another shape.

mod array;
mod contents;
mod dtype;
mod error;
mod file;
mod header;
mod index;
mod load;
mod loader;
mod notes;
mod npy;
mod npy_header;
mod npz;
mod real;
mod safetensors;

pub use array::Array;
pub use contents::Checkpoint;
pub use dtype::Dtype;
pub use error::{CheckpointError, Mismatch};
pub use file::{load, save};
pub use loader::Loader;
pub use real::Real;
