//! `sums`: the sum of all elements of what a chain computes is taken tile by tile, while the tile is
//! near; what nothing else reads is never laid out.
//!
//! A sum over every axis matches that reads the result of a chain element for element.

use crate::kernel::call::Call;
use crate::payload::Tensorial;
use crate::plan::item::Id;
use crate::plan::options::Options;
use crate::plan::report::Report;
use crate::plan::schedule::{Schedule, Step, Work};

pub(crate) fn run<P: Tensorial>(schedule: &mut Schedule<P>, _: &Options) -> Report {
    let step_of = schedule.step_of();
    let mut readers = super::readers(schedule);
    let mut steps: Vec<Option<Step>> =
        std::mem::take(&mut schedule.steps).into_iter().map(Some).collect();
    let (mut joined, mut inside) = (0, 0);
    for index in 0..steps.len() {
        let Some(base) = steps[index].as_ref().and_then(|sum| summed(schedule, sum)) else {
            continue;
        };
        let Some(chain) = step_of[base as usize].and_then(|step| steps[step].take_if(is_chain))
        else {
            continue;
        };
        let sum = steps[index].take().expect("invariant: the sum is there");
        readers[base as usize] -= 1;
        let Step { mut items, mut outputs, .. } = chain;
        if readers[base as usize] == 0 {
            outputs.retain(|&id| id != base);
            inside += 1;
        }
        items.extend(sum.items);
        items.sort_unstable();
        outputs.extend(sum.outputs);
        outputs.sort_unstable();
        steps[step_of[base as usize].expect("invariant: a chain computes it")] =
            Some(Step { items, outputs, ..chain });
        joined += 1;
    }
    schedule.steps = steps.into_iter().flatten().collect();
    let summary = format!("{joined} sums are taken on the way; {inside} values stay inside");
    Report::new("sums", summary)
}

fn is_chain(step: &mut Step) -> bool {
    matches!(step.work, Work::Chain)
}

/// What a step sums all elements of, one by one.
fn summed<P: Tensorial>(schedule: &Schedule<P>, step: &Step) -> Option<Id> {
    let Work::Call(Call::Sum(_)) = &step.work else { return None };
    let ([id], [access]) = (&step.items[..], &step.operands[..]) else { return None };
    let count = schedule.item(access.base).count();
    // Of one element there is nothing to take on the way, and its place might be the sum's.
    let all = schedule.item(*id).count() == 1 && count > 1;
    (all && access.is_whole(&schedule.items)).then_some(access.base)
}
