//! `Plan`: a compiled schedule, and its runs.

use super::describe::{Description, describe};
use super::error::{PlanError, planned};
use super::execute::{Arena, Flat, Given, Opaque};
use super::results::{Names, Results};
use super::schedule::Schedule;
use crate::engine::feeds::bind;
use crate::graph::tape::Tape;
use crate::graph::{Network, Symbol};
use crate::kernel::threads;
use crate::payload::Tensorial;
use std::sync::Arc;

/// What runs a schedule.
pub(super) enum Executor<P: Tensorial> {
    Arena(Arena<P>),
    Flat(Flat<P>),
    Opaque(Opaque<P>),
}

impl<P: Tensorial> Executor<P> {
    /// The name that descriptions print.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Arena(_) => "arena",
            Self::Flat(_) => "flat",
            Self::Opaque(_) => "opaque",
        }
    }
}

/// A compiled schedule. It holds no parameters, so that it survives every generation of a training
/// run, and it runs from any number of threads at once.
///
/// # Example
///
/// ```
/// use poorgrad::{Network, Tensor};
///
/// let network = Network::new();
/// let x = network.input(Tensor::from([1.0_f32, 2.0]));
/// let w = network.parameter(Tensor::from([3.0, 4.0]));
/// let loss = (x * w).tanh().sum();
/// let plan = network.compile_training(loss, []);
/// let results = plan.forward(&network, [(x.symbol(), Tensor::from([0.5, -0.5]))]);
/// let evaluation = network.forward_with([(x, Tensor::from([0.5, -0.5]))]);
/// assert_eq!(results.of(loss), evaluation.of(loss));
/// assert_eq!(results.backward(loss).of(w), evaluation.backward(loss).of(w));
/// ```
pub struct Plan<P: Tensorial> {
    /// The tape that the schedule's items come from.
    pub(super) tape: Tape<P>,
    /// How many nodes in front a network must share with the one that was compiled.
    pub(super) needed: usize,
    pub(super) schedule: Schedule<P>,
    pub(super) names: Arc<Names>,
    pub(super) executor: Executor<P>,
    /// How many threads a step may be split over, at most.
    pub(super) threads: Option<usize>,
}

impl<P: Tensorial> Plan<P> {
    /// Runs the plan on a generation's parameters and some feeds.
    ///
    /// # Panics
    ///
    /// Where [`Plan::try_forward`] errs.
    #[must_use]
    #[track_caller]
    pub fn forward(
        &self,
        network: &Network<P>,
        feeds: impl IntoIterator<Item = (Symbol, P)>,
    ) -> Results<P> {
        planned(self.try_forward(network, feeds))
    }

    /// Runs the plan on a generation's parameters and some feeds.
    ///
    /// # Errors
    ///
    /// Where the network is no generation or fork of the one that was compiled, and where
    /// [`Network::try_forward_with`] refuses the feeds.
    pub fn try_forward(
        &self,
        network: &Network<P>,
        feeds: impl IntoIterator<Item = (Symbol, P)>,
    ) -> Result<Results<P>, PlanError> {
        let tape = self.checked(network)?;
        let feeds = bind(&tape, feeds)?;
        let given = Given { network, feeds: &feeds };
        let handed = threads::limited(self.threads, || match &self.executor {
            Executor::Arena(arena) => arena.run(&given),
            Executor::Flat(flat) => flat.run(&given),
            Executor::Opaque(opaque) => opaque.run(&given),
        });
        Ok(Results::new(tape, self.names.clone(), handed))
    }

    /// The tape that feeds and results are looked up on: the network's, or the plan's own.
    pub(super) fn checked(&self, network: &Network<P>) -> Result<Tape<P>, PlanError> {
        let tape = network.tape();
        let shared = self.tape.common_prefix(&tape);
        if shared < self.needed {
            return Err(PlanError::OtherNetwork { shared, needed: self.needed });
        }
        // Of a network that was reinferred, the plan runs the parameters, with shapes of its own.
        Ok(if tape.has_shapes_of(&self.tape) { tape } else { self.tape.clone() })
    }

    /// The plan as data, which prints as a table.
    #[must_use]
    pub fn describe(&self) -> Description {
        describe(self)
    }
}

impl<P: Tensorial> std::fmt::Debug for Plan<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (steps, results) = (self.schedule.steps.len(), self.schedule.results.len());
        f.debug_struct("Plan")
            .field("executor", &self.executor.name())
            .field("steps", &steps)
            .field("results", &results)
            .finish_non_exhaustive()
    }
}
