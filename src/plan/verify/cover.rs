//! Whether the steps compute every item once, from what it is computed of.

use super::fault;
use crate::kernel::call::Call;
use crate::ops::lower::Lowered;
use crate::payload::Tensorial;
use crate::plan::item::{Definition, Id};
use crate::plan::schedule::{Access, Schedule, Step, Work};
use std::collections::BTreeMap;

pub(super) fn same(a: &Access, b: &Access) -> bool {
    let strides = a.layout.strides() == b.layout.strides();
    // Where an axis has one position, its stride says nothing.
    let extents = a.layout.shape().iter().zip(a.layout.strides().iter().zip(b.layout.strides()));
    let same = strides || extents.clone().all(|(&extent, (a, b))| extent == 1 || a == b);
    a.base == b.base
        && a.layout.shape() == b.layout.shape()
        && a.layout.offset() == b.layout.offset()
        && same
}

/// Every computed item is covered once; a step reads what its items mean and writes what others read.
pub(super) fn cover<P: Tensorial>(schedule: &Schedule<P>) -> Result<(), String> {
    let mut step_of: BTreeMap<Id, usize> = BTreeMap::new();
    for (number, step) in schedule.steps.iter().enumerate() {
        if step.items.is_empty() {
            return fault(format!("step {number} covers nothing"));
        }
        for &id in &step.items {
            if schedule.is_source(id) {
                return fault(format!("step {number} computes the source {id}"));
            }
            if let Some(other) = step_of.insert(id, number) {
                return fault(format!("item {id} is computed by steps {other} and {number}"));
            }
        }
        if let Some(id) = step.outputs.iter().find(|id| !step.items.contains(id)) {
            return fault(format!("step {number} writes item {id}, which it does not compute"));
        }
    }
    for (id, access) in schedule.access.iter().enumerate() {
        let own = access.base as usize == id && !schedule.items[id].definition.is_source();
        if own && !step_of.contains_key(&(id as Id)) {
            return fault(format!("no step computes item {id}"));
        }
    }
    let mut read_outside: Vec<bool> = vec![false; schedule.items.len()];
    schedule.results.iter().for_each(|&id| read_outside[id as usize] = true);
    for (number, step) in schedule.steps.iter().enumerate() {
        for access in &step.operands {
            read_outside[access.base as usize] = true;
        }
        operands(schedule, number, step)?;
    }
    for (number, step) in schedule.steps.iter().enumerate() {
        for &id in &step.items {
            if read_outside[id as usize] && !step.outputs.contains(&id) {
                return fault(format!("step {number} keeps item {id} inside, but others read it"));
            }
        }
    }
    Ok(())
}

fn operands<P: Tensorial>(
    schedule: &Schedule<P>,
    number: usize,
    step: &Step,
) -> Result<(), String> {
    let read = |id: Id| &schedule.access[id as usize];
    match &step.work {
        Work::Chain => functions(schedule, number, step, &step.items, &step.operands)?,
        Work::Followed(_) => {
            let Some((&kernel, rest)) =
                step.items.split_first().filter(|(_, rest)| !rest.is_empty())
            else {
                return fault(format!("nothing follows in step {number}"));
            };
            let count = schedule.item(kernel).operands.len();
            if count > step.operands.len() || step.outputs.contains(&kernel) {
                return fault(format!("step {number} has no kernel that functions follow on"));
            }
            let (read, others) = step.operands.split_at(count);
            if step.outputs.len() != 1 {
                return fault(format!("step {number} has more than one output in one place"));
            }
            let operands = schedule.item(kernel).operands.iter();
            if !operands.zip(read).all(|(&id, access)| same(&schedule.access[id as usize], access))
            {
                return fault(format!("step {number} reads other operands than item {kernel} has"));
            }
            functions(schedule, number, step, rest, others)?;
        }
        Work::Call(_) => {
            let [id] = step.items[..] else {
                return fault(format!("step {number} calls one kernel for several items"));
            };
            let item = schedule.item(id);
            let Definition::Operation(function, _) = &item.definition else {
                unreachable!("invariant: steps that compute sources were refused");
            };
            let selection = function.selection().map(|(position, _)| position);
            let is_view = schedule.access[id as usize].base != id;
            let expected: Vec<&Access> = if is_view {
                vec![read(id)]
            } else {
                let numbered = item.operands.iter().enumerate();
                let dense = numbered.filter(|(position, _)| Some(*position) != selection);
                dense.map(|(_, &operand)| read(operand)).collect()
            };
            let agree = expected.len() == step.operands.len()
                && expected.iter().zip(&step.operands).all(|(a, b)| same(a, b));
            if !agree {
                return fault(format!("step {number} reads other operands than item {id} has"));
            }
            let rows = selection.filter(|_| !is_view).map(|position| {
                let mut of = item.operands[position];
                while let Some(&from) = schedule.item(of).operands.first() {
                    of = from;
                }
                of
            });
            if rows != step.rows {
                return fault(format!("step {number} reads the rows of another selection"));
            }
        }
    }
    Ok(())
}

/// Functions element by element over one space: each reads an operand that is listed, or the result of
/// an earlier item of the step.
fn functions<P: Tensorial>(
    schedule: &Schedule<P>,
    number: usize,
    step: &Step,
    items: &[Id],
    listed: &[Access],
) -> Result<(), String> {
    let space = &schedule.item(step.items[0]).shape;
    let mut needed = vec![false; listed.len()];
    for &id in items {
        let item = schedule.item(id);
        if let Definition::Operation(_, Lowered::Call(Call::Sum(_))) = item.definition
            && matches!(step.work, Work::Chain)
        {
            sum(schedule, number, step, id)?;
            continue;
        }
        if !matches!(item.definition, Definition::Operation(_, Lowered::Pointwise(_))) {
            return fault(format!("step {number} runs item {id} element by element"));
        }
        if item.shape != *space {
            return fault(format!("step {number} runs item {id} over another space"));
        }
        for &operand in item.operands.iter() {
            let access = &schedule.access[operand as usize];
            let inside = step.items.contains(&access.base)
                && access.base < id
                && access.is_whole(&schedule.items)
                && schedule.item(access.base).shape == item.shape;
            let mut there = inside;
            for (listed, needed) in listed.iter().zip(&mut needed) {
                let same = !inside && same(listed, access);
                *needed |= same;
                there |= same;
            }
            if !there {
                return fault(format!("step {number} does not read operand {operand}"));
            }
        }
    }
    match needed.iter().position(|needed| !needed) {
        Some(at) => fault(format!("step {number} reads operand {at} of its list for nothing")),
        None => Ok(()),
    }
}

/// A sum that is taken on the way is one of all elements of what the step computes, element for
/// element, and is written.
fn sum<P: Tensorial>(
    schedule: &Schedule<P>,
    number: usize,
    step: &Step,
    id: Id,
) -> Result<(), String> {
    let item = schedule.item(id);
    let access = &schedule.access[item.operands[0] as usize];
    let of = schedule.item(access.base);
    let function = matches!(of.definition, Definition::Operation(_, Lowered::Pointwise(_)));
    if !function || !step.items.contains(&access.base) || !access.is_whole(&schedule.items) {
        return fault(format!("step {number} sums what it does not compute, as item {id}"));
    }
    if item.count() != 1 || of.count() < 2 || of.shape != schedule.item(step.items[0]).shape {
        return fault(format!("step {number} does not sum all elements of its space as item {id}"));
    }
    if !step.outputs.contains(&id) {
        return fault(format!("step {number} does not write its sum, item {id}"));
    }
    Ok(())
}
