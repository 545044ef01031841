//! `Compile`: what a plan is asked to be, and the calls on a network that ask for the usual ones.

use super::error::{PlanError, planned};
use super::execute::{Arena, Flat, Opaque};
use super::options::{Options, Rematerialise};
use super::passes::{Pass, pipeline, slice};
use super::program::Program;
use super::report::Report;
use super::results::Names;
use super::run::{Executor, Plan};
use super::schedule::Schedule;
use super::verify::verify;
use crate::engine::chain_rule::ancestors;
use crate::graph::error::{NetworkError, describe};
use crate::graph::tape::Tape;
use crate::graph::{Network, Symbol};
use crate::kernel::Numerics;
use crate::payload::{Form, Tensorial};
use std::sync::Arc;

/// A plan to be: what it computes, and labelled options.
///
/// # Example
///
/// ```
/// use poorgrad::{Compile, Network, Pass};
///
/// let network = Network::new();
/// let x = network.input(2.0_f64);
/// let w = network.parameter(3.0);
/// let (hidden, loss) = (x * w, (x * w).tanh());
/// let plan = Compile::new(&network)
///     .loss(loss)
///     .gradients_of(x)
///     .keep(hidden)
///     .without(Pass::Fuse)
///     .plan();
/// let results = plan.forward(&network, []);
/// assert_eq!(results.of(hidden), 6.0);
/// assert_eq!(results.backward(loss).of(x), network.forward().backward(loss).of(x));
/// ```
#[must_use = "a plan is made by `plan`"]
pub struct Compile<'n, P: Tensorial> {
    network: &'n Network<P>,
    targets: Vec<Symbol>,
    losses: Vec<Symbol>,
    keep: Vec<Symbol>,
    gradients_of: Vec<Symbol>,
    options: Options,
}

impl<P: Tensorial> Clone for Compile<'_, P> {
    fn clone(&self) -> Self {
        Self {
            network: self.network,
            targets: self.targets.clone(),
            losses: self.losses.clone(),
            keep: self.keep.clone(),
            gradients_of: self.gradients_of.clone(),
            options: self.options.clone(),
        }
    }
}

