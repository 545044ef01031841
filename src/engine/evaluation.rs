//! `Evaluation`: one forward run's values, and the gradients that follow from them.

use super::chain_rule::{Walk, chain_rule, wanted};
use super::field::Field;
use super::forward::positions;
use super::interpreter::Interpreter;
use super::nonfinite::{NonFinite, first_nonfinite};
use crate::graph::Symbol;
use crate::graph::error::{NetworkError, describe, resolved};
use crate::graph::tape::Tape;
use crate::kernel::{Elementary, Kernels};
use crate::payload::Tensorial;
use std::fmt;

/// The values of one forward run. It owns what it needs: it outlives the network, and any number
/// of runs go on at once from any threads.
///
/// # Example
///
/// ```
/// use poorgrad::Network;
///
/// let network = Network::new();
/// let x = network.parameter(2.0_f64);
/// let y = x * x;
/// let evaluation = network.forward();
/// assert_eq!(evaluation.of(y), 4.0);
/// let gradients = evaluation.backward(y);
/// assert_eq!(gradients.of(x), 4.0);
/// ```
pub struct Evaluation<P> {
    tape: Tape<P>,
    values: Vec<Option<P>>,
    kernels: Kernels,
}

/// In one line, without the payloads.
impl<P: Tensorial> fmt::Debug for Evaluation<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let computed = self.values.iter().filter(|value| value.is_some()).count();
        f.debug_struct("Evaluation")
            .field("element", &P::Element::NAME)
            .field("kernels", &self.kernels)
            .field("nodes", &self.values.len())
            .field("computed", &computed)
            .finish()
    }
}

impl<P: Tensorial> Evaluation<P> {
    pub(crate) fn new(tape: Tape<P>, values: Vec<Option<P>>, kernels: Kernels) -> Self {
        Self { tape, values, kernels }
    }

