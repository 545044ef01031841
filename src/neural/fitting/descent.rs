//! `Descent`: the steps of a fit by least squares.
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
use crate::Tensorial;
use std::ops::ControlFlow;

/// A step is taken where the sum of squares falls by this part of what the linear model says.
const TAKEN: f64 = 1e-4;
/// Below this part of the sum of squares, a predicted fall is left to the last steps.
const FLAT: f64 = 1e-12;
/// Shorter steps beside the parameters are below what rounding lets a region decide.
const SHORT: f64 = 1e-10;
/// A relative offset below this is none: the fit is off by a millionth of its standard errors.
const OFFSET: f64 = 1e-6;

/// When a descent ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Limits {
    /// Where the next step, in scaled parameters, is below this part of them.
    pub(super) tolerance: f64,
    /// After so many steps.
    pub(super) iterations: usize,
    /// How long the first step may be beside the parameters, both scaled.
    pub(super) radius: f64,
}

/// A descent: where it stands, with the Jacobian there.
pub(super) struct Descent<'p, P: Tensorial<Element = f64>, O> {
    problem: &'p mut LeastSquares<P>,
    observe: O,
    pub(super) x: Vec<f64>,
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
    /// A descent from `x`, where everything must be finite.
    pub(super) fn new(
        problem: &'p mut LeastSquares<P>,
        x: Vec<f64>,
        observe: O,
    ) -> Result<Self, FitError> {
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

    /// Goes down until a limit is met.
    pub(super) fn run(&mut self, limits: &Limits) -> Result<Stop, FitError> {
        match self.approach(limits)? {
            Some(stop) => Ok(stop),
            None => self.finish(limits),
        }
    }

    /// Steps of the trust region, until the sum of squares is too flat for it: `None` then.
    fn approach(&mut self, limits: &Limits) -> Result<Option<Stop>, FitError> {
        let length = norm(&times(&self.scales, &self.x));
        let mut radius = limits.radius * if length > 0.0 { length } else { 1.0 };
        let mut damping = 0.0;
        loop {
            if self.reach() == 0.0 {
                return Ok(Some(Stop::Stationary));
            }
            if self.iterations == limits.iterations {
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
    fn finish(&mut self, limits: &Limits) -> Result<Stop, FitError> {
        loop {
            let reach = self.reach();
            let step = step(&self.factored, f64::INFINITY, 0.0);
            let length = norm(&times(&self.scales, &self.x));
            let small = step.length <= limits.tolerance * length;
            if reach == 0.0 {
                return Ok(Stop::Stationary);
            }
            if small || self.iterations == limits.iterations {
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

    /// The report of a descent that ended.
    pub(super) fn report(&self, stop: Stop) -> LeastSquaresReport {
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
