//! Derivatives as more tape: the chain rule recorded by the same rules that `backward` runs.

use super::chain_rule::{Walk, chain_rule, wanted};
use super::forward::positions;
use crate::graph::error::{NetworkError, describe, resolved};
use crate::graph::measured::Measured;
use crate::graph::node::{Origin, Place};
use crate::graph::tape::Tape;
use crate::graph::{Network, Symbol, Value};
use crate::kernel::Elementary;
use crate::ops::algebra::Algebra;
use crate::ops::{BroadcastLike, Function, Leaf};
use crate::payload::{Shape, Stored, Tensorial};
use std::cell::Cell;
use std::panic::Location;

/// The algebra of positions on a tape: what a rule does is recorded.
struct Recorder<'n, P: Tensorial> {
    network: &'n Network<P>,
    from: From,
    /// The node whose rule records.
    rule: Cell<Option<u32>>,
}

/// Where recorded derivatives say that they come from.
enum From {
    /// The line that asked for them.
    Caller(&'static Location<'static>),
    /// The node whose rule records, the target before there is one.
    Node(u32),
}

impl<'n, P: Tensorial> Recorder<'n, P> {
    fn new(network: &'n Network<P>, from: From) -> Self {
        Self { network, from, rule: Cell::new(None) }
    }

    fn leaf(&self, payload: P, origin: Origin) -> u32 {
        self.network.source_from(Function::Leaf(Leaf), payload, false, origin).index
    }

    /// The origin of what has numbers that a rule made of extents.
    fn measured(&self) -> Origin {
        let rule = self.rule.get();
        self.origin().measured(rule.map_or(Measured::Nothing, Measured::Rule))
    }

    fn origin(&self) -> Origin {
        match &self.from {
            From::Caller(location) => Origin::new(Place::Source(location), self.network.branch()),
            From::Node(target) => {
                let node = self.network.node(self.rule.get().unwrap_or(*target));
                let (place, scope) = (node.location.clone(), node.scope.clone());
                Origin { place, scope, measured: Measured::Nothing }
            }
        }
    }
}

impl<P: Tensorial> Algebra for Recorder<'_, P> {
    type Value = u32;

    fn enter(&self, index: usize) {
        self.rule.set(Some(index as u32));
    }
    fn apply(&self, function: Function, operands: &[&u32]) -> u32 {
        let operands: Vec<u32> = operands.iter().map(|&&operand| operand).collect();
        // Those operations have numbers in their attributes which, in a rule, are extents.
        let origin = match function {
            Function::Narrow(_) | Function::Pad(_) | Function::Unfold(_) | Function::Fold(_) => {
                self.measured()
            }
            _ => self.origin(),
        };
        match self.network.record_from(function, operands.into(), origin) {
            Ok(value) => value.index,
            Err(error) => panic!("invariant: a derivative rule respects the constraints: {error}"),
        }
    }
    fn shape(&self, value: &u32) -> Shape {
        (*self.network.node(*value).shape).clone()
    }
    fn literal_like(&self, value: f64, like: &u32) -> u32 {
        let number = P::full(&Shape::scalar(), P::Element::from_f64(value));
        let leaf = self.leaf(number, self.origin());
        if self.network.node(*like).shape.rank() == 0 {
            return leaf;
        }
        self.apply(BroadcastLike.into(), &[&leaf, like])
    }
    fn zeros(&self, shape: &Shape) -> u32 {
        self.leaf(P::full(shape, P::Element::zero()), self.measured())
    }
    fn iota(&self, count: usize) -> u32 {
        let numbers = (0..count).map(|number| P::Element::from_f64(number as f64)).collect();
        let column = P::from_stored(&Shape::from([count, 1]), Stored::Dense(numbers));
        self.leaf(column.expect("invariant: as many elements as the shape says"), self.measured())
    }
}

