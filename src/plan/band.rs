//! What of a step's work belongs to which rows: the facts that bands are made of.
//!
//! INVARIANT: a block of the rows of what a step writes is computed of the same block of rows of what it
//! reads by rows, and of all of what it reads otherwise. A product that is summed over the rows is
//! computed of blocks of `KB` rows, whose sums are added in their order (A5).

use super::item::Id;
use super::schedule::{Access, Schedule, Step, Work};
use crate::kernel::call::Call;
use crate::payload::Tensorial;
use std::ops::Range;

/// Consecutive steps that run block of rows by block of rows, so that what they all read, and what one
/// hands to the next, is read from a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Band {
    pub(crate) steps: Range<usize>,
    /// The positions of the axis that is cut into blocks.
    pub(crate) rows: usize,
    /// The rows of a block.
    pub(crate) block: usize,
    /// How each step takes part.
    pub(crate) roles: Vec<Role>,
}

/// How a step takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It writes rows.
    Rows,
    /// It is a product that is summed over the rows.
    Summed,
}

/// How a step takes part, and which axis of each of its operands runs over the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Role {
    pub(crate) kind: Kind,
    pub(crate) axes: Vec<Option<usize>>,
}

/// The roles that a step can have in a band of so many rows.
pub(crate) fn roles<P: Tensorial>(schedule: &Schedule<P>, step: &Step, rows: usize) -> Vec<Role> {
    let over = |of: usize, axis: usize| {
        step.operands.get(of).is_some_and(|access| access.layout.shape().get(axis) == Some(&rows))
    };
    let shape = &schedule.item(step.items[0]).shape;
    let writes_rows = shape.first() == Some(&rows);
    let all = |first: &[Option<usize>]| {
        let rest = step.operands.len() - first.len();
        first.iter().copied().chain(std::iter::repeat_n(Some(0), rest)).collect()
    };
    let by_rows = |axes| Role { kind: Kind::Rows, axes };
    // Rows without elements are nothing to gain, and lie where other such rows do.
    let read = step.operands.iter().map(|access| access.layout.count());
    let written = step.outputs.iter().map(|&id| schedule.item(id).count());
    if step.rows.is_some() || read.chain(written).any(|count| count == 0) {
        return Vec::new();
    }
    match &step.work {
        Work::Chain if writes_rows => vec![by_rows(all(&[]))],
        Work::Call(Call::Product) | Work::Followed(Call::Product) => {
            let rank = step.operands[0].layout.shape().len();
            let mut roles = Vec::new();
            if writes_rows && over(0, 0) {
                roles.push(by_rows(all(&[Some(0), if rank == 2 { None } else { Some(0) }])));
            }
            if rank == 2 && over(0, 1) && over(1, 0) {
                let others = step.operands.len() - 2;
                let axes = [Some(1), Some(0)].into_iter();
                let axes = axes.chain(std::iter::repeat_n(None, others)).collect();
                roles.push(Role { kind: Kind::Summed, axes });
            }
            roles
        }
        Work::Call(call) if writes_rows && over(0, 0) => {
            let apart = match call {
                Call::Copy => true,
                Call::Sum(axes) | Call::Max(axes) => !axes.contains(&0),
                Call::LogSumExp(axis) | Call::LogSoftmax(axis) | Call::Softmax(axis) => *axis != 0,
                _ => false,
            };
            if apart { vec![by_rows(all(&[]))] } else { Vec::new() }
        }
        _ => Vec::new(),
    }
}

/// The number of elements of a row of what a step writes; `None` of what is there when all rows are.
pub(crate) fn width<P: Tensorial>(
    schedule: &Schedule<P>,
    step: &Step,
    kind: Kind,
    output: Id,
) -> Option<usize> {
    let shape = &schedule.item(step.items[0]).shape;
    let item = schedule.item(output);
    let rows = kind == Kind::Rows && item.shape == *shape;
    rows.then(|| item.count() / shape[0].max(1))
}

/// Whether every row of an access reads of the one row of its base, which has so many elements.
pub(crate) fn stays_in_row(access: &Access, axis: usize, width: usize) -> bool {
    let layout = &access.layout;
    let pairs = layout.shape().iter().zip(layout.strides()).enumerate();
    let others = pairs.filter(|(at, _)| *at != axis);
    let reach = others.fold(layout.offset(), |reach, (_, (&extent, &stride))| {
        reach.saturating_add(extent.saturating_sub(1).saturating_mul(stride))
    });
    layout.strides()[axis] == width && reach < width
}
