//! Each fault by its message: a change of a schedule that has just that fault is told as it.

use super::{T, plans};
use crate::graph::node::Operands;
use crate::kernel::call::Call;
use crate::ops::lower::Lowered;
use crate::payload::layout::Layout;
use crate::plan::Plan;
use crate::plan::band::Kind;
use crate::plan::item::{Definition, Id};
use crate::plan::schedule::{Access, Home, Schedule, Step, Work};
use crate::plan::verify::bands::bands;
use crate::plan::verify::cover::{cover, same};
use crate::plan::verify::places::places;
use crate::plan::verify::verify;

type Change = fn(&mut Schedule<T>, usize) -> Option<()>;

/// Makes a change at each item or step, until `verify` tells it as this fault. A change that is made must be
/// found, as whatever fault.
fn told(plans: &[Plan<T>], fault: &str, change: Change) {
    told_by(verify, plans, fault, change);
}

fn told_by(
    verify: fn(&Schedule<T>) -> Result<(), String>,
    plans: &[Plan<T>],
    fault: &str,
    change: Change,
) {
    let mut others = Vec::new();
    for plan in plans {
        for at in 0..plan.schedule.items.len() {
            let mut schedule = plan.schedule.copied();
            if change(&mut schedule, at).is_none() {
                continue;
            }
            match verify(&schedule) {
                Err(message) if message.contains(fault) => return,
                Err(message) => others.push(message),
                Ok(()) => panic!("at {at}, `{fault}` is not found"),
            }
        }
    }
    panic!("no change is told as `{fault}`, but {others:?}");
}

fn is_view(schedule: &Schedule<T>, id: usize) -> bool {
    schedule.access[id].base as usize != id
}

fn source(schedule: &Schedule<T>) -> Option<Id> {
    (0..schedule.items.len() as Id).find(|&id| schedule.is_source(id))
}

fn chain(schedule: &mut Schedule<T>, at: usize) -> Option<&mut Step> {
    schedule.steps.get_mut(at).filter(|step| matches!(step.work, Work::Chain))
}

fn followed(schedule: &mut Schedule<T>, at: usize) -> Option<&mut Step> {
    schedule.steps.get_mut(at).filter(|step| matches!(step.work, Work::Followed(_)))
}

fn call(schedule: &mut Schedule<T>, at: usize) -> Option<&mut Step> {
    schedule.steps.get_mut(at).filter(|step| matches!(step.work, Work::Call(_)))
}

#[test]
fn faults_of_the_graph_are_told() {
    let plans = plans();
    told(&plans, "which does not come before it", |schedule, at| {
        let item = &mut schedule.items[at];
        (!item.definition.is_source()).then(|| item.operands = Operands::new(&[at as Id]))
    });
    told(&plans, "is a source with operands", |schedule, at| {
        let item = &mut schedule.items[at];
        let before = at.checked_sub(1).filter(|_| item.definition.is_source())?;
        item.operands = Operands::new(&[before as Id]);
        Some(())
    });
    told(&plans, "is no item", |schedule, _| {
        schedule.results.push(schedule.items.len() as Id);
        Some(())
    });
}

#[test]
fn faults_of_accesses_are_told() {
    let plans = plans();
    told(&plans, "not every item has an access", |schedule, _| schedule.access.pop().map(drop));
    told(&plans, "is read in another shape than its own", |schedule, at| {
        schedule.access[at].layout = Layout::contiguous([7, 7].into());
        Some(())
    });
    told(&plans, "itself a view", |schedule, at| {
        let view = (0..at).find(|&id| is_view(schedule, id))?;
        schedule.access[at].base = view as Id;
        Some(())
    });
    told(&plans, "is computed, but read through another", |schedule, at| {
        let other = source(schedule)?;
        let computed = schedule.items[at].is_computed() && !is_view(schedule, at);
        computed.then(|| schedule.access[at].base = other)
    });
    told(&plans, "is read from", |schedule, at| {
        let shape = schedule.items[at].shape.clone();
        let turned = is_view(schedule, at) && shape.count() > 1;
        turned.then(|| schedule.access[at].layout = Layout::constant((*shape).clone()))
    });
}

