//! The printer: one line for each node.

use super::VERSION;
use super::payload::write_payload;
use super::quote::{File, Quoted, Word};
use crate::graph::Network;
use crate::graph::head::Head;
use crate::graph::measured::Measured;
use crate::graph::node::Node;
use crate::kernel::Elementary;
use crate::ops::Function;
use crate::payload::Tensorial;
use std::fmt;

/// The tape as text: a header, then a line for each value in tape order with its operation,
/// operands, attributes, shape, name, scope and source line.
///
/// Payloads of up to 16 stored elements stand in their line; of longer ones the storage and a
/// 128-bit digest. With `{:#}` everything is printed, as [`Network::to_text`] does.
///
/// # Example
///
/// ```
/// use poorgrad::{Network, Tensor};
///
/// let network = Network::new();
/// let x = network.input(Tensor::from([[1.0_f32, 2.0], [3.0, 4.0]])).named("x");
/// let _ = x.sum_along(&[1]);
/// let text = network.to_string();
/// let lines: Vec<&str> = text.lines().collect();
/// assert_eq!(lines[0], "tape 1 f32");
/// assert!(lines[1].starts_with("%0 = input dense [1.0, 2.0, 3.0, 4.0] : [2, 2]  \"x\"  @ "));
/// assert!(lines[2].starts_with("%1 = sum_along %0 {axes = [1]} : [2]  @ "));
/// ```
impl<P: Tensorial> fmt::Display for Network<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "tape {VERSION} {}", Word(P::Element::NAME))?;
        let full = f.alternate();
        for (index, node) in self.tape().nodes().enumerate() {
            write_node(f, self, index, node, full)?;
        }
        Ok(())
    }
}

impl<P: Tensorial> Network<P> {
    /// The tape as text in full: every payload, the parameters as they are in this generation,
    /// exactly. [`Network::parse`] reads it back.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let w = network.parameter(0.1_f64).named("w");
    /// let _ = w * w + 1.0;
    /// let text = network.to_text();
    /// let copy = Network::<f64>::parse(&text).unwrap();
    /// assert_eq!(copy.to_text(), text);
    /// assert_eq!(copy.fingerprint(), network.fingerprint());
    /// ```
    #[must_use]
    pub fn to_text(&self) -> String {
        format!("{self:#}")
    }
}

fn write_node<P: Tensorial>(
    f: &mut fmt::Formatter<'_>,
    network: &Network<P>,
    index: usize,
    node: &Node<P>,
    full: bool,
) -> fmt::Result {
    write!(f, "{}", Head { index, node })?;
    if let Some(payload) = network.payload_of(node) {
        f.write_str(" ")?;
        write_payload(f, payload, full)?;
    }
    write!(f, " : {}", node.shape)?;
    if let Some(name) = node.name.get() {
        write!(f, "  {}", Quoted(name))?;
    }
    if let Some(scope) = &node.scope {
        let gap = if node.name.get().is_some() { " " } else { "  " };
        write!(f, "{gap}in {}", Quoted(scope))?;
    }
    match node.measured {
        Measured::Nothing => {}
        Measured::Rule(of) => write!(f, "  by %{of}")?,
        Measured::Extents(of, axes) => {
            let axes: Vec<usize> = axes.of(network.node(of).shape.rank()).collect();
            write!(f, "  by %{of} {axes:?}")?;
        }
    }
    let (file, line, column) = node.location.parts();
    writeln!(f, "  @ {}:{line}:{column}", File(file))
}

impl<P: Tensorial> Network<P> {
    /// The payload that a source holds in this generation.
    pub(super) fn payload_of<'a>(&'a self, node: &'a Node<P>) -> Option<&'a P> {
        match &node.function {
            Function::Parameter(parameter) => Some(self.parameter_payload(parameter.slot as usize)),
            _ => node.payload.as_deref(),
        }
    }
}
