//! The forward run: the specification, executed node by node in tape order.

use super::chain_rule::ancestors;
use super::evaluation::Evaluation;
use super::feeds::{Bound, bind};
use crate::graph::error::{NetworkError, resolved};
use crate::graph::node::Node;
use crate::graph::tape::Tape;
use crate::graph::{Network, Symbol};
use crate::kernel::Kernels;
use crate::ops::Function;
use crate::payload::Tensorial;
use std::fmt;

impl<P: Tensorial> Network<P> {
    /// Runs everything recorded, inputs at their defaults.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let y = network.parameter(3.0_f64) * 2.0;
    /// assert_eq!(network.forward().of(y), 6.0);
    /// ```
    #[must_use]
    pub fn forward(&self) -> Evaluation<P> {
        run(self, &Bound::default(), None, Kernels::Native)
    }

    /// Runs everything recorded with some inputs fed.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let x = network.input(1.0_f64);
    /// let y = x * x;
    /// assert_eq!(network.forward_with([(x, 3.0)]).of(y), 9.0);
    /// assert_eq!(network.forward().of(y), 1.0); // the default of x
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Network::try_forward_with`] errs.
    #[must_use]
    #[track_caller]
    pub fn forward_with<S: Into<Symbol>>(
        &self,
        feeds: impl IntoIterator<Item = (S, P)>,
    ) -> Evaluation<P> {
        resolved(self.try_forward_with(feeds))
    }

    /// Runs everything recorded with some inputs fed.
    ///
    /// # Errors
    ///
    /// Where a feed is for no input of this network, is fed twice, has another shape than the
    /// input, or is no selection where one is due.
    pub fn try_forward_with<S: Into<Symbol>>(
        &self,
        feeds: impl IntoIterator<Item = (S, P)>,
    ) -> Result<Evaluation<P>, NetworkError> {
        let bound = bind(&self.tape(), feeds)?;
        Ok(run(self, &bound, None, Kernels::Native))
    }

    /// Runs only what the targets depend on. Reading another value of the result fails loudly.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let x = network.input(1.0_f64);
    /// let (y, z) = (x + 1.0, x.exp());
    /// let evaluation = network.forward_for([y], [(x, 2.0)]);
    /// assert_eq!(evaluation.of(y), 3.0);
    /// assert!(evaluation.try_of(z).is_err()); // not computed
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Network::try_forward_for`] errs.
    #[must_use]
    #[track_caller]
    pub fn forward_for<T: Into<Symbol>, S: Into<Symbol>>(
        &self,
        targets: impl IntoIterator<Item = T>,
        feeds: impl IntoIterator<Item = (S, P)>,
    ) -> Evaluation<P> {
        resolved(self.try_forward_for(targets, feeds))
    }

    /// Runs only what the targets depend on.
    ///
    /// # Errors
    ///
    /// As [`Network::try_forward_with`], and where a target is not of this network.
    pub fn try_forward_for<T: Into<Symbol>, S: Into<Symbol>>(
        &self,
        targets: impl IntoIterator<Item = T>,
        feeds: impl IntoIterator<Item = (S, P)>,
    ) -> Result<Evaluation<P>, NetworkError> {
        run_for(self, targets, feeds, Kernels::Native)
    }

    /// The oracle: the same runs by the generic reference kernels alone.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let y = network.leaf(0.5_f64).tanh();
    /// assert_eq!(network.forward().of(y), network.reference().forward().of(y));
    /// ```
    #[must_use]
    pub fn reference(&self) -> Oracle<'_, P> {
        Oracle { network: self }
    }
}

/// The feeds of a run that feeds nothing, where a method takes some: an empty list alone would not
/// say what it is empty of.
///
/// # Example
///
/// ```
/// use poorgrad::{Network, no_feeds};
///
/// let network = Network::new();
/// let x = network.input(3.0_f64);
/// let y = x * x;
/// assert_eq!(network.forward_for([y], no_feeds()).of(y), 9.0);
/// ```
pub fn no_feeds<P>() -> std::iter::Empty<(Symbol, P)> {
    std::iter::empty()
}

/// A network's runs by the reference kernels: see [`Network::reference`].
pub struct Oracle<'n, P: Tensorial> {
    network: &'n Network<P>,
}

impl<P: Tensorial> fmt::Debug for Oracle<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Oracle").field(self.network).finish()
    }
}

