//! What an optimiser of first order is: a rule per parameter, and what drives it.
//!
//! INVARIANT: the rule is the only description of a step. [`Carried`] runs it on payloads, records
//! it, and writes its state down, so that the three agree by construction.

use super::algebra::{Algebra, Now, Taped, element, scalar};
use super::{OptimizerState, RecordedStep, StateError, StateProblem};
use crate::{Elementary, Field, Gradients, Network, NetworkError, Shape, Symbol, Tensorial};

/// The rule of an optimiser.
pub(super) trait Rule {
    /// The optimiser's name.
    const NAME: &'static str;

    /// What is carried for each parameter: its name, and the number that it begins as.
    fn kinds(&self) -> Vec<(&'static str, f64)>;

    /// Numbers that all parameters share: the name of each, and the factor that a step multiplies it
    /// with. They begin at 1.
    fn powers(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// Numbers computed once a step, from the powers after it and the learning rate.
    #[track_caller]
    fn prepare<A: Algebra>(
        &self,
        algebra: &A,
        powers: &[A::Operand],
        rate: &A::Operand,
    ) -> Vec<A::Operand>;

    /// What becomes of a parameter and what is carried for it, which is replaced.
    #[track_caller]
    fn next<A: Algebra>(
        &self,
        algebra: &A,
        at: Parameter<'_>,
        prepared: &[A::Operand],
        parameter_and_gradient: [&A::Operand; 2],
        carried: &mut [A::Operand],
    ) -> A::Operand;
}

/// A parameter, as a rule may look at it.
#[derive(Clone, Copy)]
pub(super) struct Parameter<'a> {
    pub(super) path: &'a str,
    pub(super) shape: &'a Shape,
}

/// What an optimiser carries from step to step.
#[derive(Clone)]
pub(super) struct Carried<P> {
    pub(super) rate: f64,
    /// Of shape `[]`; none before the first step.
    powers: Vec<P>,
    /// One for each kind; none before the first step.
    pub(super) fields: Vec<Field<P>>,
}

impl<P: Tensorial> Carried<P> {
    pub(super) fn new(rate: f64) -> Self {
        Self { rate, powers: Vec::new(), fields: Vec::new() }
    }

    fn powers(&self, rule: &impl Rule) -> Vec<P> {
        let count = rule.powers().len();
        if self.powers.len() == count { self.powers.clone() } else { vec![scalar(1.0); count] }
    }

    /// What is carried for a parameter, of each kind.
    ///
    /// A parameter that is younger than the last step begins.
    fn of(&self, symbol: Symbol, shape: &Shape, rule: &impl Rule) -> Result<Vec<P>, NetworkError> {
        let kinds = rule.kinds();
        let known = self.fields.len() == kinds.len();
        let mut payloads = Vec::with_capacity(kinds.len());
        for (at, (_, start)) in kinds.into_iter().enumerate() {
            let begin = || P::full(shape, P::Element::from_f64(start));
            payloads.push(match known.then(|| self.fields[at].try_of(symbol)) {
                None | Some(Err(NetworkError::Younger { .. })) => begin(),
                Some(Ok(_)) if !self.fields[at].contains(symbol) => begin(),
                Some(Ok(payload)) => payload,
                Some(Err(error)) => return Err(error),
            });
        }
        Ok(payloads)
    }

    /// The next generation.
    #[track_caller]
    pub(super) fn step(
        &mut self,
        rule: &impl Rule,
        network: Network<P>,
        gradients: &Gradients<P>,
    ) -> Network<P> {
        let (now, mut powers) = (Now::new(), self.powers(rule));
        for (power, (_, factor)) in powers.iter_mut().zip(rule.powers()) {
            *power = now.scaled(factor, power);
        }
        let prepared = rule.prepare(&now, &powers, &scalar(self.rate));
        // In the order of recording, which is that of the rule's calls.
        let mut waiting = Vec::new();
        for (path, parameter) in network.parameters() {
            let (symbol, shape) = (parameter.symbol(), parameter.shape().clone());
            match self.of(symbol, &shape, rule) {
                Ok(carried) => waiting.push((path, symbol, shape, carried)),
                Err(error) => panic!("{error}"),
            }
        }
        let mut at = 0;
        let next = network.step(gradients, |w, g| {
            let (path, _, shape, carried) = &mut waiting[at];
            at += 1;
            rule.next(&now, Parameter { path, shape }, &prepared, [&w, g], carried)
        });
        let mut fields = Vec::new();
        for kind in 0..rule.kinds().len() {
            let entries =
                waiting.iter().map(|(_, symbol, _, carried)| (*symbol, carried[kind].clone()));
            fields.push(Field::new(&next, entries));
        }
        (self.powers, self.fields) = (powers, fields);
        next
    }

