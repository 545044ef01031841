//! `RecordedStep`: a whole step of an optimiser on the tape, so that it compiles with the gradients.

use crate::{Network, Results, Symbol, Tensorial};

/// A step of an optimiser as part of the tape: what the parameters and the optimiser's state become.
/// State enters as inputs and leaves as results, so that one plan runs forward, backward and update.
///
/// # Example
///
/// ```
/// use poorgrad::{Compile, Network, Optimizer, Sgd};
///
/// let network = Network::new();
/// let w = network.parameter(1.0_f64);
/// let loss = w * w;
/// let gradient = network.differentiate(loss, [w])[0];
/// let mut step = Sgd::new(0.1).momentum(0.5).record(&network, &[(w.symbol(), gradient.symbol())]).unwrap();
/// let compile = step.results().fold(Compile::new(&network).target(loss), Compile::target);
/// let (plan, w) = (compile.plan(), w.symbol());
/// let mut network = network;
/// for _ in 0..50 {
///     let results = plan.forward(&network, step.feeds());
///     network = step.advance(network, &results);
/// }
/// assert!(network.resolve(w).payload().unwrap().abs() < 1e-6);
/// ```
#[derive(Clone, Debug)]
pub struct RecordedStep<P> {
    /// Each parameter and what becomes of it.
    pub parameters: Vec<(Symbol, Symbol)>,
    /// Each input of the state, what it is fed next, and what becomes of it.
    pub state: Vec<(Symbol, P, Symbol)>,
    /// The input that is the learning rate.
    pub rate: Symbol,
    /// What it is fed next.
    pub rate_payload: P,
}

impl<P: Tensorial> RecordedStep<P> {
    /// What a plan must compute for the step: the next parameters and the next state.
    pub fn results(&self) -> impl Iterator<Item = Symbol> {
        let parameters = self.parameters.iter().map(|(_, next)| *next);
        parameters.chain(self.state.iter().map(|(_, _, next)| *next))
    }

    /// What a run of the plan is fed for the step.
    pub fn feeds(&self) -> Vec<(Symbol, P)> {
        let state = self.state.iter().map(|(input, payload, _)| (*input, payload.clone()));
        std::iter::once((self.rate, self.rate_payload.clone())).chain(state).collect()
    }

    /// Takes over what a run made of the parameters and the state; gives the next generation.
    ///
    /// # Panics
    ///
    /// Where the plan did not compute [`RecordedStep::results`], or the network is another one.
    #[must_use]
    #[track_caller]
    pub fn advance(&mut self, network: Network<P>, results: &Results<P>) -> Network<P> {
        for (_, payload, next) in &mut self.state {
            *payload = results.of(*next);
        }
        let next = results.field(self.parameters.iter().copied());
        network
            .update_each(&next, |symbol, w, to| if next.contains(symbol) { to } else { w }.clone())
    }
}
