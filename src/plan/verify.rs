//! `verify`: whether a schedule is right on its own terms.
//!
//! INVARIANT: nothing here is shared with the passes that made the schedule. What a layout means is
//! followed index by index, and what lies where is played through step by step.

#[cfg(test)]
mod tests;

use super::item::{Definition, Id};
use super::schedule::{Access, Home, Schedule, Step, Work};
use crate::ops::lower::{Lowered, Rearrangement};
use crate::payload::Tensorial;
use std::collections::BTreeMap;

/// What is wrong with a schedule: the first fault that is found, in words.
pub(super) fn verify<P: Tensorial>(schedule: &Schedule<P>) -> Result<(), String> {
    graph(schedule)?;
    if !schedule.access.is_empty() {
        accesses(schedule)?;
    }
    if !schedule.steps.is_empty() {
        cover(schedule)?;
    }
    if !schedule.homes.is_empty() {
        places(schedule)?;
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

/// How many indices of a view are followed.
const SAMPLES: usize = 64;

fn accesses<P: Tensorial>(schedule: &Schedule<P>) -> Result<(), String> {
    if schedule.access.len() != schedule.items.len() {
        return fault(String::from("not every item has an access"));
    }
    for (id, item) in schedule.items.iter().enumerate() {
        let access = &schedule.access[id];
        if access.layout.shape() != &*item.shape {
            return fault(format!("item {id} is read in another shape than its own"));
        }
        let base = &schedule.access[access.base as usize];
        if base.base != access.base {
            return fault(format!("item {id} is read through item {}, itself a view", access.base));
        }
        let count = item.count();
        let step = count.div_ceil(SAMPLES).max(1);
        for position in (0..count).step_by(step) {
            let index = index_of(item.shape.extents(), position);
            let read = at(access, &index);
            let meant = if access.base as usize == id {
                // Its own elements: row-major, or one for all of a constant that is stored once.
                let stored_once = matches!(item.definition, Definition::Constant(_)) && read == 0;
                if stored_once { 0 } else { position }
            } else {
                let Some(from) = operand_index(schedule, id as Id, &index, position) else {
                    return fault(format!("item {id} is computed, but read through another"));
                };
                at(&schedule.access[item.operands[0] as usize], &from)
            };
            if read != meant {
                return fault(format!("item {id} at {index:?} is read from {read}, not {meant}"));
            }
        }
    }
    Ok(())
}

fn index_of(extents: &[usize], position: usize) -> Vec<usize> {
    let mut rest = position;
    let mut index = vec![0; extents.len()];
    for (axis, &extent) in extents.iter().enumerate().rev() {
        index[axis] = rest % extent;
        rest /= extent;
    }
    index
}

fn at(access: &Access, index: &[usize]) -> usize {
    let strides = access.layout.strides();
    index.iter().zip(strides).fold(access.layout.offset(), |at, (i, stride)| at + i * stride)
}

/// The index of the first operand that an index of a view reads.
fn operand_index<P: Tensorial>(
    schedule: &Schedule<P>,
    id: Id,
    index: &[usize],
    position: usize,
) -> Option<Vec<usize>> {
    let item = schedule.item(id);
    let from = schedule.item(*item.operands.first()?).shape.extents();
    let Definition::Operation(_, lowered) = &item.definition else { return None };
    Some(match lowered {
        Lowered::Reshape => index_of(from, position),
        Lowered::View(Rearrangement::Permute(axes)) => {
            let mut operand = vec![0; from.len()];
            axes.iter().zip(index).for_each(|(&axis, &i)| operand[axis] = i);
            operand
        }
        Lowered::View(Rearrangement::Narrow { axis, start, .. }) => {
            let mut operand = index.to_vec();
            operand[*axis] += start;
            operand
        }
        Lowered::View(Rearrangement::Broadcast(axes)) => {
            let of = |(axis, &to): (usize, &usize)| if from[axis] == 1 { 0 } else { index[to] };
            axes.iter().enumerate().map(of).collect()
        }
        Lowered::View(Rearrangement::Unfold { axis, step, dilation, .. }) => {
            let mut operand = index.to_vec();
            let inside = operand.pop()?;
            operand[*axis] = operand[*axis] * step + inside * dilation;
            operand
        }
        _ => return None,
    })
}

fn same(a: &Access, b: &Access) -> bool {
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
fn cover<P: Tensorial>(schedule: &Schedule<P>) -> Result<(), String> {
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
                return fault(format!("step {number} computes a source"));
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

/// Plays the steps through: what each reads must lie where it is read, whole.
fn places<P: Tensorial>(schedule: &Schedule<P>) -> Result<(), String> {
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
fn arena<P: Tensorial>(schedule: &Schedule<P>, id: Id) -> Option<(usize, usize)> {
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
