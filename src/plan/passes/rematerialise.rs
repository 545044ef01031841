//! `rematerialise`: what the backward half computes again instead of keeping it, opt-in.
//!
//! Candidates are the forward values that gradients read. One that is dropped is computed again in
//! front of its first reader in the backward half, by copies of the items between it and what is
//! kept: the same functions of the same operands, hence the same bits. Candidates are dropped in
//! the order of bytes freed per operation spent again, as many as the budget asks for.

use super::pipeline;
use super::simplify::drop_unused;
use crate::graph::node::Operands;
use crate::ops::lower::Lowered;
use crate::payload::Tensorial;
use crate::plan::describe::{bytes, operations};
use crate::plan::item::{Definition, Id};
use crate::plan::options::{Options, Rematerialise};
use crate::plan::report::Report;
use crate::plan::schedule::Schedule;
use std::collections::BTreeSet;

/// The name of this stage.
pub(super) const NAME: &str = "rematerialise";

/// COST: smaller values are not worth a step.
const SMALLEST: usize = 256;

pub(crate) fn run<P: Tensorial>(schedule: &mut Schedule<P>, options: &Options) -> Report {
    let budget = match options.rematerialise {
        Rematerialise::Nothing => return Report::new(NAME, String::from("not asked for")),
        Rematerialise::Compact => None,
        Rematerialise::Budget(bytes) => Some(bytes),
    };
    let forward = Forward::new(schedule);
    let candidates = forward.candidates(schedule);
    let unit = size_of::<P::Element>() as u64;
    let memory = |count: usize| {
        let (trial, _) = forward.without(schedule, &candidates[..count]);
        memory_of(trial, options) * unit
    };
    let kept = memory(0);
    let (count, taken) = match budget {
        Some(budget) => within(budget, kept, candidates.len(), memory),
        None => smallest(kept, candidates.len(), memory),
    };
    let (lean, again) = forward.without(schedule, &candidates[..count]);
    let work: u64 = again.iter().map(|&id| work_of(&lean, id)).fold(0, |sum, more| sum + more);
    let read: u64 =
        again.iter().map(|&id| traffic(&lean, id) * unit).fold(0, |sum, more| sum + more);
    *schedule = lean;
    let summary = format!(
        "{count} of {} values that gradients read are dropped, {} items computed again: {} and {} \
         read and written more; {} of memory, not {}",
        candidates.len(),
        again.len(),
        operations(work),
        bytes(read),
        bytes(taken),
        bytes(kept),
    );
    let mut report = Report::new(NAME, summary);
    if let Some(budget) = budget.filter(|&budget| taken > budget) {
        report.notes.push(format!("the budget of {} is missed", bytes(budget)));
    }
    report
}

/// The fewest dropped values with which the memory is within the budget, all where none are enough;
/// and the memory then.
fn within(budget: u64, kept: u64, most: usize, memory: impl Fn(usize) -> u64) -> (usize, u64) {
    if kept <= budget {
        return (0, kept);
    }
    let (mut low, mut high) = (0, most);
    let mut best = (most, memory(most));
    if best.1 > budget {
        return smallest(kept, most, memory);
    }
    while high - low > 1 {
        let middle = (low + high) / 2;
        let taken = memory(middle);
        if taken <= budget {
            (high, best) = (middle, (middle, taken));
        } else {
            low = middle;
        }
    }
    best
}

/// The number of dropped values, of some that are tried, with the smallest memory.
fn smallest(kept: u64, most: usize, memory: impl Fn(usize) -> u64) -> (usize, u64) {
    const TRIES: usize = 8;
    let mut best = (0, kept);
    for part in 1..=TRIES {
        let count = most * part / TRIES;
        let taken = memory(count);
        if taken < best.1 {
            best = (count, taken);
        }
    }
    best
}

/// The elements of the arena and the results once the rest of the pipeline has run.
fn memory_of<P: Tensorial>(mut trial: Schedule<P>, options: &Options) -> u64 {
    for stage in pipeline::<P>().into_iter().skip_while(|stage| stage.name != NAME).skip(1) {
        if stage.pass.is_none_or(|pass| !options.off.contains(&pass)) {
            (stage.run)(&mut trial, options);
        }
    }
    trial.memory()
}

/// Plain operations that an item takes.
fn work_of<P: Tensorial>(schedule: &Schedule<P>, id: Id) -> u64 {
    let item = schedule.item(id);
    match &item.definition {
        Definition::Operation(_, Lowered::Pointwise(micros)) => {
            (micros.len() * item.count()) as u64
        }
        Definition::Operation(_, Lowered::Call(call)) => {
            let extents = item.operands.iter().map(|&of| schedule.item(of).shape.extents());
            call.operations(&extents.collect::<Vec<_>>(), item.count())
        }
        _ => 0,
    }
}

/// Elements read and written by an item on its own.
fn traffic<P: Tensorial>(schedule: &Schedule<P>, id: Id) -> u64 {
    let item = schedule.item(id);
    if !item.is_computed() {
        return 0;
    }
    let read = item.operands.iter().map(|&of| schedule.item(of).count());
    read.fold(item.count(), |sum, count| sum + count) as u64
}

/// The forward half of a schedule, and what gradients read of it.
struct Forward {
    /// Whether each item belongs to it.
    is_forward: Vec<bool>,
    /// Whether each item is read by gradients, or is a result or a source: what is kept where
    /// nothing is dropped.
    kept: Vec<bool>,
}

