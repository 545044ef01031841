//! Tasks: work that an element may take into its own hands, with a kernel that it brings.
//!
//! INVARIANT: a task that is not taken is left as it was handed over; one that is taken has its
//! whole output written, in the specified order of arithmetic where the element is `f32` or `f64`.

mod chain;
mod columns;
mod packed;
mod transpose;

pub use chain::ChainTask;
pub use columns::ColumnsTask;
pub use packed::Packed;
pub use transpose::TransposeTask;

use super::element::Elementary;
use super::map::Unary;
use super::numerics::Numerics;
use super::window::{Window, Windows};
use std::fmt;

/// A matrix inside a slice, by its strides.
#[derive(Debug)]
#[non_exhaustive]
pub struct Matrix<'a, E> {
    /// The slice; element `(i, j)` is at `i * row + j * column`.
    pub elements: &'a [E],
    /// The distance of neighbours in a column.
    pub row: usize,
    /// The distance of neighbours in a row.
    pub column: usize,
}

impl<E> Clone for Matrix<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<E> Copy for Matrix<'_, E> {}

impl<'a, E> Matrix<'a, E> {
    /// The matrix in `elements` with these strides.
    #[must_use]
    pub fn new(elements: &'a [E], row: usize, column: usize) -> Self {
        Self { elements, row, column }
    }

    pub(crate) fn transposed(&self) -> Self {
        Self::new(self.elements, self.column, self.row)
    }

    /// The element of row `i` and column `j`.
    ///
    /// # Panics
    ///
    /// Where that is outside the slice.
    #[inline]
    #[must_use]
    pub fn at(&self, i: usize, j: usize) -> &'a E {
        &self.elements[i * self.row + j * self.column]
    }
}

/// What follows on a product, element by element: called with where in the whole result a run of
/// elements starts, and the run.
pub type Finish<'a, E> = &'a (dyn Fn(usize, &mut [E]) + Sync + 'a);

/// One matrix product, `out = a b`: see [`Elementary::gemm`](crate::Elementary::gemm).
#[non_exhaustive]
pub struct GemmTask<'a, E: Elementary> {
    /// Rows of `a` and of `out`.
    pub m: usize,
    /// Columns of `a`, rows of `b`: what is summed over.
    pub k: usize,
    /// Columns of `b` and of `out`.
    pub n: usize,
    /// The left operand, `m` by `k`.
    pub a: Matrix<'a, E>,
    /// The right operand, `k` by `n`.
    pub b: Matrix<'a, E>,
    /// The result, `m` by `n`, row-major. What it holds when it is handed over means nothing; whoever
    /// takes the task writes all of it.
    pub out: &'a mut [E],
    /// Called once for every element, as part of a run, when the element has its sum and is near;
    /// in any order, from any thread. Whoever calls it takes it out of here first: where it is left,
    /// the caller of the task calls it for the whole result.
    pub finish: Option<Finish<'a, E>>,
    /// Where `out` starts in what `finish` counts from: a product may be one of a batch.
    pub start: usize,
    /// How sums are rounded. A kernel may always be exact.
    pub numerics: Numerics,
    /// The right operand once more, laid out by [`Elementary::pack`](crate::Elementary::pack). A kernel may
    /// always read `b`.
    pub packed: Option<&'a Packed<E>>,
}

impl<E: Elementary> fmt::Debug for GemmTask<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { m, k, n, a, b, out, finish, start, numerics, packed } = self;
        let mut debug = f.debug_struct("GemmTask");
        debug.field("m", m).field("k", k).field("n", n).field("a", a).field("b", b);
        let finish = finish.map(|_| "..");
        debug.field("out", out).field("finish", &finish).field("start", start);
        debug.field("numerics", numerics).field("packed", packed).finish()
    }
}

