//! The interpreter: forward runs, gradients, derivatives on the tape, fields and generations.
//!
//! The engine executes the tape as it stands and knows no plan. It is the specification in
//! executable form.

pub(crate) mod chain_rule;
pub(crate) mod differentiate;
mod directional;
mod entries;
mod evaluation;
pub(crate) mod feeds;
pub(crate) mod field;
pub(crate) mod forward;
mod gradcheck;
mod interpreter;
mod jacobian;
mod nonfinite;
mod update;

pub use evaluation::Evaluation;
pub use field::{Field, Gradients};
pub use forward::{Oracle, no_feeds};
pub use gradcheck::{Coordinate, Gradcheck, gradcheck, gradcheck_second};
pub use nonfinite::NonFinite;
