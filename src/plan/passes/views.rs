//! `views`: transposes, broadcasts, windows and reshapes become strides of whoever reads them.

use crate::ops::lower::{Lowered, Rearrangement};
use crate::payload::layout::Layout;
use crate::payload::{Shape, Stored, Tensorial};
use crate::plan::item::{Definition, Id, Item};
use crate::plan::options::Options;
use crate::plan::report::Report;
use crate::plan::schedule::{Access, Schedule};

pub(crate) fn run<P: Tensorial>(schedule: &mut Schedule<P>, _: &Options) -> Report {
    let mut report = Report::default();
    let (mut views, mut copies) = (0, 0);
    let mut access: Vec<Access> = Vec::with_capacity(schedule.items.len());
    for (id, item) in schedule.items.iter().enumerate() {
        let own = |layout| Access { base: id as Id, layout };
        let dense = || Layout::contiguous((*item.shape).clone());
        access.push(match &item.definition {
            // One element stands for all of a constant that takes no storage.
            Definition::Constant(payload) if is_splat(payload) => {
                own(Layout::constant((*item.shape).clone()))
            }
            Definition::Operation(_, lowered) => {
                let from = &access[item.operands[0] as usize];
                match view(lowered, &from.layout, &item.shape) {
                    Some(Some(layout)) => {
                        views += 1;
                        Access { base: from.base, layout }
                    }
                    Some(None) => {
                        copies += 1;
                        report.notes.push(note(schedule, item));
                        own(dense())
                    }
                    None => own(dense()),
                }
            }
            _ => own(dense()),
        });
    }
    schedule.access = access;
    let summary = format!("{views} items are read through strides, {copies} must be copied");
    Report { notes: report.notes, ..Report::new("views", summary) }
}

fn note<P: Tensorial>(schedule: &Schedule<P>, item: &Item<P>) -> String {
    let from = &schedule.item(item.operands[0]).shape;
    format!("%{}: no strides read {from} as {} here, so that it is copied", item.origin, item.shape)
}

/// Whether a payload is one element that stands for all.
pub(crate) fn is_splat<P: Tensorial>(payload: &P) -> bool {
    payload.bytes() == 0 && matches!(payload.stored(), Stored::Constant(_))
}

/// The layout of a view of `from`; `Some(None)` where a reshape cannot be one, `None` where the
/// operation is none.
fn view(lowered: &Lowered, from: &Layout, shape: &Shape) -> Option<Option<Layout>> {
    Some(Some(match lowered {
        Lowered::View(Rearrangement::Permute(axes)) => from.permute(axes),
        Lowered::View(Rearrangement::Narrow { axis, start, length }) => {
            from.narrow(*axis, *start, *length)
        }
        Lowered::View(Rearrangement::Broadcast(axes)) => from.broadcast(shape, axes),
        Lowered::View(Rearrangement::Unfold { axis, size, step, dilation }) => {
            from.unfold(*axis, *size, *step, *dilation)
        }
        Lowered::Reshape => return Some(from.reshape(shape)),
        _ => return None,
    }))
}
