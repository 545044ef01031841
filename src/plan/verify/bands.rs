//! Whether steps that take turns block by block compute what they would one after the other.

use super::accesses::{at, index_of};
use super::fault;
use super::places::arena;
use crate::kernel::call::Call;
use crate::kernel::order::KB;
use crate::payload::Tensorial;
use crate::plan::band::{Band, Kind, Role};
use crate::plan::item::Id;
use crate::plan::schedule::{Access, Schedule, Step, Work};
use std::collections::BTreeMap;

/// How many indices of what a step reads are followed.
const SAMPLES: usize = 64;

pub(super) fn bands<P: Tensorial>(schedule: &Schedule<P>) -> Result<(), String> {
    let mut end = 0;
    for band in &schedule.bands {
        let Band { steps, rows, block, roles } = band;
        let ordered = steps.start >= end && steps.end <= schedule.steps.len();
        // Sums on the way are of whole blocks of a product's terms.
        let summed = roles.iter().any(|role| role.kind == Kind::Summed);
        let cut = (1..*rows).contains(block) && !(summed && block % KB > 0);
        if !ordered || !cut || steps.len() < 2 || roles.len() != steps.len() {
            return fault(format!("the band of steps {steps:?} is none"));
        }
        end = steps.end;
        // What is written by rows, with the elements of a row; `None` of what is written at the end.
        let mut written: BTreeMap<Id, Option<usize>> = BTreeMap::new();
        for (number, (step, role)) in
            steps.clone().zip(schedule.steps[steps.clone()].iter().zip(roles))
        {
            takes_part(schedule, number, step, role, *rows)?;
            for (access, axis) in step.operands.iter().zip(&role.axes) {
                match (written.get(&access.base), axis) {
                    (None, _) => {}
                    (Some(Some(width)), Some(axis)) => by_rows(number, access, *axis, *width)?,
                    _ => {
                        let base = access.base;
                        return fault(format!(
                            "step {number} reads item {base} before it is there"
                        ));
                    }
                }
            }
            for &id in &step.outputs {
                let item = schedule.item(id);
                let whole = item.shape == schedule.item(step.items[0]).shape;
                let rows = (role.kind == Kind::Rows && whole).then(|| item.count() / rows);
                written.insert(id, rows);
            }
        }
        apart(schedule, band)?;
    }
    Ok(())
}

/// A step's role is one that its work can have.
fn takes_part<P: Tensorial>(
    schedule: &Schedule<P>,
    number: usize,
    step: &Step,
    Role { kind, axes }: &Role,
    rows: usize,
) -> Result<(), String> {
    let extent = |of: usize, axis: usize| step.operands[of].layout.shape().get(axis).copied();
    let over = |(of, axis): (usize, &Option<usize>)| {
        axis.is_none_or(|axis| extent(of, axis) == Some(rows))
    };
    let all = axes.len() == step.operands.len() && axes.iter().enumerate().all(over);
    let result = schedule.item(step.items[0]).shape.first() == Some(&rows);
    let first = |axes: &[Option<usize>]| axes.iter().all(|&axis| axis == Some(0));
    let right = all
        && step.rows.is_none()
        && match (kind, &step.work) {
            (Kind::Rows, Work::Chain) => result && first(axes),
            (Kind::Rows, Work::Call(Call::Product) | Work::Followed(Call::Product)) => {
                let shared = step.operands[1].layout.shape().len() == 2;
                let right = if shared { axes[1].is_none() } else { axes[1] == Some(0) };
                result && right && first(&axes[..1]) && first(&axes[2..])
            }
            (Kind::Summed, Work::Call(Call::Product) | Work::Followed(Call::Product)) => {
                axes[..2] == [Some(1), Some(0)] && axes[2..].iter().all(Option::is_none)
            }
            (Kind::Rows, Work::Call(call)) => {
                let inside = match call {
                    Call::Sum(axes) | Call::Max(axes) => axes.iter().all(|&axis| axis > 0),
                    Call::LogSumExp(axis) | Call::LogSoftmax(axis) | Call::Softmax(axis) => {
                        *axis > 0
                    }
                    Call::Copy => true,
                    _ => false,
                };
                result && inside && first(axes)
            }
            _ => false,
        };
    if right { Ok(()) } else { fault(format!("step {number} does not go by {rows} rows")) }
}

/// What is read of a row lies in the row of that number.
fn by_rows(number: usize, access: &Access, axis: usize, width: usize) -> Result<(), String> {
    let count = access.layout.count();
    let extents = access.layout.shape().extents();
    let step = count.div_ceil(SAMPLES).max(1);
    // The last one reaches farthest.
    for position in (0..count).step_by(step).chain(count.checked_sub(1)) {
        let index = index_of(extents, position);
        let read = at(access, &index);
        if width == 0 || read / width != index[axis] {
            let base = access.base;
            return fault(format!("step {number} reads item {base} at {index:?} from another row"));
        }
    }
    Ok(())
}

/// Nothing that a band writes lies where something else lies that it reads or writes.
fn apart<P: Tensorial>(schedule: &Schedule<P>, band: &Band) -> Result<(), String> {
    if schedule.homes.is_empty() {
        return Ok(());
    }
    let steps = &schedule.steps[band.steps.clone()];
    let outputs: Vec<Id> = steps.iter().flat_map(|step| step.outputs.iter().copied()).collect();
    let read = steps.iter().flat_map(|step| &step.operands).map(|access| access.base);
    let mut places: Vec<(usize, usize, Id)> = outputs
        .iter()
        .copied()
        .chain(read)
        .filter_map(|id| arena(schedule, id).map(|(start, end)| (start, end, id)))
        .collect();
    places.sort_unstable();
    places.dedup();
    for &id in &outputs {
        let Some((start, end)) = arena(schedule, id) else { continue };
        let clash =
            places.iter().find(|(from, to, other)| *other != id && *from < end && start < *to);
        if let Some((_, _, other)) = clash {
            let steps = &band.steps;
            return fault(format!("items {id} and {other} of the band of steps {steps:?} overlap"));
        }
    }
    Ok(())
}
