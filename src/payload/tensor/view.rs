//! Views under the names that users call: each shares storage and costs O(rank).
//!
//! INVARIANT: a view of a constant is a constant. A selection has no strides: regrouping its
//! leading axes keeps it one, any other view is of its dense twin.

use super::construct::checked;
use super::{Layout, Tensor, TensorError};
use crate::kernel::{Elementary, Kernels};
use crate::payload::storage::{Storage, widen};
use crate::payload::{Shape, Tensorial};

impl<E: Elementary> Tensor<E> {
    /// The same storage through another layout.
    pub(super) fn through_layout(&self, layout: impl Fn(&Layout) -> Layout) -> Self {
        match &self.storage {
            Storage::Selection(_) => {
                let plain = self.plain().into_owned();
                Self { layout: layout(&plain.layout), storage: plain.storage }
            }
            _ => Self { layout: layout(&self.layout), storage: self.storage.clone() },
        }
    }

    /// Rows of a `bf16` table, widened one by one: the table itself is not.
    pub(super) fn gather_bf16(&self, bits: &[u16], shape: Shape, columns: &[usize]) -> Self {
        use crate::kernel::walk::Walk;
        let strides = self.layout.strides();
        let rest = Walk::new(&self.shape()[1..], [&strides[1..]]);
        let mut elements = Vec::with_capacity(shape.count());
        for column in columns {
            rest.elements([self.layout.offset() + column * strides[0]], |[at]| {
                elements.push(widen(bits[at]));
            });
        }
        Self::dense(shape, elements)
    }

    fn axis_error(&self, op: &'static str, request: String) -> TensorError {
        TensorError::Axis { op, request, shape: self.shape().clone() }
    }

    /// The last two axes exchanged.
    ///
    /// # Panics
    ///
    /// Panics below rank 2; see [`Tensor::try_transpose`].
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Tensor;
    ///
    /// let t = Tensor::from([[1.0, 2.0], [3.0, 4.0]]).transpose();
    /// assert_eq!(t.to_vec(), [1.0, 3.0, 2.0, 4.0]);
    /// ```
    #[track_caller]
    #[must_use]
    pub fn transpose(&self) -> Self {
        match self.try_transpose() {
            Ok(tensor) => tensor,
            Err(error) => error.raise(),
        }
    }

    /// As [`Tensor::transpose`], with an error below rank 2.
    ///
    /// # Errors
    ///
    /// [`TensorError::Axis`].
    pub fn try_transpose(&self) -> Result<Self, TensorError> {
        let rank = self.rank();
        if rank < 2 {
            return Err(self.axis_error("transpose", "a pair of axes".into()));
        }
        let mut axes = (0..rank).collect::<Vec<_>>();
        axes.swap(rank - 2, rank - 1);
        Ok(Tensorial::permute(self, &axes))
    }

    /// Axis `i` of the result is axis `axes[i]`.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Tensor;
    ///
    /// let images = Tensor::full([8, 3, 32, 28], 0.5_f32);
    /// assert_eq!(*images.permute(&[0, 2, 3, 1]).shape(), [8, 32, 28, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// Panics where `axes` is no permutation; see [`Tensor::try_permute`].
    #[track_caller]
    #[must_use]
    pub fn permute(&self, axes: &[usize]) -> Self {
        match self.try_permute(axes) {
            Ok(tensor) => tensor,
            Err(error) => error.raise(),
        }
    }

    /// As [`Tensor::permute`], with an error where `axes` is no permutation.
    ///
    /// # Errors
    ///
    /// [`TensorError::Axis`].
    pub fn try_permute(&self, axes: &[usize]) -> Result<Self, TensorError> {
        let mut named = vec![false; self.rank()];
        let distinct = axes
            .iter()
            .all(|&axis| named.get_mut(axis).is_some_and(|named| !std::mem::replace(named, true)));
        if !distinct || axes.len() != self.rank() {
            return Err(self.axis_error("permute", format!("the order {axes:?}")));
        }
        Ok(Tensorial::permute(self, axes))
    }

    /// `length` positions of `axis` from `start`.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Tensor;
    ///
    /// let rows = Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!(rows.narrow(1, 1, 2), Tensor::from([[2.0, 3.0], [5.0, 6.0]]));
    /// ```
    ///
    /// # Panics
    ///
    /// Panics where the range leaves the axis; see [`Tensor::try_narrow`].
    #[track_caller]
    #[must_use]
    pub fn narrow(&self, axis: usize, start: usize, length: usize) -> Self {
        match self.try_narrow(axis, start, length) {
            Ok(tensor) => tensor,
            Err(error) => error.raise(),
        }
    }

    /// As [`Tensor::narrow`], with an error where the range leaves the axis.
    ///
    /// # Errors
    ///
    /// [`TensorError::Axis`].
    pub fn try_narrow(
        &self,
        axis: usize,
        start: usize,
        length: usize,
    ) -> Result<Self, TensorError> {
        let extent = self.shape().get(axis);
        let fits = match (start.checked_add(length), extent) {
            (Some(end), Some(&extent)) => end <= extent,
            _ => false,
        };
        if !fits {
            let request = format!("{length} positions of axis {axis} from {start}");
            return Err(self.axis_error("narrow", request));
        }
        Ok(Tensorial::narrow(self, axis, start, length))
    }

