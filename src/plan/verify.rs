//! `verify`: whether a schedule is right on its own terms.
//!
//! INVARIANT: nothing here is shared with the passes that made the schedule. What a layout means is
//! followed index by index, and what lies where is played through step by step.

mod accesses;
mod bands;
mod cover;
mod places;
#[cfg(test)]
mod tests;

use super::schedule::Schedule;
use crate::payload::Tensorial;

/// What is wrong with a schedule: the first fault that is found, in words.
pub(super) fn verify<P: Tensorial>(schedule: &Schedule<P>) -> Result<(), String> {
    graph(schedule)?;
    if !schedule.access.is_empty() {
        accesses::accesses(schedule)?;
    }
    if !schedule.steps.is_empty() {
        cover::cover(schedule)?;
    }
    bands::bands(schedule)?;
    if !schedule.homes.is_empty() {
        places::places(schedule)?;
    }
    Ok(())
}

fn fault<T>(message: String) -> Result<T, String> {
    Err(message)
}

/// Operands come first; results exist.
fn graph<P: Tensorial>(schedule: &Schedule<P>) -> Result<(), String> {
    for (id, item) in schedule.items.iter().enumerate() {
        if let Some(&operand) = item.operands.iter().find(|&&operand| operand as usize >= id) {
            return fault(format!("item {id} reads item {operand}, which does not come before it"));
        }
        if item.definition.is_source() && !item.operands.is_empty() {
            return fault(format!("item {id} is a source with operands"));
        }
    }
    match schedule.results.iter().find(|&&id| id as usize >= schedule.items.len()) {
        Some(id) => fault(format!("result {id} is no item")),
        None => Ok(()),
    }
}
