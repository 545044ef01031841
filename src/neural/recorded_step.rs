//! `RecordedStep`: a whole step of an optimiser on the tape, so that it compiles with the gradients.

use super::{OptimizerState, StateError, StateProblem};
use crate::{Elementary, Network, Results, Shape, Symbol, Tensorial, Value};

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
    parameters: Vec<(Symbol, Symbol)>,
    state: Vec<(Symbol, P, Symbol)>,
    rate: Symbol,
    rate_payload: P,
    /// The optimiser's name, its learning rate, and the names of the entries of the state.
    written: Option<(String, f64, Vec<String>)>,
    /// What is carried for parameters that the step leaves alone.
    held: Vec<(String, P)>,
}

impl<P: Tensorial> RecordedStep<P> {
    /// A step that makes of each parameter, the first of a pair, the second; of each input of the
    /// optimiser's state, the first of a triple, the last, beginning with the payload between them.
    /// The learning rate is an input too, and begins with its default.
    ///
    /// # Panics
    ///
    /// Where `rate` is no input.
    #[must_use]
    #[track_caller]
    pub fn new(
        parameters: Vec<(Symbol, Symbol)>,
        state: Vec<(Symbol, P, Symbol)>,
        rate: Value<'_, P>,
    ) -> Self {
        let Some(rate_payload) = rate.payload().filter(|_| rate.operation() == "input") else {
            panic!("RecordedStep: the learning rate is no input, but {rate:?}")
        };
        let (rate, written, held) = (rate.symbol(), None, Vec::new());
        Self { parameters, state, rate, rate_payload, written, held }
    }

    /// With the optimiser's name, its learning rate, and the names of what it carries, in the order of
    /// the state: what [`RecordedStep::state`] writes down.
    ///
    /// # Panics
    ///
    /// Where there are more names than entries of the state, or fewer.
    #[must_use]
    #[track_caller]
    pub fn named(self, optimizer: &str, rate: f64, names: Vec<String>) -> Self {
        let (expected, found) = (self.state.len(), names.len());
        assert!(
            expected == found,
            "RecordedStep: {found} names for {expected} entries of the state"
        );
        Self { written: Some((optimizer.to_owned(), rate, names)), ..self }
    }

    /// With what the optimiser carries for parameters that this step leaves alone, by name: no run
    /// changes it, and [`RecordedStep::state`] writes it down with the rest.
    #[must_use]
    pub fn holding(self, held: Vec<(String, P)>) -> Self {
        Self { held, ..self }
    }

    /// What the next run depends on, by name: what the optimiser itself would say after the same
    /// steps, with what was carried before for parameters that the step leaves alone. To go on from a
    /// state, restore the optimiser and record its step anew.
    ///
    /// # Errors
    ///
    /// Where the step has no names, or one name twice.
    pub fn state(&self) -> Result<OptimizerState<P>, StateError> {
        let Some((optimizer, rate, names)) = &self.written else {
            return Err(StateError::new("a recorded step", vec![StateProblem::Unsupported]));
        };
        let state = OptimizerState::new(&**optimizer).with_number("rate", *rate);
        let moved = names.iter().zip(self.state.iter().map(|(_, payload, _)| payload));
        let held = self.held.iter().map(|(name, payload)| (name, payload));
        let (mut sorted, mut state) = (Vec::new(), state);
        for (name, payload) in moved.chain(held) {
            sorted.push(name);
            state = state.with_payload(&**name, payload.clone());
        }
        sorted.sort_unstable();
        let twice = sorted.windows(2).filter(|pair| pair[0] == pair[1]);
        let twice = twice.map(|pair| StateProblem::PathTwice { path: pair[0].clone() });
        StateError::unless_none(optimizer, twice.collect()).map(|()| state)
    }

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

    /// Sets the learning rate of the steps from here on.
    pub fn set_learning_rate(&mut self, rate: f64) {
        self.rate_payload = P::full(&Shape::scalar(), P::Element::from_f64(rate));
        if let Some((_, written, _)) = &mut self.written {
            *written = rate;
        }
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
