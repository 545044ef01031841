//! Gather, scatter and row update by whole rows.

use super::movement::packed;
use crate::kernel::Elementary;
use crate::kernel::memory::Block;
use crate::kernel::reference::View;
use crate::kernel::walk::{Axis, Walk, product_of};

/// As `reference::gather`. Only the selected rows are touched.
pub(crate) fn gather<E: Elementary>(table: View<'_, E>, columns: &[usize]) -> Vec<E> {
    let rest = Walk::new(&table.extents[1..], [&table.strides[1..]]);
    let Axis { extent, strides: [stride] } = rest.inner();
    let row = product_of(&table.extents[1..]);
    let mut out = Vec::with_capacity(columns.len() * row);
    for &column in columns {
        assert!(column < table.extents[0], "invariant: a selection names rows of its table");
        rest.rows([table.offset + column * table.strides[0]], |[at]| {
            if stride == 1 {
                out.extend_from_slice(&table.elements[at..at + extent]);
            } else {
                out.extend((0..extent).map(|i| table.elements[at + i * stride].clone()));
            }
        });
    }
    out
}

/// As `reference::scatter`.
///
/// BITS: source rows are added in source order.
pub(crate) fn scatter<E: Elementary>(
    source: View<'_, E>,
    columns: &[usize],
    rows: usize,
) -> Vec<E> {
    let row = product_of(&source.extents[1..]);
    let mut out = vec![E::zero(); rows * row];
    if row == 0 {
        return out;
    }
    let elements = packed(source);
    for (from, &column) in elements.chunks_exact(row).zip(columns) {
        for (target, x) in out[column * row..(column + 1) * row].iter_mut().zip(from) {
            *target = target.add(x);
        }
    }
    out
}

/// As `reference::row_update`.
pub(crate) fn row_update<E: Elementary>(
    table: View<'_, E>,
    source: View<'_, E>,
    columns: &[usize],
) -> Block<E> {
    let row = product_of(&source.extents[1..]);
    let mut out = super::copy(table);
    if row == 0 {
        return out;
    }
    let elements = packed(source);
    for (from, &column) in elements.chunks_exact(row).zip(columns) {
        out[column * row..(column + 1) * row].clone_from_slice(from);
    }
    out
}
