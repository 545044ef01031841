//! The same tape for inputs of other shapes.
//!
//! INVARIANT: what comes out is what recording the same requests on inputs of the new shapes would
//! have recorded. Every shape is inferred by its operation's own rule; a number that a rule or a
//! composite read off a shape, and that would be another one now, is refused (see `Measured`).

use super::error::{ShapeError, describe};
use super::measured::Measured;
use super::network::{Network, infer};
use super::node::Node;
use super::reinfer_error::ReinferError;
use super::symbol::Symbol;
use super::sync::Arc;
use super::tape::Tape;
use crate::kernel::Elementary;
use crate::ops::Function;
use crate::payload::{Differentiable, Shape, Stored, Tensorial};
use std::collections::BTreeMap;

impl<P: Tensorial> Network<P> {
    /// This network for inputs of other shapes, such as another batch: every later value's shape is
    /// inferred again, from what was asked for when it was recorded.
    ///
    /// The parameters are those of this generation, with their payloads shared; constants, names,
    /// scopes and source lines stay, and so do symbols: those of this network resolve in the new one,
    /// to the value under its new shape. What either records afterwards the other refuses. Gradients
    /// of either update both, and a plan of the new network runs on every later generation of
    /// this one, so that one training run serves batches of several sizes:
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let mut network = Network::new();
    /// let w = network.parameter(Tensor::from([[0.0_f64], [0.0]]));
    /// let x = network.input(Tensor::zeros([3, 2]));
    /// let target = network.input(Tensor::zeros([3, 1]));
    /// let y = x.matmul(w);
    /// let loss = ((y - target) * (y - target)).mean();
    /// let [x, target, y, loss] = [x, target, y, loss].map(|value| value.symbol());
    ///
    /// // The same expression for one row, compiled once.
    /// let single = network.reinferred([(x, [1, 2]), (target, [1, 1])]).compile([y], []);
    ///
    /// let rows = Tensor::from([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]);
    /// let wanted = Tensor::from([[1.0], [2.0], [3.0]]);
    /// for _ in 0..200 {
    ///     let run = network.forward_with([(x, rows.clone()), (target, wanted.clone())]);
    ///     let gradients = run.backward(loss);
    ///     network = network.update(&gradients, |w, g| w - 0.5 * g);
    /// }
    /// let learned = single.forward(&network, [(x, Tensor::from([[2.0, 3.0]]))]).of(y);
    /// assert!((learned.item() - 8.0).abs() < 1e-6);
    /// ```
    ///
    /// What is a number on the tape stays that number: an extent of `reshape`, the range of `narrow`,
    /// the shape of a constant or of `broadcast_to`. Where the result would not fit, nothing is made.
    /// `Extent::Keep`, `Extent::Infer`, `broadcast_like`, literals, sums and means follow their
    /// operands, and so do layers and losses along the batch. A derivative that is recorded on the tape
    /// follows too. What counted positions along an axis whose extent changes is refused, and has to
    /// be recorded on the new network: the derivatives of `narrow`, `pad`, `concat`, `unfold`, `fold`
    /// and `row_update`, `conv2d` and padded pools for images of another size, `broadcast_pair`
    /// where neither operand has the joint shape, `jacobian` and `hessian`. A number of one's own that is to
    /// follow an extent is recorded by [`Value::count_along`](crate::Value::count_along).
    ///
    /// An input of another shape keeps its default where that is one number everywhere, such as
    /// `Tensor::zeros`. Of selections, the default chooses the first class in every row. Any other is
    /// NaN everywhere, so that a run which does not feed it shows it.
    ///
    /// COST: O(nodes), and the elements of the defaults of inputs that change.
    ///
    /// # Panics
    ///
    /// Where [`Network::try_reinferred`] errs.
    #[must_use]
    #[track_caller]
    pub fn reinferred<S: Into<Symbol>, D: Into<Shape>>(
        &self,
        inputs: impl IntoIterator<Item = (S, D)>,
    ) -> Self {
        match self.try_reinferred(inputs) {
            Ok(network) => network,
            Err(error) => panic!("{error}"),
        }
    }

