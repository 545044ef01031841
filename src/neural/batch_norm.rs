//! `BatchNorm`: each feature at the scale of its batch.

use super::Module;
use super::layer::parameter;
use super::norm::{EPSILON, constant};
use crate::{Network, ShapeError, Symbol, Tensorial, Value};

/// Features of mean 0 and variance 1 over a batch, times a weight, plus a bias (Ioffe and Szegedy,
/// "Batch normalization", 2015), of `[batch, features]` or `[batch, features, h, w]`:
/// `(x - mean) / sqrt(variance + eps) w + b`.
///
/// A training run normalises with the batch's own statistics, which it returns; a model in use is given
/// some, which [`RunningStatistics`](crate::RunningStatistics) has kept. The tape hides no state.
///
/// # Example
///
/// ```
/// use poorgrad::{BatchNorm, Network, RunningStatistics, Tensor};
///
/// let network = Network::new();
/// let norm = BatchNorm::new(&network, 1).epsilon(0.0);
/// let x = network.input(Tensor::from([[1.0_f64], [2.0], [3.0], [4.0]]));
/// let batch = norm.express(&network, x);
/// let evaluation = network.forward();
/// let mut running = RunningStatistics::new(1);
/// running.update(&evaluation.of(batch.mean), &evaluation.of(batch.variance), 4).unwrap();
/// assert_eq!(evaluation.of(batch.variance).to_vec(), [1.25]);
/// assert_eq!(running.mean().to_vec(), [0.25]);
///
/// let (mean, variance) = (network.leaf(running.mean()), network.leaf(running.variance()));
/// let y = norm.express_with(&network, x, mean, variance);
/// # let _ = y;
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchNorm {
    weight: Symbol,
    bias: Symbol,
    epsilon: f64,
}

/// What [`BatchNorm::express`] makes of a batch.
#[derive(Debug)]
pub struct Normalized<'n, P: Tensorial> {
    /// The features, normalised.
    pub output: Value<'n, P>,
    /// The mean of each feature, `[features]`.
    pub mean: Value<'n, P>,
    /// The biased variance of each feature, `[features]`: the mean of the squared distances. Times
    /// `n / (n - 1)`, of `n` numbers a feature, it is the unbiased one.
    pub variance: Value<'n, P>,
}

impl<P: Tensorial> Clone for Normalized<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<P: Tensorial> Copy for Normalized<'_, P> {}

impl BatchNorm {
    /// Records the parameters `weight`, ones, and `bias`, zeros, of so many features; `eps` is 1e-5.
    #[track_caller]
    pub fn new<P: Tensorial>(network: &Network<P>, features: usize) -> Self {
        let weight = constant(network, features, 1.0, "weight");
        Self { weight, bias: constant(network, features, 0.0, "bias"), epsilon: EPSILON }
    }

    /// With another term under the root.
    #[must_use]
    pub fn epsilon(self, epsilon: f64) -> Self {
        Self { epsilon, ..self }
    }

    /// The weight, `[features]`.
    #[must_use]
    pub fn weight(&self) -> Symbol {
        self.weight
    }

    /// The bias, `[features]`.
    #[must_use]
    pub fn bias(&self) -> Symbol {
        self.bias
    }

    /// Records the normalisation of a batch by its own statistics. These are called `batch_mean` and
    /// `batch_variance` on the tape. A batch of one number a feature has the variance 0, so that the
    /// output is the bias.
    ///
    /// # Panics
    ///
    /// Where [`BatchNorm::try_express`] errs.
    #[must_use]
    #[track_caller]
    pub fn express<'n, P: Tensorial>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Normalized<'n, P> {
        match self.try_express(network, input) {
            Ok(normalized) => normalized,
            Err(error) => error.raise(),
        }
    }

