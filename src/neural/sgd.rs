//! `Sgd`: gradient descent, with momentum.

use super::algebra::Algebra;
use super::rule::{Carried, Parameter, Rule, driven};
use super::{Optimizer, OptimizerState, RecordedStep, StateError};
use crate::{Field, Gradients, Network, Symbol, Tensorial};
use std::fmt;

/// Stochastic gradient descent: `w <- w - rate * d`, each operation rounded once.
///
/// The direction `d` is the gradient `g`; with momentum `m` the velocity `v <- m v + g` (`g` at the
/// first step) is the direction, and with Nesterov's form it is `g + m v` (Sutskever, Martens, Dahl
/// and Hinton, "On the importance of initialization and momentum in deep learning", 2013).
///
/// # Example
///
/// ```
/// use poorgrad::{Network, Optimizer, Sgd};
///
/// let mut network = Network::new();
/// let w = network.parameter(1.0_f64);
/// let loss = (w * w).symbol();
/// let w = w.symbol();
/// let mut optimizer = Sgd::new(0.1).momentum(0.5);
/// for _ in 0..50 {
///     let gradients = network.forward().backward(loss);
///     network = optimizer.step(network, &gradients);
/// }
/// assert!(network.resolve(w).payload().unwrap().abs() < 1e-6);
/// ```
#[derive(Clone)]
pub struct Sgd<P> {
    rule: Descent,
    carried: Carried<P>,
}

#[derive(Clone, Copy)]
struct Descent {
    momentum: f64,
    nesterov: bool,
}

impl<P: Tensorial> fmt::Debug for Sgd<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sgd")
            .field("rate", &self.carried.rate)
            .field("momentum", &self.rule.momentum)
            .field("nesterov", &self.rule.nesterov)
            .field("velocity", &self.velocity())
            .finish()
    }
}

impl<P: Tensorial> Sgd<P> {
    /// Plain gradient descent with this learning rate.
    #[must_use]
    pub fn new(rate: f64) -> Self {
        Self { rule: Descent { momentum: 0.0, nesterov: false }, carried: Carried::new(rate) }
    }

    /// With momentum; 0 is none.
    #[must_use]
    pub fn momentum(mut self, momentum: f64) -> Self {
        self.rule.momentum = momentum;
        self
    }

    /// With Nesterov's form of the momentum.
    #[must_use]
    pub fn nesterov(mut self) -> Self {
        self.rule.nesterov = true;
        self
    }

    /// The velocity of the parameters so far: `None` without momentum, and before the first step
    /// unless a state was restored.
    #[must_use]
    pub fn velocity(&self) -> Option<&Field<P>> {
        self.carried.fields.first()
    }
}

impl Rule for Descent {
    const NAME: &'static str = "Sgd";

    fn kinds(&self) -> Vec<(&'static str, f64)> {
        // Of no velocity yet the first is the gradient itself: -0 + g is g, of either sign.
        if self.momentum == 0.0 { Vec::new() } else { vec![("velocity", -0.0)] }
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
        let mut direction = g.clone();
        if let [velocity] = carried {
            *velocity = algebra.add(&algebra.scaled(self.momentum, velocity), g);
            direction = if self.nesterov {
                algebra.add(g, &algebra.scaled(self.momentum, velocity))
            } else {
                velocity.clone()
            };
        }
        algebra.sub(w, &algebra.mul(&algebra.spread(&rate[0], w), &direction))
    }
}

driven!(Sgd);
