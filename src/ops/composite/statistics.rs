//! Means, variance and inner product, recorded from sums and products.

use crate::graph::{ShapeError, Value, error::Violation, error::recorded};
use crate::ops::{BroadcastAlong, BroadcastLike, Count, SumAlong};
use crate::payload::Tensorial;

impl<P: Tensorial> Value<'_, P> {
    /// The mean of all elements, a scalar: `sum / count`.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let y = network.leaf(Tensor::from([1.0_f32, 2.0, 6.0])).mean();
    /// assert_eq!(network.forward().of(y).item(), 3.0);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn mean(self) -> Self {
        let axes = (0..self.shape().rank()).collect();
        self.sum() / self.apply(Count { axes }, &[])
    }

    /// The mean over `axes` (ascending), which are removed: `sum_along / count`.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.leaf(Tensor::from([[1.0_f32, 2.0, 6.0], [0.0, 4.0, 8.0]]));
    /// let (rows, columns) = (x.mean_along(&[1]), x.mean_along(&[0]));
    /// let run = network.forward();
    /// assert_eq!(run.of(rows).to_vec(), [3.0, 4.0]);
    /// assert_eq!(run.of(columns).to_vec(), [0.5, 3.0, 7.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where `axes` are not distinct ascending axes, or the result overflows the address space.
    #[must_use]
    #[track_caller]
    pub fn mean_along(self, axes: &[usize]) -> Self {
        recorded(self.try_mean_along(axes))
    }

    /// The twin of [`Value::mean_along`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `axes` are not distinct ascending axes, or the result overflows the address space.
    #[track_caller]
    pub fn try_mean_along(self, axes: &[usize]) -> Result<Self, ShapeError> {
        let sum = self.try_apply(SumAlong { axes: axes.into() }, &[]);
        let sum = sum.map_err(|error| error.named("mean_along"))?;
        let count = self.try_apply(Count { axes: axes.into() }, &[])?;
        let count =
            if sum.shape().rank() == 0 { count } else { count.apply(BroadcastLike, &[sum]) };
        sum.try_div(count)
    }

    /// The biased variance over `axes` (ascending), which are removed: the mean of the squared
    /// distances from the mean, in two passes.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.leaf(Tensor::from([[1.0_f32, 3.0], [2.0, 10.0]]));
    /// let variance = x.variance_along(&[1]);
    /// assert_eq!(network.forward().of(variance).to_vec(), [1.0, 16.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where `axes` are not distinct ascending axes, or the result overflows the address space.
    #[must_use]
    #[track_caller]
    pub fn variance_along(self, axes: &[usize]) -> Self {
        recorded(self.try_variance_along(axes))
    }

    /// The twin of [`Value::variance_along`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where `axes` are not distinct ascending axes, or the result overflows the address space.
    #[track_caller]
    pub fn try_variance_along(self, axes: &[usize]) -> Result<Self, ShapeError> {
        let mean = self.try_mean_along(axes).map_err(|error| error.named("variance_along"))?;
        let distance =
            self.try_sub(mean.try_apply(BroadcastAlong { axes: axes.into() }, &[self])?)?;
        distance.try_mul(distance)?.try_mean_along(axes)
    }

    /// The inner product of two vectors `[k]`, a scalar, in the order of a matrix product.
    ///
    /// # Panics
    ///
    /// Where the operands are not vectors of one extent.
    #[must_use]
    #[track_caller]
    pub fn dot(self, rhs: Self) -> Self {
        recorded(self.try_dot(rhs))
    }

    /// The twin of [`Value::dot`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where the operands are not vectors of one extent.
    #[track_caller]
    pub fn try_dot(self, rhs: Self) -> Result<Self, ShapeError> {
        if self.shape().rank() != 1 || self.shape() != rhs.shape() {
            let nodes = [self, rhs].map(|value| value.network.node(value.index));
            let violation = Violation::new(1, "the operands are not vectors of one extent");
            return Err(ShapeError::new("dot", violation, &nodes));
        }
        self.try_together(rhs, "dot")?;
        Ok(self.unsqueeze(0).try_matmul(rhs.unsqueeze(1))?.squeeze(0).squeeze(0))
    }
}