#[test]
fn faults_of_what_steps_cover_are_told() {
    let plans = plans();
    told(&plans, "covers nothing", |schedule, at| {
        schedule.steps.get_mut(at)?.items.clear();
        Some(())
    });
    told(&plans, "computes the source", |schedule, at| {
        let source = source(schedule)?;
        schedule.steps.get_mut(at)?.items.push(source);
        Some(())
    });
    told(&plans, "is computed by steps", |schedule, at| {
        let copy = schedule.steps.get(at)?.clone();
        schedule.steps.push(copy);
        Some(())
    });
    told(&plans, "which it does not compute", |schedule, at| {
        let other = schedule.steps.get(at + 1)?.items[0];
        schedule.steps[at].outputs.push(other);
        Some(())
    });
    told(&plans, "no step computes item", |schedule, at| {
        (at < schedule.steps.len()).then(|| drop(schedule.steps.remove(at)))
    });
    told(&plans, "but others read it", |schedule, at| chain(schedule, at)?.outputs.pop().map(drop));
    // Whoever runs the plan reads a result, and before there are places nothing else tells.
    told_by(cover, &plans, "but others read it", |schedule, at| {
        let last = *chain(schedule, at)?.outputs.last()?;
        let mut read = schedule.steps.iter().flat_map(|step| &step.operands);
        let alone = schedule.results.contains(&last) && read.all(|access| access.base != last);
        alone.then(|| chain(schedule, at)?.outputs.pop()).map(drop)
    });
}

#[test]
fn strides_of_axes_of_one_position_say_nothing() {
    let access = |layout| Access { base: 0, layout };
    let row = Layout::contiguous([1, 3].into());
    let column = Layout::contiguous([3, 1].into());
    assert!(same(&access(row.permute(&[1, 0])), &access(column.clone())));
    assert!(same(&access(column.clone()), &access(row.permute(&[1, 0]))));
    let square = Layout::contiguous([2, 2].into());
    assert!(!same(&access(square.permute(&[1, 0])), &access(square.clone())));
    assert!(!same(&access(row), &access(column.clone())));
    assert!(!same(&access(column.narrow(0, 1, 2)), &access(column.narrow(0, 0, 2))));
    assert!(!same(&access(square.clone()), &Access { base: 1, layout: square }));
}

#[test]
fn faults_of_operands_are_told() {
    let plans = plans();
    told(&plans, "nothing follows in step", |schedule, at| {
        let step = call(schedule, at)?;
        let Work::Call(kernel) = step.work.clone() else { return None };
        step.work = Work::Followed(kernel);
        Some(())
    });
    told(&plans, "has no kernel that functions follow on", |schedule, at| {
        followed(schedule, at)?.operands.clear();
        Some(())
    });
    told(&plans, "more than one output in one place", |schedule, at| {
        let step = followed(schedule, at)?;
        step.outputs.push(step.outputs[0]);
        Some(())
    });
    told(&plans, "reads other operands than item", |schedule, at| {
        followed(schedule, at)?.operands.swap(0, 1);
        Some(())
    });
    told(&plans, "calls one kernel for several items", |schedule, at| {
        let step = chain(schedule, at)?;
        step.work = Work::Call(Call::Copy);
        (step.items.len() > 1).then_some(())
    });
    told(&plans, "reads the rows of another selection", |schedule, at| {
        let other = source(schedule)?;
        let step = schedule.steps.get_mut(at)?;
        (step.rows? != other).then(|| step.rows = Some(other))
    });
}

/// Joins a step with the next as one chain.
fn joined(schedule: &mut Schedule<T>, at: usize) -> Option<()> {
    if at + 1 >= schedule.steps.len() {
        return None;
    }
    let next = schedule.steps.remove(at + 1);
    schedule.bands.clear();
    let step = chain(schedule, at)?;
    step.items.extend(next.items);
    step.outputs.extend(next.outputs);
    step.operands.extend(next.operands);
    Some(())
}

/// Whether an item is a sum.
fn is_sum(schedule: &Schedule<T>, id: Id) -> bool {
    let definition = &schedule.item(id).definition;
    matches!(definition, Definition::Operation(_, Lowered::Call(Call::Sum(_))))
}

