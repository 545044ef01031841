//! Patterns: groups of steps of known kinds that run as one.
//!
//! A pattern says what matches, how the group runs, and why a near miss missed. This is the one
//! place in the plan that knows particular kernels.

pub(super) mod epilogue;
mod groups;
pub(super) mod sums;
pub(super) mod windows;

use super::item::Id;
use super::schedule::Schedule;
use crate::payload::Tensorial;

/// How many steps read each base, and whether it is a result.
fn readers<P: Tensorial>(schedule: &Schedule<P>) -> Vec<usize> {
    let mut readers = vec![0; schedule.items.len()];
    for step in &schedule.steps {
        let mut bases: Vec<Id> = step.operands.iter().map(|access| access.base).collect();
        bases.sort_unstable();
        bases.dedup();
        bases.iter().for_each(|&base| readers[base as usize] += 1);
    }
    schedule.results.iter().for_each(|&id| readers[id as usize] += 1);
    readers
}
