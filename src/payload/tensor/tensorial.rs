//! The operations of the tape on tensors: shapes in, a table of kernels, shapes out.
//!
//! INVARIANT: which storage an operand has never shows in the result's bits. A constant stands for
//! its dense twin, and what is computed once for all of it is what every element would give.

use super::Tensor;
use crate::kernel::memory::Block;
use crate::kernel::walk::product_of;
use crate::kernel::window::Windows;
use crate::kernel::{
    Binary, Elementary, Kernels, Numerics, Unary, Window, WindowForm, WindowTask, native, reference,
};
use crate::payload::storage::Storage;
use crate::payload::windowed::windowed_product;
use crate::payload::{Shape, Tensorial, volume_of};
use std::borrow::Cow;

/// `$kernels` decides between the definition and its fast twin of the same name.
macro_rules! run {
    ($kernels:expr, $name:ident($($argument:expr),*)) => {
        match $kernels {
            Kernels::Reference => Block::from(reference::$name($($argument),*)),
            Kernels::Native => Block::from(native::$name($($argument),*)),
        }
    };
}

impl<E: Elementary> Tensor<E> {
    /// The rows that a selection names, in order.
    fn rows_named(&self) -> Cow<'_, [usize]> {
        if let Storage::Selection(columns) = &self.storage {
            return Cow::Borrowed(columns);
        }
        // A dense twin of a selection: the column of each row's first element that is not 0.
        let classes = self.shape().last().copied().expect("invariant: a selection has an axis");
        let elements = self.to_vec();
        let hot = |row: &[E]| {
            row.iter().position(|x| !x.is_zero()).expect("a selection has a 1 in every row")
        };
        Cow::Owned(elements.chunks(classes.max(1)).map(hot).collect())
    }

    /// The windowed product by a kernel of the element's own, where it has one.
    fn direct_product(&self, weights: &Self, window: &Window) -> Option<Self> {
        let extents = self.shape().extents().try_into().ok()?;
        let filters = weights.shape().extents().try_into().ok()?;
        let windows = Windows::new(extents, filters, window);
        let [oh, ow] = windows.outputs;
        let shape = Shape::from([extents[0], filters[0], oh, ow]);
        let mut out = Block::zeros(shape.count());
        let (images, weights) = (self.plain(), weights.plain());
        let (images, weights) = (native::packed(images.view()), native::packed(weights.view()));
        let (form, operands, window) = (WindowForm::Product, [&*images, &*weights], *window);
        let (out_of, finish, numerics) = (&mut out[..], None, Numerics::Exact);
        let mut task =
            WindowTask { form, operands, extents, filters, window, out: out_of, finish, numerics };
        E::window(&mut task).then(|| Self::dense(shape, out))
    }

    fn constant_like(&self, value: E) -> Self {
        Self::constant(self.shape().clone(), value)
    }

    /// `of` the element of a constant and the number of times that each line repeats it, computed
    /// once for all lines.
    fn reduce_constant(&self, axes: &[usize], of: impl Fn(&E, usize) -> E) -> Option<Self> {
        let value = self.as_constant()?;
        let shape = self.shape().without_axes(axes);
        if shape.contains(&0) {
            return Some(Self::dense(shape, Vec::new()));
        }
        let reduced = axes.iter().map(|&axis| self.shape()[axis]).collect::<Vec<_>>();
        Some(Self::constant(shape, of(value, product_of(&reduced))))
    }

    /// The dense tensor of `shape` with the elements that `elements` makes, which is not asked
    /// where there are none: the other extents may be beyond any loop then.
    fn made(shape: Shape, elements: impl FnOnce() -> Block<E>) -> Self {
        let elements = if shape.contains(&0) { Block::stale(0) } else { elements() };
        Self::dense(shape, elements)
    }

    /// As [`Tensor::to_vec`], by one table of kernels.
    fn elements(&self, kernels: Kernels) -> Block<E> {
        match self.strided() {
            Some(view) => run!(kernels, copy(view)),
            None => self.to_vec().into(),
        }
    }
}

