//! `Schedule`: what the passes of the pipeline work on, from a list of values to steps with places.
//!
//! INVARIANT: items are in topological order; a step covers items that no other step covers; what
//! a step reads is a source or the output of an earlier step.

use super::band::Band;
use super::item::{Definition, Id, Item};
use super::report::Report;
use crate::kernel::call::Call;
use crate::payload::Tensorial;
use crate::payload::layout::Layout;

/// How an item's elements are read: by a layout over those of another, or of itself.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// A source or the output of a step.
    pub(crate) base: Id,
    pub(crate) layout: Layout,
}

impl Access {
    /// The elements of `base`, one after the other, all of them.
    pub(crate) fn is_whole<P>(&self, items: &[Item<P>]) -> bool {
        self.layout.offset() == 0
            && self.layout.is_contiguous()
            && self.layout.count() == items[self.base as usize].count()
    }
}

/// What a step runs.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// One kernel.
    Call(Call),
    /// The functions of its items over one space, tile by tile.
    Chain,
    /// One kernel for the first item, and the functions of the others on its result, in its place.
    Followed(Call),
}

/// A step: items that are computed together.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) work: Work,
    /// What it covers, ascending.
    pub(crate) items: Vec<Id>,
    /// What it reads and does not compute, in the order of first use.
    pub(crate) operands: Vec<Access>,
    /// The source of the rows that a selection names.
    pub(crate) rows: Option<Id>,
    /// Those of its items that outlive it, ascending.
    pub(crate) outputs: Vec<Id>,
}

/// Where the elements of a base are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// Nowhere: inside a step, or read through another item.
    None,
    /// A source: the payload is bound when a run begins.
    Source,
    /// The arena, from this element on.
    Arena(usize),
    /// The block of a result that is handed back, by its first number in the list.
    Result(u32),
}

/// The work of the pipeline.
pub(crate) struct Schedule<P: Tensorial> {
    pub(crate) items: Vec<Item<P>>,
    /// What a run hands back, in the order in which it was asked for; an item may be asked for twice.
    pub(crate) results: Vec<Id>,
    /// How each item is read; empty until the pass that decides it.
    pub(crate) access: Vec<Access>,
    pub(crate) steps: Vec<Step>,
    /// Steps that run together block by block: ranges that ascend and do not touch.
    pub(crate) bands: Vec<Band>,
    /// Where each item's elements are; empty until the pass that decides it.
    pub(crate) homes: Vec<Home>,
    /// The number of elements of the arena.
    pub(crate) arena: usize,
    pub(crate) reports: Vec<Report>,
    /// Nodes of the tape from here on were recorded to compute gradients.
    pub(crate) gradients_from: u32,
    /// The number of elements of all values that are computed as recorded, views apart.
    pub(crate) recorded: usize,
}

impl<P: Tensorial> Schedule<P> {
    pub(crate) fn new(items: Vec<Item<P>>, results: Vec<Id>, gradients_from: u32) -> Self {
        let (access, steps, homes) = (Vec::new(), Vec::new(), Vec::new());
        let recorded = items.iter().filter(|item| item.is_computed());
        let recorded = recorded.fold(0, |sum, item| sum + item.count());
        Self {
            items,
            results,
            access,
            steps,
            bands: Vec::new(),
            homes,
            arena: 0,
            reports: Vec::new(),
            gradients_from,
            recorded,
        }
    }

    /// A copy to change.
    #[cfg(test)]
    pub(crate) fn copied(&self) -> Self {
        Self {
            items: self.items.clone(),
            results: self.results.clone(),
            access: self.access.clone(),
            steps: self.steps.clone(),
            bands: self.bands.clone(),
            homes: self.homes.clone(),
            reports: self.reports.clone(),
            ..*self
        }
    }

    pub(crate) fn item(&self, id: Id) -> &Item<P> {
        &self.items[id as usize]
    }

    pub(crate) fn is_source(&self, id: Id) -> bool {
        self.item(id).definition.is_source()
    }

    /// The source behind a selection, through the reshapes that keep its rows.
    pub(crate) fn selected(&self, mut id: Id) -> Id {
        while let Definition::Operation(..) = self.item(id).definition {
            id = self.item(id).operands[0];
        }
        id
    }

    /// The elements of the arena and of the results' blocks.
    pub(crate) fn memory(&self) -> u64 {
        let mut results = self.results.clone();
        results.sort_unstable();
        results.dedup();
        let blocks = results.into_iter().filter(|&id| !self.is_source(id));
        let blocks = blocks.map(|id| self.item(id).count()).fold(0, |sum, count| sum + count);
        (self.arena + blocks) as u64
    }

    /// The step that computes each item, where one does.
    pub(crate) fn step_of(&self) -> Vec<Option<usize>> {
        let mut step_of = vec![None; self.items.len()];
        for (index, step) in self.steps.iter().enumerate() {
            for &item in &step.items {
                step_of[item as usize] = Some(index);
            }
        }
        step_of
    }

    /// The band of a step, where it is of one.
    pub(crate) fn band_of(&self, step: usize) -> Option<&Band> {
        let at = self.bands.partition_point(|band| band.steps.end <= step);
        self.bands.get(at).filter(|band| band.steps.contains(&step))
    }

    /// The number of the last step that reads each base, or writes it where none does: of a band the last
    /// of all, as its steps take turns.
    pub(crate) fn last_uses(&self) -> Vec<Option<usize>> {
        let mut last = vec![None; self.items.len()];
        for (index, step) in self.steps.iter().enumerate() {
            let index = self.band_of(index).map_or(index, |band| band.steps.end - 1);
            let read = step.operands.iter().map(|access| access.base);
            for base in read.chain(step.outputs.iter().copied()) {
                last[base as usize] = Some(index);
            }
        }
        last
    }
}
