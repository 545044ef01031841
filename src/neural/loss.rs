//! Losses: composites over what the tape has.

use crate::{ShapeError, Tensorial, Value};

impl<P: Tensorial> Value<'_, P> {
    /// The cross-entropy of logits `[.., classes]` against targets of the same shape, one-hot rows
    /// or probabilities: the mean over the rows of `-sum(absorb(t, log_softmax(logits)))`, a scalar.
    ///
    /// A target of exactly 0 contributes exactly 0, even where its class is impossible.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let logits = network.parameter(Tensor::<f64>::zeros([2, 4]));
    /// let labels = network.input(Tensor::selection(&[3, 0], 4));
    /// let loss = logits.cross_entropy(labels);
    /// let evaluation = network.forward();
    /// assert!((evaluation.of(loss).item() - 1.386_294_361_119_890_6).abs() < 1e-15); // ln 4
    /// let gradient = evaluation.backward(loss).of(logits);
    /// assert_eq!(gradient.to_vec(), [0.125, 0.125, 0.125, -0.375, -0.375, 0.125, 0.125, 0.125]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where the logits have no axis, or the shapes differ.
    #[must_use]
    #[track_caller]
    pub fn cross_entropy(self, targets: Self) -> Self {
        match self.try_cross_entropy(targets) {
            Ok(loss) => loss,
            Err(error) => error.raise(),
        }
    }

    /// The twin of [`Value::cross_entropy`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where the logits have no axis, or the shapes differ.
    #[track_caller]
    pub fn try_cross_entropy(self, targets: Self) -> Result<Self, ShapeError> {
        let refused = |error: ShapeError| error.named("cross_entropy");
        let fits =
            self.shape() == targets.shape() && std::ptr::eq(self.network(), targets.network());
        if !fits {
            // Refused here, by the operation that needs it, before anything is recorded.
            return targets.try_absorb(self).map_err(refused);
        }
        let classes = self.shape().rank().saturating_sub(1);
        let log_probabilities = self.try_log_softmax(classes).map_err(refused)?;
        let rows = targets.try_absorb(log_probabilities)?.try_sum_along(&[classes])?;
        Ok((-rows).mean())
    }

    /// The mean of the squared differences of two values of one shape, a scalar.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let prediction = network.parameter(Tensor::from([1.0_f64, 2.0]));
    /// let target = network.input(Tensor::from([1.0, 4.0]));
    /// let loss = prediction.mean_squared_error(target);
    /// assert_eq!(network.forward().of(loss).item(), 2.0);
    /// ```
    ///
    /// # Panics
    ///
    /// Where the shapes differ.
    #[must_use]
    #[track_caller]
    pub fn mean_squared_error(self, target: Self) -> Self {
        match self.try_mean_squared_error(target) {
            Ok(loss) => loss,
            Err(error) => error.raise(),
        }
    }

    /// The twin of [`Value::mean_squared_error`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where the shapes differ.
    #[track_caller]
    pub fn try_mean_squared_error(self, target: Self) -> Result<Self, ShapeError> {
        let refused = |error: ShapeError| error.named("mean_squared_error");
        let difference = self.try_sub(target).map_err(refused)?;
        Ok((difference * difference).mean())
    }
}