    /// The same step on the tape, for some parameters.
    #[track_caller]
    pub(super) fn record(
        &self,
        rule: &impl Rule,
        network: &Network<P>,
        gradients: &[(Symbol, Symbol)],
    ) -> RecordedStep<P> {
        let taped = Taped(network);
        let (mut parameters, mut state, mut names) = (Vec::new(), Vec::new(), Vec::new());
        let rate = network.input(scalar(self.rate));
        let mut powers = self.powers(rule);
        let mut next_powers = Vec::new();
        for (payload, (name, factor)) in powers.drain(..).zip(rule.powers()) {
            let power = network.input(payload.clone());
            let next = taped.scaled(factor, &power);
            state.push((power.symbol(), payload, next.symbol()));
            names.push(name.to_owned());
            next_powers.push(next);
        }
        let prepared = rule.prepare(&taped, &next_powers, &rate);
        let paths: Vec<_> = network.parameters().map(|(path, w)| (w.symbol(), path)).collect();
        for &(parameter, gradient) in gradients {
            let (w, g) = (network.resolve(parameter), network.resolve(gradient));
            let path = paths.iter().find(|(symbol, _)| *symbol == w.symbol());
            let path = path.map_or_else(|| w.label().unwrap_or_default(), |(_, path)| path.clone());
            let payloads = match self.of(parameter, w.shape(), rule) {
                Ok(payloads) => payloads,
                Err(error) => panic!("{error}"),
            };
            let mut inputs = Vec::with_capacity(payloads.len());
            for payload in &payloads {
                inputs.push(network.input(payload.clone()));
            }
            let mut carried = inputs.clone();
            let at = Parameter { path: &path, shape: w.shape() };
            let next = rule.next(&taped, at, &prepared, [&w, &g], &mut carried);
            parameters.push((parameter, next.symbol()));
            let moved = inputs.iter().zip(payloads).zip(&carried).zip(rule.kinds());
            for (((input, payload), next), (kind, _)) in moved {
                state.push((input.symbol(), payload, next.symbol()));
                names.push(format!("{kind}.{path}"));
            }
        }
        let mut held = Vec::new();
        for (path, w) in network.parameters() {
            if parameters.iter().any(|&(given, _)| network.resolve(given).symbol() == w.symbol()) {
                continue;
            }
            let payloads = match self.of(w.symbol(), w.shape(), rule) {
                Ok(payloads) => payloads,
                Err(error) => panic!("{error}"),
            };
            let payloads = rule.kinds().into_iter().zip(payloads);
            held.extend(payloads.map(|((kind, _), payload)| (format!("{kind}.{path}"), payload)));
        }
        let step = RecordedStep::new(parameters, state, rate);
        step.named(name(rule), self.rate, names).holding(held)
    }

    pub(super) fn state(
        &self,
        rule: &impl Rule,
        network: &Network<P>,
    ) -> Result<OptimizerState<P>, StateError> {
        let mut state = OptimizerState::new(name(rule)).with_number("rate", self.rate);
        for (power, (name, _)) in self.powers(rule).iter().zip(rule.powers()) {
            state = state.with_element(name, &element(power));
        }
        // Of every parameter, as it begins where no step has seen it: nothing that is carried has to
        // be guessed from what is not there.
        let (mut problems, mut rows) = (Vec::new(), vec![Vec::new(); rule.kinds().len()]);
        for (path, parameter) in network.parameters() {
            match self.of(parameter.symbol(), parameter.shape(), rule) {
                Ok(carried) => {
                    let moved = rows.iter_mut().zip(carried);
                    moved.for_each(|(row, payload)| row.push((parameter.symbol(), payload)));
                }
                Err(error) => {
                    problems.push(StateProblem::Foreign { path, problem: error.to_string() });
                }
            }
        }
        StateError::unless_none(name(rule), problems)?;
        for (row, (kind, _)) in rows.into_iter().zip(rule.kinds()) {
            state = state.with_field(network, kind, &Field::new(network, row))?;
        }
        Ok(state)
    }

    pub(super) fn restore(
        &mut self,
        rule: &impl Rule,
        network: &Network<P>,
        state: &OptimizerState<P>,
    ) -> Result<(), StateError> {
        let mut reader = state.read(name(rule))?;
        let rate = reader.number("rate");
        let (mut powers, mut fields) = (Vec::new(), Vec::new());
        for (name, _) in rule.powers() {
            powers.push(P::full(&Shape::scalar(), reader.element(name)));
        }
        for (kind, _) in rule.kinds() {
            fields.push(reader.field(network, kind));
        }
        reader.finish()?;
        *self = Self { rate, powers, fields };
        Ok(())
    }
}

fn name<R: Rule>(_: &R) -> &'static str {
    R::NAME
}

/// Implements the trait of optimisers for a type with a `rule` and what it has `carried`.
macro_rules! driven {
    ($Optimizer:ident) => {
        impl<P: Tensorial> Optimizer<P> for $Optimizer<P> {
            #[track_caller]
            fn step(&mut self, network: Network<P>, gradients: &Gradients<P>) -> Network<P> {
                self.carried.step(&self.rule, network, gradients)
            }

            fn learning_rate(&self) -> f64 {
                self.carried.rate
            }

            fn set_learning_rate(&mut self, rate: f64) {
                self.carried.rate = rate;
            }

            #[track_caller]
            fn record(
                &self,
                network: &Network<P>,
                gradients: &[(Symbol, Symbol)],
            ) -> Option<RecordedStep<P>> {
                Some(self.carried.record(&self.rule, network, gradients))
            }

            fn state(&self, network: &Network<P>) -> Result<OptimizerState<P>, StateError> {
                self.carried.state(&self.rule, network)
            }

            fn restore(
                &mut self,
                network: &Network<P>,
                state: &OptimizerState<P>,
            ) -> Result<(), StateError> {
                self.carried.restore(&self.rule, network, state)
            }
        }
    };
}
pub(super) use driven;
