//! `ParseError`: why a text is no tape, and where.

use crate::graph::ShapeError;
use std::error::Error;
use std::fmt;

/// What about a text is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The text does not begin with a header.
    Header,
    /// The header states a version of the format that this crate does not read.
    Version,
    /// The header states another element type than the network's.
    Element,
    /// Something else than the grammar asks for stands here.
    Syntax,
    /// A quoted string does not end, or has an escape that is none.
    Quote,
    /// A number is none, or is too large.
    Number,
    /// A node's number is not its position.
    Position,
    /// No operation has this name.
    Operation,
    /// An operand is not the number of an earlier node.
    Operand,
    /// An operation has another number of operands.
    Arity,
    /// Attributes are missing, are not the operation's, or are out of range.
    Attributes,
    /// A payload is no element, or its elements do not fit the shape.
    Payload,
    /// The payload stands there as a digest only: the text is no full form.
    Elided,
    /// The shape is not the one that the operation gives.
    Shape,
    /// The operation refuses its operands; see [`ParseError::refusal`].
    Refused,
}

/// Why a text is no tape: the line and column, what was expected there and what was found.
///
/// # Example
///
/// ```
/// use poorgrad::{Network, ParseErrorKind};
///
/// let text = "tape 1 f64\n%0 = leaf 1.0 : []\n%1 = cosh %0 : []\n";
/// let error = Network::<f64>::parse(text).unwrap_err();
/// assert_eq!(error.kind(), ParseErrorKind::Operation);
/// assert_eq!((error.line(), error.column()), (3, 6));
/// assert_eq!(error.to_string(), "line 3, column 6: expected an operation, found `cosh`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError(Box<Report>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Report {
    line: usize,
    column: usize,
    kind: ParseErrorKind,
    expected: String,
    found: String,
    refusal: Option<ShapeError>,
}

impl ParseError {
    #[cold]
    pub(super) fn new(
        (line, column): (usize, usize),
        kind: ParseErrorKind,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        let (expected, found) = (expected.into(), found.into());
        Self(Box::new(Report { line, column, kind, expected, found, refusal: None }))
    }

    #[cold]
    pub(super) fn refused(place: (usize, usize), refusal: ShapeError) -> Self {
        let expected = format!("operands that `{}` takes", refusal.operation());
        let mut error = Self::new(place, ParseErrorKind::Refused, expected, refusal.to_string());
        error.0.refusal = Some(refusal);
        error
    }

    /// The line, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// The column in characters, from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// What is wrong, for programs.
    #[must_use]
    pub fn kind(&self) -> ParseErrorKind {
        self.0.kind
    }

    /// What the format asks for at this place.
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.0.expected
    }

    /// What stands there instead.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.0.found
    }

    /// The constraint that the operands violate, where the kind is [`ParseErrorKind::Refused`].
    #[must_use]
    pub fn refusal(&self) -> Option<&ShapeError> {
        self.0.refusal.as_ref()
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { line, column, expected, found, refusal, .. } = &*self.0;
        match refusal {
            Some(refusal) => write!(f, "line {line}, column {column}: {refusal}"),
            None => write!(f, "line {line}, column {column}: expected {expected}, found {found}"),
        }
    }
}

impl Error for ParseError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.refusal.as_ref().map(|refusal| refusal as _)
    }
}
