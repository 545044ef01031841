//! `LeastSquares`: residuals and their Jacobian, by compiled plans.

use super::FitError;
use super::objective::{Objective, push};
use crate::{Network, Plan, Symbol, Tensorial};

/// Residuals as a function of a vector of parameters.
pub(super) struct LeastSquares<P: Tensorial<Element = f64>> {
    pub(super) objective: Objective<P>,
    residuals: Symbol,
    pub(super) count: usize,
    values: Plan<P>,
    derivatives: Plan<P>,
    pub(super) evaluations: usize,
    pub(super) jacobians: usize,
}

impl<P: Tensorial<Element = f64>> LeastSquares<P> {
    #[track_caller]
    pub(super) fn new(
        network: &Network<P>,
        residuals: Symbol,
        feeds: Vec<(Symbol, P)>,
    ) -> Result<Self, FitError> {
        let objective = Objective::new("LevenbergMarquardt", network, residuals, feeds)?;
        let count = network.try_resolve(residuals)?.shape().volume().unwrap_or(usize::MAX);
        if count < objective.len() {
            return Err(FitError::Underdetermined {
                residuals: count,
                parameters: objective.len(),
            });
        }
        let fork = &objective.fork;
        let jacobian = fork.try_jacobian(residuals, objective.symbols())?;
        let values = fork.try_compile([residuals], [])?;
        let derivatives = fork.try_compile(jacobian, [])?;
        let (evaluations, jacobians) = (0, 0);
        Ok(Self { objective, residuals, count, values, derivatives, evaluations, jacobians })
    }

    /// The residuals, which may not be finite.
    pub(super) fn residuals(&mut self, x: &[f64]) -> Result<Vec<f64>, FitError> {
        self.evaluations += 1;
        let generation = self.objective.at(&self.objective.fork, x)?;
        let results = self.values.try_forward(&generation, self.objective.feeds.iter().cloned())?;
        let mut residuals = Vec::new();
        push(&mut residuals, &results.targets()[0]);
        Ok(residuals)
    }

    /// The columns of the Jacobian, which may not be finite.
    pub(super) fn jacobian(&mut self, x: &[f64]) -> Result<Vec<Vec<f64>>, FitError> {
        self.jacobians += 1;
        let generation = self.objective.at(&self.objective.fork, x)?;
        let results =
            self.derivatives.try_forward(&generation, self.objective.feeds.iter().cloned())?;
        let mut columns = Vec::with_capacity(x.len());
        for block in results.targets() {
            // Row-major `[residuals.., parameter..]`: a parameter's element comes once in each row.
            let mut elements = Vec::new();
            push(&mut elements, block);
            let width = elements.len() / self.count;
            let column = |at| elements.iter().skip(at).step_by(width).copied().collect();
            columns.extend((0..width).map(column));
        }
        Ok(columns)
    }

    /// The error of a start whose residuals or Jacobian are not finite.
    pub(super) fn not_finite(&self, what: &'static str, values: &[f64]) -> FitError {
        self.objective.not_finite(what, values, self.residuals)
    }
}
