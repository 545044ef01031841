//! `Emittable`: what emission reads of a plan: its tape, what it hands back, and the schedule before
//! anything is said of steps and memory.

use super::options::Options;
use super::passes::{Pass, pipeline, slice};
use super::patterns::windows::raise;
use super::results::Names;
use super::run::Plan;
use super::schedule::Schedule;
use crate::graph::tape::Tape;
use crate::payload::Tensorial;

/// What a plan computes.
pub(crate) struct Emittable<'p, P: Tensorial> {
    pub(crate) tape: &'p Tape<P>,
    /// The nodes that are handed back, in order.
    pub(crate) wanted: Vec<u32>,
    /// How many nodes in front a network must share with the one that was compiled.
    pub(crate) needed: usize,
    gradients_from: u32,
    names: &'p Names,
}

impl<P: Tensorial> Plan<P> {
    pub(crate) fn emitted(&self) -> Emittable<'_, P> {
        let values = self.names.values.iter().copied();
        // What simplification shares is the same to the bit.
        let gradients = self.schedule.results[self.names.values.len()..].iter();
        let gradients = gradients.map(|&id| self.schedule.item(id).origin);
        Emittable {
            tape: &self.tape,
            wanted: values.chain(gradients).collect(),
            needed: self.needed,
            gradients_from: self.schedule.gradients_from,
            names: &self.names,
        }
    }
}

impl<P: Tensorial> Emittable<'_, P> {
    /// The items as recorded; where `raised`, what is equal shared, and work on windows matched.
    pub(crate) fn schedule(&self, raised: bool) -> Schedule<P> {
        let mut schedule = slice(self.tape, &self.wanted, self.gradients_from as usize);
        let does =
            |wanted: Pass| pipeline::<P>().into_iter().find(|stage| stage.pass == Some(wanted));
        if raised && let Some(simplify) = does(Pass::Simplify) {
            let windows = does(Pass::Windows).is_some();
            // As recorded first: constants that simplification folds hide what reads them.
            if windows {
                raise(&mut schedule);
            }
            (simplify.run)(&mut schedule, &Options::default());
            if windows {
                raise(&mut schedule);
            }
        }
        schedule
    }

    /// What each result is: a label, the number of a node, or what a gradient is of.
    pub(crate) fn result_names(&self) -> Vec<String> {
        let name = |node: u32| {
            let label = self.tape.node(node as usize).label();
            label.unwrap_or_else(|| format!("%{node}"))
        };
        let values = self.names.values.iter().map(|&node| name(node));
        let several = self.names.losses.len() > 1;
        let gradients = self.names.losses.iter().flat_map(|(loss, of)| {
            of.iter().map(move |&of| match several {
                true => format!("gradient of {} with respect to {}", name(*loss), name(of)),
                false => format!("gradient with respect to {}", name(of)),
            })
        });
        values.chain(gradients).collect()
    }
}
