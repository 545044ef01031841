//! What can go wrong when an expression is recorded.

use crate::graph::node::Node;
use crate::graph::value::Value;
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

    /// The same of a constraint with another number.
    pub(crate) fn numbered(self, constraint: u8) -> Self {
        Self { constraint, ..self }
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
    /// operations, so that the message says which one the user called. A way out is not named then: it
    /// would be one for operands that the user may not know.
    #[must_use]
    pub fn named(mut self, operation: &'static str) -> Self {
        self.0.operation = operation;
        self.0.help = None;
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
