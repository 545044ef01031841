//! What a fit tells of itself.

use super::FitError;
use super::factorisation::Factorisation;
use crate::Tensor;
use std::fmt;

/// Why a fit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stop {
    /// The gradient is zero within the tolerance: a stationary point.
    Stationary,
    /// The next step would be smaller than the tolerance beside the parameters.
    SmallStep,
    /// Nothing lower was found, and neither tolerance holds: rounding, a kink, a loss that is not
    /// smooth, or a tolerance that `f64` cannot reach.
    Stalled,
    /// As many iterations as were allowed.
    IterationLimit,
    /// What was called after each iteration asked for it.
    Asked,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stationary => "the gradient is zero within the tolerance",
            Self::SmallStep => "the next step is below the tolerance",
            Self::Stalled => "nothing lower was found",
            Self::IterationLimit => "the limit of iterations was reached",
            Self::Asked => "the caller asked for it",
        })
    }
}

/// Where a fit stands after an iteration: what an observer is shown.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Iterate {
    /// How many iterations are done.
    pub iteration: usize,
    /// The sum of squares, or the loss.
    pub value: f64,
    /// How often the residuals or the loss were evaluated.
    pub evaluations: usize,
}

/// A parameter's element and how well the residuals determine it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// The parameter's path, with the position where it has several elements.
    pub name: String,
    /// The value, in the units of the parameter.
    pub value: f64,
    /// The standard error, in the same units: `None` where [`LeastSquaresReport::standard_errors`]
    /// errs.
    pub standard_error: Option<f64>,
}

/// The report of a fit by least squares.
///
/// Errors of estimates are those of the linear model at the fit: the covariance is
/// `s^2 (J^T J)^-1`, where `s^2`, the sum of squares over the degrees of freedom, estimates the variance of
/// a residual. They hold where residuals are independent, of equal variance, and the model is nearly
/// linear over the errors; residuals of unequal variance are divided by their standard deviations
/// first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LeastSquaresReport {
    /// Why the fit ended.
    pub stop: Stop,
    /// Steps that were taken.
    pub iterations: usize,
    /// How often the residuals were evaluated.
    pub evaluations: usize,
    /// How often the Jacobian was.
    pub jacobians: usize,
    /// The number of residuals.
    pub residuals: usize,
    /// The sum of their squares.
    pub sum_of_squares: f64,
    /// How far the fit is from stationary: what a linear step would change of the residuals, over what
    /// no step changes, each by its degrees of freedom (the relative offset of Bates and Watts, "A
    /// relative offset orthogonality convergence criterion for nonlinear least squares", 1981). Far
    /// below 1, the error of the fit is negligible beside the standard errors. NaN without a degree of
    /// freedom.
    pub relative_offset: f64,
    /// The parameters.
    pub estimates: Vec<Estimate>,
    /// `(J^T J)^-1`, row-major, or the names of what is not determined.
    inverse: Result<Vec<f64>, (usize, Vec<String>)>,
}

impl LeastSquaresReport {
    /// Whether the fit ended by a tolerance.
    #[must_use]
    pub fn converged(&self) -> bool {
        converged(self.stop)
    }

    /// The number of residuals beyond that of the parameters.
    #[must_use]
    pub fn degrees_of_freedom(&self) -> usize {
        self.residuals - self.estimates.len()
    }

    /// The residual standard deviation: the root of the sum of squares over the degrees of freedom.
    ///
    /// # Errors
    ///
    /// Where there is no degree of freedom.
    pub fn deviation(&self) -> Result<f64, FitError> {
        match self.degrees_of_freedom() {
            0 => Err(FitError::NoFreedom { count: self.residuals }),
            freedom => Ok((self.sum_of_squares / freedom as f64).sqrt()),
        }
    }

    /// The covariance of the estimates, `[n, n]` for `n` of them.
    ///
    /// # Errors
    ///
    /// Where the residuals do not determine every parameter, or there is no degree of freedom.
    pub fn covariance(&self) -> Result<Tensor<f64>, FitError> {
        let deviation = self.deviation()?;
        let inverse = self.inverse.as_ref().map_err(|(rank, parameters)| {
            FitError::RankDeficient { rank: *rank, parameters: parameters.clone() }
        })?;
        let count = self.estimates.len();
        let scaled = inverse.iter().map(|entry| deviation * entry * deviation).collect();
        Ok(Tensor::new([count, count], scaled))
    }

