//! Drawings of a tape as text for others to lay out: Graphviz and Mermaid.
//!
//! INVARIANT: a drawing is a function of the network alone, so that two of one tape can be
//! compared as text. Names from outside cannot leave their labels.

mod dot;
mod mermaid;
mod scopes;

#[cfg(test)]
mod tests;

use crate::graph::Network;
use crate::graph::head::Head;
use crate::graph::node::Node;
use crate::kernel::Elementary;
use crate::ops::Function;
use crate::payload::{Differentiable, Stored, Tensorial};

/// What the outline of a box says of its node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Input,
    Parameter,
    Leaf,
    Computed,
}

impl Kind {
    fn of<P>(node: &Node<P>) -> Self {
        match node.function {
            Function::Input(_) => Self::Input,
            Function::Parameter(_) => Self::Parameter,
            Function::Leaf(_) => Self::Leaf,
            _ => Self::Computed,
        }
    }
}

/// The lines in a node's box: operation (and the value of a constant of one element), shape, name.
fn label<P: Tensorial>(index: usize, node: &Node<P>) -> Vec<String> {
    let mut head = Head { index, node }.to_string();
    let payload = node.payload.as_deref().filter(|_| Kind::of(node) == Kind::Leaf);
    if let Some(element) = payload.and_then(only_element) {
        head = format!("{head} {}", element.to_text());
    }
    let mut lines = vec![head, node.shape.to_string()];
    lines.extend(node.name.get().map(|name| format!("\"{name}\"")));
    lines
}

/// The one element that a constant stores.
fn only_element<P: Differentiable>(payload: &P) -> Option<P::Element> {
    // A large payload is not copied for this.
    if payload.shape().volume() != Some(1) {
        return None;
    }
    match payload.stored() {
        Stored::Dense(elements) => elements.into_iter().next(),
        Stored::Constant(element) => Some(element),
        Stored::Selection(_) | Stored::Bfloat16(_) => None,
    }
}

impl<P: Tensorial> Network<P> {
    /// The tape as a Graphviz digraph: boxes with operation, shape and name, clusters for scopes,
    /// edges from operands to results. Of forks, only this network's own path is drawn.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let x = network.input(1.0_f64).named("x");
    /// let _ = x.exp();
    /// let dot = network.to_dot();
    /// assert!(dot.starts_with("digraph tape {"));
    /// assert!(dot.contains("n0 -> n1;"));
    /// ```
    #[must_use]
    pub fn to_dot(&self) -> String {
        dot::draw(&self.tape())
    }

    /// The tape as a Mermaid flowchart, as [`Network::to_dot`] draws it: what Markdown viewers
    /// show as a picture.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let x = network.input(1.0_f64).named("x");
    /// let _ = x.exp();
    /// let mermaid = network.to_mermaid();
    /// assert!(mermaid.starts_with("flowchart TD\n"));
    /// assert!(mermaid.contains("n0 --> n1\n"));
    /// ```
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        mermaid::draw(&self.tape())
    }
}
