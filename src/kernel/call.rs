//! `Call`: a kernel as data, over views and a result of the caller's.
//!
//! What a schedule holds instead of code: a step names a call, its operands and where its result
//! goes, and can be printed, compared and run.

use super::chain::row_major;
use super::element::Elementary;
use super::native;
use super::numerics::Numerics;
use super::reference::View;
use super::task::{Finish, WindowForm, WindowTask};
use super::walk::product_of;
use super::window::{Window, Windows};

/// A kernel with its attributes. Axes ascend.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Call {
    /// The elements in row-major order.
    Copy,
    Product,
    Sum(Box<[usize]>),
    Max(Box<[usize]>),
    FirstMax(Box<[usize]>),
    LogSumExp(usize),
    LogSoftmax(usize),
    Softmax(usize),
    Pad {
        axis: usize,
        before: usize,
        after: usize,
        /// The bits of the filling number: equal calls fill with equal bits.
        bits: u64,
    },
    Concat(usize),
    Fold {
        axis: usize,
        extent: usize,
        step: usize,
        dilation: usize,
    },
    Gather,
    /// Source rows added where the selection says.
    Scatter {
        rows: usize,
        /// How many axes of the source the selection has.
        leading: usize,
    },
    RowUpdate,
    /// Work on the windows of images: of elements with kernels of their own alone.
    Window {
        form: WindowForm,
        geometry: Box<Geometry>,
    },
}

/// The images and the windows over them.
///
/// COST: apart from its call: every item of a schedule has room for a call, and few are of this kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Geometry {
    pub(crate) extents: [usize; 4],
    pub(crate) filters: [usize; 4],
    pub(crate) window: Window,
}