impl<P: Tensorial> Oracle<'_, P> {
    /// As [`Network::forward`].
    #[must_use]
    pub fn forward(&self) -> Evaluation<P> {
        run(self.network, &Bound::default(), None, Kernels::Reference)
    }

    /// As [`Network::forward_with`].
    ///
    /// # Panics
    ///
    /// Where [`Network::try_forward_with`] errs.
    #[must_use]
    #[track_caller]
    pub fn forward_with<S: Into<Symbol>>(
        &self,
        feeds: impl IntoIterator<Item = (S, P)>,
    ) -> Evaluation<P> {
        resolved(self.try_forward_with(feeds))
    }

    /// As [`Network::try_forward_with`].
    ///
    /// # Errors
    ///
    /// As [`Network::try_forward_with`].
    pub fn try_forward_with<S: Into<Symbol>>(
        &self,
        feeds: impl IntoIterator<Item = (S, P)>,
    ) -> Result<Evaluation<P>, NetworkError> {
        let bound = bind(&self.network.tape(), feeds)?;
        Ok(run(self.network, &bound, None, Kernels::Reference))
    }

    /// As [`Network::forward_for`].
    ///
    /// # Panics
    ///
    /// Where [`Network::try_forward_for`] errs.
    #[must_use]
    #[track_caller]
    pub fn forward_for<T: Into<Symbol>, S: Into<Symbol>>(
        &self,
        targets: impl IntoIterator<Item = T>,
        feeds: impl IntoIterator<Item = (S, P)>,
    ) -> Evaluation<P> {
        resolved(self.try_forward_for(targets, feeds))
    }

    /// As [`Network::try_forward_for`].
    ///
    /// # Errors
    ///
    /// As [`Network::try_forward_for`].
    pub fn try_forward_for<T: Into<Symbol>, S: Into<Symbol>>(
        &self,
        targets: impl IntoIterator<Item = T>,
        feeds: impl IntoIterator<Item = (S, P)>,
    ) -> Result<Evaluation<P>, NetworkError> {
        run_for(self.network, targets, feeds, Kernels::Reference)
    }
}

fn run_for<P: Tensorial, T: Into<Symbol>, S: Into<Symbol>>(
    network: &Network<P>,
    targets: impl IntoIterator<Item = T>,
    feeds: impl IntoIterator<Item = (S, P)>,
    kernels: Kernels,
) -> Result<Evaluation<P>, NetworkError> {
    let tape = network.tape();
    let bound = bind(&tape, feeds)?;
    let targets = positions(&tape, targets, "forward_for")?;
    Ok(run(network, &bound, Some(&targets), kernels))
}

/// The positions of symbols on a tape.
pub(crate) fn positions<P, S: Into<Symbol>>(
    tape: &Tape<P>,
    symbols: impl IntoIterator<Item = S>,
    operation: &'static str,
) -> Result<Vec<usize>, NetworkError> {
    symbols.into_iter().map(|symbol| tape.position(symbol.into(), operation)).collect()
}

pub(crate) fn run<P: Tensorial>(
    network: &Network<P>,
    feeds: &Bound<P>,
    targets: Option<&[usize]>,
    kernels: Kernels,
) -> Evaluation<P> {
    let tape = network.tape();
    let needed = targets.map(|targets| ancestors(&tape, targets));
    let values = values(&tape, network, feeds, needed.as_deref(), kernels);
    Evaluation::new(tape, values, kernels)
}

/// The values of the nodes of a tape that are `needed`, all of them where nothing says which, with
/// the parameters of a generation of its front.
pub(crate) fn values<P: Tensorial>(
    tape: &Tape<P>,
    network: &Network<P>,
    feeds: &Bound<P>,
    needed: Option<&[bool]>,
    kernels: Kernels,
) -> Vec<Option<P>> {
    let mut values: Vec<Option<P>> = Vec::with_capacity(tape.len());
    // COST: `for_each` walks the segments in nested loops; `for` asks each node where it is.
    tape.nodes().enumerate().for_each(|(index, node)| {
        if needed.is_some_and(|needed| !needed[index]) {
            values.push(None);
            return;
        }
        let value = match &node.function {
            Function::Parameter(_) | Function::Leaf(_) | Function::Input(_) => {
                let fed = feeds.get(index);
                fed.unwrap_or_else(|| held(network, node)).clone()
            }
            function => applied(function, &node.operands, &values, kernels),
        };
        values.push(Some(value));
    });
    values
}

/// What a source holds.
fn held<'n, P: Tensorial>(network: &'n Network<P>, node: &'n Node<P>) -> &'n P {
    match &node.function {
        Function::Parameter(parameter) => network.parameter_payload(parameter.slot as usize),
        _ => node.payload.as_deref().expect("invariant: leaves and inputs hold a payload"),
    }
}

/// A function of values that are computed.
#[inline]
fn applied<P: Tensorial>(
    function: &Function,
    operands: &[u32],
    values: &[Option<P>],
    kernels: Kernels,
) -> P {
    let value = |operand: u32| {
        let value = values[operand as usize].as_ref();
        value.expect("invariant: operands run before their consumers")
    };
    // The common arities without a list on the heap.
    match *operands {
        [a] => function.eval(&[value(a)], kernels),
        [a, b] => function.eval(&[value(a), value(b)], kernels),
        [a, b, c] => function.eval(&[value(a), value(b), value(c)], kernels),
        ref operands => {
            let operands: Vec<&P> = operands.iter().map(|operand| value(*operand)).collect();
            function.eval(&operands, kernels)
        }
    }
}