impl<E: Elementary> Tensorial for Tensor<E> {
    fn map(&self, op: Unary, kernels: Kernels) -> Self {
        if let Some(value) = self.as_constant() {
            return self.constant_like(op.apply(value));
        }
        if let Some(x) = self.strided() {
            return self.with_elements(run!(kernels, map(op, x)));
        }
        self.with_elements(run!(kernels, map(op, self.plain().view())))
    }

    fn zip(&self, op: Binary, rhs: &Self, kernels: Kernels) -> Self {
        debug_assert_eq!(self.shape(), rhs.shape(), "invariant: shapes are checked when recorded");
        if let (Some(a), Some(b)) = (self.as_constant(), rhs.as_constant()) {
            return self.constant_like(op.apply(a, b));
        }
        if let (Some(a), Some(b)) = (self.strided(), rhs.strided()) {
            return self.with_elements(run!(kernels, zip(op, a, b)));
        }
        let (a, b) = (self.plain(), rhs.plain());
        self.with_elements(run!(kernels, zip(op, a.view(), b.view())))
    }

    fn select(&self, on: &Self, off: &Self, kernels: Kernels) -> Self {
        if let Some(condition) = self.as_constant() {
            return if condition.is_zero() { off.clone() } else { on.clone() };
        }
        let (condition, on, off) = (self.plain(), on.plain(), off.plain());
        let elements = run!(kernels, select(condition.view(), on.view(), off.view()));
        self.with_elements(elements)
    }

    fn matmul(&self, rhs: &Self, kernels: Kernels) -> Self {
        let rank = self.rank();
        let shape = self.shape().with_extent(rank - 1, rhs.shape()[rank - 1]);
        Self::made(shape, || run!(kernels, product(self.plain().view(), rhs.plain().view())))
    }

    fn reshape(&self, shape: &Shape, kernels: Kernels) -> Self {
        debug_assert_eq!(self.len(), shape.count(), "invariant: a reshape keeps the volume");
        match &self.storage {
            Storage::Constant(value) => Self::constant(shape.clone(), value.clone()),
            Storage::Selection(columns) => {
                let rows =
                    shape.split_last().and_then(|(_, leading)| volume_of(leading.iter().copied()));
                if shape.last() == self.shape().last() && rows == Some(columns.len()) {
                    let layout = super::Layout::contiguous(shape.clone());
                    return Self { layout, storage: self.storage.clone() };
                }
                Self::dense(shape.clone(), self.elements(kernels))
            }
            Storage::Dense(_) | Storage::Bfloat16(_) => match self.layout.reshape(shape) {
                Some(layout) => Self { layout, storage: self.storage.clone() },
                None => Self::dense(shape.clone(), self.elements(kernels)),
            },
        }
    }

    fn permute(&self, axes: &[usize]) -> Self {
        self.through_layout(|layout| layout.permute(axes))
    }

    fn narrow(&self, axis: usize, start: usize, length: usize) -> Self {
        if start == 0 && length == self.shape()[axis] {
            return self.clone();
        }
        self.through_layout(|layout| layout.narrow(axis, start, length))
    }

    fn broadcast(&self, shape: &Shape, axes: &[usize]) -> Self {
        if shape == self.shape() {
            return self.clone();
        }
        self.through_layout(|layout| layout.broadcast(shape, axes))
    }

    fn pad(&self, axis: usize, before: usize, after: usize, value: &E, kernels: Kernels) -> Self {
        if before == 0 && after == 0 {
            return self.clone();
        }
        let shape = self.shape().with_extent(axis, before + self.shape()[axis] + after);
        Self::made(shape, || run!(kernels, pad(self.plain().view(), axis, before, after, value)))
    }

    fn concat(parts: &[&Self], axis: usize, kernels: Kernels) -> Self {
        let first = parts.first().expect("invariant: a concatenation has a part");
        let extent = parts.iter().fold(0, |extent, part| extent + part.shape()[axis]);
        Self::made(first.shape().with_extent(axis, extent), || {
            let plain = parts.iter().map(|part| part.plain()).collect::<Vec<_>>();
            let views = plain.iter().map(|part| part.view()).collect::<Vec<_>>();
            run!(kernels, concat(&views, axis))
        })
    }

