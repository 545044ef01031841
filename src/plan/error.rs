//! What a plan refuses.

use crate::graph::NetworkError;
use std::error::Error;
use std::fmt;

/// What a plan refuses: to be compiled, to run, or to hand out.
///
/// # Example
///
/// ```
/// use poorgrad::{Network, PlanError};
///
/// let network = Network::new();
/// let x = network.parameter(3.0_f64);
/// let y = x * x;
/// let plan = network.compile([y], []);
/// let results = plan.forward(&network, []);
/// assert!(matches!(results.try_of(x), Err(PlanError::NotHanded { .. })));
/// assert!(matches!(results.try_backward(y), Err(PlanError::ForwardOnly)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// A symbol, a target or a feed that the network itself refuses.
    Network(Box<NetworkError>),
    /// The network of a run is no generation or fork of the one that was compiled.
    OtherNetwork {
        /// How many nodes in front the two networks share.
        shared: usize,
        /// How many of these the plan needs.
        needed: usize,
    },
    /// A value that was neither a target nor kept.
    NotHanded {
        /// The value: its operation, label and source line.
        value: String,
    },
    /// The memory of a run cannot be kept within the budget.
    Budget {
        /// The budget in bytes.
        budget: u64,
        /// The least that was found.
        least: u64,
    },
    /// Gradients with respect to a value, in a plan without a loss that they would be of.
    NoLoss {
        /// The value: its operation, label and source line.
        value: String,
    },
    /// Gradients of a plan that was compiled for values alone.
    ForwardOnly,
    /// Gradients of a value that was not compiled as a loss.
    NotALoss {
        /// The value: its operation, label and source line.
        value: String,
    },
}

impl From<NetworkError> for PlanError {
    fn from(error: NetworkError) -> Self {
        Self::Network(Box::new(error))
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(error) => error.fmt(f),
            Self::OtherNetwork { shared, needed } => write!(
                f,
                "forward: the plan needs the first {needed} nodes of the network that it was \
                 compiled from, and this one shares {shared} of them; run a generation or a fork \
                 of that network, or compile this one"
            ),
            Self::NotHanded { value } => write!(
                f,
                "results: {value} was neither a target of the plan nor kept; name it in the \
                 second list of `compile`, or by `Compile::keep`"
            ),
            Self::Budget { budget, least } => write!(
                f,
                "compile: no plan was found within the memory budget of {budget} bytes; the least \
                 takes {least}: allow that, or run smaller batches"
            ),
            Self::NoLoss { value } => write!(
                f,
                "compile: gradients with respect to {value} are asked for without a loss; add \
                 `Compile::loss`"
            ),
            Self::ForwardOnly => f.write_str(
                "backward: the plan was compiled for values alone; compile it by \
                 `compile_training`, or add `Compile::loss`",
            ),
            Self::NotALoss { value } => {
                write!(f, "backward: {value} is no loss of the plan; add `Compile::loss` of it")
            }
        }
    }
}

impl Error for PlanError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Network(error) => Some(&**error),
            _ => None,
        }
    }
}

/// The value, or its panic at the user's line.
#[track_caller]
pub(super) fn planned<T>(result: Result<T, PlanError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}
