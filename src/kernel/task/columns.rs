//! The task of reducing columns to one element each.

use crate::kernel::{Elementary, Reduction};

/// Columns that are reduced to one element each: see
/// [`Elementary::reduce_columns`](crate::Elementary::reduce_columns).
#[derive(Debug)]
#[non_exhaustive]
pub struct ColumnsTask<'a, E> {
    /// What each column is reduced to; the crate's loops ask for maxima alone.
    pub reduction: Reduction,
    /// What the rows lie in.
    pub elements: &'a [E],
    /// Where each row begins; there is one at least, and of a sum at most a block.
    pub rows: &'a [usize],
    /// One element a column: element `j` of every row is in column `j`.
    pub out: &'a mut [E],
}

impl<'a, E: Elementary> ColumnsTask<'a, E> {
    /// The columns of the rows of `elements` that begin at `rows`, each as long as `out`.
    ///
    /// # Panics
    ///
    /// Where there is no row, or one reaches past the elements.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{ColumnsTask, Elementary, Reduction};
    ///
    /// let two_rows: Vec<f32> = (0..128).map(|i| (i % 100) as f32).collect();
    /// let mut out = [0.0; 64];
    /// let mut task = ColumnsTask::new(Reduction::Max, &two_rows, &[0, 64], &mut out);
    /// assert!(f32::reduce_columns(&mut task));
    /// assert_eq!((out[0], out[63]), (64.0, 63.0));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new(
        reduction: Reduction,
        elements: &'a [E],
        rows: &'a [usize],
        out: &'a mut [E],
    ) -> Self {
        assert!(!rows.is_empty(), "columns: there is no row");
        let fits =
            |row: &usize| row.checked_add(out.len()).is_some_and(|end| end <= elements.len());
        assert!(rows.iter().all(fits), "columns: a row reaches past the elements");
        Self { reduction, elements, rows, out }
    }
}