impl<P: Tensorial> Network<P> {
    /// Records the derivatives of `target`, of exactly one element, with respect to each of
    /// `wrt`, and returns them in that order: values like any others, to run, to name, to
    /// differentiate again. The same bits as
    /// [`Evaluation::backward_for`](crate::Evaluation::backward_for): constants have derivatives too.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let x = network.input(3.0_f64);
    /// let first = network.differentiate(x * x * x, [x])[0];
    /// let second = network.differentiate(first, [x])[0];
    /// let evaluation = network.forward();
    /// assert_eq!(evaluation.of(first), 27.0);
    /// assert_eq!(evaluation.of(second), 18.0);
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Network::try_differentiate`] errs.
    #[must_use]
    #[track_caller]
    pub fn differentiate<S: Into<Symbol>>(
        &self,
        target: impl Into<Symbol>,
        wrt: impl IntoIterator<Item = S>,
    ) -> Vec<Value<'_, P>> {
        resolved(self.try_differentiate(target, wrt))
    }

    /// Records the derivatives of `target` with respect to each of `wrt`.
    ///
    /// # Errors
    ///
    /// Where a symbol is not of this network, or the target has not exactly one element; nothing
    /// is recorded then.
    #[track_caller]
    pub fn try_differentiate<S: Into<Symbol>>(
        &self,
        target: impl Into<Symbol>,
        wrt: impl IntoIterator<Item = S>,
    ) -> Result<Vec<Value<'_, P>>, NetworkError> {
        self.differentiated(target.into(), wrt, "differentiate")
    }

    #[track_caller]
    pub(super) fn differentiated<S: Into<Symbol>>(
        &self,
        target: Symbol,
        wrt: impl IntoIterator<Item = S>,
        operation: &'static str,
    ) -> Result<Vec<Value<'_, P>>, NetworkError> {
        let tape = self.tape();
        let index = tape.position(target, operation)?;
        let wrt = positions(&tape, wrt, operation)?;
        let node = tape.node(index);
        if node.shape.volume() != Some(1) {
            let shape = (*node.shape).clone();
            return Err(NetworkError::NotScalar { operation, value: describe(index, node), shape });
        }
        let recorder = Recorder::new(self, From::Caller(Location::caller()));
        let seed = recorder.literal_like(1.0, &(index as u32));
        Ok(self.pull_back_recorded(&recorder, index, &wrt, seed))
    }

    /// Records the vector-Jacobian product: the cotangents of `wrt` when `target`, of any shape,
    /// has the cotangent `cotangent`.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.input(Tensor::from([1.0_f64, 2.0]));
    /// let weights = network.leaf(Tensor::from([10.0, 100.0]));
    /// let pulled = network.vjp(x * x, weights, [x])[0]; // weights times 2 x
    /// assert_eq!(network.forward().of(pulled).to_vec(), [20.0, 400.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Network::try_vjp`] errs.
    #[must_use]
    #[track_caller]
    pub fn vjp<S: Into<Symbol>>(
        &self,
        target: impl Into<Symbol>,
        cotangent: impl Into<Symbol>,
        wrt: impl IntoIterator<Item = S>,
    ) -> Vec<Value<'_, P>> {
        resolved(self.try_vjp(target, cotangent, wrt))
    }

    /// Records the vector-Jacobian product.
    ///
    /// # Errors
    ///
    /// Where a symbol is not of this network, or `cotangent` has another shape than `target`;
    /// nothing is recorded then.
    #[track_caller]
    pub fn try_vjp<S: Into<Symbol>>(
        &self,
        target: impl Into<Symbol>,
        cotangent: impl Into<Symbol>,
        wrt: impl IntoIterator<Item = S>,
    ) -> Result<Vec<Value<'_, P>>, NetworkError> {
        let tape = self.tape();
        let target = tape.position(target.into(), "vjp")?;
        let cotangent = tape.position(cotangent.into(), "vjp")?;
        direction("vjp", &tape, target, cotangent)?;
        let wrt = positions(&tape, wrt, "vjp")?;
        let recorder = Recorder::new(self, From::Caller(Location::caller()));
        Ok(self.pull_back_recorded(&recorder, target, &wrt, cotangent as u32))
    }

    fn pull_back_recorded<'n>(
        &'n self,
        recorder: &Recorder<'n, P>,
        target: usize,
        wrt: &[usize],
        seed: u32,
    ) -> Vec<Value<'n, P>> {
        let cotangents = self.cotangents_recorded(recorder, target, wrt, seed);
        let derivative = |&index: &usize| {
            let recorded = cotangents.get(index).copied().flatten();
            let index = recorded.unwrap_or_else(|| recorder.literal_like(0.0, &(index as u32)));
            Value { network: self, index }
        };
        wrt.iter().map(derivative).collect()
    }

    /// Records the gradient of the node `target`, of exactly one element, with respect to each of
    /// `wrt`: the position of its node, `None` where there is no gradient. Each recorded node comes
    /// from where the node comes from whose rule records it.
    pub(crate) fn gradients_recorded(&self, target: usize, wrt: &[usize]) -> Vec<Option<u32>> {
        let recorder = Recorder::new(self, From::Node(target as u32));
        let seed = recorder.literal_like(1.0, &(target as u32));
        let cotangents = self.cotangents_recorded(&recorder, target, wrt, seed);
        wrt.iter().map(|&index| cotangents.get(index).copied().flatten()).collect()
    }

    /// Records the chain rule: the node of each value's cotangent, up to the target's.
    fn cotangents_recorded(
        &self,
        recorder: &Recorder<'_, P>,
        target: usize,
        wrt: &[usize],
        seed: u32,
    ) -> Vec<Option<u32>> {
        let tape = self.tape();
        let wanted = wanted(&tape, target, Some(wrt));
        let walk = Walk { tape: &tape, target, wanted: &wanted };
        let positions: Vec<u32> = (0..=target as u32).collect();
        chain_rule(recorder, &walk, |index| &positions[index], seed)
    }
}

/// A cotangent or tangent has its value's shape.
pub(super) fn direction<P>(
    operation: &'static str,
    tape: &Tape<P>,
    value: usize,
    direction: usize,
) -> Result<(), NetworkError> {
    let (node, found) = (tape.node(value), &tape.node(direction).shape);
    if node.shape == *found {
        return Ok(());
    }
    let (expected, found) = ((*node.shape).clone(), (**found).clone());
    Err(NetworkError::DirectionShape { operation, value: describe(value, node), expected, found })
}
