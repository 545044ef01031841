//! What a card says of its operation, as data: the source of `docs/OPERATIONS.md`.

use super::Function;

/// An operation of the tape, as its card describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationInfo {
    /// The name that text, drawings and messages print.
    pub name: &'static str,
    /// What it computes, in a line.
    pub summary: &'static str,
    /// The number of operands, `None` where it varies.
    pub arity: Option<usize>,
    /// The numbered constraints on operands and attributes, `C1` first: a refusal names the one
    /// that is violated.
    pub constraints: &'static [&'static str],
}

/// Every operation that a tape can hold, in the order of the table in `docs/OPERATIONS.md`.
///
/// # Example
///
/// ```
/// let matmul = poorgrad::operations().iter().find(|info| info.name == "matmul").unwrap();
/// assert_eq!(matmul.arity, Some(2));
/// assert!(matmul.constraints[1].starts_with("C2: "));
/// ```
#[must_use]
pub fn operations() -> &'static [OperationInfo] {
    Function::ENTRIES
}