    /// The payload of a value in this run.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.leaf(Tensor::from([1.0_f32, 2.0]));
    /// let (y, sum) = (x * 3.0, x.sum());
    /// let evaluation = network.forward();
    /// assert_eq!(evaluation.of(y).to_vec(), [3.0, 6.0]);
    /// assert_eq!(evaluation.of(sum.symbol()).item(), 3.0); // a symbol will do
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Evaluation::try_of`] errs.
    #[must_use]
    #[track_caller]
    pub fn of(&self, value: impl Into<Symbol>) -> P {
        resolved(self.try_of(value))
    }

    /// The payload of a value in this run.
    ///
    /// # Errors
    ///
    /// Where the value is not of this network or was skipped by `forward_for`.
    pub fn try_of(&self, value: impl Into<Symbol>) -> Result<P, NetworkError> {
        let index = self.tape.position(value.into(), "evaluation")?;
        self.at(index).cloned()
    }

    fn at(&self, index: usize) -> Result<&P, NetworkError> {
        let skipped = || NetworkError::Skipped { value: describe(index, self.tape.node(index)) };
        self.values[index].as_ref().ok_or_else(skipped)
    }

    /// The gradient of a target of exactly one element: one cotangent for every differentiable
    /// ancestor, zero for all others.
    ///
    /// Differentiable are the parameters, the inputs that take numbers, and what depends on one.
    /// Constants, and inputs that take selections, are not: here their gradient is zero, whatever
    /// the target; [`Evaluation::backward_for`] gives it where it names them.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let w = network.parameter(Tensor::from([1.0_f64, 2.0]));
    /// let c = network.leaf(Tensor::from([5.0, 7.0]));
    /// let loss = (w * c).sum();
    /// let gradients = network.forward().backward(loss);
    /// assert_eq!(gradients.of(w).to_vec(), [5.0, 7.0]);
    /// assert_eq!(gradients.of(c).to_vec(), [0.0, 0.0]); // a constant
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Evaluation::try_backward`] errs.
    #[must_use]
    #[track_caller]
    pub fn backward(&self, target: impl Into<Symbol>) -> Field<P> {
        resolved(self.try_backward(target))
    }

    /// The gradient of a target of exactly one element.
    ///
    /// # Errors
    ///
    /// Where the target is not of this network, was skipped, or has not exactly one element.
    pub fn try_backward(&self, target: impl Into<Symbol>) -> Result<Field<P>, NetworkError> {
        self.pull_back(target.into(), None, "backward")
    }

    /// The gradient with respect to some values only, constants included; what leads to none of
    /// them is not computed. For a differentiable value the bits are those that
    /// [`Evaluation::backward`] gives.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let c = network.leaf(3.0_f64);
    /// let y = c * c;
    /// let evaluation = network.forward();
    /// assert_eq!(evaluation.backward_for(y, [c]).of(c), 6.0);
    /// assert_eq!(evaluation.backward(y).of(c), 0.0); // of a constant, unless it is named
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Evaluation::try_backward_for`] errs.
    #[must_use]
    #[track_caller]
    pub fn backward_for<S: Into<Symbol>>(
        &self,
        target: impl Into<Symbol>,
        wrt: impl IntoIterator<Item = S>,
    ) -> Field<P> {
        resolved(self.try_backward_for(target, wrt))
    }

    /// The gradient with respect to some values only.
    ///
    /// # Errors
    ///
    /// As [`Evaluation::try_backward`], and where one of `wrt` is not of this network.
    pub fn try_backward_for<S: Into<Symbol>>(
        &self,
        target: impl Into<Symbol>,
        wrt: impl IntoIterator<Item = S>,
    ) -> Result<Field<P>, NetworkError> {
        let wrt = positions(&self.tape, wrt, "backward_for")?;
        self.pull_back(target.into(), Some(&wrt), "backward_for")
    }

    fn pull_back(
        &self,
        target: Symbol,
        wrt: Option<&[usize]>,
        operation: &'static str,
    ) -> Result<Field<P>, NetworkError> {
        let target = self.tape.position(target, operation)?;
        let node = self.tape.node(target);
        let value = self.at(target)?;
        if node.shape.volume() != Some(1) {
            let shape = (*node.shape).clone();
            return Err(NetworkError::NotScalar {
                operation,
                value: describe(target, node),
                shape,
            });
        }
        let wanted = wanted(&self.tape, target, wrt);
        let walk = Walk { tape: &self.tape, target, wanted: &wanted };
        let interpreter = Interpreter::new(self.kernels);
        let seed = P::full(&value.shape(), P::Element::one());
        let value = |index: usize| {
            self.values[index].as_ref().expect("invariant: a value's ancestors ran with it")
        };
        let mut cotangents = chain_rule(&interpreter, &walk, value, seed);
        // The support: what a gradient was wanted of, and nothing in between where `wrt` names it.
        if let Some(wrt) = wrt {
            let mut named = vec![false; cotangents.len()];
            wrt.iter().filter(|&&index| index <= target).for_each(|&index| named[index] = true);
            for (cotangent, _) in cotangents.iter_mut().zip(named).filter(|(_, named)| !named) {
                *cotangent = None;
            }
        } else if !wanted[target] {
            cotangents[target] = None;
        }
        let entries = cotangents.into_iter().zip(0..);
        let entries = entries.filter_map(|(cotangent, index)| Some((index, cotangent?)));
        Ok(Field::of_target(self.tape.clone(), entries.collect(), target))
    }

    /// The first value in tape order that holds a NaN or an infinity, with where it comes from.
    /// Costs nothing unless called.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let x = network.input(0.0_f64);
    /// let _ = (x / x).named("ratio") + 1.0;
    /// let found = network.forward().first_nonfinite().unwrap();
    /// assert_eq!(found.operation(), "div");
    /// assert!(found.to_string().contains("ratio"));
    /// ```
    #[must_use]
    pub fn first_nonfinite(&self) -> Option<NonFinite> {
        first_nonfinite(&self.tape, self.values.len(), &|index| self.values[index].as_ref())
    }
}
