//! `Sgd`: gradient descent, with momentum.

use super::{Optimizer, RecordedStep};
use crate::{Binary, Elementary, Field, Gradients, Kernels, Network, Shape, Symbol, Tensorial};
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
    rate: f64,
    momentum: f64,
    nesterov: bool,
    velocity: Option<Field<P>>,
}

impl<P: Tensorial> fmt::Debug for Sgd<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sgd")
            .field("rate", &self.rate)
            .field("momentum", &self.momentum)
            .field("nesterov", &self.nesterov)
            .field("velocity", &self.velocity)
            .finish()
    }
}

impl<P: Tensorial> Sgd<P> {
    /// Plain gradient descent with this learning rate.
    #[must_use]
    pub fn new(rate: f64) -> Self {
        Self { rate, momentum: 0.0, nesterov: false, velocity: None }
    }

    /// With momentum; 0 is none.
    #[must_use]
    pub fn momentum(self, momentum: f64) -> Self {
        Self { momentum, ..self }
    }

    /// With Nesterov's form of the momentum.
    #[must_use]
    pub fn nesterov(self) -> Self {
        Self { nesterov: true, ..self }
    }

    /// The velocity of the parameters so far: `None` without momentum and before the first step.
    #[must_use]
    pub fn velocity(&self) -> Option<&Field<P>> {
        self.velocity.as_ref()
    }
}

impl<P: Tensorial> Optimizer<P> for Sgd<P> {
    #[track_caller]
    fn step(&mut self, network: Network<P>, gradients: &Gradients<P>) -> Network<P> {
        let rate = P::Element::from_f64(self.rate);
        let descend = |w: P, d: &P| {
            let rate = P::full(&w.shape(), rate.clone());
            w.zip(Binary::Sub, &rate.zip(Binary::Mul, d, Kernels::Native), Kernels::Native)
        };
        if self.momentum == 0.0 {
            return network.step(gradients, descend);
        }
        // Of the parameters alone: a gradient of everything would keep every cotangent alive.
        let gradients = gradients.restricted(network.parameters().map(|(_, w)| w.symbol()));
        let velocity = match &self.velocity {
            Some(velocity) => &velocity.scale(self.momentum) + &gradients,
            None => gradients.clone(),
        };
        let next = if self.nesterov {
            network.step(&(&gradients + &velocity.scale(self.momentum)), descend)
        } else {
            network.step(&velocity, descend)
        };
        self.velocity = Some(velocity);
        next
    }

    fn learning_rate(&self) -> f64 {
        self.rate
    }

    fn set_learning_rate(&mut self, rate: f64) {
        self.rate = rate;
    }

    #[track_caller]
    fn record(
        &self,
        network: &Network<P>,
        gradients: &[(Symbol, Symbol)],
    ) -> Option<RecordedStep<P>> {
        let number = |value: f64| P::full(&Shape::scalar(), P::Element::from_f64(value));
        let rate = network.input(number(self.rate));
        let momentum = network.leaf(number(self.momentum));
        let (mut parameters, mut state) = (Vec::with_capacity(gradients.len()), Vec::new());
        for &(parameter, gradient) in gradients {
            let (w, g) = (network.resolve(parameter), network.resolve(gradient));
            let mut direction = g;
            if self.momentum != 0.0 {
                // Of no velocity yet the first is the gradient itself: -0 + g is g, of either sign.
                let payload = match &self.velocity {
                    Some(velocity) => velocity.of(parameter),
                    None => P::full(w.shape(), P::Element::zero().neg()),
                };
                let before = network.input(payload.clone());
                let velocity = before * momentum.broadcast_like(w) + g;
                state.push((before.symbol(), payload, velocity.symbol()));
                direction = if self.nesterov {
                    g + velocity * momentum.broadcast_like(w)
                } else {
                    velocity
                };
            }
            let next = w - rate.broadcast_like(w) * direction;
            parameters.push((parameter, next.symbol()));
        }
        Some(RecordedStep::new(parameters, state, rate))
    }
}
