//! Products, maps and reductions under the names that users call.

use super::{Tensor, TensorError};
use crate::kernel::reference::first_max_of;
use crate::kernel::{Elementary, Kernels};
use crate::payload::Tensorial;

impl<E: Elementary> Tensor<E> {
    /// The matrix product over equal leading axes: `[.., m, k] x [.., k, n] -> [.., m, n]`.
    ///
    /// # Panics
    ///
    /// Panics where the shapes don't fit; see [`Tensor::try_matmul`].
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Tensor;
    ///
    /// let a = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
    /// let b = Tensor::from([[5.0], [6.0]]);
    /// assert_eq!(a.matmul(&b), Tensor::from([[17.0], [39.0]]));
    /// ```
    #[track_caller]
    #[must_use]
    pub fn matmul(&self, rhs: &Self) -> Self {
        match self.try_matmul(rhs) {
            Ok(tensor) => tensor,
            Err(error) => error.raise(),
        }
    }

    /// As [`Tensor::matmul`], with an error where the shapes don't fit.
    ///
    /// # Errors
    ///
    /// [`TensorError::Shapes`], or [`TensorError::Overflow`] for the result's volume.
    pub fn try_matmul(&self, rhs: &Self) -> Result<Self, TensorError> {
        let (a, b) = (self.shape(), rhs.shape());
        let rank = a.rank();
        let fits = rank >= 2
            && b.rank() == rank
            && a[..rank - 2] == b[..rank - 2]
            && a[rank - 1] == b[rank - 2];
        if !fits {
            return Err(TensorError::Shapes { op: "matmul", lhs: a.clone(), rhs: b.clone() });
        }
        super::construct::checked(a.with_extent(rank - 1, b[rank - 1]))?;
        Ok(Tensorial::matmul(self, rhs, Kernels::Native))
    }

    /// `f` of each element, in row-major order. A constant stays one: `f` is called once for it.
    #[must_use]
    pub fn map<F: Elementary>(&self, mut f: impl FnMut(E) -> F) -> Tensor<F> {
        match self.as_constant() {
            Some(value) => Tensor::constant(self.shape().clone(), f(value.clone())),
            None => Tensor::dense(self.shape().clone(), self.iter().map(f).collect::<Vec<_>>()),
        }
    }

    /// The sum of all elements, by the documented rule; `+0` of nothing.
    #[must_use]
    pub fn sum(&self) -> E {
        let axes = (0..self.rank()).collect::<Vec<_>>();
        Tensorial::sum(self, &axes, Kernels::Native).item()
    }

    fn ascending(&self, op: &'static str, axes: &[usize]) -> Result<Vec<usize>, TensorError> {
        let mut ascending = axes.to_vec();
        ascending.sort_unstable();
        ascending.dedup();
        if ascending.len() != axes.len()
            || ascending.last().is_some_and(|&axis| axis >= self.rank())
        {
            let (request, shape) = (format!("the list of axes {axes:?}"), self.shape().clone());
            return Err(TensorError::Axis { op, request, shape });
        }
        Ok(ascending)
    }

    /// The sum over `axes`, which are removed.
    ///
    /// # Panics
    ///
    /// Panics where an axis is named twice or does not exist, or the result's volume overflows (which
    /// takes an empty axis); see [`Tensor::try_sum_along`].
    #[track_caller]
    #[must_use]
    pub fn sum_along(&self, axes: &[usize]) -> Self {
        match self.try_sum_along(axes) {
            Ok(tensor) => tensor,
            Err(error) => error.raise(),
        }
    }

    /// As [`Tensor::sum_along`], with an error where an axis is named twice or does not exist.
    ///
    /// # Errors
    ///
    /// [`TensorError::Axis`], or [`TensorError::Overflow`] for the result's volume.
    pub fn try_sum_along(&self, axes: &[usize]) -> Result<Self, TensorError> {
        let axes = self.ascending("sum_along", axes)?;
        // Without its extent of 0, a shape may have a volume that is too large.
        super::construct::checked(self.shape().without_axes(&axes))?;
        Ok(Tensorial::sum(self, &axes, Kernels::Native))
    }

    /// The maximum over `axes`, which are removed: NaN where there is one, and `-0 < +0`.
    ///
    /// # Panics
    ///
    /// Panics where an axis is named twice, does not exist, or is empty; see
    /// [`Tensor::try_max_along`].
    #[track_caller]
    #[must_use]
    pub fn max_along(&self, axes: &[usize]) -> Self {
        match self.try_max_along(axes) {
            Ok(tensor) => tensor,
            Err(error) => error.raise(),
        }
    }

    /// As [`Tensor::max_along`], with an error where an axis is named twice, does not exist, or is
    /// empty.
    ///
    /// # Errors
    ///
    /// [`TensorError::Axis`] or [`TensorError::Empty`].
    pub fn try_max_along(&self, axes: &[usize]) -> Result<Self, TensorError> {
        let axes = self.ascending("max_along", axes)?;
        self.not_empty("max_along", &axes)?;
        Ok(Tensorial::max(self, &axes, Kernels::Native))
    }

    /// No reduced axis is empty, whatever the others are: as when a maximum is recorded.
    fn not_empty(&self, op: &'static str, axes: &[usize]) -> Result<(), TensorError> {
        if axes.iter().any(|&axis| self.shape()[axis] == 0) {
            return Err(TensorError::Empty { op, shape: self.shape().clone() });
        }
        Ok(())
    }

    /// The position of the maximum along `axis`, for each index of the other axes in row-major
    /// order. Of a tie the lowest position counts; the first NaN counts as the maximum where there
    /// is one.
    ///
    /// # Panics
    ///
    /// Panics where the axis does not exist or is empty; see [`Tensor::try_argmax_along`].
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Tensor;
    ///
    /// let t = Tensor::from([[1.0, 3.0, 3.0, 2.0], [0.0, f64::NAN, 9.0, 1.0]]);
    /// assert_eq!(t.argmax_along(1), [1, 1]);
    /// ```
    #[track_caller]
    #[must_use]
    pub fn argmax_along(&self, axis: usize) -> Vec<usize> {
        match self.try_argmax_along(axis) {
            Ok(positions) => positions,
            Err(error) => error.raise(),
        }
    }

    /// As [`Tensor::argmax_along`], with an error where the axis does not exist or is empty.
    ///
    /// # Errors
    ///
    /// [`TensorError::Axis`] or [`TensorError::Empty`].
    pub fn try_argmax_along(&self, axis: usize) -> Result<Vec<usize>, TensorError> {
        let _ = self.ascending("argmax_along", &[axis])?;
        self.not_empty("argmax_along", &[axis])?;
        let rank = self.rank();
        let axes = (0..rank).filter(|&other| other != axis).chain([axis]).collect::<Vec<_>>();
        let lines = Tensorial::permute(self, &axes).to_vec();
        let first = |line: &[E]| first_max_of(line).expect("invariant: a chunk is not empty");
        Ok(lines.chunks(self.shape()[axis]).map(first).collect())
    }
}
