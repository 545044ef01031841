//! `Network`: the owner of a graph's state, a tape and the parameters of one generation.
//!
//! INVARIANT: only this network appends to its own chains, under one lock that guards nothing
//! but the append itself: inference and validation come before it, no user code runs under it,
//! and no run takes it.

use super::chain::Chain;
use super::error::{NetworkError, ShapeError, Violation, recorded, resolved};
use super::node::{Node, Operands, Origin, Place};
use super::symbol::Symbol;
use super::sync::{Arc, Mutex, OnceLock};
use super::tape::{Lineage, Tape};
use super::value::Value;
use crate::kernel::Elementary;
use crate::ops::{Function, Input, Leaf, Parameter};
use crate::payload::{Brief, Shape, Tensorial, volume_of};
use std::fmt;
use std::panic::Location;

/// A parameter's payload in one generation, and the position of its node.
#[derive(Clone)]
pub(crate) struct State<P> {
    pub(crate) index: u32,
    pub(crate) payload: P,
}

/// The owner of a graph's state, generic over the payload `P`: `f64`, `f32`, a tensor, or a
/// user's own element.
///
/// Recording is append-only through `&self`, from any thread. `clone` is an O(1) fork: both
/// share what is recorded, and neither sees what the other records next.
///
/// # Example
///
/// ```
/// use poorgrad::Network;
///
/// let network = Network::new();
/// let x = network.input(3.0_f64);
/// let y = x * x + 1.0;
/// let evaluation = network.forward();
/// assert_eq!(evaluation.of(y), 10.0);
/// assert_eq!(evaluation.backward(y).of(x), 6.0);
/// ```
pub struct Network<P: Tensorial> {
    pub(crate) lineage: Lineage,
    pub(crate) nodes: Chain<Node<P>>,
    pub(crate) parameters: Chain<State<P>>,
    append: Mutex<()>,
}

impl<P: Tensorial> Default for Network<P> {
    fn default() -> Self {
        Self::new()
    }
}

/// An O(1) fork.
impl<P: Tensorial> Clone for Network<P> {
    fn clone(&self) -> Self {
        let _append = self.appending();
        Self::from_chains(self.lineage, self.nodes.fork(), self.parameters.fork())
    }
}

/// In one line, whatever its size; [`Display`](fmt::Display) prints the tape.
impl<P: Tensorial> fmt::Debug for Network<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("element", &P::Element::NAME)
            .field("nodes", &self.nodes.len())
            .field("parameters", &self.parameters.len())
            .finish()
    }
}

/// Whether a selection of the one shape is one under the other: with the same number of rows of the
/// same extent. (A selection of no rows and no classes has the volume of any rows of no classes.)
fn keeps_rows(from: &Shape, to: &Shape) -> bool {
    let [Some((classes, rows)), Some((last, leading))] = [from.split_last(), to.split_last()]
    else {
        return false;
    };
    let rows = volume_of(rows.iter().copied());
    classes == last && rows.is_some() && rows == volume_of(leading.iter().copied())
}

/// The shape of an operation's result, and whether it is a selection; or the constraint that its
/// operands violate.
pub(super) fn infer<'n, P: Tensorial>(
    function: &Function,
    operands: impl Iterator<Item = &'n Node<P>> + Clone,
) -> Result<(Arc<Shape>, bool), ShapeError> {
    // The common arities without a list on the heap.
    let mut nodes = operands.clone();
    let first = nodes.next().expect("invariant: an operation has an operand");
    let inferred = match (nodes.next(), nodes.next(), nodes.next()) {
        (None, ..) => function.infer(&[&first.shape]),
        (Some(two), None, _) => function.infer(&[&first.shape, &two.shape]),
        (Some(two), Some(three), None) => function.infer(&[&first.shape, &two.shape, &three.shape]),
        _ => function.infer_each(operands.clone().map(|node| &*node.shape)),
    };
    let refuse = |violation| ShapeError::of_each(function.name(), violation, operands.clone());
    let shape = inferred.map_err(refuse)?;
    if let Some((position, constraint)) = function.selection()
        && operands.clone().nth(position).is_some_and(|node| !node.selection)
    {
        return Err(refuse(Violation::new(
            constraint,
            "the last operand is no selection (declare it with `Tensor::selection(..)`)",
        )));
    }
    if !P::holds(&shape) {
        return Err(ShapeError::general(
            function.name(),
            format!(
                "a scalar payload cannot hold the result's shape {}; use a tensor",
                Brief(&shape)
            ),
        ));
    }
    let shape = if shape == *first.shape { first.shape.clone() } else { Arc::new(shape) };
    let selection = first.selection
        && matches!(function, Function::Reshape(_))
        && keeps_rows(&first.shape, &shape);
    Ok((shape, selection))
}

