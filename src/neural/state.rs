//! `OptimizerState`: what an optimiser carries from step to step, by name, so that it can be written
//! down and taken up again.

use crate::{Elementary, Field, Network, Shape, Tensorial};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

/// What an optimiser carries from step to step: numbers and payloads, each by name.
///
/// It holds what steps change (the learning rate, moments, powers) and not what the program chose
/// (decays, policies): a run goes on from a state by the optimiser that the program makes again.
/// What belongs to a parameter is called `kind.path`, such as `velocity.layer0.weight`, and is there
/// for every parameter, also before the first step: what has not begun and what was lost differ.
///
/// # Example
///
/// ```
/// use poorgrad::{Adam, Network, Optimizer};
///
/// let mut network = Network::new();
/// let w = network.parameter(1.0_f64).named("w");
/// let loss = (w * w).symbol();
/// let mut optimizer = Adam::new(0.1);
/// let gradients = network.forward().backward(loss);
/// network = optimizer.step(network, &gradients);
///
/// let state = optimizer.state(&network).unwrap();
/// let names: Vec<&str> = state.payloads().map(|(name, _)| name).collect();
/// assert_eq!(names, ["first.w", "power.first", "power.second", "second.w"]);
/// let mut again = Adam::new(0.1);
/// again.restore(&network, &state).unwrap();
/// assert_eq!(again.state(&network).unwrap(), state);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OptimizerState<P> {
    optimizer: String,
    numbers: BTreeMap<String, f64>,
    payloads: BTreeMap<String, P>,
}

impl<P: Tensorial> OptimizerState<P> {
    /// A state of nothing yet, of the optimiser of this name.
    #[must_use]
    pub fn new(optimizer: impl Into<String>) -> Self {
        let (numbers, payloads) = (BTreeMap::new(), BTreeMap::new());
        Self { optimizer: optimizer.into(), numbers, payloads }
    }

    /// The optimiser's name, such as `Adam`.
    #[must_use]
    pub fn optimizer(&self) -> &str {
        &self.optimizer
    }

    /// The numbers, by name.
    pub fn numbers(&self) -> impl Iterator<Item = (&str, f64)> {
        self.numbers.iter().map(|(name, number)| (&**name, *number))
    }

    /// The payloads, by name.
    pub fn payloads(&self) -> impl Iterator<Item = (&str, &P)> {
        self.payloads.iter().map(|(name, payload)| (&**name, payload))
    }

    /// With a number.
    #[must_use]
    pub fn with_number(mut self, name: impl Into<String>, number: f64) -> Self {
        self.numbers.insert(name.into(), number);
        self
    }

    /// With a payload.
    #[must_use]
    pub fn with_payload(mut self, name: impl Into<String>, payload: P) -> Self {
        self.payloads.insert(name.into(), payload);
        self
    }

    /// With an element, as a payload of shape `[]`.
    #[must_use]
    pub fn with_element(self, name: impl Into<String>, element: &P::Element) -> Self {
        self.with_payload(name, P::full(&Shape::scalar(), element.clone()))
    }

    /// With a payload for each parameter, called `kind.path`: zero outside the field's support.
    ///
    /// # Errors
    ///
    /// Where two parameters have one path.
    pub fn with_field(
        mut self,
        network: &Network<P>,
        kind: &str,
        field: &Field<P>,
    ) -> Result<Self, StateError> {
        let mut problems = Vec::new();
        for (path, parameter) in network.parameters() {
            let payload = match field.contains(parameter) {
                true => field.of(parameter),
                false => P::full(parameter.shape(), P::Element::zero()),
            };
            if self.payloads.insert(format!("{kind}.{path}"), payload).is_some() {
                problems.push(StateProblem::PathTwice { path });
            }
        }
        StateError::unless_none(&self.optimizer, problems).map(|()| self)
    }

    /// Reads the state by name; [`StateReader::finish`] tells of everything that did not fit.
    ///
    /// # Errors
    ///
    /// Where the state is another optimiser's.
    pub fn read(&self, optimizer: &str) -> Result<StateReader<'_, P>, StateError> {
        let found = self.optimizer.clone();
        let other = found != optimizer;
        let problems = other.then_some(StateProblem::OtherOptimizer { found });
        StateError::unless_none(optimizer, problems.into_iter().collect())?;
        let (numbers, payloads) = (self.numbers.iter().collect(), self.payloads.iter().collect());
        Ok(StateReader { optimizer: optimizer.to_owned(), numbers, payloads, problems: Vec::new() })
    }
}

/// A state that is being read: what was asked for goes, and what is left at the end is too much.
///
/// A lookup that finds nothing notes the problem and gives something of the right shape, so that one
/// pass over a state finds all that is wrong with it.
#[derive(Debug)]
pub struct StateReader<'a, P> {
    optimizer: String,
    numbers: BTreeMap<&'a String, &'a f64>,
    payloads: BTreeMap<&'a String, &'a P>,
    problems: Vec<StateProblem>,
}

