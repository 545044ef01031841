//! `AdamW`: Adam with decoupled decay of the weights.

use super::adam::Moments;
use super::algebra::Algebra;
use super::rule::{Carried, Parameter, Rule, driven};
use super::{Optimizer, OptimizerState, RecordedStep, StateError};
use crate::{Field, Gradients, Network, Shape, Symbol, Tensorial};
use std::fmt;
use std::sync::Arc;

/// [`Adam`](crate::Adam) whose weights decay beside the gradient instead of through it (Loshchilov and
/// Hutter, "Decoupled weight decay regularization", 2019): `w <- w (1 - rate decay)`, then the step of
/// `Adam`.
///
/// Parameters of rank one, which are biases and gains, are spared; [`AdamW::decays`] takes any other
/// policy.
///
/// # Example
///
/// ```
/// use poorgrad::{AdamW, Network, Optimizer, Tensor};
///
/// let mut network = Network::new();
/// let w = network.parameter(Tensor::<f64>::ones([1, 1]));
/// let b = network.parameter(Tensor::<f64>::ones([1]));
/// let loss = (w.sum() * 0.0 + b.sum() * 0.0).symbol();
/// let (w, b) = (w.symbol(), b.symbol());
/// let gradients = network.forward().backward(loss);
/// network = AdamW::new(0.1).decay(0.1).step(network, &gradients);
/// assert_eq!(network.resolve(w).payload().unwrap().item(), 0.99);
/// assert_eq!(network.resolve(b).payload().unwrap().item(), 1.0);
/// ```
#[derive(Clone)]
pub struct AdamW<P: Tensorial> {
    rule: Decoupled,
    carried: Carried<P>,
}

/// Whether a parameter decays, by its path and its shape.
type Policy = Arc<dyn Fn(&str, &Shape) -> bool + Send + Sync>;

#[derive(Clone)]
struct Decoupled {
    moments: Moments,
    decay: f64,
    decays: Policy,
}

impl<P: Tensorial> fmt::Debug for AdamW<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdamW")
            .field("rate", &self.carried.rate)
            .field("betas", &self.rule.moments.betas)
            .field("epsilon", &self.rule.moments.epsilon)
            .field("decay", &self.rule.decay)
            .field("moments", &self.moments())
            .finish_non_exhaustive()
    }
}

impl<P: Tensorial> AdamW<P> {
    /// AdamW with this learning rate, `b1 = 0.9`, `b2 = 0.999`, `eps = 1e-8` and a decay of 0.01.
    #[must_use]
    pub fn new(rate: f64) -> Self {
        let decays: Policy = Arc::new(|_, shape| shape.rank() != 1);
        let rule = Decoupled { moments: Moments::USUAL, decay: 0.01, decays };
        Self { rule, carried: Carried::new(rate) }
    }

    /// With other decays of the moments.
    #[must_use]
    pub fn betas(mut self, first: f64, second: f64) -> Self {
        self.rule.moments.betas = [first, second];
        self
    }

    /// With another term beside the root.
    #[must_use]
    pub fn epsilon(mut self, epsilon: f64) -> Self {
        self.rule.moments.epsilon = epsilon;
        self
    }

    /// With another decay of the weights: a step takes away the part `rate decay`.
    #[must_use]
    pub fn decay(mut self, decay: f64) -> Self {
        self.rule.decay = decay;
        self
    }

    /// With another policy of which parameters decay, by path and shape.
    #[must_use]
    pub fn decays(mut self, policy: impl Fn(&str, &Shape) -> bool + Send + Sync + 'static) -> Self {
        self.rule.decays = Arc::new(policy);
        self
    }

    /// The moments of the parameters so far: `None` before the first step, unless a state was restored.
    #[must_use]
    pub fn moments(&self) -> Option<&[Field<P>; 2]> {
        self.carried.fields.as_slice().try_into().ok()
    }
}

impl Rule for Decoupled {
    const NAME: &'static str = "AdamW";

    fn kinds(&self) -> Vec<(&'static str, f64)> {
        Moments::KINDS.into()
    }

    fn powers(&self) -> Vec<(&'static str, f64)> {
        self.moments.powers()
    }

    fn prepare<A: Algebra>(
        &self,
        algebra: &A,
        powers: &[A::Operand],
        rate: &A::Operand,
    ) -> Vec<A::Operand> {
        let [first, second] = self.moments.corrections(algebra, powers);
        let taken = algebra.mul(rate, &algebra.number(self.decay));
        let kept = algebra.sub(&algebra.number(1.0), &taken);
        vec![first, second, rate.clone(), kept]
    }

    fn next<A: Algebra>(
        &self,
        algebra: &A,
        at: Parameter<'_>,
        prepared: &[A::Operand],
        [w, g]: [&A::Operand; 2],
        carried: &mut [A::Operand],
    ) -> A::Operand {
        let direction = self.moments.direction(algebra, prepared, g, carried);
        let kept = if (self.decays)(at.path, at.shape) {
            algebra.mul(&algebra.spread(&prepared[3], w), w)
        } else {
            w.clone()
        };
        algebra.sub(&kept, &algebra.mul(&algebra.spread(&prepared[2], w), &direction))
    }
}

driven!(AdamW);