    /// The standard errors of the estimates, in their order.
    ///
    /// # Errors
    ///
    /// As [`LeastSquaresReport::covariance`].
    pub fn standard_errors(&self) -> Result<Vec<f64>, FitError> {
        let (covariance, count) = (self.covariance()?.to_vec(), self.estimates.len());
        Ok(covariance.iter().step_by(count + 1).map(|variance| variance.sqrt()).collect())
    }

    /// The correlations of the estimates, `[n, n]` for `n` of them.
    ///
    /// # Errors
    ///
    /// As [`LeastSquaresReport::covariance`].
    pub fn correlation(&self) -> Result<Tensor<f64>, FitError> {
        let (covariance, errors) = (self.covariance()?.to_vec(), self.standard_errors()?);
        let count = errors.len();
        let entry = |at: usize| covariance[at] / (errors[at / count] * errors[at % count]);
        Ok(Tensor::new([count, count], (0..count * count).map(entry).collect()))
    }

    /// Fills the covariance in: `factored` is that of the Jacobian at the fit with its columns divided
    /// by `scales`.
    pub(super) fn finish(&mut self, factored: &Factorisation, scales: &[f64]) {
        let (count, rank) = (factored.count(), factored.rank());
        if rank < count {
            let dependent = factored.order[rank..].iter();
            let names = dependent.map(|&at| self.estimates[at].name.clone()).collect();
            self.inverse = Err((rank, names));
            return;
        }
        // The rows of `R^-1`, by the columns of its transpose.
        let mut rows = Vec::with_capacity(count);
        for at in 0..count {
            let mut unit = vec![0.0; count];
            unit[at] = 1.0;
            rows.push(factored.restored(&factored.solve(&unit, count)));
        }
        // Each of `rows` is a column of `P R^-1`: the inverse is the sum of their outer products.
        let mut inverse = vec![0.0; count * count];
        for column in &rows {
            for (at, entry) in inverse.iter_mut().enumerate() {
                *entry += column[at / count] / scales[at / count]
                    * (column[at % count] / scales[at % count]);
            }
        }
        self.inverse = Ok(inverse);
        if let Ok(errors) = self.standard_errors() {
            let estimates = self.estimates.iter_mut().zip(errors);
            estimates.for_each(|(estimate, error)| estimate.standard_error = Some(error));
        }
    }

    /// A report without a covariance.
    pub(super) fn new(stop: Stop, names: Vec<String>, values: &[f64]) -> Self {
        let estimate =
            |(name, value): (String, &f64)| Estimate { name, value: *value, standard_error: None };
        Self {
            stop,
            iterations: 0,
            evaluations: 0,
            jacobians: 0,
            residuals: 0,
            sum_of_squares: f64::NAN,
            relative_offset: f64::NAN,
            estimates: names.into_iter().zip(values).map(estimate).collect(),
            inverse: Err((0, Vec::new())),
        }
    }
}

/// A table: an estimate a line, then the residuals and the reason for the end.
impl fmt::Display for LeastSquaresReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widest = self.estimates.iter().map(|estimate| estimate.name.chars().count()).max();
        let width = widest.unwrap_or(0);
        for Estimate { name, value, standard_error } in &self.estimates {
            write!(f, "{name:width$}  {value:>18.10e}")?;
            match standard_error {
                Some(error) => writeln!(f, "  +- {error:.3e}")?,
                None => writeln!(f)?,
            }
        }
        write!(f, "sum of squares {:.10e} of {} residuals", self.sum_of_squares, self.residuals)?;
        if let Ok(deviation) = self.deviation() {
            write!(f, ", standard deviation {deviation:.6e}")?;
        }
        write!(
            f,
            "\n{} iterations, {} evaluations, {} Jacobians: {}",
            self.iterations, self.evaluations, self.jacobians, self.stop
        )
    }
}

/// The report of a minimisation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MinimumReport {
    /// Why the minimisation ended.
    pub stop: Stop,
    /// Steps that were taken.
    pub iterations: usize,
    /// How often the loss and its gradient were evaluated.
    pub evaluations: usize,
    /// The loss.
    pub loss: f64,
    /// The largest magnitude of the gradient's elements.
    pub gradient: f64,
}

impl MinimumReport {
    /// Whether the minimisation ended by a tolerance.
    #[must_use]
    pub fn converged(&self) -> bool {
        converged(self.stop)
    }
}

impl fmt::Display for MinimumReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "loss {:.10e}, gradient {:.3e} after {} iterations, {} evaluations: {}",
            self.loss, self.gradient, self.iterations, self.evaluations, self.stop
        )
    }
}

fn converged(stop: Stop) -> bool {
    matches!(stop, Stop::Stationary | Stop::SmallStep)
}