#[test]
fn faults_of_functions_are_told() {
    let plans = plans();
    told(&plans, "element by element", |schedule, at| {
        call(schedule, at)?.work = Work::Chain;
        Some(())
    });
    told(&plans, "sums what it does not compute", |schedule, at| {
        let sum = is_sum(schedule, *schedule.steps.get(at)?.items.first()?);
        let step = call(schedule, at).filter(|_| sum)?;
        step.work = Work::Chain;
        Some(())
    });
    told(&plans, "over another space", |schedule, at| {
        let next = schedule.steps.get(at + 1)?;
        let other = schedule.item(next.items[0]);
        let function = matches!(other.definition, Definition::Operation(_, Lowered::Pointwise(_)));
        let differs = other.shape != schedule.item(schedule.steps[at].items[0]).shape;
        if !function || !differs {
            return None;
        }
        joined(schedule, at)
    });
    told(&plans, "does not sum all elements of its space", |schedule, at| {
        let next = schedule.steps.get(at + 1)?.items[0];
        if !is_sum(schedule, next) {
            return None;
        }
        joined(schedule, at)
    });
    told(&plans, "does not write its sum", |schedule, at| {
        let step = chain(schedule, at)?.clone();
        let sum = *step.items.iter().find(|&&id| is_sum(schedule, id))?;
        schedule.steps[at].outputs.retain(|&id| id != sum);
        Some(())
    });
    told(&plans, "does not read operand", |schedule, at| {
        let step = chain(schedule, at)?;
        (!step.operands.is_empty()).then(|| drop(step.operands.remove(0)))
    });
    told(&plans, "of its list for nothing", |schedule, at| {
        let source = source(schedule)?;
        let mut access = schedule.access[source as usize].clone();
        access.layout = Layout::contiguous([7, 7, 7].into());
        chain(schedule, at)?.operands.push(access);
        Some(())
    });
}

#[test]
fn faults_of_bands_are_told() {
    let plans = plans();
    told(&plans, "is none", |schedule, at| {
        let band = schedule.bands.get_mut(at)?;
        band.block = band.rows;
        Some(())
    });
    told(&plans, "does not go by", |schedule, at| {
        schedule.bands.get_mut(at)?.rows += 1;
        Some(())
    });
    // Of these, other parts of the verifier know too, and would tell them first.
    told_by(bands, &plans, "before it is there", |schedule, at| {
        let steps = schedule.bands.first()?.steps.clone();
        let steps = &mut schedule.steps[steps];
        let whole = |id: &&Id| schedule.items[**id as usize].count() == 1;
        let sums = |step: &Step| step.outputs.iter().find(whole).copied();
        let (number, sum) =
            steps.iter().enumerate().find_map(|(i, step)| Some((i, sums(step)?)))?;
        let step = steps.get_mut(at).filter(|_| at > number)?;
        step.operands.first_mut()?.base = sum;
        Some(())
    });
    told_by(bands, &plans, "does not go by", |schedule, at| {
        let band = schedule.bands.first_mut()?;
        let role = band.roles.get_mut(at)?;
        let step = &schedule.steps[band.steps.start + at];
        matches!(step.work, Work::Chain).then(|| role.kind = Kind::Summed)
    });
    told_by(bands, &plans, "does not go by", |schedule, at| {
        let steps = schedule.bands.first()?.steps.clone();
        schedule.steps[steps].get_mut(at)?.work = Work::Call(Call::Gather);
        Some(())
    });
    told_by(bands, &plans, "does not go by", |schedule, at| {
        let band = schedule.bands.first()?;
        let (role, step) = (band.roles.get(at)?, band.steps.start + at);
        let by_rows = role.kind == Kind::Rows && role.axes.iter().all(|axis| *axis == Some(0));
        // Along its rows, not within each.
        by_rows.then(|| schedule.steps[step].work = Work::Call(Call::Softmax(0)))
    });
    told_by(bands, &plans, "from another row", |schedule, at| {
        let band = schedule.bands.first()?;
        let axes = band.roles.get(at)?.axes.clone();
        let steps = &mut schedule.steps[band.steps.clone()];
        let written: Vec<Id> = steps[..at].iter().flat_map(|step| step.outputs.clone()).collect();
        let mut operands = steps[at].operands.iter_mut().zip(axes);
        let reads = |(access, axis): &(&mut Access, Option<usize>)| {
            axis.is_some() && written.contains(&access.base)
        };
        let (access, _) = operands.find(reads)?;
        access.layout = Layout::constant(access.layout.shape().clone());
        Some(())
    });
    told(&plans, "overlap", |schedule, at| {
        let steps = schedule.bands.first()?.steps.clone();
        let outputs: Vec<Id> =
            schedule.steps[steps].iter().flat_map(|step| step.outputs.clone()).collect();
        let in_arena = |id: &&Id| matches!(schedule.homes[**id as usize], Home::Arena(_));
        let places: Vec<Id> = outputs.iter().filter(in_arena).copied().collect();
        let (&one, &two) = (places.get(at)?, places.get(at + 1)?);
        schedule.homes[one as usize] = schedule.homes[two as usize];
        Some(())
    });
}