impl<P: Tensorial> Network<P> {
    /// A network with nothing recorded.
    #[must_use]
    pub fn new() -> Self {
        Self::from_chains(Lineage::new(), Chain::new(), Chain::new())
    }

    pub(crate) fn from_chains(
        lineage: Lineage,
        nodes: Chain<Node<P>>,
        parameters: Chain<State<P>>,
    ) -> Self {
        Self { lineage, nodes, parameters, append: Mutex::new(()) }
    }

    /// Records a parameter: state that [`Network::update`] replaces from generation to
    /// generation.
    ///
    /// # Panics
    ///
    /// Where the tape is full (2^32 nodes).
    #[track_caller]
    pub fn parameter(&self, payload: P) -> Value<'_, P> {
        let origin = Origin::new(Place::Source(Location::caller()), self.branch());
        self.parameter_from(payload, origin)
    }

    #[track_caller]
    pub(crate) fn parameter_from(&self, payload: P, origin: Origin) -> Value<'_, P> {
        let shape = Arc::new(payload.shape());
        let _append = self.appending();
        let function = Function::Parameter(Parameter { slot: self.parameters.len() as u32 });
        recorded(self.check_room(|| function.name(), 1));
        // The payload first: whoever sees the node finds its state.
        self.parameters.push(State { index: self.nodes.len() as u32, payload });
        self.push(Node {
            function,
            operands: Operands::new(&[]),
            shape,
            selection: false,
            payload: None,
            location: origin.place,
            scope: origin.scope,
            name: OnceLock::new(),
            measured: origin.measured,
            differentiable: true,
        })
    }

    /// Records an input with the payload that it has when a run feeds no other. Its shape is
    /// the only one that it takes; where the default is a selection it takes selections only.
    ///
    /// # Panics
    ///
    /// Where the tape is full (2^32 nodes).
    #[track_caller]
    pub fn input(&self, default: P) -> Value<'_, P> {
        let differentiable = !default.is_selection();
        let place = Place::Source(Location::caller());
        self.source(Function::Input(Input), default, differentiable, place)
    }

    /// Records a constant.
    ///
    /// # Panics
    ///
    /// Where the tape is full (2^32 nodes).
    #[track_caller]
    pub fn leaf(&self, payload: P) -> Value<'_, P> {
        self.source(Function::Leaf(Leaf), payload, false, Place::Source(Location::caller()))
    }

    pub(crate) fn source(
        &self,
        function: Function,
        payload: P,
        differentiable: bool,
        place: Place,
    ) -> Value<'_, P> {
        let origin = Origin::new(place, self.branch());
        self.source_from(function, payload, differentiable, origin)
    }

    #[track_caller]
    pub(crate) fn source_from(
        &self,
        function: Function,
        payload: P,
        differentiable: bool,
        origin: Origin,
    ) -> Value<'_, P> {
        let node = Node {
            function,
            operands: Operands::new(&[]),
            shape: Arc::new(payload.shape()),
            selection: payload.is_selection(),
            payload: Some(Box::new(payload)),
            location: origin.place,
            scope: origin.scope,
            name: OnceLock::new(),
            measured: origin.measured,
            differentiable,
        };
        recorded(self.check_room(|| node.function.name(), 1));
        let _append = self.appending();
        self.push(node)
    }

    /// Infers, validates and records one operation of this network's own nodes.
    pub(crate) fn record_at(
        &self,
        function: Function,
        operands: &[u32],
        location: &'static Location<'static>,
    ) -> Result<Value<'_, P>, ShapeError> {
        let origin = Origin::new(Place::Source(location), self.branch());
        self.record_from(function, Operands::new(operands), origin)
    }

    /// [`Network::record_at`] with the origin that a tape's text carries.
    pub(crate) fn record_from(
        &self,
        function: Function,
        operands: Operands,
        origin: Origin,
    ) -> Result<Value<'_, P>, ShapeError> {
        // COST: the few operands of most operations are found once each; more have no list beside their own.
        let node = |&index: &u32| self.nodes.get(index as usize);
        let reached = |(position, node): (usize, &Node<P>)| {
            node.differentiable && function.differentiable(position)
        };
        let few: &[&Node<P>] = match &operands[..] {
            [a] => &[node(a)],
            [a, b] => &[node(a), node(b)],
            [a, b, c] => &[node(a), node(b), node(c)],
            _ => &[],
        };
        let (shape, selection, differentiable) = if few.is_empty() {
            let nodes = operands.iter().map(node);
            let (shape, selection) = infer(&function, nodes.clone())?;
            (shape, selection, nodes.enumerate().any(reached))
        } else {
            let (shape, selection) = infer(&function, few.iter().copied())?;
            (shape, selection, few.iter().copied().enumerate().any(reached))
        };
        // COST: the name is looked up where it is needed.
        self.check_room(|| function.name(), 1)?;
        let node = Node {
            function,
            selection,
            operands,
            shape,
            payload: None,
            location: origin.place,
            scope: origin.scope,
            name: OnceLock::new(),
            measured: origin.measured,
            differentiable,
        };
        let _append = self.appending();
        Ok(self.push(node))
    }

    fn push(&self, node: Node<P>) -> Value<'_, P> {
        Value { network: self, index: self.nodes.push(node) as u32 }
    }

    /// Whether `count` further nodes have a place.
    pub(crate) fn check_room(
        &self,
        operation: impl FnOnce() -> &'static str,
        count: usize,
    ) -> Result<(), ShapeError> {
        if self.nodes.len() <= u32::MAX as usize - count {
            return Ok(());
        }
        Err(ShapeError::general(operation(), "the tape is full: it holds 2^32 - 1 values"))
    }

    /// The append lock. Nothing that it guards can be left half done by a panic, so that a
    /// poisoned lock is as good as new.
    #[cfg(not(loom))]
    pub(crate) fn appending(&self) -> std::sync::MutexGuard<'_, ()> {
        self.append.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
    #[cfg(loom)]
    pub(crate) fn appending(&self) -> loom::sync::MutexGuard<'_, ()> {
        self.append.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The number of recorded values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing is recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value that a symbol stands for, in this generation.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let mut network = Network::new();
    /// let w = network.parameter(1.0_f64).symbol(); // outlives the borrow of a `Value`
    /// let gradients = network.forward().backward(w);
    /// network = network.update(&gradients, |w, g| w - g);
    /// assert_eq!(network.resolve(w).payload(), Some(0.0));
    /// ```
    ///
    /// # Panics
    ///
    /// Where the symbol is foreign or was recorded on a fork after it parted.
    #[track_caller]
    pub fn resolve(&self, symbol: impl Into<Symbol>) -> Value<'_, P> {
        resolved(self.try_resolve(symbol))
    }

    /// The value that a symbol stands for, in this generation.
    ///
    /// # Errors
    ///
    /// Where the symbol is foreign or was recorded on a fork after it parted.
    pub fn try_resolve(&self, symbol: impl Into<Symbol>) -> Result<Value<'_, P>, NetworkError> {
        let index = self.tape().position(symbol.into(), "resolve")? as u32;
        Ok(Value { network: self, index })
    }

    /// The parameters with their paths, in the order of their recording. A parameter without a
    /// name is called `parameter` and its number, behind its scopes.
    ///
    /// Paths need not be unique: two layers in one scope both have a `weight`, and a parameter may
    /// have been given the name `parameter0`. Open a scope for each part of a model where paths are
    /// to tell them apart; symbols always do.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// network.parameter(1.0_f64).named("scale");
    /// {
    ///     let _layer = network.scope("layer");
    ///     network.parameter(2.0);
    /// }
    /// let paths: Vec<String> = network.parameters().map(|(path, _)| path).collect();
    /// assert_eq!(paths, ["scale", "layer.parameter1"]);
    /// ```
    pub fn parameters(&self) -> impl Iterator<Item = (String, Value<'_, P>)> {
        // The nodes' length first: a parameter whose node is still being appended is not there yet.
        let (nodes, states) = (self.nodes.len(), self.parameters.len());
        let indices = self.parameters.iter(states).map(|state| state.index);
        let slots = indices.enumerate().filter(move |(_, index)| (*index as usize) < nodes);
        slots.map(|(slot, index)| {
            let node = self.node(index);
            let path = node.label().unwrap_or_else(|| match &node.scope {
                Some(scope) => format!("{scope}.parameter{slot}"),
                None => format!("parameter{slot}"),
            });
            (path, Value { network: self, index })
        })
    }

    /// All recorded values, in tape order.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let x = network.input(1.0_f64);
    /// let y = x.exp();
    /// let symbols: Vec<_> = network.values().map(|value| value.symbol()).collect();
    /// assert_eq!(symbols, [x.symbol(), y.symbol()]);
    /// ```
    pub fn values(&self) -> impl Iterator<Item = Value<'_, P>> {
        (0..self.len() as u32).map(|index| Value { network: self, index })
    }

    /// A network that lives as long as the process, so that its values can be kept anywhere: for
    /// notebooks and tests.
    #[must_use]
    pub fn leaked() -> &'static Self {
        Self::new().leak()
    }

    /// Lets this network live as long as the process.
    #[must_use]
    pub fn leak(self) -> &'static Self {
        Box::leak(Box::new(self))
    }

    pub(crate) fn tape(&self) -> Tape<P> {
        Tape::new(self.lineage, &self.nodes)
    }

    pub(crate) fn node(&self, index: u32) -> &Node<P> {
        self.nodes.get(index as usize)
    }

    pub(crate) fn branch(&self) -> u64 {
        self.nodes.branch()
    }

    pub(crate) fn parameter_payload(&self, slot: usize) -> &P {
        &self.parameters.get(slot).payload
    }
}
