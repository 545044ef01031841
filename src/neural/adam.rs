//! `Adam`: gradient descent with moments.

use super::{Optimizer, RecordedStep};
use crate::{
    Binary, Elementary, Field, Gradients, Kernels, Network, Shape, Symbol, Tensorial, Unary, Value,
};

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
#[derive(Clone, Debug)]
pub struct Adam<P: Tensorial> {
    rate: f64,
    betas: [f64; 2],
    epsilon: f64,
    /// The powers of both betas; 1 before the first step.
    powers: [P::Element; 2],
    moments: Option<[Field<P>; 2]>,
}

impl<P: Tensorial> Adam<P> {
    /// Adam with this learning rate, `b1 = 0.9`, `b2 = 0.999` and `eps = 1e-8`.
    #[must_use]
    pub fn new(rate: f64) -> Self {
        let powers = [P::Element::one(), P::Element::one()];
        Self { rate, betas: [0.9, 0.999], epsilon: 1e-8, powers, moments: None }
    }

    /// With other decays of the moments.
    #[must_use]
    pub fn betas(self, first: f64, second: f64) -> Self {
        Self { betas: [first, second], ..self }
    }

    /// With another term beside the root.
    #[must_use]
    pub fn epsilon(self, epsilon: f64) -> Self {
        Self { epsilon, ..self }
    }

    /// The moments of the parameters so far: `None` before the first step.
    #[must_use]
    pub fn moments(&self) -> Option<&[Field<P>; 2]> {
        self.moments.as_ref()
    }
}

/// `scale x`, with a number for all elements.
fn scaled<P: Tensorial>(scale: &P::Element, x: &P) -> P {
    P::full(&x.shape(), scale.clone()).zip(Binary::Mul, x, Kernels::Native)
}

impl<P: Tensorial> Optimizer<P> for Adam<P> {
    #[track_caller]
    fn step(&mut self, network: Network<P>, gradients: &Gradients<P>) -> Network<P> {
        const NATIVE: Kernels = Kernels::Native;
        let number = P::Element::from_f64;
        let gradients = gradients.restricted(network.parameters().map(|(_, w)| w.symbol()));
        let zero = |like: &Field<P>| like.map(|g| P::full(&g.shape(), P::Element::zero()));
        let [m, v] = match self.moments.take() {
            Some(moments) => moments,
            None => [zero(&gradients), zero(&gradients)],
        };
        let betas = self.betas.map(number);
        let rests = self.betas.map(|beta| number(1.0 - beta));
        let m = m.zip(&gradients, |m, g| {
            scaled(&betas[0], m).zip(Binary::Add, &scaled(&rests[0], g), NATIVE)
        });
        let v = v.zip(&gradients, |v, g| {
            let square = g.zip(Binary::Mul, g, NATIVE);
            scaled(&betas[1], v).zip(Binary::Add, &scaled(&rests[1], &square), NATIVE)
        });
        let powers = [0, 1].map(|i| self.powers[i].mul(&betas[i]));
        let corrections = [0, 1].map(|i| P::Element::one().sub(&powers[i]));
        let direction = m.zip(&v, |m, v| {
            let full = |value: &P::Element| P::full(&m.shape(), value.clone());
            let mean = m.zip(Binary::Div, &full(&corrections[0]), NATIVE);
            let root = v.zip(Binary::Div, &full(&corrections[1]), NATIVE).map(Unary::Sqrt, NATIVE);
            let root = root.zip(Binary::Add, &full(&number(self.epsilon)), NATIVE);
            mean.zip(Binary::Div, &root, NATIVE)
        });
        let rate = number(self.rate);
        (self.powers, self.moments) = (powers, Some([m, v]));
        network.step(&direction, |w, d| w.zip(Binary::Sub, &scaled(&rate, d), NATIVE))
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
        let scalar = |value: P::Element| P::full(&Shape::scalar(), value);
        let number = |value: f64| scalar(P::Element::from_f64(value));
        let mut state = Vec::new();
        let rate = network.input(number(self.rate));
        let corrections = [0, 1].map(|i| {
            let payload = scalar(self.powers[i].clone());
            let power = network.input(payload.clone());
            let next = power * network.leaf(number(self.betas[i]));
            state.push((power.symbol(), payload, next.symbol()));
            network.leaf(number(1.0)) - next
        });
        let mut parameters = Vec::with_capacity(gradients.len());
        for &(parameter, gradient) in gradients {
            let (w, g) = (network.resolve(parameter), network.resolve(gradient));
            let like = |value| Value::broadcast_like(value, w);
            let constant = |value: f64| like(network.leaf(number(value)));
            let moment = |i: usize| match &self.moments {
                Some(moments) => moments[i].of(parameter),
                None => P::full(w.shape(), P::Element::zero()),
            };
            let payloads = [moment(0), moment(1)];
            let [m, v] = [0, 1].map(|i| network.input(payloads[i].clone()));
            let [b1, b2] = self.betas;
            let next_m = constant(b1) * m + constant(1.0 - b1) * g;
            let next_v = constant(b2) * v + constant(1.0 - b2) * (g * g);
            let mean = next_m / like(corrections[0]);
            let root = (next_v / like(corrections[1])).sqrt() + constant(self.epsilon);
            let next = w - like(rate) * (mean / root);
            parameters.push((parameter, next.symbol()));
            for (input, payload, next) in
                [(m, payloads[0].clone(), next_m), (v, payloads[1].clone(), next_v)]
            {
                state.push((input.symbol(), payload, next.symbol()));
            }
        }
        Some(RecordedStep::new(parameters, state, rate))
    }
}
