//! `EmitError`: what cannot be emitted.

use crate::plan::PlanError;
use std::error::Error;
use std::fmt;

/// Why a plan cannot be emitted, or a module's arguments cannot be put together.
///
/// # Example
///
/// ```
/// use poorgrad::{EmitError, Network, Tensor};
///
/// let network = Network::new();
/// let table = network.leaf(Tensor::full([3_000_000_000_usize], 1.0_f32));
/// let row = network.leaf(Tensor::selection(&[7], 3_000_000_000));
/// let error = network.compile([table.gather(row)], []).emit_stablehlo().unwrap_err();
/// assert!(matches!(error, EmitError::Operation { .. }));
/// assert!(error.to_string().starts_with("emit: %2 = gather (recorded at "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmitError {
    /// Elements of a type that StableHLO has no arithmetic for.
    Element {
        /// The name of the element.
        element: &'static str,
        /// The first result that was asked for: its operation, label and source line.
        value: String,
    },
    /// An operation that no module can state.
    Operation {
        /// The operation, its label and the source line that recorded it.
        value: String,
        /// What stands in the way.
        reason: String,
    },
    /// A buffer that cannot be given away: see [`Emit::donate`](crate::Emit::donate).
    Donation {
        /// Whose buffer, and for what.
        values: String,
        /// What stands in the way.
        reason: &'static str,
    },
    /// Arguments that a run of the plan would be refused with.
    Arguments(Box<PlanError>),
}

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Element { element, value } => write!(
                f,
                "emit: {value}: StableHLO has no arithmetic for elements of type `{element}`; emit a network \
                 of `f32`, `f64`, or tensors of one of them"
            ),
            Self::Operation { value, reason } => write!(f, "emit: {value}: {reason}"),
            Self::Donation { values, reason } => write!(f, "emit: {values}: {reason}"),
            Self::Arguments(error) => error.fmt(f),
        }
    }
}

impl Error for EmitError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Arguments(error) => Some(&**error),
            _ => None,
        }
    }
}
