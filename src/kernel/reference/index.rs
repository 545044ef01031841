//! Rows chosen by column numbers: gather, its adjoint scatter, and the update of rows.
//!
//! A table is `[rows, ..]`; a list of columns is a selection: entry `i` names the row that
//! position `i` reads or writes.

use super::View;
use super::view::{each_index, position};
use crate::kernel::Elementary;
use crate::kernel::walk::product_of;

/// Row `columns[i]` of the table, for each `i`. No other row is read.
#[must_use]
pub fn gather<E: Elementary>(table: View<'_, E>, columns: &[usize]) -> Vec<E> {
    let mut out = Vec::new();
    for &column in columns {
        each_index(&table.extents[1..], |rest| {
            out.push(table.at(&[&[column], rest].concat()).clone());
        });
    }
    out
}

/// Row `i` of the source `[count, ..]` added onto row `columns[i]` of `rows` rows.
///
/// BITS: each output starts at `+0` and adds its source rows in source order.
#[must_use]
pub fn scatter<E: Elementary>(source: View<'_, E>, columns: &[usize], rows: usize) -> Vec<E> {
    let extents = [&[rows], &source.extents[1..]].concat();
    let mut out = vec![E::zero(); product_of(&extents)];
    for (i, &column) in columns.iter().enumerate() {
        each_index(&source.extents[1..], |rest| {
            let target = &mut out[position(&extents, &[&[column], rest].concat())];
            *target = target.add(source.at(&[&[i], rest].concat()));
        });
    }
    out
}

/// The table with row `columns[i]` replaced by row `i` of the source; the last of equal columns
/// stays.
#[must_use]
pub fn row_update<E: Elementary>(
    table: View<'_, E>,
    source: View<'_, E>,
    columns: &[usize],
) -> Vec<E> {
    let mut out = table.to_vec();
    for (i, &column) in columns.iter().enumerate() {
        each_index(&source.extents[1..], |rest| {
            out[position(table.extents, &[&[column], rest].concat())] =
                source.at(&[&[i], rest].concat()).clone();
        });
    }
    out
}
