//! The calls on a network that ask for the usual plans.

use super::compile::Compile;
use super::error::{PlanError, planned};
use super::run::Plan;
use crate::graph::{Network, Symbol};
use crate::payload::Tensorial;

impl<P: Tensorial> Network<P> {
    /// Compiles the computation of targets alone: `backward` on a result of it is refused. Values in
    /// `keep` can be read from a result besides.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let w = network.parameter(2.0_f64);
    /// let y = w.exp() + 1.0;
    /// let plan = network.compile([y], []);
    /// let network = network.update(&network.forward().backward(y), |w, g| w - 0.1 * g);
    /// assert_eq!(plan.forward(&network, []).of(y.symbol()), network.forward().of(y.symbol()));
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Network::try_compile`] errs.
    #[must_use]
    #[track_caller]
    pub fn compile<T: Into<Symbol>>(
        &self,
        targets: impl IntoIterator<Item = T>,
        keep: impl IntoIterator<Item = Symbol>,
    ) -> Plan<P> {
        planned(self.try_compile(targets, keep))
    }

    /// Compiles the computation of targets alone.
    ///
    /// # Errors
    ///
    /// Where a symbol is not of this network.
    #[track_caller]
    pub fn try_compile<T: Into<Symbol>>(
        &self,
        targets: impl IntoIterator<Item = T>,
        keep: impl IntoIterator<Item = Symbol>,
    ) -> Result<Plan<P>, PlanError> {
        let compile = targets.into_iter().fold(Compile::new(self), Compile::target);
        keep.into_iter().fold(compile, Compile::keep).try_plan()
    }

    /// Compiles a loss of exactly one element together with its gradients: a run computes both, and
    /// `backward` hands the gradients out. Bit-identical to
    /// [`Evaluation::backward`](crate::Evaluation::backward).
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let (w, x, y) = (network.parameter(0.0_f64), network.input(0.0), network.input(0.0));
    /// let error = w * x - y;
    /// let loss = (error * error).symbol();
    /// let plan = network.compile_training(loss, []);
    /// let (w, x, y) = (w.symbol(), x.symbol(), y.symbol());
    /// let mut network = network;
    /// for step in 1..100 {
    ///     let sample = (step % 3) as f64;
    ///     let results = plan.forward(&network, [(x, sample), (y, 2.0 * sample)]);
    ///     network = network.update(&results.backward(loss), |w, g| w - 0.1 * g);
    /// }
    /// assert!((network.resolve(w).payload().unwrap() - 2.0).abs() < 1e-6);
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Network::try_compile_training`] errs.
    #[must_use]
    #[track_caller]
    pub fn compile_training(
        &self,
        loss: impl Into<Symbol>,
        keep: impl IntoIterator<Item = Symbol>,
    ) -> Plan<P> {
        planned(self.try_compile_training(loss, keep))
    }

    /// Compiles a loss together with its gradients.
    ///
    /// # Errors
    ///
    /// Where a symbol is not of this network, or the loss has not exactly one element.
    #[track_caller]
    pub fn try_compile_training(
        &self,
        loss: impl Into<Symbol>,
        keep: impl IntoIterator<Item = Symbol>,
    ) -> Result<Plan<P>, PlanError> {
        keep.into_iter().fold(Compile::new(self).loss(loss), Compile::keep).try_plan()
    }

    /// [`Network::compile_training`] that drops large values of the forward half and computes them
    /// again in the backward half, as many as make the memory of a run smallest: with the same bits.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let w = network.parameter(Tensor::from_fn([64, 64], |i| (i[0] + i[1]) as f32 * 1e-3));
    /// let mut x = network.input(Tensor::<f32>::zeros([64, 64])) + 0.5;
    /// for _ in 0..8 {
    ///     x = x.matmul(w).tanh();
    /// }
    /// let loss = x.sum();
    /// let (plan, compact) =
    ///     (network.compile_training(loss, []), network.compile_training_compact(loss, []));
    /// let memory = |plan: &poorgrad::Plan<Tensor>| plan.describe().memory.arena;
    /// assert!(memory(&compact) < memory(&plan));
    /// let gradient = |plan: &poorgrad::Plan<Tensor>| plan.forward(&network, []).backward(loss).of(w);
    /// assert_eq!(gradient(&compact), gradient(&plan));
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Network::try_compile_training_compact`] errs.
    #[must_use]
    #[track_caller]
    pub fn compile_training_compact(
        &self,
        loss: impl Into<Symbol>,
        keep: impl IntoIterator<Item = Symbol>,
    ) -> Plan<P> {
        planned(self.try_compile_training_compact(loss, keep))
    }

    /// The twin of [`Network::compile_training_compact`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where a symbol is not of this network, or the loss has not exactly one element.
    #[track_caller]
    pub fn try_compile_training_compact(
        &self,
        loss: impl Into<Symbol>,
        keep: impl IntoIterator<Item = Symbol>,
    ) -> Result<Plan<P>, PlanError> {
        let compile = Compile::new(self).loss(loss).compact();
        keep.into_iter().fold(compile, Compile::keep).try_plan()
    }
}
