//! The plan: a tape lowered to a schedule that is fast, readable and the same function to the bit.
//!
//! `compile` takes what is asked for, records the chain rule where gradients are, and sends the
//! schedule through the passes of `passes/`. What comes out is a list of steps over places in one
//! arena, which `execute/` runs.
//!
//! INVARIANT: a plan holds no parameter state. Whatever a pass did, a run has the bits of the
//! interpreter.

mod band;
mod banded;
mod calls;
mod chains;
mod check;
mod compile;
mod describe;
mod diff;
mod emittable;
mod error;
mod execute;
mod item;
mod options;
mod outline;
mod passes;
mod patterns;
mod profile;
mod program;
mod report;
mod results;
mod run;
mod schedule;
#[cfg(test)]
mod tests;
mod verify;

pub(crate) use emittable::Emittable;
pub(crate) use item::{Definition, Id, Item};
pub(crate) use outline::{Lies, Outline};
pub(crate) use patterns::windows::summed_windows;
pub(crate) use schedule::Schedule;

pub use check::Divergence;
pub use compile::Compile;
pub use describe::{
    Description, MemoryDescription, ReadDescription, StepDescription, ValueDescription,
    WriteDescription,
};
pub use diff::PlanDiff;
pub use error::PlanError;
pub use passes::Pass;
pub use profile::{Profile, StepProfile};
pub use report::Report;
pub use results::Results;
pub use run::Plan;