impl<'a, E: Elementary> GemmTask<'a, E> {
    /// The product of `a`, `m` by `k`, and `b`, `k` by `n`, into `out`, whatever that holds.
    ///
    /// # Panics
    ///
    /// Where an operand reaches past its slice, or the result is not `m` times `n` elements.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Elementary, GemmTask, Matrix};
    ///
    /// let (a, b) = ([1.0_f32, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]);
    /// let mut out = [0.0; 4];
    /// let (a, b) = (Matrix::new(&a, 2, 1), Matrix::new(&b, 2, 1));
    /// assert!(f32::gemm(&mut GemmTask::new([2, 2, 2], a, b, &mut out)));
    /// assert_eq!(out, [19.0, 22.0, 43.0, 50.0]);
    /// ```
    #[must_use]
    #[track_caller]
    #[inline]
    pub fn new(
        [m, k, n]: [usize; 3],
        a: Matrix<'a, E>,
        b: Matrix<'a, E>,
        out: &'a mut [E],
    ) -> Self {
        let reaches = |of: &Matrix<'_, E>, rows: usize, columns: usize| {
            let last = (rows - 1)
                .checked_mul(of.row)
                .and_then(|at| (columns - 1).checked_mul(of.column)?.checked_add(at));
            last.is_some_and(|last| last < of.elements.len())
        };
        let empty = m == 0 || k == 0 || n == 0;
        assert!(empty || reaches(&a, m, k), "gemm: the left operand reaches past its slice");
        assert!(empty || reaches(&b, k, n), "gemm: the right operand reaches past its slice");
        assert_eq!(m.checked_mul(n), Some(out.len()), "gemm: the result is m times n elements");
        let numerics = Numerics::Exact;
        Self { m, k, n, a, b, out, finish: None, start: 0, numerics, packed: None }
    }

    /// With `finish` to follow on every element of the result.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Elementary, GemmTask, Matrix};
    ///
    /// let (x, bias) = ([1.0_f32, 2.0, 3.0, 4.0], [0.5, -0.5]);
    /// let mut out = [0.0; 4];
    /// let x = Matrix::new(&x, 2, 1);
    /// let add = |start: usize, run: &mut [f32]| {
    ///     run.iter_mut().enumerate().for_each(|(i, y)| *y += bias[(start + i) % 2]);
    /// };
    /// assert!(f32::gemm(&mut GemmTask::new([2, 2, 2], x, x, &mut out).finish(&add)));
    /// assert_eq!(out, [7.5, 9.5, 15.5, 21.5]);
    /// ```
    #[must_use]
    pub fn finish(mut self, finish: Finish<'a, E>) -> Self {
        self.finish = Some(finish);
        self
    }

    /// With sums that are rounded so.
    #[must_use]
    pub fn numerics(mut self, numerics: Numerics) -> Self {
        self.numerics = numerics;
        self
    }

    /// With the right operand laid out before.
    ///
    /// # Panics
    ///
    /// Where that was another operand by its extents. That its elements are those of `b` is the caller's word.
    #[must_use]
    #[track_caller]
    pub fn packed(mut self, packed: &'a Packed<E>) -> Self {
        let extents = [self.k, self.n];
        assert_eq!(packed.extents, extents, "gemm: packed was an operand of other extents");
        self.packed = Some(packed);
        self
    }

    /// Calls what is to follow, where nobody has taken it, for the whole result.
    pub(crate) fn close(&mut self) {
        if let Some(finish) = self.finish.take() {
            finish(self.start, self.out);
        }
    }
}

/// What is computed of windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WindowForm {
    /// Of images and weights the windowed product `[n, f, oh, ow]`.
    Product,
    /// Of the product's cotangent and weights the cotangent of the images.
    ImagesGradient,
    /// Of images and the product's cotangent the cotangent of the weights.
    WeightsGradient,
    /// Of images the maximum of each window, `[n, c, oh, ow]`.
    MaxPool,
    /// Of images and the maxima's cotangent the cotangent of the images.
    MaxPoolGradient,
}

