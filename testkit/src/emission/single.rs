//! `Single`: one operation of a tape on operands of its own, as a tape of nothing else.

use super::apart::Apart;
use poorgrad::{
    Differentiable, Elementary, Network, ParseErrorKind, Shape, Stored, Symbol, Tensor,
};
use std::fmt::Write;

/// One operation and what it reads.
#[derive(Clone, Debug)]
pub struct Single<E: Elementary> {
    operation: String,
    attributes: String,
    pub(super) operands: Vec<Tensor<E>>,
    /// The number of the operand that stands at each position: one may stand at several.
    positions: Vec<usize>,
    shape: String,
}

impl<E: Elementary> Single<E> {
    /// A node of a tape on these operands.
    #[must_use]
    pub fn new(apart: &Apart<Tensor<E>>, node: usize, operands: &[Tensor<E>]) -> Self {
        let (mut nodes, mut distinct, mut positions) = (Vec::new(), Vec::new(), Vec::new());
        for (&at, operand) in apart.operands(node).iter().zip(operands) {
            let found = nodes.iter().position(|found| *found == at);
            positions.push(found.unwrap_or_else(|| {
                nodes.push(at);
                distinct.push(operand.clone());
                distinct.len() - 1
            }));
        }
        let shape = apart.step(node, operands).shape().to_string();
        let (operation, attributes) = (apart.operation(node), apart.attributes(node));
        let (operation, attributes) = (operation.to_string(), attributes.to_string());
        Self { operation, attributes, operands: distinct, positions, shape }
    }

    /// The tape: inputs with the operands as their defaults, and the operation.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("tape 1 {}\n", E::NAME);
        for (number, operand) in self.operands.iter().enumerate() {
            let _ = writeln!(text, "%{number} = {}", input(operand));
        }
        let read = self.positions.iter().map(|at| format!("%{at}")).collect::<Vec<_>>().join(", ");
        let number = self.operands.len();
        let Self { operation, attributes, shape, .. } = self;
        let _ = writeln!(text, "%{number} = {operation} {read}{attributes} : {shape}");
        text
    }

    /// The network of that tape, with its last value; nothing where the operation refuses these
    /// operands. The result's shape follows from them.
    pub fn network(&mut self) -> Option<(Network<Tensor<E>>, Symbol)> {
        for _ in 0..2 {
            match Network::<Tensor<E>>::parse(&self.text()) {
                Ok(network) => {
                    let last = network.values().last()?.symbol();
                    return Some((network, last));
                }
                Err(error) if error.kind() == ParseErrorKind::Shape => {
                    // It says which shape the operation gives.
                    let told = error.to_string();
                    let (_, right) = told.split_once("expected ")?;
                    let (right, _) = right.split_once(", the shape")?;
                    self.shape = right.to_string();
                }
                Err(_) => return None,
            }
        }
        None
    }

    /// With every axis of extent `extent` cut down to `length` positions from `start`.
    #[must_use]
    pub(super) fn cut(&self, extent: usize, start: usize, length: usize) -> Self {
        let cut = |operand: &Tensor<E>| {
            if operand.is_selection() {
                return selection_cut(operand, extent, start, length);
            }
            let axes = (0..operand.shape().rank()).filter(|&at| operand.shape()[at] == extent);
            axes.fold(operand.clone(), |operand, axis| operand.narrow(axis, start, length))
        };
        Self { operands: self.operands.iter().map(cut).collect(), ..self.clone() }
    }

    /// With an element of an operand replaced.
    #[must_use]
    pub(super) fn with(&self, operand: usize, at: usize, element: E) -> Self {
        let mut changed = self.clone();
        let shape: Shape = changed.operands[operand].shape().clone();
        let mut elements = changed.operands[operand].to_vec();
        elements[at] = element;
        changed.operands[operand] = Tensor::new(shape, elements);
        changed
    }
}

/// Fewer rows of a selection; its columns stay, as they name rows of another operand.
fn selection_cut<E: Elementary>(
    operand: &Tensor<E>,
    extent: usize,
    start: usize,
    length: usize,
) -> Tensor<E> {
    let shape = operand.shape();
    let rows = operand.as_selection().map(<[usize]>::to_vec).unwrap_or_default();
    let [count, classes] = *shape.extents() else { return operand.clone() };
    if count != extent || classes == extent {
        return operand.clone();
    }
    Tensor::selection(&rows[start..start + length], classes)
}

/// An input with this default, as a line of a tape has it behind its number.
pub(super) fn input<E: Elementary>(operand: &Tensor<E>) -> String {
    let shape = operand.shape();
    let elements: Vec<String> = operand.iter().map(|x| x.to_text()).collect();
    let payload = match operand.stored() {
        Stored::Selection(rows) => format!("selection {rows:?}"),
        _ if shape.rank() == 0 => elements.join(""),
        _ => format!("dense [{}]", elements.join(", ")),
    };
    format!("input {payload} : {shape}")
}
