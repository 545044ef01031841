//! What can go wrong when a symbol is resolved, a value fed or a field used.

use super::ShapeError;
use crate::graph::node::{Node, Place};
use crate::payload::Shape;
use std::error::Error;
use std::fmt;

/// A symbol, a feed or a field that does not fit the network it was handed to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NetworkError {
    /// The symbol comes from a network that shares no recording with this one.
    Foreign {
        /// What was asked, such as `resolve`.
        operation: &'static str,
    },
    /// The symbol was recorded on a fork, after it parted from this network.
    Divergent {
        /// What was asked, such as `resolve`.
        operation: &'static str,
        /// The symbol's position.
        index: usize,
    },
    /// The value was recorded after the run or field that was asked for it.
    Younger {
        /// What was asked, such as `evaluation`.
        operation: &'static str,
        /// The symbol's position.
        index: usize,
    },
    /// The value is no input, so that nothing can be fed to it.
    NotAnInput {
        /// The value: its operation, label and source line.
        value: String,
    },
    /// One input was fed twice.
    FedTwice {
        /// The value: its operation, label and source line.
        value: String,
    },
    /// A feed's shape is not the input's.
    FeedShape {
        /// The value: its operation, label and source line.
        value: String,
        /// The input's shape.
        expected: Shape,
        /// The feed's shape.
        found: Shape,
    },
    /// An input that takes selections was fed another payload.
    FeedNotSelection {
        /// The value: its operation, label and source line.
        value: String,
    },
    /// A gradient was asked of a value that has not exactly one element.
    NotScalar {
        /// What was asked, such as `backward`.
        operation: &'static str,
        /// The value: its operation, label and source line.
        value: String,
        /// Its shape.
        shape: Shape,
    },
    /// A cotangent or a tangent has another shape than its value.
    DirectionShape {
        /// What was asked: `vjp`, `jvp` or `hvp`.
        operation: &'static str,
        /// The value: its operation, label and source line.
        value: String,
        /// The value's shape.
        expected: Shape,
        /// The shape of its cotangent or tangent.
        found: Shape,
    },
    /// A Jacobian that no tape could hold.
    JacobianTooLarge {
        /// What was asked: `jacobian` or `hessian`.
        operation: &'static str,
        /// The value of the columns: its operation, label and source line.
        value: String,
        /// The shape of the rows: the target's, or that of a gradient.
        rows: Shape,
        /// The shape of the columns.
        columns: Shape,
    },
    /// The run skipped the value, as no target depends on it.
    Skipped {
        /// The value: its operation, label and source line.
        value: String,
    },
    /// A value that finite differences cannot vary: it is computed, or takes selections.
    NotVariable {
        /// The value: its operation, label and source line.
        value: String,
    },
    /// An update changed a parameter's shape.
    UpdateShape {
        /// What was asked: `update` or `step`.
        operation: &'static str,
        /// The parameter: its label and source line.
        parameter: String,
        /// The parameter's shape.
        expected: Shape,
        /// The shape of what the rule returned.
        found: Shape,
    },
    /// A field knows nothing of a parameter that was recorded after it was computed.
    FieldTooOld {
        /// What was asked: `update` or `step`.
        operation: &'static str,
        /// The parameter: its label and source line.
        parameter: String,
    },
    /// A field comes from a network that shares no recording with this one.
    FieldForeign {
        /// What was asked: `update` or `step`.
        operation: &'static str,
    },
    /// Two fields are of runs in which a value has different shapes.
    FieldShapes {
        /// The value: its operation, label and source line.
        value: String,
        /// Its shape in each.
        shapes: [Shape; 2],
    },
    /// Two fields come from forks that parted.
    FieldsDiverge {
        /// The number of values that both fields' tapes have.
        common: usize,
        /// The number of values on the tape of each.
        lengths: [usize; 2],
    },
}

impl NetworkError {
    /// What was asked, such as `resolve` or `feed`.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        match self {
            Self::Foreign { operation }
            | Self::Divergent { operation, .. }
            | Self::Younger { operation, .. }
            | Self::NotScalar { operation, .. }
            | Self::DirectionShape { operation, .. }
            | Self::JacobianTooLarge { operation, .. }
            | Self::UpdateShape { operation, .. }
            | Self::FieldTooOld { operation, .. }
            | Self::FieldForeign { operation } => operation,
            Self::NotAnInput { .. }
            | Self::FedTwice { .. }
            | Self::FeedShape { .. }
            | Self::FeedNotSelection { .. } => "feed",
            Self::NotVariable { .. } => "gradcheck",
            Self::Skipped { .. } => "evaluation",
            Self::FieldsDiverge { .. } | Self::FieldShapes { .. } => "field",
        }
    }
}