/// Work on the windows of images: see [`Elementary::window`](crate::Elementary::window).
///
/// Row-major, and valid: extents that fit one another, windows that fit the padded images.
#[non_exhaustive]
pub struct WindowTask<'a, E> {
    /// What is computed.
    pub form: WindowForm,
    /// The operands, in the order in which the form names them; of one operand, the second is empty.
    pub operands: [&'a [E]; 2],
    /// The extents of the images, `[n, c, h, w]`.
    pub extents: [usize; 4],
    /// The extents of the weights, `[f, c / groups, kh, kw]`; of a pool `[c, 1, kh, kw]`.
    pub filters: [usize; 4],
    /// How windows lie.
    pub window: Window,
    /// The result.
    pub out: &'a mut [E],
    /// As [`GemmTask::finish`].
    pub finish: Option<Finish<'a, E>>,
    /// How sums of products are rounded. A kernel may always be exact.
    pub numerics: Numerics,
}

impl<E: fmt::Debug> fmt::Debug for WindowTask<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { form, operands, extents, filters, window, out, finish, numerics } = self;
        let mut debug = f.debug_struct("WindowTask");
        debug.field("form", form).field("operands", operands).field("extents", extents);
        debug.field("filters", filters).field("window", window).field("out", out);
        debug.field("finish", &finish.map(|_| "..")).field("numerics", numerics).finish()
    }
}

impl<'a, E: Elementary> WindowTask<'a, E> {
    /// Work of this form on windows, into `out`, whatever that holds.
    ///
    /// # Panics
    ///
    /// Where channels and groups are not those of the filters, a pool's filters are not one for each channel, a
    /// step or a dilation is 0, no window fits the padded images, or a slice is not as long as the extents say.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Elementary, Window, WindowForm, WindowTask};
    ///
    /// let (images, weights, mut out) = ([1.0_f32, 2.0, 3.0, 4.0], [1.0, 1.0], [0.0; 2]);
    /// let (operands, window) = ([&images[..], &weights[..]], Window::new());
    /// let form = WindowForm::Product;
    /// let (extents, filters) = ([1, 1, 2, 2], [1, 1, 1, 2]);
    /// assert!(f32::window(&mut WindowTask::new(form, operands, extents, filters, window, &mut out)));
    /// assert_eq!(out, [3.0, 7.0]);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new(
        form: WindowForm,
        operands: [&'a [E]; 2],
        extents: [usize; 4],
        filters: [usize; 4],
        window: Window,
        out: &'a mut [E],
    ) -> Self {
        let groups = window.groups;
        let channels = filters[1].checked_mul(groups) == Some(extents[1]);
        assert!(channels, "window: channels of images and filters");
        let split = groups > 0 && filters[0].is_multiple_of(groups);
        assert!(split, "window: the groups part channels and filters evenly");
        let pools = matches!(form, WindowForm::MaxPool | WindowForm::MaxPoolGradient);
        let alone = filters[1] == 1 && filters[0] == groups;
        assert!(!pools || alone, "window: a pool has a filter for each channel, which is a group");
        for axis in 0..2 {
            let moves = window.step[axis] > 0 && window.dilation[axis] > 0;
            assert!(moves, "window: steps and dilations are 1 at least");
            let [before, after] = window.padding[axis];
            let padded =
                before.checked_add(extents[2 + axis]).and_then(|end| end.checked_add(after));
            let last = filters[2 + axis].checked_sub(1);
            let reach = last.and_then(|last| last.checked_mul(window.dilation[axis]));
            let fits = reach.zip(padded).is_some_and(|(reach, padded)| reach < padded);
            assert!(fits, "window: none fits the padded images");
        }
        let outputs = Windows::new(extents, filters, &window).outputs;
        let count = |of: [usize; 4]| {
            let count = of.iter().try_fold(1_usize, |count, &extent| count.checked_mul(extent));
            count.expect("window: no slice is as long as the extents say")
        };
        let (images, weights) = (count(extents), count(filters));
        let results = count([extents[0], filters[0], outputs[0], outputs[1]]);
        let lengths = match form {
            WindowForm::Product => [images, weights, results],
            WindowForm::ImagesGradient => [results, weights, images],
            WindowForm::WeightsGradient => [images, results, weights],
            WindowForm::MaxPool => [images, 0, results],
            WindowForm::MaxPoolGradient => [images, results, images],
        };
        let [left, right] = operands.map(<[E]>::len);
        assert_eq!([left, right, out.len()], lengths, "window: lengths of operands and result");
        Self {
            form,
            operands,
            extents,
            filters,
            window,
            out,
            finish: None,
            numerics: Numerics::Exact,
        }
    }
}