impl<P: Tensorial> std::fmt::Debug for Compile<'_, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compile")
            .field("targets", &self.targets.len())
            .field("losses", &self.losses.len())
            .field("keep", &self.keep.len())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl<'n, P: Tensorial> Compile<'n, P> {
    /// A plan of nothing yet.
    pub fn new(network: &'n Network<P>) -> Self {
        let none = Vec::new;
        let (targets, losses, keep, gradients_of) = (none(), none(), none(), none());
        Self { network, targets, losses, keep, gradients_of, options: Options::default() }
    }

    /// Computes a value and hands it back, in the order in which targets are named.
    pub fn target(mut self, value: impl Into<Symbol>) -> Self {
        self.targets.push(value.into());
        self
    }

    /// Computes a value of exactly one element and its gradients with respect to the parameters that
    /// it depends on.
    pub fn loss(mut self, value: impl Into<Symbol>) -> Self {
        self.losses.push(value.into());
        self
    }

    /// Hands back a value besides.
    pub fn keep(mut self, value: impl Into<Symbol>) -> Self {
        self.keep.push(value.into());
        self
    }

    /// Gives the losses' gradients with respect to this value too; without a [`Compile::loss`] it is an error.
    pub fn gradients_of(mut self, value: impl Into<Symbol>) -> Self {
        self.gradients_of.push(value.into());
        self
    }

    /// Leaves a pass out. The bits are the same with and without it.
    pub fn without(mut self, pass: Pass) -> Self {
        self.options.off.push(pass);
        self
    }

    /// Runs at most so many of the passes that may be left out: a wrong result is bisected so.
    pub fn pass_limit(mut self, limit: usize) -> Self {
        self.options.limit = Some(limit);
        self
    }

    /// Keeps the memory of a run, its arena and its results, within so many bytes: the backward half
    /// computes again what is then not kept, as little as possible, with the same bits.
    pub fn memory_budget(mut self, bytes: usize) -> Self {
        self.options.rematerialise = Rematerialise::Budget(bytes as u64);
        self
    }

    /// Lets the backward half compute as much again as makes the memory of a run smallest.
    pub fn compact(mut self) -> Self {
        self.options.rematerialise = Rematerialise::Compact;
        self
    }

    /// How products round: exactly as specified, or as fast as the machine can, with other bits.
    pub fn numerics(mut self, numerics: Numerics) -> Self {
        self.options.numerics = numerics;
        self
    }

    /// Splits a step over at most so many threads; 0 counts as 1.
    pub fn threads(mut self, count: usize) -> Self {
        self.options.threads = Some(count);
        self
    }

    /// Lets steps over the rows of something larger take turns block by block, within a cache of so
    /// many bytes ([`Pass::Bands`]), or for a row at a time where rows are larger: a core's second-level one,
    /// 1 MiB unless it is said. The bits are the same with any, but for those of products in `Numerics::Fast`. Such steps do nothing in place, so that plans with a budget of memory, and
    /// compact ones, have none.
    pub fn cache(mut self, bytes: usize) -> Self {
        self.options.cache = bytes;
        self
    }

    /// The plan.
    ///
    /// # Panics
    ///
    /// Where [`Compile::try_plan`] errs.
    #[track_caller]
    pub fn plan(self) -> Plan<P> {
        planned(self.try_plan())
    }

    /// The plan.
    ///
    /// # Errors
    ///
    /// Where a symbol is not of the network, a loss has not exactly one element, gradients are asked for
    /// without a loss, or the memory cannot be kept within the budget.
    #[track_caller]
    pub fn try_plan(self) -> Result<Plan<P>, PlanError> {
        const COMPILE: &str = "compile";
        let given = self.network.tape();
        let positions = |symbols: &[Symbol]| -> Result<Vec<usize>, NetworkError> {
            symbols.iter().map(|&symbol| given.position(symbol, COMPILE)).collect()
        };
        let (targets, losses) = (positions(&self.targets)?, positions(&self.losses)?);
        let (keep, gradients_of) = (positions(&self.keep)?, positions(&self.gradients_of)?);
        if let (&[], &[of, ..]) = (&losses[..], &gradients_of[..]) {
            return Err(PlanError::NoLoss { value: describe(of, given.node(of)) });
        }
        for &loss in &losses {
            let node = given.node(loss);
            if node.shape.volume() != Some(1) {
                let (value, shape) = (describe(loss, node), (*node.shape).clone());
                let operation = COMPILE;
                return Err(NetworkError::NotScalar { operation, value, shape }.into());
            }
        }
        // The chain rule is recorded on a fork, which the network never sees.
        let (tape, gradients) = if losses.is_empty() {
            (given.clone(), Vec::new())
        } else {
            let fork = self.network.clone();
            let gradients: Vec<_> =
                losses.iter().map(|&loss| recorded(&fork, &given, loss, &gradients_of)).collect();
            (fork.tape(), gradients)
        };
        let (names, wanted) = names(&targets, &losses, &keep, gradients);
        let mut schedule = slice(&tape, &wanted, given.len());
        let shared = schedule.items.iter().map(|item| item.origin as usize);
        let needed = shared.filter(|&origin| origin < given.len()).max().map_or(0, |last| last + 1);
        let mut left = self.options.limit.unwrap_or(usize::MAX);
        let checked = |schedule: &Schedule<P>, stage: &str| {
            if cfg!(debug_assertions)
                && let Err(fault) = verify(schedule)
            {
                panic!("invariant: {stage} left a schedule that is wrong: {fault}");
            }
        };
        checked(&schedule, "slice");
        for stage in pipeline::<P>() {
            let off = stage.pass.is_some_and(|pass| self.options.off.contains(&pass) || left == 0);
            let report = if off {
                Report::skipped(stage.name)
            } else {
                left -= usize::from(stage.pass.is_some());
                (stage.run)(&mut schedule, &self.options)
            };
            schedule.reports.push(report);
            checked(&schedule, stage.name);
        }
        if let Rematerialise::Budget(budget) = self.options.rematerialise {
            let least = schedule.memory() * size_of::<P::Element>() as u64;
            if least > budget {
                return Err(PlanError::Budget { budget, least });
            }
        }
        let executor = match P::form() {
            Form::Tensor => {
                Executor::Arena(Arena::new(Program::new(&schedule, self.options.numerics)))
            }
            Form::Scalar => Executor::Flat(Flat::new(&schedule)),
            Form::Opaque => Executor::Opaque(Opaque::new(&schedule)),
        };
        let threads = self.options.threads;
        Ok(Plan { tape, needed, schedule, names: Arc::new(names), executor, threads })
    }
}

/// Records the gradients of a loss with respect to the parameters that it depends on and to
/// `named`: the nodes that have one, with its node.
fn recorded<P: Tensorial>(
    fork: &Network<P>,
    tape: &Tape<P>,
    loss: usize,
    named: &[usize],
) -> Vec<(u32, u32)> {
    let reached = ancestors(tape, &[loss]);
    let parameters = fork.parameters.iter(fork.parameters.len()).map(|state| state.index as usize);
    let mut wrt: Vec<usize> = parameters
        .filter(|&at| reached.get(at) == Some(&true))
        .chain(named.iter().copied())
        .collect();
    wrt.sort_unstable();
    wrt.dedup();
    let nodes = fork.gradients_recorded(loss, &wrt);
    wrt.iter().zip(nodes).filter_map(|(&of, node)| Some((of as u32, node?))).collect()
}

/// What is handed back, and the node of each.
fn names(
    targets: &[usize],
    losses: &[usize],
    keep: &[usize],
    gradients: Vec<Vec<(u32, u32)>>,
) -> (Names, Vec<u32>) {
    let values = targets.iter().chain(losses).chain(keep).map(|&at| at as u32);
    let values: Vec<u32> = values.collect();
    let mut by_node: Vec<(u32, usize)> = values.iter().copied().zip(0..).collect();
    by_node.sort_unstable();
    let mut wanted = values.clone();
    let losses = losses.iter().zip(gradients).map(|(&loss, gradients)| {
        wanted.extend(gradients.iter().map(|(_, node)| node));
        (loss as u32, gradients.into_iter().map(|(of, _)| of).collect())
    });
    let losses = losses.collect();
    (Names { targets: targets.len(), values, by_node, losses }, wanted)
}
