//! `Piece`: some operations of a tape, one of them the suspect, on operands of their own: a tape of nothing
//! else.

use super::apart::Apart;
use poorgrad::{Differentiable, Elementary, Network, ParseErrorKind, Shape, Stored, Tensor};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Operations and what they read.
#[derive(Clone, Debug)]
pub(super) struct Piece<E: Elementary> {
    pub(super) operands: Vec<Tensor<E>>,
    steps: Vec<Step>,
    /// The node of the whole tape that is suspected.
    suspect: usize,
    pub(super) shown: Shown,
}

/// What a module of a piece gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// The suspect.
    Suspect,
    /// Every step.
    All,
}

/// An operation.
#[derive(Clone, Debug)]
struct Step {
    /// The node of the whole tape.
    node: usize,
    operation: String,
    attributes: String,
    reads: Vec<Read>,
    shape: String,
}

/// What stands at a position of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Read {
    Operand(usize),
    Step(usize),
}

impl<E: Elementary> Piece<E> {
    /// Nodes of a tape, the suspect among them, on these values of what else they read.
    pub(super) fn new(
        apart: &Apart<Tensor<E>>,
        nodes: &BTreeSet<usize>,
        suspect: usize,
        values: &[Tensor<E>],
        shown: Shown,
    ) -> Self {
        let (mut operands, mut steps) = (Vec::new(), Vec::new());
        let mut places: BTreeMap<usize, Read> = BTreeMap::new();
        for &node in nodes {
            for &at in apart.operands(node) {
                places.entry(at).or_insert_with(|| {
                    operands.push(values[at].clone());
                    Read::Operand(operands.len() - 1)
                });
            }
            let reads = apart.operands(node).iter().map(|at| places[at]).collect();
            let (operation, attributes) = (apart.operation(node), apart.attributes(node));
            let (operation, attributes) = (operation.to_string(), attributes.to_string());
            // It is inferred when the tape is read.
            let shape = String::from("[]");
            places.insert(node, Read::Step(steps.len()));
            steps.push(Step { node, operation, attributes, reads, shape });
        }
        let mut piece = Self { operands, steps, suspect, shown };
        let _ = piece.network();
        piece
    }

    /// The operations besides the suspect, by their nodes of the whole tape.
    pub(super) fn others(&self) -> Vec<usize> {
        let nodes = self.steps.iter().map(|step| step.node);
        nodes.filter(|&node| node != self.suspect).collect()
    }

    /// The place of the suspect on the tape of the piece.
    pub(super) fn suspect(&self) -> usize {
        let found = self.steps.iter().position(|step| step.node == self.suspect);
        self.operands.len() + found.expect("invariant: the suspect is a step")
    }

    /// The tape: inputs with the operands as their defaults, and the operations.
    pub(super) fn text(&self) -> String {
        let mut text = format!("tape 1 {}\n", E::NAME);
        for (number, operand) in self.operands.iter().enumerate() {
            let _ = writeln!(text, "%{number} = {}", input(operand));
        }
        let number = |read: &Read| match read {
            Read::Operand(at) => format!("%{at}"),
            Read::Step(at) => format!("%{}", self.operands.len() + at),
        };
        for (at, step) in self.steps.iter().enumerate() {
            let Step { operation, attributes, reads, shape, .. } = step;
            let read = reads.iter().map(number).collect::<Vec<_>>().join(", ");
            let number = number(&Read::Step(at));
            let _ = writeln!(text, "{number} = {operation} {read}{attributes} : {shape}");
        }
        text
    }

    /// The network of that tape; nothing where an operation refuses these operands. The shapes of
    /// results follow from them.
    pub(super) fn network(&mut self) -> Option<Network<Tensor<E>>> {
        for _ in 0..=self.steps.len() {
            match Network::<Tensor<E>>::parse(&self.text()) {
                Ok(network) => return Some(network),
                Err(error) if error.kind() == ParseErrorKind::Shape => {
                    // It says which shape the operation gives. Above it are the header and the operands.
                    let (shape, _) = error.expected().split_once(", the shape")?;
                    let step = error.line().checked_sub(2 + self.operands.len())?;
                    self.steps.get_mut(step)?.shape = shape.to_string();
                }
                Err(_) => return None,
            }
        }
        None
    }

    /// With one of the others an operand of the value that it has among `values`, those of the
    /// piece's tape; what nothing needs any more is left out.
    pub(super) fn with_given(&self, other: usize, values: &[Tensor<E>]) -> Self {
        let node = self.others()[other];
        let at = self.steps.iter().position(|step| step.node == node);
        let at = at.expect("invariant: the others are steps");
        let mut given = self.clone();
        given.operands.push(values[self.operands.len() + at].clone());
        let operand = Read::Operand(given.operands.len() - 1);
        for read in given.steps.iter_mut().flat_map(|step| &mut step.reads) {
            if *read == Read::Step(at) {
                *read = operand;
            }
        }
        let shown = |step: &Step| match self.shown {
            Shown::Suspect => step.node == self.suspect,
            Shown::All => step.node != node,
        };
        let roots = (0..self.steps.len()).filter(|&at| shown(&self.steps[at])).map(Read::Step);
        given.needed_by(roots.collect())
    }

    /// What these steps depend on.
    fn needed_by(&self, roots: Vec<Read>) -> Self {
        let mut needed: BTreeSet<Read> = roots.iter().copied().collect();
        let mut open = roots;
        while let Some(read) = open.pop() {
            if let Read::Step(at) = read {
                open.extend(self.steps[at].reads.iter().filter(|&&read| needed.insert(read)));
            }
        }
        let mut places = BTreeMap::new();
        let mut kept = Self { operands: Vec::new(), steps: Vec::new(), ..*self };
        for &read in &needed {
            match read {
                Read::Operand(at) => {
                    places.insert(read, Read::Operand(kept.operands.len()));
                    kept.operands.push(self.operands[at].clone());
                }
                Read::Step(at) => {
                    places.insert(read, Read::Step(kept.steps.len()));
                    let mut step = self.steps[at].clone();
                    step.reads.iter_mut().for_each(|read| *read = places[read]);
                    kept.steps.push(step);
                }
            }
        }
        kept
    }

    /// With every axis of extent `extent` cut down to `length` positions from `start`.
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
fn input<E: Elementary>(operand: &Tensor<E>) -> String {
    let shape = operand.shape();
    let elements: Vec<String> = operand.iter().map(|x| x.to_text()).collect();
    let payload = match operand.stored() {
        Stored::Selection(rows) => format!("selection {rows:?}"),
        _ if shape.rank() == 0 => elements.join(""),
        _ => format!("dense [{}]", elements.join(", ")),
    };
    format!("input {payload} : {shape}")
}
