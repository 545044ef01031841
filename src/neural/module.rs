//! `Module`: what a model is made of.

use crate::{Network, ShapeError, Tensorial, Value};

/// A part of a model: symbols of parameters, and how a value goes through.
///
/// The trait is open and object-safe: [`Sequential`](crate::Sequential) strings any parts together,
/// and a part from outside the crate is as good as these. A part holds no payloads, so that it serves
/// every generation and fork of its network, and any number of inputs.
///
/// Parameters are named when a part is made, with [`Value::named`] inside the [`Network::scope`] that is
/// open then; [`Network::parameters`] lists the paths.
///
/// # Example
///
/// A part that multiplies by a number that it learns:
///
/// ```
/// use poorgrad::{Module, Network, ShapeError, Symbol, Tensor, Value};
///
/// struct Gain(Symbol);
///
/// impl Module<Tensor> for Gain {
///     fn record<'n>(
///         &self,
///         network: &'n Network<Tensor>,
///         input: Value<'n, Tensor>,
///     ) -> Result<Value<'n, Tensor>, ShapeError> {
///         Ok(input * network.try_resolve(self.0)?.broadcast_like(input))
///     }
/// }
///
/// let network = Network::new();
/// let gain = Gain(network.parameter(Tensor::full([], 2.0)).named("gain").symbol());
/// let x = network.input(Tensor::from([1.0, 3.0]));
/// let y = gain.express(&network, x);
/// assert_eq!(network.forward().of(y).to_vec(), [2.0, 6.0]);
/// ```
pub trait Module<P: Tensorial> {
    /// Records the part: what an implementation writes, and [`Module::express`] and
    /// [`Module::try_express`] call: on a fork first, where a refusal leaves nothing behind, and then on
    /// the network itself. So it runs twice for one part that is recorded, and what it does besides
    /// recording happens twice.
    ///
    /// # Errors
    ///
    /// Where the input does not fit, or the parameters are not of this network. Something may have
    /// been recorded by then.
    #[track_caller]
    fn record<'n>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError>;

    /// Records the part, and gives what it makes of the input.
    ///
    /// # Panics
    ///
    /// Where [`Module::try_express`] errs.
    #[must_use]
    #[track_caller]
    fn express<'n>(&self, network: &'n Network<P>, input: Value<'n, P>) -> Value<'n, P> {
        match self.try_express(network, input) {
            Ok(output) => output,
            Err(error) => error.raise(),
        }
    }

    /// The twin of [`Module::express`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where the input does not fit or is a handle into another network, also of another generation or
    /// fork, or the parameters are not of this network; nothing is recorded then.
    #[track_caller]
    fn try_express<'n>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        // On a fork first, which costs nothing: what refuses there leaves nothing here.
        let fork = network.clone();
        let twin = fork.try_resolve(input)?;
        if !std::ptr::eq(input.network(), network) {
            let problem = "the input is a handle into another network (or generation); resolve its \
                           symbol in this one first";
            return Err(ShapeError::refusal("express", problem, &[input]));
        }
        self.record(&fork, twin)?;
        self.record(network, input)
    }
}
