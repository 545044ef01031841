//! What a fit refuses.

use crate::{NetworkError, PlanError};
use std::error::Error;
use std::fmt;

/// What a fit refuses: to begin, or to say of its result.
///
/// # Example
///
/// ```
/// use poorgrad::{FitError, LevenbergMarquardt, Network, Tensor};
///
/// let network = Network::new();
/// let w = network.parameter(Tensor::from([1.0_f64, 1.0]));
/// let constant = network.leaf(Tensor::from([1.0, 2.0, 3.0]));
/// let fit = |residuals| LevenbergMarquardt::new().fit(&network, residuals, []);
/// assert!(matches!(fit(constant), Err(FitError::NoParameters { .. })));
/// assert!(matches!(fit(w.sum()), Err(FitError::Underdetermined { .. })));
/// // Only the sum of the two can be told: there is a fit, and no standard error.
/// let (fitted, report) = fit(w.sum().broadcast_like(constant) - constant).unwrap();
/// assert!((fitted.resolve(w).payload().unwrap().sum() - 2.0).abs() < 1e-12);
/// assert!(matches!(report.standard_errors(), Err(FitError::RankDeficient { rank: 1, .. })));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FitError {
    /// A symbol, a feed or a parameter that the network refuses.
    Network(Box<NetworkError>),
    /// What cannot be compiled or run.
    Plan(Box<PlanError>),
    /// What is fitted depends on no parameter.
    NoParameters {
        /// What was asked, such as `Lbfgs`.
        method: &'static str,
    },
    /// Fewer residuals than parameters: they determine no fit.
    Underdetermined {
        /// The number of residuals.
        residuals: usize,
        /// The number of parameters, elements counted.
        parameters: usize,
    },
    /// The residuals, the loss or their derivatives are not finite where the fit starts.
    NotFinite {
        /// What is not finite.
        what: &'static str,
        /// The row-major position of the first such element in it.
        position: usize,
        /// The first value that is not finite: its operation, label and source line.
        origin: Option<String>,
    },
    /// The residuals do not determine every parameter: these could change, with others, and change
    /// nothing.
    RankDeficient {
        /// How many directions the residuals determine.
        rank: usize,
        /// Parameters that they do not determine beside the others.
        parameters: Vec<String>,
    },
    /// As many residuals as parameters leave nothing to estimate an error from.
    NoFreedom {
        /// The number of residuals, and of parameters.
        count: usize,
    },
}

impl From<NetworkError> for FitError {
    fn from(error: NetworkError) -> Self {
        Self::Network(Box::new(error))
    }
}

impl From<PlanError> for FitError {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Network(error) => Self::Network(error),
            error => Self::Plan(Box::new(error)),
        }
    }
}

impl fmt::Display for FitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(error) => error.fmt(f),
            Self::Plan(error) => error.fmt(f),
            Self::NoParameters { method } => write!(
                f,
                "{method}: what is fitted depends on no parameter; declare what may change with \
                 `Network::parameter`"
            ),
            Self::Underdetermined { residuals, parameters } => write!(
                f,
                "LevenbergMarquardt: {residuals} residuals for {parameters} parameters determine no \
                 fit; give more data, make some parameters constants, or add a residual for what is \
                 known of each"
            ),
            Self::NotFinite { what, position, origin } => {
                write!(f, "fit: element {position} of {what} is not finite at the start")?;
                if let Some(origin) = origin {
                    write!(f, ", first made so by {origin}")?;
                }
                f.write_str("; begin elsewhere, or express the model so that it stays finite")
            }
            Self::RankDeficient { rank, parameters } => write!(
                f,
                "fit: the residuals determine {rank} directions and not the parameters {}: there \
                 are no standard errors; make them constants, or express the model by fewer",
                parameters.join(", ")
            ),
            Self::NoFreedom { count } => write!(
                f,
                "fit: {count} residuals for as many parameters leave no degree of freedom to \
                 estimate an error from; give more data"
            ),
        }
    }
}

impl Error for FitError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Network(error) => Some(&**error),
            Self::Plan(error) => Some(&**error),
            _ => None,
        }
    }
}
