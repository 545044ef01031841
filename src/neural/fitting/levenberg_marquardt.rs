//! `LevenbergMarquardt`: parameters that make a sum of squares smallest.
//!
//! Far from the fit a trust region decides on a step by how much the sum of squares fell. Near it the
//! sum is flat: a step that changes the parameters by 1e-8 of themselves changes it by 1e-16, which
//! rounding hides. There whole Gauss-Newton steps go on for as long as what the next step would change
//! of the residuals gets smaller, which is seen to the last digits.

use super::FitError;
use super::factorisation::Factorisation;
use super::least_squares::LeastSquares;
use super::region::step;
use super::report::{Iterate, LeastSquaresReport, Stop};
use super::vector::{dot, norm, plus, times};
use crate::{Network, Symbol, Tensorial};
use std::ops::ControlFlow;

/// A step is taken where the sum of squares falls by this part of what the linear model says.
const TAKEN: f64 = 1e-4;
/// Below this part of the sum of squares, a predicted fall is left to the last steps.
const FLAT: f64 = 1e-12;
/// Shorter steps beside the parameters are below what rounding lets a region decide.
const SHORT: f64 = 1e-10;
/// A relative offset below this is none: the fit is off by a millionth of its standard errors.
const OFFSET: f64 = 1e-6;

/// Least squares by the method of Levenberg ("A method for the solution of certain non-linear problems
/// in least squares", 1944) and Marquardt ("An algorithm for least-squares estimation of nonlinear
/// parameters", 1963) in the form of Moré ("The Levenberg-Marquardt algorithm: implementation and
/// theory", 1978): a trust region in parameters scaled by the largest norms that the Jacobian's columns
/// have had, and each step from an orthogonal factorisation of the Jacobian over the damping.
///
/// Residuals and Jacobian are runs of compiled plans; the Jacobian is that of [`Network::jacobian`].
/// The same start gives the same bits, at any number of threads.
///
/// # Example
///
/// ```
/// use poorgrad::{LevenbergMarquardt, Network, Tensor};
///
/// // A decay, measured five times: which rate, and how well is it known?
/// let network = Network::new();
/// let rate = network.parameter(Tensor::scalar(0.1_f64)).named("rate");
/// let start = network.parameter(Tensor::scalar(1.0)).named("start");
/// let time = network.leaf(Tensor::from([0.0, 1.0, 2.0, 3.0, 4.0]));
/// let measured = network.leaf(Tensor::from([5.02, 3.01, 1.87, 1.09, 0.69]));
/// let model = start.broadcast_like(time) * (-rate.broadcast_like(time) * time).exp();
///
/// let (fitted, report) = LevenbergMarquardt::new().fit(&network, model - measured, []).unwrap();
/// assert!(report.converged(), "{report}");
/// assert!((fitted.resolve(rate).payload().unwrap().item() - 0.5).abs() < 0.01);
/// assert!(report.standard_errors().unwrap()[0] < 0.01);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LevenbergMarquardt {
    tolerance: f64,
    iterations: usize,
    radius: f64,
}

impl Default for LevenbergMarquardt {
    fn default() -> Self {
        Self::new()
    }
}

impl LevenbergMarquardt {
    /// The method with a tolerance of 1e-12 and at most 1,000 iterations.
    #[must_use]
    pub fn new() -> Self {
        Self { tolerance: 1e-12, iterations: 1_000, radius: 100.0 }
    }

    /// Ends where the next step, in scaled parameters, is below this part of them.
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// Ends after so many steps.
    #[must_use]
    pub fn iterations(self, iterations: usize) -> Self {
        Self { iterations, ..self }
    }

    /// The length of the first step, at most, beside the parameters, both scaled: 100 by default. A
    /// smaller one stays nearer to a start that is known to be good.
    #[must_use]
    pub fn radius(self, radius: f64) -> Self {
        Self { radius, ..self }
    }

    /// The generation of `network` whose parameters make the sum of the squared elements of
    /// `residuals`, of any shape, smallest, as far as a method of descent finds it from the parameters
    /// of this one; and the report. All parameters that the residuals depend on are fitted; inputs keep
    /// their feeds.
    ///
    /// # Errors
    ///
    /// Where a symbol or a feed is refused, the residuals depend on no parameter or are fewer than
    /// the parameters, or they or their derivatives are not finite at the start. That a fit has not
    /// converged is no error: see [`LeastSquaresReport::converged`].
    #[track_caller]
    pub fn fit<P: Tensorial<Element = f64>>(
        &self,
        network: &Network<P>,
        residuals: impl Into<Symbol>,
        feeds: impl IntoIterator<Item = (Symbol, P)>,
    ) -> Result<(Network<P>, LeastSquaresReport), FitError> {
        self.fit_with(network, residuals, feeds, |_| ControlFlow::Continue(()))
    }