impl Call {
    /// The name that schedules print.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Product => "product",
            Self::Sum(_) => "sum",
            Self::Max(_) => "max",
            Self::FirstMax(_) => "first_max",
            Self::LogSumExp(_) => "log_sum_exp",
            Self::LogSoftmax(_) => "log_softmax",
            Self::Softmax(_) => "softmax",
            Self::Pad { .. } => "pad",
            Self::Concat(_) => "concat",
            Self::Fold { .. } => "fold",
            Self::Gather => "gather",
            Self::Scatter { .. } => "scatter",
            Self::RowUpdate => "row_update",
            Self::Window { form: WindowForm::Product, .. } => "conv",
            Self::Window { form: WindowForm::ImagesGradient, .. } => "conv_images",
            Self::Window { form: WindowForm::WeightsGradient, .. } => "conv_weights",
            Self::Window { form: WindowForm::MaxPool, .. } => "max_pool",
            Self::Window { form: WindowForm::MaxPoolGradient, .. } => "max_unpool",
        }
    }

    /// Whether the kernel calls what follows while a part of its result is near.
    pub(crate) fn is_followed(&self) -> bool {
        let Self::Window { form, .. } = self else { return matches!(self, Self::Product) };
        !matches!(form, WindowForm::MaxPool | WindowForm::WeightsGradient)
    }

    /// Plain operations that computing `count` results from operands of these extents takes.
    pub(crate) fn operations(&self, operands: &[&[usize]], count: usize) -> u64 {
        let read = || operands.first().map_or(0, |extents| product_of(extents)) as u64;
        let count = count as u64;
        match self {
            Self::Product => {
                let depth = operands[0].last().copied().unwrap_or(1);
                2 * count * depth as u64
            }
            Self::Sum(_) | Self::Max(_) | Self::FirstMax(_) | Self::Fold { .. } => read(),
            Self::Scatter { .. } => read(),
            // A maximum, a difference, an exponential, a sum and a last step for each element.
            Self::LogSumExp(_) | Self::LogSoftmax(_) | Self::Softmax(_) => 5 * read(),
            Self::Window { form: WindowForm::MaxPool | WindowForm::MaxPoolGradient, geometry } => {
                product_of(&geometry.extents) as u64
            }
            Self::Window { geometry, .. } => {
                let Geometry { extents, filters, window } = &**geometry;
                2 * Windows::new(*extents, *filters, window).operations() as u64
            }
            Self::Copy | Self::Pad { .. } | Self::Concat(_) | Self::Gather | Self::RowUpdate => 0,
        }
    }

    /// Computes all of `out`, whatever it holds, which has an element at least. `rows` are the rows
    /// that the selection names, where there is one.
    pub(crate) fn run<E: Elementary>(
        &self,
        operands: &[View<'_, E>],
        rows: &[usize],
        numerics: Numerics,
        out: &mut [E],
    ) {
        match self {
            Self::Copy => native::copy_into(operands[0], out),
            Self::Product => {
                native::matmul_into(operands[0], operands[1], numerics, None, None, out)
            }
            Self::Sum(axes) => native::sum_into(operands[0], axes, out),
            Self::Max(axes) => native::max_into(operands[0], axes, out),
            Self::FirstMax(axes) => native::first_max_into(operands[0], axes, out),
            Self::LogSumExp(axis) => native::log_sum_exp_into(operands[0], *axis, out),
            Self::LogSoftmax(axis) => native::log_softmax_into(operands[0], *axis, out),
            Self::Softmax(axis) => native::softmax_into(operands[0], *axis, out),
            Self::Pad { axis, before, after, bits } => {
                let value = E::from_f64(f64::from_bits(*bits));
                native::pad_into(operands[0], *axis, [*before, *after], &value, out);
            }
            Self::Concat(axis) => native::concat_into(operands, *axis, out),
            Self::Fold { axis, extent, step, dilation } => {
                native::fold_into(operands[0], *axis, [*extent, *step, *dilation], out);
            }
            Self::Gather => native::gather_into(operands[0], rows, out),
            Self::Scatter { leading, .. } => {
                let source = native::packed(operands[0]);
                let extents = [&[rows.len()], &operands[0].extents[*leading..]].concat();
                let strides = row_major(&extents);
                let source =
                    View { elements: &source, extents: &extents, strides: &strides, offset: 0 };
                native::scatter_into(source, rows, out);
            }
            Self::RowUpdate => {
                native::row_update_into(operands[0], operands[1], rows, out);
            }
            Self::Window { .. } => self.run_windows(operands, numerics, out, None),
        }
    }

    /// As [`Call::run`] of work on windows; `finish` follows where there is one.
    fn run_windows<E: Elementary>(
        &self,
        operands: &[View<'_, E>],
        numerics: Numerics,
        out: &mut [E],
        finish: Option<Finish<'_, E>>,
    ) {
        let Self::Window { form, geometry } = self else {
            unreachable!("invariant: called for work on windows")
        };
        let (form, Geometry { extents, filters, window }) = (*form, (**geometry).clone());
        let first = native::packed(operands[0]);
        let second = operands.get(1).map(|&operand| native::packed(operand));
        let operands = [&*first, second.as_deref().unwrap_or(&[])];
        let mut task =
            WindowTask { form, operands, extents, filters, window, out, finish, numerics };
        let taken = E::window(&mut task);
        assert!(taken, "invariant: windows are matched where the element has kernels");
        task.close();
    }

    /// As [`Call::run`] of a kernel without a selection; `finish` follows on runs of the result, each
    /// with the position of its first element.
    pub(crate) fn run_followed<E: Elementary>(
        &self,
        operands: &[View<'_, E>],
        numerics: Numerics,
        out: &mut [E],
        finish: Finish<'_, E>,
    ) {
        if let Self::Product = self {
            let [a, b] = [operands[0], operands[1]];
            return native::matmul_into(a, b, numerics, None, Some(finish), out);
        }
        if let Self::Window { .. } = self {
            return self.run_windows(operands, numerics, out, Some(finish));
        }
        self.run(operands, &[], numerics, out);
        finish(0, out);
    }
}