impl<E> WindowTask<'_, E> {
    /// Calls what is to follow, where nobody has taken it, for the whole result.
    pub(crate) fn close(&mut self) {
        if let Some(finish) = self.finish.take() {
            finish(0, self.out);
        }
    }
}

/// One element-wise function over a slice: see [`Elementary::map`](crate::Elementary::map).
#[derive(Debug)]
#[non_exhaustive]
pub struct MapTask<'a, E> {
    /// The function.
    pub op: Unary,
    /// The operand.
    pub elements: &'a [E],
    /// The result, as long as the operand.
    pub out: &'a mut [E],
}

impl<'a, E: Elementary> MapTask<'a, E> {
    /// `op` of each of `elements` into `out`.
    ///
    /// # Panics
    ///
    /// Where the two differ in length.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Elementary, MapTask, Unary};
    ///
    /// let mut out = [0.0; 3];
    /// assert!(f64::map(&mut MapTask::new(Unary::Relu, &[-1.0, 0.0, 2.0], &mut out)));
    /// assert_eq!(out, [0.0, 0.0, 2.0]);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new(op: Unary, elements: &'a [E], out: &'a mut [E]) -> Self {
        assert_eq!(elements.len(), out.len(), "map: one result for each element");
        Self { op, elements, out }
    }
}

/// What lines are reduced to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reduction {
    /// The sum of at most one block, by the order of `docs/spec`.
    Sum,
    /// The maximum; no line is empty.
    Max,
}

/// Lines that are reduced to one element each: see
/// [`Elementary::reduce`](crate::Elementary::reduce).
#[derive(Debug)]
#[non_exhaustive]
pub struct ReduceTask<'a, E> {
    /// What each line is reduced to.
    pub reduction: Reduction,
    /// The lines behind one another.
    pub elements: &'a [E],
    /// The length of a line; the last may be shorter.
    pub length: usize,
    /// One element a line.
    pub out: &'a mut [E],
}

/// A function of the softmax family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Softmax {
    /// The exponentials of a line, over their sum.
    Softmax,
    /// The logarithms of those.
    LogSoftmax,
    /// The logarithm of the sum alone: one element for a line.
    LogSumExp,
}

/// Lines through a function of the softmax family: see
/// [`Elementary::softmax`](crate::Elementary::softmax).
#[derive(Debug)]
#[non_exhaustive]
pub struct SoftmaxTask<'a, E> {
    /// The function, by the steps of `docs/spec`.
    pub form: Softmax,
    /// Whole lines behind one another.
    pub elements: &'a [E],
    /// The length of a line, not 0.
    pub length: usize,
    /// As many elements, or for [`Softmax::LogSumExp`] one a line.
    pub out: &'a mut [E],
}

impl<'a, E: Elementary> SoftmaxTask<'a, E> {
    /// The lines of `length` elements, into `out`.
    ///
    /// # Panics
    ///
    /// Where lines are empty or not whole, or the result is not as long as it must be.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Elementary, Softmax, SoftmaxTask};
    ///
    /// let mut out = [0.0; 4];
    /// assert!(f64::softmax(&mut SoftmaxTask::new(Softmax::Softmax, &[1.0; 4], 2, &mut out)));
    /// assert_eq!(out, [0.5; 4]);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new(form: Softmax, elements: &'a [E], length: usize, out: &'a mut [E]) -> Self {
        assert!(length > 0 && elements.len().is_multiple_of(length), "softmax: whole lines");
        let results = match form {
            Softmax::LogSumExp => elements.len() / length,
            Softmax::Softmax | Softmax::LogSoftmax => elements.len(),
        };
        assert_eq!(out.len(), results, "softmax: the length of the result");
        Self { form, elements, length, out }
    }
}
