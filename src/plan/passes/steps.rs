//! `steps`: a step for every item that must be computed, in the order of the tape.

use crate::kernel::call::Call;
use crate::ops::lower::Lowered;
use crate::payload::Tensorial;
use crate::plan::item::{Definition, Id};
use crate::plan::options::Options;
use crate::plan::report::Report;
use crate::plan::schedule::{Access, Schedule, Step, Work};

pub(crate) fn run<P: Tensorial>(schedule: &mut Schedule<P>, _: &Options) -> Report {
    let mut steps = Vec::new();
    for (id, item) in schedule.items.iter().enumerate() {
        let id = id as Id;
        let Definition::Operation(function, lowered) = &item.definition else { continue };
        if schedule.access[id as usize].base != id {
            continue;
        }
        let work = match lowered {
            Lowered::Pointwise(_) => Work::Chain,
            Lowered::Call(call) => Work::Call(call.clone()),
            // Only what no strides can express is its own base.
            _ => Work::Call(Call::Copy),
        };
        let selection = function.selection().map(|(position, _)| position);
        let read = |&(position, _): &(usize, &Id)| Some(position) != selection;
        let operands = item.operands.iter().enumerate().filter(read);
        let operands: Vec<Access> =
            operands.map(|(_, &operand)| schedule.access[operand as usize].clone()).collect();
        let rows = selection.map(|position| schedule.selected(item.operands[position]));
        steps.push(Step { work, items: vec![id], operands, rows, outputs: vec![id] });
    }
    // A result that is only read through another item's elements is copied out.
    let mut handed = schedule.results.clone();
    handed.sort_unstable();
    handed.dedup();
    let mut copied = 0;
    for id in handed {
        let access = &schedule.access[id as usize];
        if schedule.is_source(id) || access.base == id {
            continue;
        }
        copied += 1;
        let operands = vec![access.clone()];
        let (work, items, outputs) = (Work::Call(Call::Copy), vec![id], vec![id]);
        steps.push(Step { work, items, operands, rows: None, outputs });
    }
    schedule.steps = steps;
    let summary = format!("{} steps, of which {copied} copy a view out", schedule.steps.len());
    Report::new("steps", summary)
}