    /// The twin of [`Network::reinferred`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where a symbol is not of this network, is no input, is named twice or cannot have its shape,
    /// and at the first value in tape order that does not fit the new shapes: with its operation,
    /// source line and the constraint. This network stays as it is.
    pub fn try_reinferred<S: Into<Symbol>, D: Into<Shape>>(
        &self,
        inputs: impl IntoIterator<Item = (S, D)>,
    ) -> Result<Self, ReinferError> {
        // A fork first: its length is frozen, and nobody appends to it meanwhile.
        let frozen = self.clone();
        let tape = frozen.tape();
        let mut requests = BTreeMap::new();
        for (symbol, shape) in inputs {
            let index = tape.position(symbol.into(), "reinferred")?;
            let node = tape.node(index);
            let value = || describe(index, node);
            if !matches!(node.function, Function::Input(_)) {
                return Err(ReinferError::NotAnInput { value: value() });
            }
            if requests.insert(index, shape.into()).is_some() {
                return Err(ReinferError::NamedTwice { value: value() });
            }
        }
        let mut nodes: Vec<Node<P>> = Vec::with_capacity(tape.len());
        for (index, node) in tape.nodes().enumerate() {
            if let Some(of) = moved(node.measured, &tape, &nodes) {
                return Err(ReinferError::Measured {
                    symbol: tape.symbol(index),
                    value: describe(index, node),
                    of: describe(of, tape.node(of)),
                    shapes: Box::new(
                        [&tape.node(of).shape, &nodes[of].shape].map(|s| (**s).clone()),
                    ),
                });
            }
            let node = match (requests.remove(&index), &node.function) {
                (Some(shape), _) => input(node, shape).map_err(|(shape, problem)| {
                    ReinferError::InputShape { value: describe(index, node), shape, problem }
                })?,
                (None, Function::Input(_) | Function::Leaf(_) | Function::Parameter(_)) => {
                    node.clone()
                }
                (None, _) => computed(node, &nodes).map_err(|refusal| ReinferError::Refused {
                    symbol: tape.symbol(index),
                    value: describe(index, node),
                    refusal,
                })?,
            };
            nodes.push(node);
        }
        let same = tape.nodes().zip(&nodes).all(|(old, new)| old.shape == new.shape);
        let lineage = if same { frozen.lineage } else { frozen.lineage.reinferred() };
        let nodes = frozen.nodes.rebuilt(tape.len(), nodes);
        Ok(Self::from_chains(lineage, nodes, frozen.parameters))
    }
}

/// The position of a value whose extents the numbers of a node are, and which are others now.
fn moved<P: Tensorial>(measured: Measured, old: &Tape<P>, new: &[Node<P>]) -> Option<usize> {
    let differ = |index: usize, axis: usize| {
        let (old, new) = (&old.node(index).shape, &new[index].shape);
        old.get(axis) != new.get(axis)
    };
    match measured {
        Measured::Nothing => None,
        Measured::Extents(of, axes) => {
            let of = of as usize;
            let mut axes = axes.of(old.node(of).shape.rank());
            axes.any(|axis| differ(of, axis)).then_some(of)
        }
        Measured::Rule(of) => {
            let node = old.node(of as usize);
            let mut operands = node.operands.iter().enumerate();
            let counted = |(position, &operand): (usize, &u32)| {
                let (operand, rank) = (operand as usize, old.node(operand as usize).shape.rank());
                let mut axes = (0..rank).filter(|&axis| node.function.counts(position, axis, rank));
                axes.any(|axis| differ(operand, axis)).then_some(operand)
            };
            operands.find_map(counted)
        }
    }
}

/// The node of an input under another shape; or the shape, and what is wrong with it.
fn input<P: Tensorial>(node: &Node<P>, shape: Shape) -> Result<Node<P>, (Shape, &'static str)> {
    if shape == *node.shape {
        return Ok(node.clone());
    }
    if shape.volume().is_none() {
        return Err((shape, "it overflows the address space"));
    }
    if !P::holds(&shape) {
        return Err((shape, "the payload is a scalar; use a tensor"));
    }
    // Means, losses and layers name axes by their numbers, which mean others where there are more.
    if shape.rank() != node.shape.rank() {
        return Err((shape, "it has another number of axes"));
    }
    let before = node.payload.as_deref().expect("invariant: an input holds a payload");
    let Some(payload) = default(before, &shape) else {
        return Err((shape, "no selection has it: there is no class to choose, or no memory"));
    };
    Ok(Node { shape: Arc::new(shape), payload: Some(Box::new(payload)), ..node.clone() })
}

/// What an input of another shape holds where it is not fed.
fn default<P: Tensorial>(before: &P, shape: &Shape) -> Option<P> {
    if before.is_selection() {
        let (_, rows) = shape.split_last()?;
        let (rows, mut classes) = (Shape::new(rows).volume()?, Vec::new());
        classes.try_reserve_exact(rows).ok()?;
        classes.resize(rows, 0);
        return P::from_stored(shape, Stored::Selection(classes));
    }
    let number = uniform(before).unwrap_or_else(|| P::Element::from_f64(f64::NAN));
    Some(P::full(shape, number))
}

/// The number that a payload has everywhere, to the bit.
fn uniform<P: Differentiable>(payload: &P) -> Option<P::Element> {
    if let Stored::Constant(element) = payload.stored() {
        return Some(element);
    }
    let bytes = |element: &P::Element| {
        let mut bytes = Vec::with_capacity(P::Element::BYTES);
        element.write_bytes(&mut bytes);
        bytes
    };
    let (mut first, mut same) = (None, true);
    payload.for_each(&mut |element| match &first {
        None => first = Some((bytes(element), element.clone())),
        Some((known, _)) => same = same && *known == bytes(element),
    });
    first.filter(|_| same).map(|(_, element)| element)
}

/// The node of a computed value over operands of other shapes.
fn computed<P: Tensorial>(node: &Node<P>, nodes: &[Node<P>]) -> Result<Node<P>, ShapeError> {
    let operands = node.operands.iter().map(|&at| &nodes[at as usize]);
    let (shape, selection) = infer(&node.function, operands)?;
    Ok(Node { shape, selection, ..node.clone() })
}
