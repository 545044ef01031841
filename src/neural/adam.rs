//! `Adam`: gradient descent with moments.

use super::algebra::Algebra;
use super::rule::{Carried, Parameter, Rule, driven};
use super::{Optimizer, OptimizerState, RecordedStep, StateError};
use crate::{Field, Gradients, Network, Symbol, Tensorial};
use std::fmt;

/// Adam (Kingma and Ba, "Adam: a method for stochastic optimization", 2015): moments of the gradient,
/// corrected for their start at zero by powers that are carried from step to step.
///
/// Per parameter, each operation rounded once: `m <- b1 m + (1 - b1) g`,
/// `v <- b2 v + (1 - b2) (g g)`, then
/// `w <- w - rate ((m / (1 - p1)) / (sqrt(v / (1 - p2)) + eps))`, where the powers `p1 <- p1 b1` and
/// `p2 <- p2 b2` begin at 1.
///
/// # Example
///
/// ```
/// use poorgrad::{Adam, Network, Optimizer};
///
/// let mut network = Network::new();
/// let w = network.parameter(1.0_f64);
/// let loss = (w * w).symbol();
/// let w = w.symbol();
/// let mut optimizer = Adam::new(0.1);
/// for _ in 0..200 {
///     let gradients = network.forward().backward(loss);
///     network = optimizer.step(network, &gradients);
/// }
/// assert!(network.resolve(w).payload().unwrap().abs() < 1e-2);
/// ```
#[derive(Clone)]
pub struct Adam<P: Tensorial> {
    rule: Moments,
    carried: Carried<P>,
}

/// The moments of the gradient, and the direction that they give.
#[derive(Clone, Copy)]
pub(super) struct Moments {
    pub(super) betas: [f64; 2],
    pub(super) epsilon: f64,
}

impl Moments {
    pub(super) const USUAL: Self = Self { betas: [0.9, 0.999], epsilon: 1e-8 };
    pub(super) const KINDS: [(&'static str, f64); 2] = [("first", 0.0), ("second", 0.0)];

    pub(super) fn powers(&self) -> Vec<(&'static str, f64)> {
        vec![("power.first", self.betas[0]), ("power.second", self.betas[1])]
    }

    /// `1 - p` of each power.
    #[track_caller]
    pub(super) fn corrections<A: Algebra>(
        &self,
        algebra: &A,
        powers: &[A::Operand],
    ) -> [A::Operand; 2] {
        let one = algebra.number(1.0);
        [algebra.sub(&one, &powers[0]), algebra.sub(&one, &powers[1])]
    }

    /// The moments move on; what a parameter is to move along, before the learning rate.
    #[track_caller]
    pub(super) fn direction<A: Algebra>(
        &self,
        algebra: &A,
        corrections: &[A::Operand],
        g: &A::Operand,
        carried: &mut [A::Operand],
    ) -> A::Operand {
        let [b1, b2] = self.betas;
        let m = algebra.add(&algebra.scaled(b1, &carried[0]), &algebra.scaled(1.0 - b1, g));
        let square = algebra.mul(g, g);
        let v = algebra.add(&algebra.scaled(b2, &carried[1]), &algebra.scaled(1.0 - b2, &square));
        let mean = algebra.div(&m, &algebra.spread(&corrections[0], &m));
        let root = algebra.sqrt(&algebra.div(&v, &algebra.spread(&corrections[1], &v)));
        let root = algebra.add(&root, &algebra.spread(&algebra.number(self.epsilon), &root));
        [carried[0], carried[1]] = [m, v];
        algebra.div(&mean, &root)
    }
}

impl<P: Tensorial> fmt::Debug for Adam<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Adam")
            .field("rate", &self.carried.rate)
            .field("betas", &self.rule.betas)
            .field("epsilon", &self.rule.epsilon)
            .field("moments", &self.moments())
            .finish()
    }
}

impl<P: Tensorial> Adam<P> {
    /// Adam with this learning rate, `b1 = 0.9`, `b2 = 0.999` and `eps = 1e-8`.
    #[must_use]
    pub fn new(rate: f64) -> Self {
        Self { rule: Moments::USUAL, carried: Carried::new(rate) }
    }

    /// With other decays of the moments.
    #[must_use]
    pub fn betas(mut self, first: f64, second: f64) -> Self {
        self.rule.betas = [first, second];
        self
    }

    /// With another term beside the root.
    #[must_use]
    pub fn epsilon(mut self, epsilon: f64) -> Self {
        self.rule.epsilon = epsilon;
        self
    }

    /// The moments of the parameters so far: `None` before the first step, unless a state was restored.
    #[must_use]
    pub fn moments(&self) -> Option<&[Field<P>; 2]> {
        self.carried.fields.as_slice().try_into().ok()
    }
}

impl Rule for Moments {
    const NAME: &'static str = "Adam";

    fn kinds(&self) -> Vec<(&'static str, f64)> {
        Self::KINDS.into()
    }

    fn powers(&self) -> Vec<(&'static str, f64)> {
        self.powers()
    }

    fn prepare<A: Algebra>(
        &self,
        algebra: &A,
        powers: &[A::Operand],
        rate: &A::Operand,
    ) -> Vec<A::Operand> {
        let [first, second] = self.corrections(algebra, powers);
        vec![first, second, rate.clone()]
    }

    fn next<A: Algebra>(
        &self,
        algebra: &A,
        _: Parameter<'_>,
        prepared: &[A::Operand],
        [w, g]: [&A::Operand; 2],
        carried: &mut [A::Operand],
    ) -> A::Operand {
        let direction = self.direction(algebra, prepared, g, carried);
        algebra.sub(w, &algebra.mul(&algebra.spread(&prepared[2], w), &direction))
    }
}

driven!(Adam);
