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
    /// Where the logits have no axis or are a selection (the targets are; the logits are what is
    /// trained), or the shapes differ.
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
    /// As [`Value::cross_entropy`] panics; nothing is recorded then.
    #[track_caller]
    pub fn try_cross_entropy(self, targets: Self) -> Result<Self, ShapeError> {
        // Refused here, by the operation that needs it, before anything is recorded.
        let (shape, found) = (self.shape(), targets.shape());
        let problem = if !std::ptr::eq(self.network(), targets.network()) {
            return self.try_sub(targets).map_err(|error| error.named("cross_entropy"));
        } else if self.is_selection() {
            // Both orders of the operands have a meaning, and one of them learns nothing.
            "the logits are a selection; call it on the logits, with the selection as the targets"
                .to_owned()
        } else if shape.rank() == 0 {
            "the logits need a last axis, of the classes".to_owned()
        } else if shape != found {
            let classes = shape[shape.rank() - 1];
            format!(
                "the targets {found} are not of the logits' shape {shape}; class numbers become \
                 one-hot rows by `Tensor::selection(&labels, {classes})`"
            )
        } else {
            String::new()
        };
        if !problem.is_empty() {
            return Err(ShapeError::refusal("cross_entropy", problem, &[self, targets]));
        }
        let classes = shape.rank() - 1;
        let refused = |error: ShapeError| error.named("cross_entropy");
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
        let together = std::ptr::eq(self.network(), target.network());
        if together && self.shape() != target.shape() {
            // Not what `sub` says: of a column and a vector, a broadcast would make a matrix, whose
            // mean is a loss that nothing complains about.
            let problem = "prediction and target must have one shape; `reshape` one of them";
            return Err(ShapeError::refusal("mean_squared_error", problem, &[self, target]));
        }
        let difference = self.try_sub(target).map_err(refused)?;
        Ok((difference * difference).mean())
    }

    /// The binary cross-entropy of logits against targets of `[0, 1]` of the same shape: the mean of
    /// `absorb(t, softplus(-x)) + absorb(1 - t, softplus(x))`, a scalar.
    ///
    /// Finite for every finite logit, and for an infinite one on its target's side; its gradient is
    /// `(sigmoid(x) - t) / n` without a difference of nearly equal numbers.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let logits = network.parameter(Tensor::from([0.0_f64, f64::INFINITY, -1000.0]));
    /// let targets = network.input(Tensor::from([0.5, 1.0, 0.0]));
    /// let loss = logits.binary_cross_entropy_with_logits(targets);
    /// let evaluation = network.forward();
    /// assert_eq!(evaluation.of(loss).item(), std::f64::consts::LN_2 / 3.0);
    /// assert_eq!(evaluation.backward(loss).of(logits).to_vec(), [0.0; 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where the shapes differ.
    #[must_use]
    #[track_caller]
    pub fn binary_cross_entropy_with_logits(self, targets: Self) -> Self {
        match self.try_binary_cross_entropy_with_logits(targets) {
            Ok(loss) => loss,
            Err(error) => error.raise(),
        }
    }

    /// The twin of [`Value::binary_cross_entropy_with_logits`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where the shapes differ; nothing is recorded then.
    #[track_caller]
    pub fn try_binary_cross_entropy_with_logits(self, targets: Self) -> Result<Self, ShapeError> {
        const NAME: &str = "binary_cross_entropy_with_logits";
        self.check_target(targets, "logits and targets must have one shape", NAME)?;
        let yes = targets.try_absorb((-self).softplus())?;
        let no = (targets.literal(1.0) - targets).try_absorb(self.softplus())?;
        Ok((yes + no).mean())
    }

    /// Huber's loss of two values of one shape (Huber, "Robust estimation of a location parameter",
    /// 1964): the mean of `d^2 / 2` where the difference `d` is at most `delta` in size, and of
    /// `delta (|d| - delta / 2)` beyond, a scalar.
    ///
    /// It is recorded as `q (|d| - q / 2)` with `q = min(|d|, delta)`, which squares nothing large.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let prediction = network.parameter(Tensor::from([0.5_f64, 3.0]));
    /// let target = network.input(Tensor::from([0.0, 0.0]));
    /// let loss = prediction.huber(target, 1.0);
    /// let evaluation = network.forward();
    /// assert_eq!(evaluation.of(loss).item(), (0.125 + 2.5) / 2.0);
    /// assert_eq!(evaluation.backward(loss).of(prediction).to_vec(), [0.25, 0.5]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where the shapes differ, or `delta` is not a finite number above 0.
    #[must_use]
    #[track_caller]
    pub fn huber(self, target: Self, delta: f64) -> Self {
        match self.try_huber(target, delta) {
            Ok(loss) => loss,
            Err(error) => error.raise(),
        }
    }

    /// The twin of [`Value::huber`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where the shapes differ, or `delta` is not a finite number above 0; nothing is recorded then.
    #[track_caller]
    pub fn try_huber(self, target: Self, delta: f64) -> Result<Self, ShapeError> {
        if !(delta > 0.0 && delta.is_finite()) {
            let problem = format!("delta must be a finite number above 0, not {delta}");
            return Err(ShapeError::refusal("huber", problem, &[self, target]));
        }
        self.check_target(target, "prediction and target must have one shape", "huber")?;
        let size = (self - target).abs();
        let near = size.minimum(size.literal(delta));
        Ok((near * (size - near * near.literal(0.5))).mean())
    }

    /// Refuses what is not of this value's shape, or of another network.
    #[track_caller]
    fn check_target(
        self,
        target: Self,
        problem: &str,
        operation: &'static str,
    ) -> Result<(), ShapeError> {
        if !std::ptr::eq(self.network(), target.network()) {
            return self.try_sub(target).map(|_| ()).map_err(|error| error.named(operation));
        }
        if self.shape() != target.shape() {
            let problem = format!("{problem}; `reshape` one of them");
            return Err(ShapeError::refusal(operation, problem, &[self, target]));
        }
        Ok(())
    }
}