    /// The twin of [`BatchNorm::express`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `input` is neither `[batch, features]` nor `[batch, features, h, w]`, holds no number, or
    /// the parameters are not of this network; nothing is recorded then.
    #[track_caller]
    pub fn try_express<'n, P: Tensorial>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Normalized<'n, P>, ShapeError> {
        let [weight, bias] = self.parameters(network)?;
        let axes = axes(input, weight)?;
        if input.shape().volume() == Some(0) {
            let problem = "a batch of no numbers has no statistics";
            return Err(ShapeError::refusal("BatchNorm", problem, &[input]));
        }
        let mean = input.try_mean_along(axes)?.named("batch_mean");
        let distance = input.try_sub(mean.try_broadcast_along(axes, input)?)?;
        let variance = (distance * distance).try_mean_along(axes)?.named("batch_variance");
        let output = self.finish(axes, distance, variance, [weight, bias])?;
        Ok(Normalized { output, mean, variance })
    }

    /// Records the normalisation by given statistics, `[features]` each: each sample by itself.
    ///
    /// # Panics
    ///
    /// Where [`BatchNorm::try_express_with`] errs.
    #[must_use]
    #[track_caller]
    pub fn express_with<'n, P: Tensorial>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
        mean: Value<'n, P>,
        variance: Value<'n, P>,
    ) -> Value<'n, P> {
        match self.try_express_with(network, input, mean, variance) {
            Ok(output) => output,
            Err(error) => error.raise(),
        }
    }

    /// The twin of [`BatchNorm::express_with`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `input` is neither `[batch, features]` nor `[batch, features, h, w]`, the statistics are
    /// not `[features]`, or something is not of this network; nothing is recorded then.
    #[track_caller]
    pub fn try_express_with<'n, P: Tensorial>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
        mean: Value<'n, P>,
        variance: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        let [weight, bias] = self.parameters(network)?;
        let axes = axes(input, weight)?;
        for statistic in [mean, variance] {
            if !std::ptr::eq(statistic.network(), network) {
                return input.try_add(statistic).map_err(|error| error.named("BatchNorm"));
            }
            if statistic.shape() != weight.shape() {
                let problem = format!("the statistics must be {}", weight.shape());
                return Err(ShapeError::refusal("BatchNorm", problem, &[input, statistic]));
            }
        }
        let distance = input.try_sub(mean.try_broadcast_along(axes, input)?)?;
        self.finish(axes, distance, variance, [weight, bias])
    }

    fn parameters<'n, P: Tensorial>(
        &self,
        network: &'n Network<P>,
    ) -> Result<[Value<'n, P>; 2], ShapeError> {
        let weight = parameter(network, self.weight, "BatchNorm", "weight")?;
        Ok([weight, parameter(network, self.bias, "BatchNorm", "bias")?])
    }

    #[track_caller]
    fn finish<'n, P: Tensorial>(
        &self,
        axes: &[usize],
        distance: Value<'n, P>,
        variance: Value<'n, P>,
        [weight, bias]: [Value<'n, P>; 2],
    ) -> Result<Value<'n, P>, ShapeError> {
        let root = (variance + variance.literal(self.epsilon)).sqrt();
        let normal = distance.try_div(root.try_broadcast_along(axes, distance)?)?;
        let scaled = normal.try_mul(weight.try_broadcast_along(axes, distance)?)?;
        scaled.try_add(bias.try_broadcast_along(axes, distance)?)
    }
}

/// The axes that a feature's numbers lie on.
#[track_caller]
fn axes<P: Tensorial>(
    input: Value<'_, P>,
    weight: Value<'_, P>,
) -> Result<&'static [usize], ShapeError> {
    if !std::ptr::eq(input.network(), weight.network()) {
        return input.try_add(weight).map(|_| &[][..]).map_err(|error| error.named("BatchNorm"));
    }
    let features = weight.shape()[0];
    match **input.shape() {
        [_, found] if found == features => Ok(&[0]),
        [_, found, _, _] if found == features => Ok(&[0, 2, 3]),
        _ => {
            let problem = format!("the input must be [n, {features}] or [n, {features}, h, w]");
            Err(ShapeError::refusal("BatchNorm", problem, &[input]))
        }
    }
}

/// By the batch's own statistics, which the tape has as `batch_mean` and `batch_variance`.
impl<P: Tensorial> Module<P> for BatchNorm {
    #[track_caller]
    fn record<'n>(
        &self,
        network: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        Ok(self.try_express(network, input)?.output)
    }
}
