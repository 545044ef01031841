//! `RmsProp`: gradient descent by the gradient's recent size.

use super::algebra::Algebra;
use super::rule::{Carried, Parameter, Rule, driven};
use super::{Optimizer, OptimizerState, RecordedStep, StateError};
use crate::{Field, Gradients, Network, Symbol, Tensorial};
use std::fmt;

/// RMSProp (Tieleman and Hinton, "Lecture 6.5", 2012): `v <- a v + (1 - a) (g g)`, then
/// `w <- w - rate d` with `d = g / (sqrt(v) + eps)`; with momentum `m` the velocity `u <- m u + d`
/// takes the place of `d`. Each operation is rounded once.
///
/// # Example
///
/// ```
/// use poorgrad::{Network, Optimizer, RmsProp};
///
/// let mut network = Network::new();
/// let w = network.parameter(1.0_f64);
/// let loss = (w * w).symbol();
/// let w = w.symbol();
/// let mut optimizer = RmsProp::new(0.01);
/// for _ in 0..200 {
///     let gradients = network.forward().backward(loss);
///     network = optimizer.step(network, &gradients);
/// }
/// assert!(network.resolve(w).payload().unwrap().abs() < 1e-2);
/// ```
#[derive(Clone)]
pub struct RmsProp<P: Tensorial> {
    rule: Size,
    carried: Carried<P>,
}

#[derive(Clone, Copy)]
struct Size {
    smoothing: f64,
    epsilon: f64,
    momentum: f64,
}

impl<P: Tensorial> fmt::Debug for RmsProp<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RmsProp")
            .field("rate", &self.carried.rate)
            .field("smoothing", &self.rule.smoothing)
            .field("epsilon", &self.rule.epsilon)
            .field("momentum", &self.rule.momentum)
            .field("squares", &self.squares())
            .finish()
    }
}

impl<P: Tensorial> RmsProp<P> {
    /// RMSProp with this learning rate, `a = 0.99`, `eps = 1e-8` and no momentum.
    #[must_use]
    pub fn new(rate: f64) -> Self {
        let rule = Size { smoothing: 0.99, epsilon: 1e-8, momentum: 0.0 };
        Self { rule, carried: Carried::new(rate) }
    }

    /// With another decay of the mean of the squares.
    #[must_use]
    pub fn smoothing(mut self, smoothing: f64) -> Self {
        self.rule.smoothing = smoothing;
        self
    }

    /// With another term beside the root.
    #[must_use]
    pub fn epsilon(mut self, epsilon: f64) -> Self {
        self.rule.epsilon = epsilon;
        self
    }

    /// With momentum; 0 is none.
    #[must_use]
    pub fn momentum(mut self, momentum: f64) -> Self {
        self.rule.momentum = momentum;
        self
    }

    /// The means of the squares so far: `None` before the first step, unless a state was restored.
    #[must_use]
    pub fn squares(&self) -> Option<&Field<P>> {
        self.carried.fields.first()
    }
}

impl Rule for Size {
    const NAME: &'static str = "RmsProp";

    fn kinds(&self) -> Vec<(&'static str, f64)> {
        // -0 + d is d, of either sign.
        let velocity = (self.momentum != 0.0).then_some(("velocity", -0.0));
        std::iter::once(("square", 0.0)).chain(velocity).collect()
    }

    fn prepare<A: Algebra>(&self, _: &A, _: &[A::Operand], rate: &A::Operand) -> Vec<A::Operand> {
        vec![rate.clone()]
    }

    fn next<A: Algebra>(
        &self,
        algebra: &A,
        _: Parameter<'_>,
        rate: &[A::Operand],
        [w, g]: [&A::Operand; 2],
        carried: &mut [A::Operand],
    ) -> A::Operand {
        let square = algebra.scaled(1.0 - self.smoothing, &algebra.mul(g, g));
        let v = algebra.add(&algebra.scaled(self.smoothing, &carried[0]), &square);
        let root = algebra.sqrt(&v);
        let root = algebra.add(&root, &algebra.spread(&algebra.number(self.epsilon), &root));
        let mut direction = algebra.div(g, &root);
        carried[0] = v;
        if let [_, velocity] = carried {
            *velocity = algebra.add(&algebra.scaled(self.momentum, velocity), &direction);
            direction = velocity.clone();
        }
        algebra.sub(w, &algebra.mul(&algebra.spread(&rate[0], w), &direction))
    }
}

driven!(RmsProp);
