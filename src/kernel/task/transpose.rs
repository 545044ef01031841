//! The task of bringing a matrix from columns into rows.

use crate::kernel::Elementary;

/// A matrix laid out by rows that lies by columns: see
/// [`Elementary::transpose`](crate::Elementary::transpose).
#[derive(Debug)]
#[non_exhaustive]
pub struct TransposeTask<'a, E> {
    /// The matrix; element `(i, j)` is at `i + j * stride`.
    pub elements: &'a [E],
    /// The distance of columns.
    pub stride: usize,
    /// Rows and columns, none of them 0.
    pub extents: [usize; 2],
    /// The result; element `(i, j)` is at `i * pitch + j`. What lies between rows is left alone.
    pub out: &'a mut [E],
    /// The distance of the result's rows.
    pub pitch: usize,
}

impl<'a, E: Elementary> TransposeTask<'a, E> {
    /// The matrix of these extents whose columns are `stride` apart in `elements`, into rows of
    /// `out` that are `pitch` apart.
    ///
    /// # Panics
    ///
    /// Where an extent is 0, the matrix or the result reaches past its slice, or rows overlap.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Elementary, TransposeTask};
    ///
    /// let by_columns: Vec<f32> = (0..64).map(|i| i as f32).collect();
    /// let mut by_rows = [0.0; 64];
    /// assert!(f32::transpose(&mut TransposeTask::new([8, 8], &by_columns, 8, &mut by_rows, 8)));
    /// assert_eq!(by_rows[..3], [0.0, 8.0, 16.0]);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new(
        [rows, columns]: [usize; 2],
        elements: &'a [E],
        stride: usize,
        out: &'a mut [E],
        pitch: usize,
    ) -> Self {
        assert!(rows > 0 && columns > 0, "transpose: an extent is 0");
        let reaches = |lines: usize, distance: usize, length: usize, slice: usize| {
            let last = (lines - 1).checked_mul(distance).and_then(|at| at.checked_add(length));
            last.is_some_and(|last| last <= slice)
        };
        assert!(reaches(columns, stride, rows, elements.len()), "transpose: past the matrix");
        assert!(pitch >= columns, "transpose: rows of the result overlap");
        assert!(reaches(rows, pitch, columns, out.len()), "transpose: past the result");
        Self { elements, stride, extents: [rows, columns], out, pitch }
    }
}
