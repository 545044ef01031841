//! `Emit`: how a plan is emitted, by labelled options.

use super::error::EmitError;
use super::module::EmittedModule;
use super::program;
use crate::graph::Symbol;
use crate::payload::Tensorial;
use crate::plan::Plan;

/// How close the module stays to the tape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EmitForm {
    /// What the tape composes of many operations is stated by the one that means it: convolutions and
    /// their gradients, pools, gradients of pools. What compilers are fast at.
    #[default]
    Raised,
    /// One operation of the tape after the other, none of them matched, shared or dropped.
    Recorded,
    /// As recorded, with the specified order of every sum and product spelled out: whoever computes
    /// each operation as StableHLO's reference interpreter does gets the oracle's bits, elementary
    /// functions apart.
    Exact,
}

/// A plan's module to be, and labelled options.
///
/// # Example
///
/// ```
/// use poorgrad::{Emit, EmitForm, Network, Tensor};
///
/// let network = Network::new();
/// let x = network.input(Tensor::from([1.0_f32, 2.0])).named("x");
/// let y = (x * x).sum().named("y");
/// let plan = network.compile([y], []);
/// let module = Emit::new(&plan).form(EmitForm::Exact).module().unwrap();
/// assert!(module.text().contains("%x: tensor<2xf32>"));
/// assert_eq!(module.arguments().len(), 1);
/// ```
#[must_use = "a module is made by `module`"]
pub struct Emit<'p, P: Tensorial> {
    plan: &'p Plan<P>,
    form: EmitForm,
    constants: usize,
    donations: Vec<(Symbol, Symbol)>,
}

impl<P: Tensorial> Clone for Emit<'_, P> {
    fn clone(&self) -> Self {
        Self { donations: self.donations.clone(), ..*self }
    }
}

impl<P: Tensorial> std::fmt::Debug for Emit<'_, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { plan, form, constants, donations } = self;
        let mut debug = f.debug_struct("Emit");
        debug.field("plan", plan).field("form", form).field("constants", constants);
        debug.field("donations", &donations.len()).finish()
    }
}

impl<'p, P: Tensorial> Emit<'p, P> {
    /// The module of a plan, with the defaults.
    pub fn new(plan: &'p Plan<P>) -> Self {
        Self { plan, form: EmitForm::default(), constants: 64, donations: Vec::new() }
    }

    /// How close the module stays to the tape. The default is [`EmitForm::Raised`].
    pub fn form(mut self, form: EmitForm) -> Self {
        self.form = form;
        self
    }

    /// Writes constants of up to so many elements into the module; larger ones become arguments,
    /// which [`EmittedModule::arguments`] lists. One element that stands for all is always written. The
    /// default is 64.
    pub fn constants_up_to(mut self, elements: usize) -> Self {
        self.constants = elements;
        self
    }

    /// Lets a target write the result `into` where the argument `from`, a parameter or an input, was:
    /// whoever runs the module gives that buffer away. A step of training needs no second set of
    /// parameters so, a cache of keys and values no copy.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Emit, Network, Tensor};
    ///
    /// let network = Network::new();
    /// let w = network.parameter(Tensor::from([1.0_f32, 2.0])).named("w");
    /// let next = w * w;
    /// let plan = network.compile([next], []);
    /// let module = Emit::new(&plan).donate(w, next).module().unwrap();
    /// assert!(module.text().contains("%w: tensor<2xf32> {tf.aliasing_output = 0 : i32}"));
    /// ```
    pub fn donate(mut self, from: impl Into<Symbol>, into: impl Into<Symbol>) -> Self {
        self.donations.push((from.into(), into.into()));
        self
    }

    /// The module.
    ///
    /// # Errors
    ///
    /// Where elements are not of `f32` or `f64`, an operation cannot be stated, or a buffer is given
    /// away that is no parameter or input, or for what is no result of its shape.
    pub fn module(&self) -> Result<EmittedModule<P>, EmitError> {
        program::emit(self.plan.emitted(), self.form, self.constants, &self.donations)
    }
}

impl<P: Tensorial> Plan<P> {
    /// The plan as the text of a StableHLO module: parameters and inputs as arguments, then targets,
    /// losses, what is kept and gradients as results, in the order in which the plan hands them out.
    ///
    /// Its head lists arguments and results. [`Emit`] has options, and the module as data.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let x = network.input(2.0_f32).named("x");
    /// let text = network.compile([x.tanh()], []).emit_stablehlo().unwrap();
    /// assert!(text.contains("stablehlo.tanh %x : tensor<f32>"));
    /// ```
    ///
    /// # Errors
    ///
    /// Where elements are not of `f32` or `f64`, or an operation cannot be stated.
    pub fn emit_stablehlo(&self) -> Result<String, EmitError> {
        Emit::new(self).module().map(EmittedModule::into_text)
    }
}
