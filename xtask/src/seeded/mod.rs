//! Faults put into the code, which tests must catch: what a suite is worth shows in what it catches.
//!
//! All are in one build, each behind a number that the environment brings: a build for each would take as long as
//! all runs together. They stand in a copy of the repository.

mod compile;
mod copy;
mod faults;
mod mutants;
mod mutate;
mod table;
mod trial;
mod weave;

pub use faults::faults;
pub use mutants::{Wanted, mutants};
