//! The executor of payloads that a plan knows nothing of: the payload's own operations in the
//! order of the tape, each value dropped behind its last reader.

use super::bind::Given;
use crate::kernel::Kernels;
use crate::payload::Tensorial;
use crate::plan::item::{Definition, Id, Item};
use crate::plan::schedule::Schedule;

/// A plan over payloads.
pub(in crate::plan) struct Opaque<P> {
    items: Vec<Item<P>>,
    results: Vec<Id>,
    /// What is dropped behind each item.
    ends: Vec<Vec<Id>>,
}

impl<P: Tensorial> Opaque<P> {
    pub(in crate::plan) fn new(schedule: &Schedule<P>) -> Self {
        let mut last: Vec<usize> = (0..schedule.items.len()).collect();
        for (id, item) in schedule.items.iter().enumerate() {
            item.operands.iter().for_each(|&of| last[of as usize] = id);
        }
        let mut handed = vec![false; schedule.items.len()];
        schedule.results.iter().for_each(|&id| handed[id as usize] = true);
        let mut ends = vec![Vec::new(); schedule.items.len()];
        for (id, last) in last.iter().enumerate().filter(|(id, _)| !handed[*id]) {
            ends[*last].push(id as Id);
        }
        Self { items: schedule.items.clone(), results: schedule.results.clone(), ends }
    }

    /// The results of a run.
    pub(in crate::plan) fn run(&self, given: &Given<'_, P>) -> Vec<P> {
        let mut values: Vec<Option<P>> = vec![None; self.items.len()];
        for (id, item) in self.items.iter().enumerate() {
            let value = match &item.definition {
                Definition::Operation(function, _) => {
                    let operand = |&of: &Id| {
                        let value = values[of as usize].as_ref();
                        value.expect("invariant: operands live until their last reader")
                    };
                    let operands: Vec<&P> = item.operands.iter().map(operand).collect();
                    function.eval(&operands, Kernels::Native)
                }
                source => given.payload(item.origin, source).clone(),
            };
            values[id] = Some(value);
            self.ends[id].iter().for_each(|&ended| values[ended as usize] = None);
        }
        let value = |&id: &Id| values[id as usize].clone();
        let results: Option<Vec<P>> = self.results.iter().map(value).collect();
        results.expect("invariant: results are not dropped")
    }
}
