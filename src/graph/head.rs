//! `Head`: what a node is in a line, for text, drawings and descriptions.

use super::node::Node;
use crate::ops::Function;
use std::fmt;

/// What a node computes: operation, operands and attributes.
pub(crate) struct Expression<'a, P>(pub(crate) &'a Node<P>);

impl<P> fmt::Display for Expression<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(node) = *self;
        f.write_str(node.function.name())?;
        for (position, operand) in node.operands.iter().enumerate() {
            write!(f, "{}%{operand}", if position == 0 { " " } else { ", " })?;
        }
        // A parameter's slot is its rank among the parameters, and no request of the user's.
        if let Function::Parameter(_) = node.function {
            return Ok(());
        }
        let attributes = node.function.attributes();
        for (position, (name, value)) in attributes.iter().enumerate() {
            write!(f, "{}{name} = {value}", if position == 0 { " {" } else { ", " })?;
        }
        if attributes.is_empty() { Ok(()) } else { f.write_str("}") }
    }
}

/// The beginning of a node's line, and what a drawing writes into its box: its number and what it
/// computes.
pub(crate) struct Head<'a, P> {
    pub(crate) index: usize,
    pub(crate) node: &'a Node<P>,
}

impl<P> fmt::Display for Head<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{} = {}", self.index, Expression(self.node))
    }
}