    /// Repeats axes of extent 1, and the whole along new leading axes, up to `shape` (the NumPy
    /// rule).
    ///
    /// # Panics
    ///
    /// Panics where another extent would have to change; see [`Tensor::try_broadcast_to`].
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Tensor;
    ///
    /// let rows = Tensor::from([1.0, 2.0]).broadcast_to([3, 2]);
    /// assert_eq!(rows.to_vec(), [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
    /// ```
    #[track_caller]
    #[must_use]
    pub fn broadcast_to(&self, shape: impl Into<Shape>) -> Self {
        match self.try_broadcast_to(shape) {
            Ok(tensor) => tensor,
            Err(error) => error.raise(),
        }
    }

    /// As [`Tensor::broadcast_to`], with an error where the shapes don't fit.
    ///
    /// # Errors
    ///
    /// [`TensorError::Shapes`] or [`TensorError::Overflow`].
    pub fn try_broadcast_to(&self, shape: impl Into<Shape>) -> Result<Self, TensorError> {
        let (shape, _) = checked(shape.into())?;
        let fits = shape.rank() >= self.rank()
            && self
                .shape()
                .iter()
                .zip(&shape[shape.rank() - self.rank()..])
                .all(|(&from, &to)| from == to || from == 1);
        if !fits {
            return Err(TensorError::Shapes {
                op: "broadcast_to",
                lhs: self.shape().clone(),
                rhs: shape,
            });
        }
        let axes = (shape.rank() - self.rank()..shape.rank()).collect::<Vec<_>>();
        Ok(Tensorial::broadcast(self, &shape, &axes))
    }

    /// The same elements in row-major order under another shape: a view where the layout allows
    /// it, else a copy.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Tensor;
    ///
    /// let pairs = Tensor::from([1.0, 2.0, 3.0, 4.0]).reshape([2, 2]);
    /// assert_eq!(pairs, Tensor::from([[1.0, 2.0], [3.0, 4.0]]));
    /// assert!(pairs.try_reshape([3]).is_err());
    /// ```
    ///
    /// # Panics
    ///
    /// Panics where the volumes differ; see [`Tensor::try_reshape`].
    #[track_caller]
    #[must_use]
    pub fn reshape(&self, shape: impl Into<Shape>) -> Self {
        match self.try_reshape(shape) {
            Ok(tensor) => tensor,
            Err(error) => error.raise(),
        }
    }

    /// As [`Tensor::reshape`], with an error where the volumes differ.
    ///
    /// # Errors
    ///
    /// [`TensorError::Shapes`] or [`TensorError::Overflow`].
    pub fn try_reshape(&self, shape: impl Into<Shape>) -> Result<Self, TensorError> {
        let (shape, volume) = checked(shape.into())?;
        if volume != self.len() {
            let lhs = self.shape().clone();
            return Err(TensorError::Shapes { op: "reshape", lhs, rhs: shape });
        }
        Ok(Tensorial::reshape(self, &shape, Kernels::Native))
    }

    /// A new axis of extent 1 before `axis`.
    ///
    /// # Panics
    ///
    /// Panics where `axis` exceeds the rank; see [`Tensor::try_unsqueeze`].
    #[track_caller]
    #[must_use]
    pub fn unsqueeze(&self, axis: usize) -> Self {
        match self.try_unsqueeze(axis) {
            Ok(tensor) => tensor,
            Err(error) => error.raise(),
        }
    }

    /// As [`Tensor::unsqueeze`], with an error where `axis` exceeds the rank.
    ///
    /// # Errors
    ///
    /// [`TensorError::Axis`].
    pub fn try_unsqueeze(&self, axis: usize) -> Result<Self, TensorError> {
        if axis > self.rank() {
            return Err(self.axis_error("unsqueeze", format!("axis {axis}")));
        }
        Ok(Tensorial::reshape(self, &self.shape().with_axis(axis, 1), Kernels::Native))
    }

    /// Without `axis`, whose extent is 1.
    ///
    /// # Panics
    ///
    /// Panics where `axis` does not exist or has another extent; see [`Tensor::try_squeeze`].
    #[track_caller]
    #[must_use]
    pub fn squeeze(&self, axis: usize) -> Self {
        match self.try_squeeze(axis) {
            Ok(tensor) => tensor,
            Err(error) => error.raise(),
        }
    }

    /// As [`Tensor::squeeze`], with an error where `axis` does not exist or has another extent.
    ///
    /// # Errors
    ///
    /// [`TensorError::Axis`].
    pub fn try_squeeze(&self, axis: usize) -> Result<Self, TensorError> {
        if self.shape().get(axis) != Some(&1) {
            return Err(self.axis_error("squeeze", format!("an axis {axis} of extent 1")));
        }
        Ok(Tensorial::reshape(self, &self.shape().without_axes(&[axis]), Kernels::Native))
    }
}