impl<P: Tensorial> StateReader<'_, P> {
    /// The number of this name.
    pub fn number(&mut self, name: &str) -> f64 {
        let found = self.numbers.remove(&name.to_owned()).copied();
        found.unwrap_or_else(|| {
            self.problems.push(StateProblem::Missing { name: name.to_owned() });
            0.0
        })
    }

    /// The payload of this name, which must have this shape.
    pub fn payload(&mut self, name: &str, shape: &Shape) -> P {
        let name = name.to_owned();
        let problem = match self.payloads.remove(&name) {
            Some(payload) if payload.shape() == *shape => return payload.clone(),
            Some(payload) => {
                StateProblem::Shape { name, expected: shape.clone(), found: payload.shape() }
            }
            None => StateProblem::Missing { name },
        };
        self.problems.push(problem);
        P::full(shape, P::Element::zero())
    }

    /// The element of this name.
    pub fn element(&mut self, name: &str) -> P::Element {
        let mut element = P::Element::zero();
        self.payload(name, &Shape::scalar()).for_each(&mut |found| element = found.clone());
        element
    }

    /// The payloads that are called `kind.path`, of every parameter.
    pub fn field(&mut self, network: &Network<P>, kind: &str) -> Field<P> {
        let mut entries = Vec::new();
        for (path, parameter) in network.parameters() {
            entries.push((parameter, self.payload(&format!("{kind}.{path}"), parameter.shape())));
        }
        Field::new(network, entries)
    }

    /// Ends the reading.
    ///
    /// # Errors
    ///
    /// Every problem: what was missing or of another shape, and what nobody asked for.
    pub fn finish(mut self) -> Result<(), StateError> {
        let left = self.numbers.keys().chain(self.payloads.keys());
        let left = left.map(|&name| StateProblem::Unexpected { name: name.clone() });
        self.problems.extend(left);
        StateError::unless_none(&self.optimizer, self.problems)
    }
}

/// One thing about a state that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateProblem {
    /// The optimiser has not said how it is written down.
    Unsupported,
    /// The state is of another optimiser.
    OtherOptimizer {
        /// That one's name.
        found: String,
    },
    /// Two parameters have this path, so that a name stands for both.
    PathTwice {
        /// The path.
        path: String,
    },
    /// The optimiser has stepped another network, or a fork that parted from this one.
    Foreign {
        /// The path of the parameter that it does not know.
        path: String,
        /// In what way it does not.
        problem: String,
    },
    /// The state lacks an entry.
    Missing {
        /// Its name.
        name: String,
    },
    /// The state has an entry that the optimiser does not know.
    Unexpected {
        /// Its name.
        name: String,
    },
    /// An entry has another shape.
    Shape {
        /// Its name.
        name: String,
        /// The shape that it should have.
        expected: Shape,
        /// The shape that it has.
        found: Shape,
    },
}

impl fmt::Display for StateProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported => {
                f.write_str("it has no state to write down; implement `state` and `restore` for it")
            }
            Self::OtherOptimizer { found } => write!(f, "the state is that of `{found}`"),
            Self::PathTwice { path } => write!(
                f,
                "two parameters are called `{path}`; open a scope for each part of the model"
            ),
            Self::Foreign { path, problem } => write!(f, "`{path}`: {problem}"),
            Self::Missing { name } => write!(f, "`{name}` is missing"),
            Self::Unexpected { name } => write!(f, "`{name}` is not known"),
            Self::Shape { name, expected, found } => {
                write!(f, "`{name}` has the shape {found}, not {expected}")
            }
        }
    }
}

/// A state that does not fit an optimiser and its network, with everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateError {
    optimizer: String,
    problems: Vec<StateProblem>,
}

impl StateError {
    /// An error with these problems, of which there is at least one.
    #[must_use]
    pub fn new(optimizer: impl Into<String>, problems: Vec<StateProblem>) -> Self {
        Self { optimizer: optimizer.into(), problems }
    }

    pub(super) fn unless_none(optimizer: &str, problems: Vec<StateProblem>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self::new(optimizer, problems)) }
    }

    /// The optimiser whose state was to be read or written.
    #[must_use]
    pub fn optimizer(&self) -> &str {
        &self.optimizer
    }

    /// Everything that did not fit.
    #[must_use]
    pub fn problems(&self) -> &[StateProblem] {
        &self.problems
    }
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "state of {}: ", self.optimizer)?;
        for (at, problem) in self.problems.iter().enumerate() {
            write!(f, "{}{problem}", if at == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}
impl Error for StateError {}
