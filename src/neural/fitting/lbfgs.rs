//! `Lbfgs`: parameters that make a loss smallest.

use super::FitError;
use super::line_search::search;
use super::objective::Objective;
use super::report::{Iterate, MinimumReport, Stop};
use super::vector::{dot, largest, norm, plus};
use crate::{Network, Plan, Symbol, Tensorial};
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// A minimum by the limited-memory method of Broyden, Fletcher, Goldfarb and Shanno (Nocedal, "Updating
/// quasi-Newton matrices with limited storage", 1980; Liu and Nocedal, "On the limited memory BFGS
/// method for large scale optimization", 1989), along each direction by a line search for the strong
/// Wolfe conditions.
///
/// It asks for losses as well as gradients, many times a step, and a loss that is the same function
/// from step to step: it is for fits and not for mini-batches, and no [`Optimizer`](crate::Optimizer).
/// The loss and its gradient are runs of a compiled plan. The same start gives the same bits, at any
/// number of threads.
///
/// # Example
///
/// ```
/// use poorgrad::{Lbfgs, Network};
///
/// // Rosenbrock's valley, whose floor bends towards (1, 1).
/// let network = Network::new();
/// let (x, y) = (network.parameter(-1.2_f64), network.parameter(1.0));
/// let (off, along) = (y - x * x, 1.0 - x);
/// let loss = 100.0 * off * off + along * along;
/// let (lowest, report) = Lbfgs::new().fit(&network, loss, []).unwrap();
/// assert!(report.converged(), "{report}");
/// assert!((lowest.resolve(x).payload().unwrap() - 1.0).abs() < 1e-8);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Lbfgs {
    tolerance: f64,
    iterations: usize,
    memory: usize,
}

impl Default for Lbfgs {
    fn default() -> Self {
        Self::new()
    }
}

impl Lbfgs {
    /// The method with a tolerance of 1e-8, at most 1,000 iterations and a memory of 10 steps.
    #[must_use]
    pub fn new() -> Self {
        Self { tolerance: 1e-8, iterations: 1_000, memory: 10 }
    }

    /// Ends where no element of the gradient is larger than this.
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// Ends after so many steps.
    #[must_use]
    pub fn iterations(self, iterations: usize) -> Self {
        Self { iterations, ..self }
    }

    /// How many steps the curvature is estimated from; 0 is steepest descent.
    #[must_use]
    pub fn memory(self, memory: usize) -> Self {
        Self { memory, ..self }
    }

    /// The generation of `network` whose parameters make `loss`, of exactly one element, smallest, as
    /// far as a method of descent finds it from the parameters of this one; and the report. All
    /// parameters that the loss depends on are fitted; inputs keep their feeds.
    ///
    /// # Errors
    ///
    /// Where a symbol or a feed is refused, the loss has not exactly one element or depends on no
    /// parameter, or it or its gradient is not finite at the start. That a fit has not converged is no
    /// error: see [`MinimumReport::converged`].
    #[track_caller]
    pub fn fit<P: Tensorial<Element = f64>>(
        &self,
        network: &Network<P>,
        loss: impl Into<Symbol>,
        feeds: impl IntoIterator<Item = (Symbol, P)>,
    ) -> Result<(Network<P>, MinimumReport), FitError> {
        self.fit_with(network, loss, feeds, |_| ControlFlow::Continue(()))
    }

    /// [`Lbfgs::fit`] that shows where it stands after each step, and ends where it is told to.
    ///
    /// # Errors
    ///
    /// As [`Lbfgs::fit`].
    #[track_caller]
    pub fn fit_with<P: Tensorial<Element = f64>>(
        &self,
        network: &Network<P>,
        loss: impl Into<Symbol>,
        feeds: impl IntoIterator<Item = (Symbol, P)>,
        mut observe: impl FnMut(&Iterate) -> ControlFlow<()>,
    ) -> Result<(Network<P>, MinimumReport), FitError> {
        let mut problem = Problem::new(network, loss.into(), feeds.into_iter().collect())?;
        let mut here = problem.evaluate(problem.objective.vector(network)?)?;
        if !here.loss.is_finite() {
            return Err(problem.not_finite("the loss", &[here.loss]));
        }
        if !norm(&here.gradient).is_finite() {
            return Err(problem.not_finite("the gradient", &here.gradient));
        }
        let mut curvature = Curvature { memory: self.memory, pairs: VecDeque::new() };
        let mut iterations = 0;
        let stop = loop {
            if largest(&here.gradient) <= self.tolerance {
                break Stop::Stationary;
            }
            if iterations == self.iterations {
                break Stop::IterationLimit;
            }
            let Some(next) = problem.line(&here, &curvature)? else {
                // Memory of another region may point astray: once more, straight down.
                if curvature.pairs.is_empty() {
                    break Stop::Stalled;
                }
                curvature.pairs.clear();
                continue;
            };
            curvature.learn(&here, &next);
            here = next;
            iterations += 1;
            let (value, evaluations) = (here.loss, problem.evaluations);
            if observe(&Iterate { iteration: iterations, value, evaluations }).is_break() {
                break Stop::Asked;
            }
        };
        let report = MinimumReport {
            stop,
            iterations,
            evaluations: problem.evaluations,
            loss: here.loss,
            gradient: largest(&here.gradient),
        };
        Ok((problem.objective.at(network, &here.x)?, report))
    }
}

