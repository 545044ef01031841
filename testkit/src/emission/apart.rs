//! `Apart`: a tape whose operations read what they are given, not one another.
//!
//! INVARIANT: it is made from the tape's text, through the public surface alone; a node of it computes
//! what the tape's node of that number does.

use poorgrad::{Network, Symbol, Tensorial};
use std::fmt::Write;

/// A tape taken apart.
#[derive(Debug)]
pub struct Apart<P: Tensorial> {
    network: Network<P>,
    nodes: Vec<Part>,
}

/// A node of the tape.
#[derive(Clone, Debug)]
struct Part {
    operation: String,
    /// What stands between the operands and the shape.
    attributes: String,
    operands: Vec<usize>,
    /// Whether it, or something behind it, does more than to move elements.
    rounded: bool,
    /// What the operation gives; nothing for a source.
    value: Option<Symbol>,
    /// Where its value is fed; nothing for a selection, which stays what it is.
    feed: Option<Symbol>,
}

impl<P: Tensorial> Apart<P> {
    /// The tape of a network. `P` may be another payload than the network's, whose elements read the
    /// same text.
    ///
    /// # Panics
    ///
    /// Where the text is none that `P` reads.
    #[must_use]
    pub fn new<Q: Tensorial>(network: &Network<Q>) -> Self {
        let printed = network.to_text();
        let selections: Vec<bool> = network.values().map(|value| value.is_selection()).collect();
        let mut lines = printed.lines();
        let mut text = format!("{}\n", lines.next().expect("a header"));
        let mut nodes: Vec<(Part, Option<usize>, Option<usize>)> = Vec::new();
        let (mut places, mut count) = (Vec::new(), 0);
        for (line, &selection) in lines.zip(&selections) {
            let mut part = Part::read(line);
            let (head, shape) = shaped(line);
            let source = matches!(part.operation.as_str(), "leaf" | "parameter" | "input");
            let computed = !source && !moves(&part.operation);
            part.rounded = computed || part.operands.iter().any(|&at| nodes[at].0.rounded);
            let (mut value, mut feed) = (None, None);
            if selection || !source {
                let operands = part.operands.iter().map(|&at| format!("%{}", places[at]));
                let operands = operands.collect::<Vec<_>>().join(", ");
                let line = match source {
                    true => head.split_once(" = ").expect("a node").1.to_string(),
                    false => format!("{} {operands}{}", part.operation, part.attributes),
                };
                let _ = writeln!(text, "%{count} = {} : {shape}", line.trim_end());
                value = Some(count);
                count += 1;
            }
            if !selection {
                let _ = writeln!(text, "%{count} = input constant 0.0 : {shape}");
                feed = Some(count);
                count += 1;
            }
            places.push(feed.or(value).expect("one of them was written"));
            // Symbols when the text is a network.
            part.value = None;
            nodes.push((part, value.filter(|_| !source), feed));
        }
        let network = Network::parse(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
        let symbols: Vec<Symbol> = network.values().map(|value| value.symbol()).collect();
        let nodes = nodes.into_iter().map(|(part, value, feed)| Part {
            value: value.map(|at: usize| symbols[at]),
            feed: feed.map(|at: usize| symbols[at]),
            ..part
        });
        let nodes = nodes.collect();
        Self { network, nodes }
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The operation of a node.
    #[must_use]
    pub fn operation(&self, node: usize) -> &str {
        &self.nodes[node].operation
    }

    /// The nodes that a node reads.
    #[must_use]
    pub fn operands(&self, node: usize) -> &[usize] {
        &self.nodes[node].operands
    }

    /// What a node reads of the values of all nodes.
    #[must_use]
    pub fn read(&self, node: usize, values: &[P]) -> Vec<P> {
        self.operands(node).iter().map(|&at| values[at].clone()).collect()
    }

    /// Whether a node is computed and no selection, so that [`Apart::step`] computes it.
    #[must_use]
    pub fn is_step(&self, node: usize) -> bool {
        self.nodes[node].value.is_some() && self.nodes[node].feed.is_some()
    }

    /// Whether something behind a node's value rounds: it is more than a source whose elements are moved.
    #[must_use]
    pub fn is_rounded(&self, node: usize) -> bool {
        self.nodes[node].rounded
    }

    /// The attributes of a node as text, with what separates them from the operands.
    #[must_use]
    pub fn attributes(&self, node: usize) -> &str {
        &self.nodes[node].attributes
    }

    /// An attribute of a node that is one number.
    #[must_use]
    pub fn attribute(&self, node: usize, name: &str) -> Option<usize> {
        let (_, rest) = self.nodes[node].attributes.split_once(&format!("{name} = "))?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    }

    /// What a node computes, by the definitions, from these operands; what stands for a selection is
    /// not read.
    ///
    /// # Panics
    ///
    /// Where the node is no step, or an operand is of another shape.
    #[must_use]
    pub fn step(&self, node: usize, operands: &[P]) -> P {
        let part = &self.nodes[node];
        let target = part.value.expect("a step");
        let mut feeds: Vec<(Symbol, P)> = Vec::new();
        for (&at, payload) in part.operands.iter().zip(operands) {
            if let Some(feed) = self.nodes[at].feed
                && feeds.iter().all(|(fed, _)| *fed != feed)
            {
                feeds.push((feed, payload.clone()));
            }
        }
        self.network.reference().forward_for([target], feeds).of(target)
    }
}

impl Part {
    fn read(line: &str) -> Self {
        let (_, rest) = line.split_once(" = ").expect("a node");
        let (operation, mut rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let mut operands = Vec::new();
        while let Some(after) = rest.trim_start_matches([',', ' ']).strip_prefix('%') {
            let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            operands.push(after[..end].parse().expect("a number"));
            rest = &after[end..];
        }
        let attributes = rest.split_once(" : [").map_or("", |(attributes, _)| attributes);
        let (operation, attributes) = (operation.to_string(), attributes.to_string());
        Self { operation, attributes, operands, rounded: false, value: None, feed: None }
    }
}

/// Whether an operation gives elements of its operands as they are.
fn moves(operation: &str) -> bool {
    matches!(
        operation,
        "reshape"
            | "reshape_like"
            | "permute"
            | "unsqueeze"
            | "squeeze"
            | "narrow"
            | "pad"
            | "concat"
            | "broadcast_like"
            | "broadcast_along"
            | "unfold"
            | "gather"
            | "row_update"
    )
}

/// What stands in front of a node's shape, and the shape.
fn shaped(line: &str) -> (&str, &str) {
    let (head, rest) = line.split_once(" : [").expect("a shape");
    let end = rest.find(']').expect("a shape ends");
    (head, &line[head.len() + 3..head.len() + 4 + end + 1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use poorgrad::Tensor;

    #[test]
    fn a_step_reads_what_it_is_given() {
        let network = Network::new();
        let x = network.input(Tensor::from([[1.0_f64, 2.0], [3.0, 4.0]])).named("x");
        let rows = network.leaf(Tensor::selection(&[1, 1, 0], 2));
        let y = (x + x).gather(rows).sum_along(&[1]);
        let apart = Apart::<Tensor<f64>>::new(&network);
        assert_eq!(apart.len(), network.len());
        let steps: Vec<usize> = (0..apart.len()).filter(|&at| apart.is_step(at)).collect();
        assert_eq!(steps, [2, 3, 4]);
        assert_eq!(apart.operation(4), "sum_along");
        let given = Tensor::from([[1.0, 0.5], [2.0, 0.0]]);
        assert_eq!(apart.step(2, &[given.clone(), given.clone()]), &given + &given);
        let gathered = apart.step(3, &[given, Tensor::selection(&[0], 1)]);
        assert_eq!(gathered.to_vec(), [2.0, 0.0, 2.0, 0.0, 1.0, 0.5]);
        assert_eq!(apart.step(4, &[gathered]).to_vec(), [2.0, 2.0, 1.5]);
        let _ = y;
    }
}
