//! Tasks: work that an element may take into its own hands, with a kernel that it brings.
//!
//! INVARIANT: a task that is not taken is left as it was handed over; one that is taken has its
//! whole output written, in the specified order of arithmetic where the element is `f32` or `f64`.

use super::map::Unary;

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
    pub(crate) fn new(elements: &'a [E], row: usize, column: usize) -> Self {
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

/// One matrix product, `out = a b`: see [`Elementary::gemm`](crate::Elementary::gemm).
#[derive(Debug)]
#[non_exhaustive]
pub struct GemmTask<'a, E> {
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
    /// The result, `m` by `n`, row-major; zeros when it is handed over.
    pub out: &'a mut [E],
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
