//! `LevenbergMarquardt`: parameters that make a sum of squares smallest.

use super::FitError;
use super::descent::{Descent, Limits};
use super::least_squares::LeastSquares;
use super::report::{Iterate, LeastSquaresReport};
use crate::{Network, Symbol, Tensorial};
use std::ops::ControlFlow;

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
    limits: Limits,
}

impl Default for LevenbergMarquardt {
    fn default() -> Self {
        Self::new()
    }
}

impl LevenbergMarquardt {
    /// The method with a tolerance of 1e-12 and at most 2,000 iterations.
    #[must_use]
    pub fn new() -> Self {
        Self { limits: Limits { tolerance: 1e-12, iterations: 2_000, radius: 1.0 } }
    }

    /// Ends where the next step, in scaled parameters, is below this part of them.
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { limits: Limits { tolerance, ..self.limits } }
    }

    /// Ends after so many steps.
    #[must_use]
    pub fn iterations(self, iterations: usize) -> Self {
        Self { limits: Limits { iterations, ..self.limits } }
    }

    /// The length of the first step, at most, beside the parameters, both scaled: 1 by default. A
    /// smaller one stays nearer to a start that is known to be good.
    #[must_use]
    pub fn radius(self, radius: f64) -> Self {
        Self { limits: Limits { radius, ..self.limits } }
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
        let stop = descent.run(&self.limits)?;
        let report = descent.report(stop);
        let x = descent.x;
        Ok((problem.objective.at(network, &x)?, report))
    }
}
