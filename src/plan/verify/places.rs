//! Whether what a step reads lies where it is read, played through step by step.

use super::fault;
use crate::payload::Tensorial;
use crate::plan::item::Id;
use crate::plan::schedule::{Access, Home, Schedule, Work};
use std::collections::BTreeMap;

/// Plays the steps through: what each reads must lie where it is read, whole.
pub(super) fn places<P: Tensorial>(schedule: &Schedule<P>) -> Result<(), String> {
    let mut memory = Memory::default();
    for (number, step) in schedule.steps.iter().enumerate() {
        for access in &step.operands {
            let base = access.base;
            if schedule.is_source(base) {
                continue;
            }
            if !memory.holds(schedule, base) {
                return fault(format!("step {number} reads item {base}, which does not lie there"));
            }
            if reach(access) > schedule.item(base).count() {
                return fault(format!("step {number} reads past the end of item {base}"));
            }
        }
        let writes: Vec<(Id, Option<(usize, usize)>)> =
            step.outputs.iter().map(|&id| (id, arena(schedule, id))).collect();
        for (at, (id, place)) in writes.iter().enumerate() {
            let Some((start, end)) = *place else {
                if !matches!(schedule.homes[*id as usize], Home::Result(_)) && !empty(schedule, *id)
                {
                    return fault(format!("step {number} writes item {id}, which has no place"));
                }
                memory.results.push(*id);
                continue;
            };
            if end > schedule.arena {
                return fault(format!("item {id} lies past the end of the arena"));
            }
            let overlaps = |other: (usize, usize)| start < other.1 && other.0 < end;
            let clash = writes[..at].iter().any(|(_, other)| other.is_some_and(overlaps));
            if clash {
                return fault(format!("step {number} writes two items to one place"));
            }
            for access in &step.operands {
                let Some(other) = arena(schedule, access.base) else { continue };
                // Element for element an operand may be replaced while it is read.
                let replaced = matches!(step.work, Work::Chain)
                    && other == (start, end)
                    && access.is_whole(&schedule.items);
                if overlaps(other) && !replaced {
                    return fault(format!("step {number} overwrites what it reads"));
                }
            }
        }
        for (id, place) in writes {
            if let Some((start, end)) = place {
                memory.write(start, end, id);
            }
        }
    }
    for &id in &schedule.results {
        let there = schedule.is_source(id) || empty(schedule, id) || memory.results.contains(&id);
        if !there {
            return fault(format!("result {id} is never written"));
        }
    }
    Ok(())
}

fn empty<P: Tensorial>(schedule: &Schedule<P>, id: Id) -> bool {
    schedule.item(id).count() == 0
}

/// The place of an item in the arena.
pub(super) fn arena<P: Tensorial>(schedule: &Schedule<P>, id: Id) -> Option<(usize, usize)> {
    match schedule.homes[id as usize] {
        Home::Arena(start) if !empty(schedule, id) => {
            Some((start, start + schedule.item(id).count()))
        }
        _ => None,
    }
}

/// One past the last element that an access reads.
fn reach(access: &Access) -> usize {
    let layout = &access.layout;
    if layout.shape().contains(&0) {
        return 0;
    }
    let steps = layout.shape().iter().zip(layout.strides());
    steps.fold(layout.offset(), |reach, (extent, stride)| reach + (extent - 1) * stride) + 1
}

/// Who lies where: what overlaps a later write lies there no more.
#[derive(Default)]
struct Memory {
    by_start: BTreeMap<usize, (usize, Id)>,
    results: Vec<Id>,
}

impl Memory {
    fn write(&mut self, start: usize, end: usize, id: Id) {
        let before =
            self.by_start.range(..start).next_back().map(|(&start, &(end, _))| (start, end));
        if let Some((other, reach)) = before
            && reach > start
        {
            self.by_start.remove(&other);
        }
        let over: Vec<usize> = self.by_start.range(start..end).map(|(&start, _)| start).collect();
        over.iter().for_each(|start| {
            self.by_start.remove(start);
        });
        self.by_start.insert(start, (end, id));
    }

    fn holds<P: Tensorial>(&self, schedule: &Schedule<P>, id: Id) -> bool {
        match arena(schedule, id) {
            Some((start, end)) => self.by_start.get(&start) == Some(&(end, id)),
            None => empty(schedule, id) || self.results.contains(&id),
        }
    }
}
