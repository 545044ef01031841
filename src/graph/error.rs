//! What can go wrong when an expression is recorded or a symbol resolved.

use super::node::{Node, Place};
use super::value::Value;
use crate::payload::{Brief, Shape, Tensorial};
use std::error::Error;
use std::fmt;

/// A violated constraint of an operation: its number in the operation's documentation and what
/// is wrong, without the shapes (the error adds them).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    pub(crate) constraint: u8,
    pub(crate) problem: String,
    /// The way out, where there is one to name.
    help: Option<String>,
}

impl Violation {
    pub(crate) fn new(constraint: u8, problem: impl Into<String>) -> Self {
        Self { constraint, problem: problem.into(), help: None }
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// An expression that the tape refuses: the operation, what is wrong, the operands' shapes and
/// the source lines that recorded them.
///
/// Recording methods panic with this message at the caller's line; their `try_` twins return it.
/// Nothing was recorded.
///
/// # Example
///
/// ```
/// use poorgrad::{Network, Tensor};
///
/// let network = Network::new();
/// let a = network.input(Tensor::<f32>::zeros([2, 3]));
/// let b = network.input(Tensor::<f32>::zeros([4, 5]));
/// let error = a.try_matmul(b).unwrap_err();
/// assert!(error.to_string().starts_with("matmul: inner dimensions differ: [2, 3] x [4, 5] (C2)"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeError(Box<Report>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Report {
    operation: &'static str,
    problem: String,
    constraint: Option<u8>,
    operands: Vec<(Shape, String)>,
    /// The operands beyond those.
    more: usize,
    help: Option<String>,
}

/// The most operands that a refusal shows, and the longest label or file, in characters: what it takes
/// is bounded, whatever it refuses.
const SHOWN: usize = 32;
const LONGEST: usize = 200;

/// The end of a file's path, where that is long: the rest is its folders.
fn end_of(path: &str) -> std::borrow::Cow<'_, str> {
    match path.char_indices().rev().nth(LONGEST - 1) {
        Some((start @ 1.., _)) => format!("..{}", &path[start..]).into(),
        _ => path.into(),
    }
}

/// A label, cut where it is long.
fn cut(text: &str) -> std::borrow::Cow<'_, str> {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}..", &text[..end]).into(),
        None => text.into(),
    }
}

/// An operand as a refusal shows it: its shape, and where it comes from.
fn origin<P>(node: &Node<P>) -> (Shape, String) {
    let label = match (&node.scope, node.name.get()) {
        (_, None) => String::new(),
        (None, Some(name)) => format!(" \"{}\"", cut(name)),
        (Some(scope), Some(name)) => format!(" \"{}.{}\"", cut(scope), cut(name)),
    };
    let (file, line, column) = node.location.parts();
    let origin = format!("{}{label} at {}:{line}:{column}", node.function.name(), end_of(file));
    ((*node.shape).clone(), origin)
}

impl ShapeError {
    pub(crate) fn new<P>(
        operation: &'static str,
        violation: Violation,
        operands: &[&Node<P>],
    ) -> Self {
        Self::of_each(operation, violation, operands.iter().copied())
    }

    /// [`ShapeError::new`] for any number of operands without a list of them.
    #[cold]
    pub(crate) fn of_each<'n, P: 'n>(
        operation: &'static str,
        violation: Violation,
        mut operands: impl Iterator<Item = &'n Node<P>>,
    ) -> Self {
        Self(Box::new(Report {
            operation,
            problem: violation.problem,
            constraint: Some(violation.constraint),
            operands: operands.by_ref().take(SHOWN).map(origin).collect(),
            more: operands.count(),
            help: violation.help,
        }))
    }

    /// A refusal that concerns no numbered constraint of the operation.
    pub(crate) fn general(operation: &'static str, problem: impl Into<String>) -> Self {
        Self(Box::new(Report {
            operation,
            problem: problem.into(),
            constraint: None,
            operands: Vec::new(),
            more: 0,
            help: None,
        }))
    }

    /// A refusal of one's own, for what records several operations and has something to say before
    /// the first: the problem, without the operands, whose shapes and source lines are added.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, ShapeError, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.input(Tensor::<f32>::zeros([2, 3]));
    /// let error = ShapeError::refusal("attention", "the batch needs three axes", &[x]);
    /// assert!(error.to_string().starts_with("attention: the batch needs three axes: [2, 3]"));
    /// ```
    #[must_use]
    pub fn refusal<P: Tensorial>(
        operation: &'static str,
        problem: impl Into<String>,
        operands: &[Value<'_, P>],
    ) -> Self {
        let more = operands.len().saturating_sub(SHOWN);
        let operands = operands.iter().take(SHOWN);
        let operands = operands.map(|value| origin(value.network.node(value.index)));
        let (problem, operands) = (problem.into(), operands.collect());
        Self(Box::new(Report { operation, problem, constraint: None, operands, more, help: None }))
    }

    /// The operation's name.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        self.0.operation
    }

    /// The number of the violated constraint in the operation's documentation, where it has one.
    #[must_use]
    pub fn constraint(&self) -> Option<u8> {
        self.0.constraint
    }

    /// The operands' shapes, of the first 32 where there are more.
    pub fn shapes(&self) -> impl Iterator<Item = &Shape> {
        self.0.operands.iter().map(|(shape, _)| shape)
    }

    /// This refusal in the name of a composite: for losses and layers that record several
    /// operations, so that the message says which one the user called.
    #[must_use]
    pub fn named(mut self, operation: &'static str) -> Self {
        self.0.operation = operation;
        self
    }

    /// Panics with this message at the caller's line.
    ///
    /// # Panics
    ///
    /// Always.
    #[track_caller]
    pub fn raise(self) -> ! {
        panic!("{self}")
    }
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { operation, problem, constraint, operands, more, help } = &*self.0;
        write!(f, "{operation}: {problem}")?;
        for (position, (shape, _)) in operands.iter().enumerate() {
            write!(f, "{}{}", if position == 0 { ": " } else { " x " }, Brief(shape))?;
        }
        if *more > 0 {
            f.write_str(" x ..")?;
        }
        if let Some(constraint) = constraint {
            write!(f, " (C{constraint})")?;
        }
        for (position, (shape, origin)) in operands.iter().enumerate() {
            write!(f, "\n  operand {position}: {} from {origin}", Brief(shape))?;
        }
        if *more > 0 {
            write!(f, "\n  and {more} more operands")?;
        }
        match help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}
impl Error for ShapeError {}

/// The value of a recording, or its panic at the user's line.
///
/// A function and not a closure: `#[track_caller]` does not reach through closures.
#[track_caller]
pub(crate) fn recorded<T>(result: Result<T, ShapeError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => error.raise(),
    }
}

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
