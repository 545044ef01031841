//! The open traits of payloads: what a value on the tape may be.

use super::Shape;
use crate::kernel::memory::Block;
use crate::kernel::{Binary, Elementary, Kernels, Packed, Unary, Window};
use std::fmt::Debug;

/// How the elements of a payload are stored, with the elements.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Stored<E> {
    /// Every element, in row-major order.
    Dense(Vec<E>),
    /// One element that stands for all.
    Constant(E),
    /// One-hot rows along the last axis: the column of the 1 of each row.
    Selection(Vec<usize>),
    /// Dense `bf16` bits, widened on read.
    Bfloat16(Vec<u16>),
}

/// How a plan runs payloads of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// A single element: a flat program over elements.
    Scalar,
    /// Shaped elements, an operation's result being what `poorgrad::reference` makes of them: kernels
    /// over slices in one arena.
    Tensor,
    /// Anything else: the payload's own operations, one after the other.
    Opaque,
}

/// A payload: what a value holds. Scalars are payloads of shape `[]`.
///
/// Every [`Elementary`] type is one by a blanket implementation, and so is
/// [`Tensor`](crate::Tensor) over it. A payload is cheap to clone.
pub trait Differentiable: Clone + Debug + Send + Sync + 'static {
    /// The element.
    type Element: Elementary;

    /// Whether a payload of this type can have `shape`; scalars hold `[]` only.
    #[must_use]
    fn holds(shape: &Shape) -> bool {
        let _ = shape;
        true
    }
    /// How a plan runs payloads of this type.
    #[must_use]
    fn form() -> Form {
        Form::Opaque
    }
    /// The extents.
    fn shape(&self) -> Shape;
    /// The payload of `shape` with `value` everywhere.
    fn full(shape: &Shape, value: Self::Element) -> Self;
    /// The elements and how they are stored.
    fn stored(&self) -> Stored<Self::Element>;
    /// The payload of `shape` from stored elements, `None` where they don't fit.
    fn from_stored(shape: &Shape, stored: Stored<Self::Element>) -> Option<Self>;
    /// Calls `visit` for each element in logical row-major order.
    fn for_each(&self, visit: &mut dyn FnMut(&Self::Element));
    /// Whether the payload is stored as a selection (one-hot rows).
    fn is_selection(&self) -> bool {
        false
    }
    /// The columns of the 1s where the payload is stored as a selection.
    fn as_selection(&self) -> Option<&[usize]> {
        None
    }
    /// All elements where they lie in one piece in row-major order.
    fn as_elements(&self) -> Option<&[Self::Element]> {
        None
    }
    /// All elements as the right operand of products, `k` by `n`, laid out by [`Elementary::pack`] and kept with
    /// the payload: by its rows, or, where they are its columns, `turned`. `None` where it is not asked for
    /// often enough, or not held.
    fn as_packed(&self, extents: [usize; 2], turned: bool) -> Option<&Packed<Self::Element>> {
        let _ = (extents, turned);
        None
    }
    /// The payload of `shape` with these elements in row-major order, `None` where it cannot have
    /// them.
    fn from_block(shape: &Shape, elements: Block<Self::Element>) -> Option<Self> {
        Self::from_stored(shape, Stored::Dense(elements.into_vec()))
    }
    /// The bytes of storage that this payload keeps alive, shared storage counted whole.
    fn bytes(&self) -> usize;
    /// An identity of the storage, so that statistics count shared storage once; `None` where
    /// the payload has no storage of its own.
    fn storage_id(&self) -> Option<usize> {
        None
    }
}