impl Forward {
    fn new<P: Tensorial>(schedule: &Schedule<P>) -> Self {
        let items = &schedule.items;
        let is_forward: Vec<bool> =
            items.iter().map(|item| item.origin < schedule.gradients_from).collect();
        let mut kept: Vec<bool> = items.iter().map(|item| item.definition.is_source()).collect();
        schedule.results.iter().for_each(|&id| kept[id as usize] = true);
        for (_, item) in items.iter().enumerate().filter(|(id, _)| !is_forward[*id]) {
            for &operand in item.operands.iter().filter(|&&of| is_forward[of as usize]) {
                kept[Self::base(schedule, operand) as usize] = true;
            }
        }
        Self { is_forward, kept }
    }

    /// The item whose elements a chain of views reads.
    fn base<P: Tensorial>(schedule: &Schedule<P>, mut id: Id) -> Id {
        while let Definition::Operation(_, Lowered::View(_) | Lowered::Reshape) =
            schedule.item(id).definition
        {
            id = schedule.item(id).operands[0];
        }
        id
    }

    /// What could be dropped, the most bytes for an operation first.
    fn candidates<P: Tensorial>(&self, schedule: &Schedule<P>) -> Vec<Id> {
        let all = 0..schedule.items.len() as Id;
        let large = all.filter(|&id| {
            let item = schedule.item(id);
            let at = id as usize;
            self.is_forward[at]
                && self.kept[at]
                && item.is_computed()
                && item.count() >= SMALLEST
                && !schedule.results.contains(&id)
        });
        let mut rated: Vec<(f64, Id)> = large
            .map(|id| {
                let cone = self.cone(schedule, &self.kept, id);
                let work: u64 =
                    cone.iter().map(|&id| work_of(schedule, id)).fold(0, |sum, more| sum + more);
                (work as f64 / schedule.item(id).count() as f64, id)
            })
            .collect();
        rated.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        rated.into_iter().map(|(_, id)| id).collect()
    }

    /// What computes an item from what is kept, itself included.
    fn cone<P: Tensorial>(&self, schedule: &Schedule<P>, kept: &[bool], id: Id) -> BTreeSet<Id> {
        let (mut open, mut cone) = (vec![id], BTreeSet::new());
        while let Some(id) = open.pop() {
            if cone.insert(id) {
                let operands = schedule.item(id).operands.iter().copied();
                open.extend(operands.filter(|&of| !kept[of as usize]));
            }
        }
        cone
    }

    /// The schedule without what is dropped, and the items in it that compute again.
    fn without<P: Tensorial>(
        &self,
        schedule: &Schedule<P>,
        dropped: &[Id],
    ) -> (Schedule<P>, Vec<Id>) {
        let mut kept = self.kept.clone();
        dropped.iter().for_each(|&id| kept[id as usize] = false);
        let count = schedule.items.len();
        let mut items = Vec::with_capacity(count);
        let mut numbers: Vec<Id> = Vec::with_capacity(count);
        let mut copies: Vec<Option<Id>> = vec![None; count];
        for (id, item) in schedule.items.iter().enumerate() {
            let mut item = item.clone();
            let mut operands: Vec<Id> = Vec::with_capacity(item.operands.len());
            for &operand in item.operands.iter() {
                let at = operand as usize;
                let base = Self::base(schedule, operand) as usize;
                let keeps = self.is_forward[id] || !self.is_forward[at] || kept[base];
                if keeps {
                    operands.push(numbers[at]);
                    continue;
                }
                if copies[at].is_none() {
                    for of in self.cone(schedule, &kept, operand) {
                        if copies[of as usize].is_some() {
                            continue;
                        }
                        let mut copy = schedule.item(of).clone();
                        let of_copy =
                            |&of: &Id| copies[of as usize].unwrap_or(numbers[of as usize]);
                        let operands: Vec<Id> = copy.operands.iter().map(of_copy).collect();
                        copy.operands = Operands::new(&operands);
                        copy.recomputed = true;
                        copies[of as usize] = Some(items.len() as Id);
                        items.push(copy);
                    }
                }
                operands.extend(copies[at]);
            }
            item.operands = Operands::new(&operands);
            numbers.push(items.len() as Id);
            items.push(item);
        }
        let results = schedule.results.iter().map(|&id| numbers[id as usize]).collect();
        let mut lean = Schedule {
            items,
            results,
            access: Vec::new(),
            steps: Vec::new(),
            bands: Vec::new(),
            homes: Vec::new(),
            reports: schedule.reports.clone(),
            ..*schedule
        };
        // What only gradients read is not computed before them too.
        drop_unused(&mut lean);
        let again = lean.items.iter().zip(0..).filter(|(item, _)| item.recomputed);
        let again = again.map(|(_, id)| id).collect();
        (lean, again)
    }
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn a_budget_drops_as_few_values_as_keep_it() {
        let memory = |dropped: usize| 100 - dropped as u64;
        for budget in 20..100 {
            assert_eq!(within(budget, 100, 80, memory), (100 - budget as usize, budget));
        }
        assert_eq!(within(100, 100, 80, memory), (0, 100));
        // None are few enough: what takes least of some that are tried.
        assert_eq!(within(19, 100, 80, memory), (80, 20));
        // Dropping all takes more than dropping some.
        assert_eq!(
            within(40, 100, 80, |n| 100 + 2 * n as u64 - n as u64 * n as u64 / 40),
            (0, 100)
        );
    }
}