    /// [`LevenbergMarquardt::fit`] that shows where it stands after each step, and ends where it is told to.
    ///
    /// # Errors
    ///
    /// As [`LevenbergMarquardt::fit`].
    #[track_caller]
    pub fn fit_with<P: Tensorial<Element = f64>>(
        &self,
        network: &Network<P>,
        residuals: impl Into<Symbol>,
        feeds: impl IntoIterator<Item = (Symbol, P)>,
        observe: impl FnMut(&Iterate) -> ControlFlow<()>,
    ) -> Result<(Network<P>, LeastSquaresReport), FitError> {
        let feeds = feeds.into_iter().collect();
        let mut problem = LeastSquares::new(network, residuals.into(), feeds)?;
        let x = problem.objective.vector(network)?;
        let mut descent = Descent::new(&mut problem, x, observe)?;
        let stop = match descent.approach(self)? {
            Some(stop) => stop,
            None => descent.finish(self)?,
        };
        let report = descent.report(stop);
        let x = descent.x;
        Ok((problem.objective.at(network, &x)?, report))
    }
}

/// A descent: where it stands, with the Jacobian there.
struct Descent<'p, P: Tensorial<Element = f64>, O> {
    problem: &'p mut LeastSquares<P>,
    observe: O,
    x: Vec<f64>,
    residuals: Vec<f64>,
    squares: f64,
    columns: Vec<Vec<f64>>,
    /// What the parameters are multiplied with: the largest norm that each column has had.
    scales: Vec<f64>,
    factored: Factorisation,
    iterations: usize,
}