/// A lookup that failed while an expression was recorded: what was asked, and the whole message.
impl From<NetworkError> for ShapeError {
    fn from(error: NetworkError) -> Self {
        let (operation, message) = (error.operation(), error.to_string());
        let problem = message.strip_prefix(operation).and_then(|rest| rest.strip_prefix(": "));
        Self::general(operation, problem.unwrap_or(&message))
    }
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign { operation } => write!(
                f,
                "{operation}: the symbol comes from another network; a symbol is valid in the \
                 network that recorded it, its forks and its generations, and a value of another \
                 one (read from text, say) is found by its label with `Network::find`"
            ),
            Self::Divergent { operation, index } => write!(
                f,
                "{operation}: value %{index} was recorded on a fork after it parted from this \
                 network; record it here, or resolve it there"
            ),
            Self::Younger { operation, index } => {
                let this = if *operation == "field" { "the run of this field" } else { "this run" };
                write!(f, "{operation}: value %{index} was recorded after {this}; ")?;
                if !operation.starts_with("backward") {
                    return write!(f, "run the network again");
                }
                write!(
                    f,
                    "record the target before the run: in `forward().backward(x.sum())` the run \
                     comes before the sum"
                )
            }
            Self::NotAnInput { value } => {
                write!(
                    f,
                    "feed: {value} is not an input; declare it with `Network::input` to feed it"
                )
            }
            Self::FedTwice { value } => {
                write!(f, "feed: {value} is fed twice in one run; name each input once")
            }
            Self::FeedShape { value, expected, found } => write!(
                f,
                "feed: {value} has shape {expected} and was fed {found}; infer the tape for \
                 other shapes with `reinferred`, or record the expression once for each"
            ),
            Self::FeedNotSelection { value } => write!(
                f,
                "feed: {value} takes selections, as its default payload is one; feed \
                 `Tensor::selection(..)`"
            ),
            Self::NotScalar { operation, value, shape } => write!(
                f,
                "{operation}: the target {value} has shape {shape}, and a gradient needs exactly one \
                 element; reduce it first, with `sum` or `mean`"
            ),
            Self::DirectionShape { operation, value, expected, found } => write!(
                f,
                "{operation}: {value} has shape {expected}, and its direction {found}; they must \
                 be equal"
            ),
            Self::JacobianTooLarge { operation, value, rows, columns } => write!(
                f,
                "{operation}: the derivatives of {rows} by {columns}, the shape of {value}, are too \
                 many to be recorded; ask for products with `jvp`, `vjp` or `hvp`"
            ),
            Self::Skipped { value } => write!(
                f,
                "evaluation: {value} was skipped, as no target of this run depends on it; name it \
                 as a target of `forward_for`, or run `forward`"
            ),
            Self::NotVariable { value } => write!(
                f,
                "gradcheck: {value} is computed, or takes selections; name parameters, leaves and \
                 inputs of numbers"
            ),
            Self::UpdateShape { operation, parameter, expected, found } => write!(
                f,
                "{operation}: the rule turned {parameter} of shape {expected} into {found}; return \
                 the shape that was given"
            ),
            Self::FieldTooOld { operation, parameter } => write!(
                f,
                "{operation}: the field is older than {parameter}, or of a fork that parted before; \
                 compute it on a run of this network"
            ),
            Self::FieldForeign { operation } => write!(
                f,
                "{operation}: the gradients belong to another network, or to a fork that shares \
                 nothing with this one; compute them on a run of this network"
            ),
            Self::FieldShapes { value, shapes: [left, right] } => write!(
                f,
                "field: {value} is {left} in one and {right} in the other, as their networks were \
                 inferred for different inputs; restrict both to parameters, with `restricted`"
            ),
            Self::FieldsDiverge { common: 0, .. } => write!(
                f,
                "field: the two fields belong to different networks, or to forks that share \
                 nothing; compute both on runs of one"
            ),
            Self::FieldsDiverge { common, lengths: [left, right] } => write!(
                f,
                "field: the two fields belong to forks that parted after {common} values (they are \
                 of {left} and of {right}); compute both on runs of one fork"
            ),
        }
    }
}
impl Error for NetworkError {}

/// The value of a lookup, or its panic at the user's line.
#[track_caller]
pub(crate) fn resolved<T>(result: Result<T, NetworkError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

/// How messages name a value: operation, label, source line.
pub(crate) fn describe<P>(index: usize, node: &Node<P>) -> String {
    let label = node.label().map(|label| format!(" \"{label}\"")).unwrap_or_default();
    let name = node.function.name();
    let place: &Place = &node.location;
    format!("%{index} = {name}{label} (recorded at {place})")
}