    fn unfold(&self, axis: usize, size: usize, step: usize, dilation: usize) -> Self {
        self.through_layout(|layout| layout.unfold(axis, size, step, dilation))
    }

    fn fold(
        &self,
        axis: usize,
        extent: usize,
        step: usize,
        dilation: usize,
        kernels: Kernels,
    ) -> Self {
        let rank = self.rank() - 1;
        let shape = self.shape().without_axes(&[rank]).with_extent(axis, extent);
        Self::made(shape, || run!(kernels, fold(self.plain().view(), axis, extent, step, dilation)))
    }

    fn windowed_product(&self, weights: &Self, window: &Window, kernels: Kernels) -> Self {
        if kernels == Kernels::Native
            && let Some(product) = self.direct_product(weights, window)
        {
            return product;
        }
        windowed_product(self, weights, window, kernels)
    }

    fn gather(&self, selection: &Self, kernels: Kernels) -> Self {
        let leading = &selection.shape()[..selection.rank() - 1];
        let shape = Shape::from([leading, &self.shape()[1..]].concat());
        if let Some(value) = self.as_constant() {
            return Self::constant(shape, value.clone());
        }
        if let (Storage::Bfloat16(bits), Kernels::Native) = (&self.storage, kernels) {
            return self.gather_bf16(bits, shape, &selection.rows_named());
        }
        Self::made(shape, || run!(kernels, gather(self.plain().view(), &selection.rows_named())))
    }

    fn scatter(&self, selection: &Self, kernels: Kernels) -> Self {
        let leading = selection.rank() - 1;
        let rows = selection.shape()[leading];
        let columns = selection.rows_named();
        let shape = Shape::from([&[rows], &self.shape()[leading..]].concat());
        let list = Shape::from([&[columns.len()], &self.shape()[leading..]].concat());
        Self::made(shape, || {
            let source = Tensorial::reshape(self, &list, kernels);
            run!(kernels, scatter(source.plain().view(), &columns, rows))
        })
    }

    fn row_update(&self, source: &Self, selection: &Self, kernels: Kernels) -> Self {
        let (table, source) = (self.plain(), source.plain());
        let columns = selection.rows_named();
        self.with_elements(run!(kernels, row_update(table.view(), source.view(), &columns)))
    }

    fn sum(&self, axes: &[usize], kernels: Kernels) -> Self {
        // BITS: the additions are those of the dense twin.
        if let Some(sum) = self.reduce_constant(axes, reference::sum_of_equal) {
            return sum;
        }
        Self::made(self.shape().without_axes(axes), || {
            run!(kernels, sum(self.plain().view(), axes))
        })
    }

    fn max(&self, axes: &[usize], kernels: Kernels) -> Self {
        // Equal elements have themselves for a maximum; of none there is none, here as elsewhere.
        if let Some(max) = self.reduce_constant(axes, |value, count| {
            assert!(count > 0, "max: an empty axis has no maximum");
            value.clone()
        }) {
            return max;
        }
        Self::made(self.shape().without_axes(axes), || {
            run!(kernels, max(self.plain().view(), axes))
        })
    }

    fn first_max(&self, axes: &[usize], kernels: Kernels) -> Self {
        Self::made(self.shape().clone(), || run!(kernels, first_max(self.plain().view(), axes)))
    }

    fn log_sum_exp(&self, axis: usize, kernels: Kernels) -> Self {
        Self::made(self.shape().without_axes(&[axis]), || {
            run!(kernels, log_sum_exp(self.plain().view(), axis))
        })
    }

    fn log_softmax(&self, axis: usize, kernels: Kernels) -> Self {
        Self::made(self.shape().clone(), || run!(kernels, log_softmax(self.plain().view(), axis)))
    }

    fn softmax(&self, axis: usize, kernels: Kernels) -> Self {
        Self::made(self.shape().clone(), || run!(kernels, softmax(self.plain().view(), axis)))
    }
}
