//! `epilogue`: element-wise functions follow on the result of a product, or of work on windows,
//! while a part of it is near.
//!
//! A chain matches that reads such a result element for element, if nothing else reads
//! that result, and if the chain has one output: it stands where the product's result stood.

use crate::payload::Tensorial;
use crate::plan::item::Id;
use crate::plan::options::Options;
use crate::plan::report::Report;
use crate::plan::schedule::{Schedule, Step, Work};

pub(crate) fn run<P: Tensorial>(schedule: &mut Schedule<P>, _: &Options) -> Report {
    let step_of = schedule.step_of();
    let readers = super::readers(schedule);
    let mut steps: Vec<Option<Step>> =
        std::mem::take(&mut schedule.steps).into_iter().map(Some).collect();
    let (mut joined, mut notes) = (0, Vec::new());
    for index in 0..steps.len() {
        let Some(chain) = steps[index].as_ref().filter(|step| matches!(step.work, Work::Chain))
        else {
            continue;
        };
        let product = |base: Id| {
            let step = step_of[base as usize]?;
            let product = steps[step].as_ref()?;
            matches!(&product.work, Work::Call(call) if call.is_followed()).then_some(step)
        };
        let first = schedule.item(chain.items[0]);
        // Of nothing, whatever strides are read are the whole: there is nothing to gain either.
        if first.count() == 0 {
            continue;
        }
        let space = &first.shape;
        let direct = chain.operands.iter().filter(|access| {
            access.is_whole(&schedule.items) && schedule.item(access.base).shape == *space
        });
        // The last product: what else is read is there by then.
        let found = direct.filter_map(|access| Some((product(access.base)?, access.base))).max();
        let Some((producer, base)) = found else { continue };
        if let Some(reason) = obstacle(schedule, chain, base, &readers) {
            let [of, by] = [base, chain.items[0]].map(|id| schedule.item(id).origin);
            let Some(Step { work: Work::Call(call), .. }) = &steps[producer] else {
                unreachable!("invariant: a producer is a call")
            };
            notes.push(format!("%{by} does not follow on the {} %{of}: {reason}", call.name()));
            continue;
        }
        let (Some(chain), Some(product)) = (steps[index].take(), steps[producer].take()) else {
            unreachable!("invariant: both steps are there")
        };
        steps[index] = Some(follow(product, chain, base));
        joined += 1;
    }
    schedule.steps = steps.into_iter().flatten().collect();
    let summary = format!("{joined} kernels are followed by element-wise functions");
    Report { notes, ..Report::new("epilogue", summary) }
}

/// Why a chain cannot follow on a product that it reads.
fn obstacle<P: Tensorial>(
    schedule: &Schedule<P>,
    chain: &Step,
    base: Id,
    readers: &[usize],
) -> Option<String> {
    match readers[base as usize] {
        1 => {}
        count => return Some(format!("{} others need its result", count - 1)),
    }
    if chain.outputs.len() != 1 {
        return Some(format!("the chain has {} outputs", chain.outputs.len()));
    }
    let mut reads = chain.operands.iter().filter(|access| access.base == base);
    let whole = reads.all(|access| access.is_whole(&schedule.items));
    (!whole).then(|| String::from("its result is read by other strides too"))
}

/// The one step of both.
fn follow(product: Step, chain: Step, base: Id) -> Step {
    let Work::Call(call) = product.work else { unreachable!("invariant: a product is a call") };
    let others = chain.operands.into_iter().filter(|access| access.base != base);
    let operands = product.operands.into_iter().chain(others).collect();
    let items = product.items.into_iter().chain(chain.items).collect();
    let (rows, outputs) = (product.rows, chain.outputs);
    Step { work: Work::Followed(call), items, operands, rows, outputs }
}
