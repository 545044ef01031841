//! `order`: a topological order of the steps that keeps little alive.
//!
//! Two orders are tried, the tape's and a greedy one that prefers steps after which less is alive,
//! and the one with the lower peak is taken.

use crate::payload::Tensorial;
use crate::plan::describe::bytes;
use crate::plan::item::Id;
use crate::plan::options::Options;
use crate::plan::report::Report;
use crate::plan::schedule::{Schedule, Step};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(crate) fn run<P: Tensorial>(schedule: &mut Schedule<P>, _: &Options) -> Report {
    let graph = Dependencies::new(schedule);
    let by_tape = graph.order(|_, step| step);
    let volumes: Vec<usize> = schedule.items.iter().map(|item| item.count()).collect();
    let tape_peak = peak(&schedule.steps, &by_tape, &volumes);
    let greedy = graph.greedy(schedule, &volumes);
    let greedy_peak = peak(&schedule.steps, &greedy, &volumes);
    let (order, name) = if greedy_peak < tape_peak {
        (greedy, "the greedy order")
    } else {
        (by_tape, "the tape's order")
    };
    let mut steps: Vec<Option<Step>> =
        std::mem::take(&mut schedule.steps).into_iter().map(Some).collect();
    let taken = order.iter().filter_map(|&index| steps[index].take());
    schedule.steps = taken.collect();
    let unit = size_of::<P::Element>();
    let [tape, greedy] = [tape_peak, greedy_peak].map(|peak| bytes((peak * unit) as u64));
    let summary = format!("{name}: at most {tape} alive in the tape's, {greedy} in the greedy one");
    Report::new("order", summary)
}

/// Which steps wait for which.
struct Dependencies {
    /// The number of steps that each waits for.
    waits: Vec<usize>,
    /// The steps that wait for each.
    waiting: Vec<Vec<usize>>,
}

impl Dependencies {
    fn new<P: Tensorial>(schedule: &Schedule<P>) -> Self {
        let step_of = schedule.step_of();
        let mut waits = vec![0; schedule.steps.len()];
        let mut waiting = vec![Vec::new(); schedule.steps.len()];
        for (index, step) in schedule.steps.iter().enumerate() {
            let mut before: Vec<usize> =
                step.operands.iter().filter_map(|access| step_of[access.base as usize]).collect();
            before.sort_unstable();
            before.dedup();
            waits[index] = before.len();
            before.iter().for_each(|&producer| waiting[producer].push(index));
        }
        Self { waits, waiting }
    }

    /// The order that takes, of the steps that are ready, the one of the lowest rank.
    fn order<R: Ord>(&self, rank: impl Fn(&Self, usize) -> R) -> Vec<usize> {
        let mut waits = self.waits.clone();
        let ready = (0..waits.len()).filter(|&step| waits[step] == 0);
        let mut ready: BinaryHeap<Reverse<(R, usize)>> =
            ready.map(|step| Reverse((rank(self, step), step))).collect();
        let mut order = Vec::with_capacity(waits.len());
        while let Some(Reverse((_, step))) = ready.pop() {
            order.push(step);
            for &next in &self.waiting[step] {
                waits[next] -= 1;
                if waits[next] == 0 {
                    ready.push(Reverse((rank(self, next), next)));
                }
            }
        }
        order
    }

    /// Of the ready steps first the one that lets the most go and brings the least, as far as that is
    /// known when it becomes ready; of equals the first on the tape.
    fn greedy<P: Tensorial>(&self, schedule: &Schedule<P>, volumes: &[usize]) -> Vec<usize> {
        let mut readers = vec![0_usize; schedule.items.len()];
        for step in &schedule.steps {
            step.operands.iter().for_each(|access| readers[access.base as usize] += 1);
        }
        let brings = |step: &Step| -> i64 {
            let written = total(&step.outputs, volumes);
            let freed = step.operands.iter().filter(|access| {
                readers[access.base as usize] == 1 && !schedule.is_source(access.base)
            });
            let freed = freed.fold(0, |sum, access| sum + volumes[access.base as usize]);
            written as i64 - freed as i64
        };
        let brings: Vec<i64> = schedule.steps.iter().map(brings).collect();
        self.order(|_, step| (brings[step] > 0, if brings[step] > 0 { 0 } else { brings[step] }))
    }
}

/// The elements of some items.
fn total(ids: &[Id], volumes: &[usize]) -> usize {
    ids.iter().fold(0, |sum, &id| sum + volumes[id as usize])
}

/// The largest number of elements that are alive at one time.
fn peak(steps: &[Step], order: &[usize], volumes: &[usize]) -> usize {
    let mut last = vec![usize::MAX; volumes.len()];
    for (at, &step) in order.iter().enumerate() {
        let step = &steps[step];
        let read = step.operands.iter().map(|access| access.base);
        read.chain(step.outputs.iter().copied()).for_each(|base| last[base as usize] = at);
    }
    let computed = steps.iter().flat_map(|step| &step.outputs);
    let mut is_computed = vec![false; volumes.len()];
    computed.for_each(|&id| is_computed[id as usize] = true);
    let (mut alive, mut peak) = (0, 0);
    for (at, &step) in order.iter().enumerate() {
        let step = &steps[step];
        alive += total(&step.outputs, volumes);
        peak = peak.max(alive);
        let mut ended: Vec<u32> = step.operands.iter().map(|access| access.base).collect();
        ended.extend(&step.outputs);
        ended.sort_unstable();
        ended.dedup();
        ended.retain(|&id| last[id as usize] == at && is_computed[id as usize]);
        alive -= total(&ended, volumes);
    }
    peak
}
