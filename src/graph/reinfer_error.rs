//! Why a tape has no other shapes.

use super::error::{NetworkError, ShapeError};
use super::symbol::Symbol;
use crate::payload::Shape;
use std::error::Error;
use std::fmt;

/// Why [`Network::reinferred`](crate::Network::reinferred) gives no network.
///
/// # Example
///
/// ```
/// use poorgrad::{Network, ReinferError, Tensor};
///
/// let network = Network::new();
/// let x = network.input(Tensor::<f32>::zeros([4, 3]));
/// let flat = x.reshape([12]).named("flat"); // a number, where `Extent::Infer` would be a request
/// let error = network.try_reinferred([(x, [1, 3])]).unwrap_err();
/// let ReinferError::Refused { symbol, refusal, .. } = &error else { panic!("{error}") };
/// assert_eq!(*symbol, flat.symbol());
/// assert_eq!((refusal.operation(), refusal.constraint()), ("reshape", Some(3)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReinferError {
    /// A symbol that this network does not know.
    Lookup(Box<NetworkError>),
    /// A value whose shape is not for the caller to say.
    NotAnInput {
        /// The value: its operation, label and source line.
        value: String,
    },
    /// An input that is given two shapes.
    NamedTwice {
        /// The input: its label and source line.
        value: String,
    },
    /// A shape that no payload of the input can have.
    InputShape {
        /// The input: its label and source line.
        value: String,
        /// The shape asked for.
        shape: Shape,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// An operation whose constraints the new shapes of its operands violate.
    Refused {
        /// What the operation computes.
        symbol: Symbol,
        /// The value: its operation, label and source line.
        value: String,
        /// The violated constraint, with the operands' new shapes and source lines.
        refusal: ShapeError,
    },
    /// A number that a derivative rule or a composite read off a shape which is another now.
    Measured {
        /// The value that has the number.
        symbol: Symbol,
        /// The value: its operation, label and source line.
        value: String,
        /// The value whose shape it was: its operation, label and source line.
        of: String,
        /// That shape when the number was recorded, and now.
        shapes: Box<[Shape; 2]>,
    },
}

impl ReinferError {
    /// The value that has no shape under the new ones, where it is one of the tape's.
    #[must_use]
    pub fn symbol(&self) -> Option<Symbol> {
        match self {
            Self::Refused { symbol, .. } | Self::Measured { symbol, .. } => Some(*symbol),
            _ => None,
        }
    }
}

impl From<NetworkError> for ReinferError {
    fn from(error: NetworkError) -> Self {
        Self::Lookup(Box::new(error))
    }
}

impl fmt::Display for ReinferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lookup(error) => error.fmt(f),
            Self::NotAnInput { value } => write!(
                f,
                "reinferred: {value} is no input; parameters and constants keep their shapes, and \
                 those of computed values follow"
            ),
            Self::NamedTwice { value } => {
                write!(f, "reinferred: {value} is given two shapes; name each input once")
            }
            Self::InputShape { value, shape, problem } => {
                write!(f, "reinferred: {value} cannot have the shape {shape}: {problem}")
            }
            Self::Refused { value, refusal, .. } => write!(
                f,
                "reinferred: {value} does not fit the new shapes; what was recorded as a number \
                 stays that number: ask for what depends on an input with `Extent::Keep`, \
                 `Extent::Infer` or `broadcast_like`\n{refusal}"
            ),
            Self::Measured { value, of, shapes, .. } => write!(
                f,
                "reinferred: {value} has numbers of the shape {} of {of}, which would be {}; record \
                 it on the network that has the new shapes",
                shapes[0], shapes[1]
            ),
        }
    }
}

impl Error for ReinferError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Lookup(error) => Some(&**error),
            Self::Refused { refusal, .. } => Some(refusal),
            _ => None,
        }
    }
}