/// A point with its loss and gradient.
struct Point {
    x: Vec<f64>,
    loss: f64,
    gradient: Vec<f64>,
}

/// A loss as a function of a vector, by a compiled plan.
struct Problem<P: Tensorial<Element = f64>> {
    objective: Objective<P>,
    loss: Symbol,
    plan: Plan<P>,
    evaluations: usize,
}

impl<P: Tensorial<Element = f64>> Problem<P> {
    #[track_caller]
    fn new(network: &Network<P>, loss: Symbol, feeds: Vec<(Symbol, P)>) -> Result<Self, FitError> {
        let plan = network.try_compile_training(loss, [])?;
        let objective = Objective::new("Lbfgs", network, loss, feeds)?;
        Ok(Self { objective, loss, plan, evaluations: 0 })
    }

    fn evaluate(&mut self, x: Vec<f64>) -> Result<Point, FitError> {
        self.evaluations += 1;
        let generation = self.objective.at(&self.objective.fork, &x)?;
        let feeds = self.objective.feeds.iter().cloned();
        let results = self.plan.try_forward(&generation, feeds)?;
        let mut loss = f64::NAN;
        results.try_of(self.loss)?.for_each(&mut |element| loss = *element);
        let gradient = self.objective.gradient(&results.try_backward(self.loss)?)?;
        Ok(Point { x, loss, gradient })
    }

    /// The next point along the direction that the curvature gives; `None` where none is lower.
    fn line(&mut self, here: &Point, curvature: &Curvature) -> Result<Option<Point>, FitError> {
        let mut direction = curvature.direction(&here.gradient);
        let mut slope = dot(&here.gradient, &direction);
        let steepest = curvature.pairs.is_empty();
        if !(slope < 0.0 && slope.is_finite()) {
            direction = here.gradient.iter().map(|g| -g).collect();
            slope = -dot(&here.gradient, &here.gradient);
        }
        let length = norm(&direction);
        let first = if steepest && length > 1.0 { 1.0 / length } else { 1.0 };
        let mut last = None;
        let at = search(here.loss, slope, first, |at| {
            let point = self.evaluate(plus(&here.x, at, &direction))?;
            let along = (point.loss, dot(&point.gradient, &direction));
            last = Some((at, point));
            Ok::<_, FitError>(along)
        })?;
        Ok(match (at, last) {
            (Some(at), Some((tried, point))) if at == tried => Some(point),
            (Some(at), _) => Some(self.evaluate(plus(&here.x, at, &direction))?),
            (None, _) => None,
        })
    }

    fn not_finite(&self, what: &'static str, values: &[f64]) -> FitError {
        self.objective.not_finite(what, values, self.loss)
    }
}

/// What the last steps tell of the inverse Hessian.
struct Curvature {
    memory: usize,
    /// Steps and changes of the gradient, the oldest first, with the inverse of their product.
    pairs: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
}

impl Curvature {
    fn learn(&mut self, from: &Point, to: &Point) {
        let step = plus(&to.x, -1.0, &from.x);
        let change = plus(&to.gradient, -1.0, &from.gradient);
        let product = dot(&step, &change);
        // The line search makes it positive but for rounding, which must not enter the memory.
        let clear = product > f64::EPSILON * norm(&step) * norm(&change);
        if !clear || self.memory == 0 {
            return;
        }
        if self.pairs.len() == self.memory {
            self.pairs.pop_front();
        }
        self.pairs.push_back((step, change, 1.0 / product));
    }

    /// The inverse Hessian's estimate times minus the gradient, by the two loops of Nocedal.
    fn direction(&self, gradient: &[f64]) -> Vec<f64> {
        let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut weights = Vec::with_capacity(self.pairs.len());
        for (step, change, inverse) in self.pairs.iter().rev() {
            let weight = inverse * dot(step, &direction);
            direction = plus(&direction, -weight, change);
            weights.push(weight);
        }
        if let Some((_, change, inverse)) = self.pairs.back() {
            let scale = 1.0 / (inverse * dot(change, change));
            direction.iter_mut().for_each(|d| *d *= scale);
        }
        for ((step, change, inverse), weight) in self.pairs.iter().zip(weights.iter().rev()) {
            let correction = weight - inverse * dot(change, &direction);
            direction = plus(&direction, correction, step);
        }
        direction
    }
}
