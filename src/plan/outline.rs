//! `Outline`: a plan as boxes and arrows, for drawings.

use super::describe::{StepDescription, describe};
use super::run::Plan;
use super::schedule::Home;
use crate::graph::tape::Tape;
use crate::payload::Tensorial;

/// Where the elements of an item are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lies {
    /// In a payload that a run is given, or that the plan holds.
    Source,
    /// In another item's elements, read through strides.
    View,
    /// Nowhere: a step computes it on the way.
    Inside,
    /// In memory, until the last step that reads it.
    Stored,
    /// In memory that is handed back.
    Handed,
}

/// One value of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Outlined {
    /// Its node on the plan's tape.
    pub(crate) node: u32,
    /// The items that it is computed from.
    pub(crate) operands: Vec<u32>,
    pub(crate) lies: Lies,
    /// Whether it is computed once more.
    pub(crate) again: bool,
}

/// The values of a plan, and its steps.
pub(crate) struct Outline<'p, P> {
    pub(crate) tape: &'p Tape<P>,
    pub(crate) items: Vec<Outlined>,
    /// Each step, with the items that it covers.
    pub(crate) steps: Vec<(StepDescription, Vec<u32>)>,
}

impl<P: Tensorial> Plan<P> {
    pub(crate) fn outline(&self) -> Outline<'_, P> {
        let schedule = &self.schedule;
        let step_of = schedule.step_of();
        let mut handed = vec![false; schedule.items.len()];
        schedule.results.iter().for_each(|&id| handed[id as usize] = true);
        // Without steps, as in a flat program, every value is stored.
        let home = |id: usize| schedule.homes.get(id).copied().unwrap_or(Home::Arena(0));
        let items = schedule.items.iter().enumerate().map(|(id, item)| Outlined {
            node: item.origin,
            operands: item.operands.to_vec(),
            again: item.recomputed,
            lies: match home(id) {
                _ if item.definition.is_source() => Lies::Source,
                _ if handed[id] => Lies::Handed,
                Home::None if step_of[id].is_none() => Lies::View,
                Home::None => Lies::Inside,
                _ => Lies::Stored,
            },
        });
        let items: Vec<Outlined> = items.collect();
        let described = describe(self).steps.into_iter().zip(&schedule.steps);
        let mut steps: Vec<_> =
            described.map(|(described, step)| (described, step.items.clone())).collect();
        enclose(&items, step_of, &mut steps);
        Outline { tape: &self.tape, items, steps }
    }
}

/// Views that a step reads of what it computes itself belong to it: else an arrow would leave the
/// step and come back.
fn enclose(
    items: &[Outlined],
    mut step_of: Vec<Option<usize>>,
    steps: &mut [(StepDescription, Vec<u32>)],
) {
    for reader in 0..items.len() {
        let Some(step) = step_of[reader] else { continue };
        for &operand in &items[reader].operands {
            let (mut at, mut views) = (operand as usize, Vec::new());
            while items[at].lies == Lies::View && step_of[at].is_none() {
                views.push(at);
                at = items[at].operands[0] as usize;
            }
            if step_of[at] == Some(step) {
                views.iter().for_each(|&view| step_of[view] = Some(step));
                steps[step].1.extend(views.iter().map(|&view| view as u32));
            }
        }
    }
    for (_, covered) in steps {
        covered.sort_unstable();
    }
}