/// The operations of the tape on payloads. Arguments are valid where this is called: shapes are
/// checked when an expression is recorded, and an implementation may panic on others.
///
/// Axes count from the outermost. Orders of arithmetic are those of `docs/spec`.
pub trait Tensorial: Differentiable {
    /// `op` of each element.
    #[must_use]
    fn map(&self, op: Unary, kernels: Kernels) -> Self;
    /// `op` of each pair of elements of two payloads of one shape.
    #[must_use]
    fn zip(&self, op: Binary, rhs: &Self, kernels: Kernels) -> Self;
    /// `on` where the condition `self` is not 0, else `off`; all three of one shape.
    #[must_use]
    fn select(&self, on: &Self, off: &Self, kernels: Kernels) -> Self;
    /// `[.., m, k] x [.., k, n] -> [.., m, n]` over equal leading axes.
    #[must_use]
    fn matmul(&self, rhs: &Self, kernels: Kernels) -> Self;
    /// The same elements, row-major, under another shape of the same volume.
    #[must_use]
    fn reshape(&self, shape: &Shape, kernels: Kernels) -> Self;
    /// Axis `i` of the result is axis `axes[i]` of `self`.
    #[must_use]
    fn permute(&self, axes: &[usize]) -> Self;
    /// `length` positions of `axis` from `start`.
    #[must_use]
    fn narrow(&self, axis: usize, start: usize, length: usize) -> Self;
    /// Axis `i` of `self` becomes axis `axes[i]` (ascending) of `shape`: its extent is kept, or
    /// 1 and repeated. Axes of `shape` that are not named repeat the whole.
    #[must_use]
    fn broadcast(&self, shape: &Shape, axes: &[usize]) -> Self;
    /// `before` and `after` further positions of `axis`, filled with `value`.
    #[must_use]
    fn pad(
        &self,
        axis: usize,
        before: usize,
        after: usize,
        value: &Self::Element,
        kernels: Kernels,
    ) -> Self;
    /// The parts behind one another along `axis`.
    #[must_use]
    fn concat(parts: &[&Self], axis: usize, kernels: Kernels) -> Self;
    /// Sliding windows: axis `axis` of extent `L` becomes `(L - dilation * (size - 1) - 1) /
    /// step + 1` windows, and a last axis of extent `size` is added.
    #[must_use]
    fn unfold(&self, axis: usize, size: usize, step: usize, dilation: usize) -> Self;
    /// The adjoint of `unfold`: `[.., windows, .., size]` summed back onto `axis` of `extent`.
    #[must_use]
    fn fold(
        &self,
        axis: usize,
        extent: usize,
        step: usize,
        dilation: usize,
        kernels: Kernels,
    ) -> Self;
    /// Rows of the table `self` `[rows, ..]` by a selection `[.., rows]`: `[.., ..]`. Rows that
    /// are not selected cannot influence the result.
    #[must_use]
    fn gather(&self, selection: &Self, kernels: Kernels) -> Self;
    /// The adjoint of `gather`: `self` `[.., ..]` added, in source order, onto `rows` zero rows
    /// where the selection `[.., rows]` says.
    #[must_use]
    fn scatter(&self, selection: &Self, kernels: Kernels) -> Self;
    /// The table `self` `[rows, ..]` with the rows that the selection `[count, rows]` names
    /// replaced by `source` `[count, ..]`; the last of equal names stays.
    #[must_use]
    fn row_update(&self, source: &Self, selection: &Self, kernels: Kernels) -> Self;
    /// The sum over the (ascending) `axes`, which are removed.
    #[must_use]
    fn sum(&self, axes: &[usize], kernels: Kernels) -> Self;
    /// The maximum over the (ascending) `axes`, which are removed.
    #[must_use]
    fn max(&self, axes: &[usize], kernels: Kernels) -> Self;
    /// 1 at the first maximum (the first NaN where there is one), in row-major order over the
    /// (ascending) `axes`, else 0; the shape of `self`.
    #[must_use]
    fn first_max(&self, axes: &[usize], kernels: Kernels) -> Self;
    /// `m + ln(sum(exp(x - m)))` along `axis`, which is removed.
    #[must_use]
    fn log_sum_exp(&self, axis: usize, kernels: Kernels) -> Self;
    /// `(x - m) - ln(sum(exp(x - m)))` along `axis`.
    #[must_use]
    fn log_softmax(&self, axis: usize, kernels: Kernels) -> Self;
    /// `exp(x - m) / sum(exp(x - m))` along `axis`.
    #[must_use]
    fn softmax(&self, axis: usize, kernels: Kernels) -> Self;
    /// The windowed product of images `[n, c, h, w]` by weights `[f, c / groups, kh, kw]`:
    /// `[n, f, oh, ow]`, a convolution without flipping. By default the chain of pads, unfolds
    /// and one product per group that records it.
    #[must_use]
    fn windowed_product(&self, weights: &Self, window: &Window, kernels: Kernels) -> Self {
        super::windowed::windowed_product(self, weights, window, kernels)
    }
}
