//! Whether every view reads what it means, followed index by index.

use super::fault;
use crate::ops::lower::{Lowered, Rearrangement};
use crate::payload::Tensorial;
use crate::plan::item::{Definition, Id};
use crate::plan::schedule::{Access, Schedule};

/// How many indices of a view are followed.
const SAMPLES: usize = 64;

pub(super) fn accesses<P: Tensorial>(schedule: &Schedule<P>) -> Result<(), String> {
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

pub(super) fn index_of(extents: &[usize], position: usize) -> Vec<usize> {
    let mut rest = position;
    let mut index = vec![0; extents.len()];
    for (axis, &extent) in extents.iter().enumerate().rev() {
        index[axis] = rest % extent;
        rest /= extent;
    }
    index
}

pub(super) fn at(access: &Access, index: &[usize]) -> usize {
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