impl<'p, P, O> Descent<'p, P, O>
where
    P: Tensorial<Element = f64>,
    O: FnMut(&Iterate) -> ControlFlow<()>,
{
    fn new(problem: &'p mut LeastSquares<P>, x: Vec<f64>, observe: O) -> Result<Self, FitError> {
        let residuals = problem.residuals(&x)?;
        let squares = dot(&residuals, &residuals);
        if !squares.is_finite() {
            return Err(problem.not_finite("the residuals", &residuals));
        }
        let columns = problem.jacobian(&x)?;
        if let Some(column) = columns.iter().find(|column| !norm(column).is_finite()) {
            return Err(problem.not_finite("a column of the Jacobian", column));
        }
        let mut scales = vec![0.0; x.len()];
        let factored = factored(&columns, &residuals, &mut scales);
        Ok(Self {
            problem,
            observe,
            x,
            residuals,
            squares,
            columns,
            scales,
            factored,
            iterations: 0,
        })
    }

    /// Steps of the trust region, until the sum of squares is too flat for it: `None` then.
    fn approach(&mut self, method: &LevenbergMarquardt) -> Result<Option<Stop>, FitError> {
        let length = norm(&times(&self.scales, &self.x));
        let mut radius = method.radius * if length > 0.0 { length } else { 1.0 };
        let mut damping = 0.0;
        loop {
            if self.reach() == 0.0 {
                return Ok(Some(Stop::Stationary));
            }
            if self.iterations == method.iterations {
                return Ok(Some(Stop::IterationLimit));
            }
            let step = step(&self.factored, radius, damping);
            if self.iterations == 0 && step.length < radius {
                radius = step.length;
            }
            let length = norm(&times(&self.scales, &self.x));
            if step.predicted <= FLAT * self.squares || step.length <= SHORT * length {
                return Ok(None);
            }
            let x = self.moved(&step.along);
            let residuals = self.problem.residuals(&x)?;
            let (actual, predicted) = (self.fall(&residuals), step.predicted);
            let ratio = if actual.is_finite() { actual / predicted } else { -f64::INFINITY };
            damping = step.damping;
            if ratio <= 0.25 {
                // Where the quadratic through both ends has its minimum, within limits.
                let slope = predicted - damping * step.length * step.length;
                let least = 0.5 * slope / (slope - 0.5 * actual);
                let shrink = match ratio {
                    ratio if ratio >= 0.0 => 0.5,
                    _ if least > 0.1 => least,
                    _ => 0.1,
                };
                radius =
                    shrink * if radius < 10.0 * step.length { radius } else { 10.0 * step.length };
                damping /= shrink;
            } else if damping == 0.0 || ratio >= 0.75 {
                (radius, damping) = (2.0 * step.length, 0.5 * damping);
            }
            if ratio < TAKEN {
                continue;
            }
            let columns = self.problem.jacobian(&x)?;
            if columns.iter().any(|column| !norm(column).is_finite()) {
                // No way on from there: nearer, there may be one.
                radius *= 0.25;
                continue;
            }
            if self.go(x, residuals, columns).is_break() {
                return Ok(Some(Stop::Asked));
            }
        }
    }

    /// Whole steps, until they are below the tolerance or the next one gets no smaller.
    fn finish(&mut self, method: &LevenbergMarquardt) -> Result<Stop, FitError> {
        loop {
            let reach = self.reach();
            let step = step(&self.factored, f64::INFINITY, 0.0);
            let length = norm(&times(&self.scales, &self.x));
            let small = step.length <= method.tolerance * length;
            if reach == 0.0 {
                return Ok(Stop::Stationary);
            }
            if small || self.iterations == method.iterations {
                return Ok(if small { Stop::SmallStep } else { Stop::IterationLimit });
            }
            let x = self.moved(&step.along);
            let (residuals, columns) = (self.problem.residuals(&x)?, self.problem.jacobian(&x)?);
            let mut scales = self.scales.clone();
            let next = factored(&columns, &residuals, &mut scales);
            let nearer = norm(&next.rotated[..next.rank()]);
            if !(nearer < reach && dot(&residuals, &residuals).is_finite()) {
                let close = self.relative_offset() <= OFFSET;
                return Ok(if close { Stop::Stationary } else { Stop::Stalled });
            }
            if self.go(x, residuals, columns).is_break() {
                return Ok(Stop::Asked);
            }
        }
    }

    /// What a linear step would change of the residuals.
    fn reach(&self) -> f64 {
        norm(&self.factored.rotated[..self.factored.rank()])
    }

    fn relative_offset(&self) -> f64 {
        let (reach, rank) = (self.reach(), self.factored.rank());
        let rest = norm(&self.factored.rotated[rank..]);
        let freedom = (self.residuals.len() - rank) as f64;
        if reach == 0.0 { 0.0 } else { (reach / (rank as f64).sqrt()) / (rest / freedom.sqrt()) }
    }

    /// The parameters after a step in scaled ones.
    fn moved(&self, along: &[f64]) -> Vec<f64> {
        let step: Vec<f64> = along.iter().zip(&self.scales).map(|(z, scale)| z / scale).collect();
        plus(&self.x, 1.0, &step)
    }

    /// How much lower the sum of squares is with other residuals: by differences, whose sum keeps
    /// digits that a difference of sums has lost.
    fn fall(&self, residuals: &[f64]) -> f64 {
        let pairs = self.residuals.iter().zip(residuals);
        pairs.fold(0.0, |sum, (old, new)| sum + (old - new) * (old + new))
    }

    fn go(&mut self, x: Vec<f64>, residuals: Vec<f64>, columns: Vec<Vec<f64>>) -> ControlFlow<()> {
        self.factored = factored(&columns, &residuals, &mut self.scales);
        self.squares = dot(&residuals, &residuals);
        (self.x, self.residuals, self.columns) = (x, residuals, columns);
        self.iterations += 1;
        let (iteration, value) = (self.iterations, self.squares);
        (self.observe)(&Iterate { iteration, value, evaluations: self.problem.evaluations })
    }

    fn report(&self, stop: Stop) -> LeastSquaresReport {
        let names = self.problem.objective.names();
        let mut report = LeastSquaresReport::new(stop, names, &self.x);
        report.iterations = self.iterations;
        report.evaluations = self.problem.evaluations;
        report.jacobians = self.problem.jacobians;
        report.residuals = self.residuals.len();
        report.sum_of_squares = self.squares;
        report.relative_offset = self.relative_offset();
        let mut scales = vec![0.0; self.x.len()];
        let factored = factored(&self.columns, &self.residuals, &mut scales);
        report.finish(&factored, &scales);
        report
    }
}

/// Factors the Jacobian with its columns divided by the larger of `scales` and their norms, which become
/// the scales.
fn factored(columns: &[Vec<f64>], residuals: &[f64], scales: &mut [f64]) -> Factorisation {
    let mut scaled = Vec::with_capacity(columns.len());
    for (column, scale) in columns.iter().zip(scales) {
        let length = norm(column);
        if length > *scale {
            *scale = length;
        }
        if *scale == 0.0 {
            *scale = 1.0;
        }
        scaled.push(column.iter().map(|entry| entry / *scale).collect());
    }
    Factorisation::new(scaled, residuals.to_vec(), true)
}
