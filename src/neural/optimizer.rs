//! `Optimizer`: how gradients become the next generation.

use super::{OptimizerState, RecordedStep, StateError, StateProblem};
use crate::{Gradients, Network, Symbol, Tensorial};

/// A rule that turns gradients into the next generation, with state of its own in [`Field`]s.
///
/// The trait is open and object-safe: a training loop can hold a `Box<dyn Optimizer<P>>`, and an
/// optimiser from outside the crate is as good as [`Sgd`].
///
/// [`Field`]: crate::Field
/// [`Sgd`]: crate::Sgd
///
/// # Example
///
/// An optimiser that looks at signs alone:
///
/// ```
/// use poorgrad::{Gradients, Network, Optimizer};
///
/// struct Signs(f64);
///
/// impl Optimizer<f64> for Signs {
///     fn step(&mut self, network: Network<f64>, gradients: &Gradients<f64>) -> Network<f64> {
///         network.step(gradients, |w, g| if *g == 0.0 { w } else { w - self.0 * g.signum() })
///     }
///     fn learning_rate(&self) -> f64 {
///         self.0
///     }
///     fn set_learning_rate(&mut self, rate: f64) {
///         self.0 = rate;
///     }
/// }
///
/// let mut network = Network::new();
/// let w = network.parameter(1.0_f64);
/// let loss = (w * w).symbol();
/// let w = w.symbol();
/// let mut optimizer: Box<dyn Optimizer<f64>> = Box::new(Signs(0.25));
/// for _ in 0..3 {
///     let gradients = network.forward().backward(loss);
///     network = optimizer.step(network, &gradients);
/// }
/// assert_eq!(network.resolve(w).payload(), Some(0.25));
/// ```
pub trait Optimizer<P: Tensorial> {
    /// The next generation of `network`. Keep the old one by passing a clone.
    ///
    /// # Panics
    ///
    /// Where the gradients are older than a parameter of `network`, or of a fork that parted from
    /// that of an earlier step.
    #[must_use]
    #[track_caller]
    fn step(&mut self, network: Network<P>, gradients: &Gradients<P>) -> Network<P>;

    /// The learning rate of the next step.
    #[must_use]
    fn learning_rate(&self) -> f64;

    /// Sets the learning rate of the steps from here on: what a schedule calls.
    fn set_learning_rate(&mut self, rate: f64);

    /// Puts a whole step on the tape, for each parameter with the node of its gradient: what
    /// [`Optimizer::step`] computes, to the bit, as values to compile with the gradients. `None`, the
    /// default, where the optimiser has no such form. The gradients are those of [`Network::differentiate`], and
    /// the plan is one of values ([`Network::compile`]): the loss, and what the recorded step gives as its results.
    ///
    /// A parameter that is not named stays as it is, and so does what is carried for it: to freeze a part
    /// of a model, leave it out. [`Optimizer::step`] moves all of them, also those that the loss does not
    /// reach, by what momentum or decay make of a gradient of 0; to have that on the tape, name them too:
    /// [`Network::differentiate`] records zeros for them.
    ///
    /// # Panics
    ///
    /// Where a symbol is not of the network.
    #[track_caller]
    fn record(
        &self,
        network: &Network<P>,
        gradients: &[(Symbol, Symbol)],
    ) -> Option<RecordedStep<P>> {
        let _ = (network, gradients);
        None
    }

    /// What the next step depends on besides the parameters and their gradients, by name: see
    /// [`OptimizerState`].
    ///
    /// # Errors
    ///
    /// Where two parameters of the network have one path, or the optimiser has not said how it is
    /// written down (the default: a state that is silently lost would go unnoticed).
    fn state(&self, network: &Network<P>) -> Result<OptimizerState<P>, StateError> {
        let _ = network;
        Err(StateError::new("the optimiser", vec![StateProblem::Unsupported]))
    }

    /// Takes up a state that [`Optimizer::state`] gave: from here on, steps are to the bit what they
    /// would have been there.
    ///
    /// # Errors
    ///
    /// Where the state is another optimiser's or does not fit the network's parameters: everything
    /// missing, unknown or of another shape is named. The optimiser is as it was then.
    fn restore(
        &mut self,
        network: &Network<P>,
        state: &OptimizerState<P>,
    ) -> Result<(), StateError> {
        let _ = (network, state);
        Err(StateError::new("the optimiser", vec![StateProblem::Unsupported]))
    }
}
