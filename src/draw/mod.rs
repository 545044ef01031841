//! Drawings of tapes and plans: Graphviz and Mermaid for others to lay out, and SVG.
//!
//! INVARIANT: a drawing is a function of the network alone, so that two of one tape can be
//! compared as text. Names from outside cannot leave their labels.

mod dot;
mod layout;
mod mermaid;
mod picture;
mod scopes;
mod svg;

#[cfg(test)]
mod tests;

use crate::graph::Network;
use crate::graph::head::Head;
use crate::graph::node::Node;
use crate::kernel::Elementary;
use crate::ops::Function;
use crate::payload::{Differentiable, Stored, Tensorial};
use crate::plan::Plan;
use picture::Picture;

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

    /// The tape as a picture in SVG, operands above what reads them, with nothing to load from
    /// elsewhere. The source line of a box shows where a viewer shows titles.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let x = network.input(1.0_f64).named("x");
    /// let _ = x.exp();
    /// let svg = network.to_svg();
    /// assert!(svg.starts_with("<svg xmlns="));
    /// assert!(svg.contains("%1 = exp %0"));
    /// ```
    #[must_use]
    pub fn to_svg(&self) -> String {
        svg::draw(&Picture::of_tape(&self.tape()))
    }
}

impl<P: Tensorial> Plan<P> {
    /// The plan as a Graphviz digraph: a cluster for every step, with what is dropped behind it. A
    /// value that is never laid out in memory has a dotted outline, a result a double one, a view
    /// none; what is computed again is filled and dashed.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.input(Tensor::from([1.0_f32, 2.0]));
    /// let y = (x + x).exp();
    /// let dot = network.compile([y], []).to_dot();
    /// assert!(dot.starts_with("digraph plan {"));
    /// assert!(dot.contains("label=\"0: chain of 2 [2]\";"));
    /// ```
    #[must_use]
    pub fn to_dot(&self) -> String {
        dot::plan(&Picture::of_plan(&self.outline()))
    }

    /// The plan as a Mermaid flowchart, as [`Plan::to_dot`] draws it.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.input(Tensor::from([1.0_f32, 2.0]));
    /// let y = (x + x).exp();
    /// let mermaid = network.compile([y], []).to_mermaid();
    /// assert!(mermaid.contains("subgraph g0[\"0: chain of 2 [2]\"]"));
    /// ```
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        mermaid::plan(&Picture::of_plan(&self.outline()))
    }

    /// The plan as a picture in SVG, as [`Plan::to_dot`] draws it, with nothing to load from
    /// elsewhere: a frame for every step.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.input(Tensor::from([1.0_f32, 2.0]));
    /// let y = (x + x).exp();
    /// let svg = network.compile([y], []).to_svg();
    /// assert!(svg.contains("0: chain of 2 [2]"));
    /// ```
    #[must_use]
    pub fn to_svg(&self) -> String {
        svg::draw(&Picture::of_plan(&self.outline()))
    }
}
