//! `EmittedModule`: a module with its manifest, and the bytes that it is run on.

use super::arguments::{ModuleArgument, ModuleResult, ModuleSource};
use super::error::EmitError;
use crate::engine::feeds::bind;
use crate::graph::tape::Tape;
use crate::graph::{Network, Symbol};
use crate::kernel::Elementary;
use crate::ops::Function;
use crate::payload::{Stored, Tensorial};
use crate::plan::PlanError;

/// A module: its text, what it takes and what it gives.
#[derive(Clone)]
pub struct EmittedModule<P: Tensorial> {
    pub(super) text: String,
    pub(super) arguments: Vec<ModuleArgument<P>>,
    pub(super) results: Vec<ModuleResult>,
    pub(super) tape: Tape<P>,
    /// How many nodes in front a network must share with the one that was compiled.
    pub(super) needed: usize,
}

impl<P: Tensorial> std::fmt::Debug for EmittedModule<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (arguments, results) = (self.arguments.len(), self.results.len());
        f.debug_struct("EmittedModule")
            .field("arguments", &arguments)
            .field("results", &results)
            .finish_non_exhaustive()
    }
}

impl<P: Tensorial> EmittedModule<P> {
    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text, and no more.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    /// What the module takes, in order.
    #[must_use]
    pub fn arguments(&self) -> &[ModuleArgument<P>] {
        &self.arguments
    }

    /// What the module gives, in order.
    #[must_use]
    pub fn results(&self) -> &[ModuleResult] {
        &self.results
    }

    /// The bytes of each argument, in the order of [`EmittedModule::arguments`], little-endian and row-major:
    /// a generation's parameters, the feeds, and what is constant.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Emit, Network, Tensor};
    ///
    /// let network = Network::new();
    /// let w = network.parameter(Tensor::from([1.0_f32, 2.0]));
    /// let x = network.input(Tensor::from([0.0, 0.0]));
    /// let plan = network.compile([w + x], []);
    /// let module = Emit::new(&plan).module().unwrap();
    /// let bytes = module.bytes(&network, [(x.symbol(), Tensor::from([3.0, 4.0]))]).unwrap();
    /// assert_eq!(bytes[0], [0, 0, 0x80, 0x3f, 0, 0, 0, 0x40]);
    /// ```
    ///
    /// # Errors
    ///
    /// Where the network is no generation or fork of the one that was compiled, and where
    /// [`Network::try_forward_with`] refuses the feeds.
    pub fn bytes(
        &self,
        network: &Network<P>,
        feeds: impl IntoIterator<Item = (Symbol, P)>,
    ) -> Result<Vec<Vec<u8>>, EmitError> {
        let refused = |error: PlanError| EmitError::Arguments(Box::new(error));
        let tape = network.tape();
        let shared = self.tape.common_prefix(&tape);
        if shared < self.needed {
            return Err(refused(PlanError::OtherNetwork { shared, needed: self.needed }));
        }
        // As a plan does: of a network that was reinferred, the parameters, under the module's shapes.
        let tape = if tape.has_shapes_of(&self.tape) { tape } else { self.tape.clone() };
        let feeds = bind(&tape, feeds).map_err(|error| refused(error.into()))?;
        let bytes = self.arguments.iter().map(|argument| match &argument.source {
            ModuleSource::Parameter => match &self.tape.node(argument.node).function {
                Function::Parameter(parameter) => {
                    bytes_of(network.parameter_payload(parameter.slot as usize))
                }
                _ => unreachable!("invariant: a parameter's node is one"),
            },
            ModuleSource::Input(default) => {
                bytes_as(feeds.get(argument.node).unwrap_or(default), argument.element == "i32")
            }
            ModuleSource::Constant(payload) => bytes_as(payload, argument.element == "i32"),
        });
        Ok(bytes.collect())
    }
}

fn bytes_as<P: Tensorial>(payload: &P, rows: bool) -> Vec<u8> {
    match (rows, payload.stored()) {
        (true, Stored::Selection(columns)) => {
            columns.iter().flat_map(|&column| (column as i32).to_le_bytes()).collect()
        }
        _ => bytes_of(payload),
    }
}

fn bytes_of<P: Tensorial>(payload: &P) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(payload.shape().count() * P::Element::BYTES);
    payload.for_each(&mut |element| element.write_bytes(&mut bytes));
    bytes
}