#[test]
fn faults_of_places_are_told() {
    let plans = plans();
    /// The place of an item that has one.
    fn place(schedule: &Schedule<T>, id: Id) -> Option<usize> {
        match schedule.homes[id as usize] {
            Home::Arena(start) if schedule.item(id).count() > 0 => Some(start),
            _ => None,
        }
    }
    told(&plans, "which does not lie there", |schedule, at| {
        let step = schedule.steps.get(at)?;
        let output = *step.outputs.first()?;
        place(schedule, output)?;
        let read = schedule.steps[at + 1..]
            .iter()
            .any(|step| step.operands.iter().any(|access| access.base == output));
        // The step comes behind all that read its output.
        let moved = schedule.steps.remove(at);
        schedule.steps.push(moved);
        schedule.bands.clear();
        read.then_some(())
    });
    told(&plans, "which does not lie there", |schedule, at| {
        let output = *schedule.steps.get(at)?.outputs.first()?;
        place(schedule, output)?;
        let read = |id: &Id| {
            let mut later = schedule.steps[at + 1..].iter().flat_map(|step| &step.operands);
            later.any(|access| access.base == *id)
        };
        let mut earlier = schedule.steps[..at].iter().flat_map(|step| step.outputs.iter().copied());
        let alive = earlier.find(|id| schedule.item(*id).count() > 1 && read(id))?;
        // What is alive still starts in front of it.
        let start = place(schedule, alive)? + 1;
        schedule.homes[output as usize] = Home::Arena(start);
        Some(())
    });
    // What is read is what the tape says: this would be told first as another's elements.
    told_by(places, &plans, "reads past the end of item", |schedule, at| {
        let items = &schedule.items;
        let step = schedule.steps.get_mut(at)?;
        let computed = |access: &&mut Access| !items[access.base as usize].definition.is_source();
        let access = step.operands.iter_mut().find(computed)?;
        access.layout = Layout::contiguous([items[access.base as usize].count() + 1].into());
        Some(())
    });
    told(&plans, "has no place", |schedule, at| {
        let output = *schedule.steps.get(at)?.outputs.first()?;
        place(schedule, output)?;
        schedule.homes[output as usize] = Home::None;
        Some(())
    });
    told(&plans, "past the end of the arena", |schedule, at| {
        place(schedule, at as Id)?;
        schedule.homes[at] = Home::Arena(schedule.arena);
        Some(())
    });
    told(&plans, "two items to one place", |schedule, at| {
        let outputs = schedule.steps.get(at)?.outputs.clone();
        let mut placed = outputs.into_iter().filter(|&id| place(schedule, id).is_some());
        let (one, two) = (placed.next()?, placed.next()?);
        schedule.homes[two as usize] = schedule.homes[one as usize];
        Some(())
    });
    told(&plans, "overwrites what it reads", |schedule, at| {
        let step = call(schedule, at)?.clone();
        let mut read = step.operands.iter().map(|access| access.base);
        let read = read.rfind(|&id| place(schedule, id).is_some())?;
        let output = *step.outputs.first()?;
        place(schedule, output)?;
        schedule.homes[output as usize] = schedule.homes[read as usize];
        Some(())
    });
    told(&plans, "is never written", |schedule, at| {
        let id = *schedule.results.get(at)?;
        if schedule.is_source(id) {
            return None;
        }
        schedule.homes[id as usize] = Home::Arena(0);
        Some(())
    });
}
