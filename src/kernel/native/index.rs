//! Gather, scatter and row update by whole rows.

use super::movement::packed;
use crate::kernel::Elementary;
use crate::kernel::memory::Block;
use crate::kernel::reference::View;
use crate::kernel::walk::{Axis, Walk, product_of};

/// As `reference::gather`. Only the selected rows are touched.
pub(crate) fn gather<E: Elementary>(table: View<'_, E>, columns: &[usize]) -> Block<E> {
    let mut out = Block::stale(columns.len() * product_of(&table.extents[1..]));
    gather_into(table, columns, &mut out);
    out
}

/// As `reference::gather`, into `out`.
pub(crate) fn gather_into<E: Elementary>(table: View<'_, E>, columns: &[usize], out: &mut [E]) {
    let rest = Walk::new(&table.extents[1..], [&table.strides[1..]]);
    let Axis { extent, strides: [stride] } = rest.inner();
    let row = product_of(&table.extents[1..]);
    if row == 0 {
        return;
    }
    if extent == row && stride == 1 {
        for (&column, to) in columns.iter().zip(out.chunks_exact_mut(row)) {
            assert!(column < table.extents[0], "invariant: a selection names rows of its table");
            let from = &table.elements[table.offset + column * table.strides[0]..][..row];
            match row {
                8..=16 => ends::<E, 8>(from, to),
                4..8 => ends::<E, 4>(from, to),
                _ => to.clone_from_slice(from),
            }
        }
        return;
    }
    for (&column, out) in columns.iter().zip(out.chunks_exact_mut(row)) {
        assert!(column < table.extents[0], "invariant: a selection names rows of its table");
        let mut parts = out.chunks_exact_mut(extent);
        rest.rows([table.offset + column * table.strides[0]], |[at]| {
            let to = parts.next().expect("invariant: one part of the row per part of the table's");
            let from = &table.elements[at..];
            if stride == 1 {
                to.clone_from_slice(&from[..extent]);
            } else {
                let from = from.iter().step_by(stride.max(1));
                match stride {
                    0 => to.fill(table.elements[at].clone()),
                    _ => to.iter_mut().zip(from).for_each(|(to, x)| *to = x.clone()),
                }
            }
        });
    }
}

/// Copies between `N` and twice as many elements: the first ones and the last ones.
///
/// COST: of rows as short as an embedding's, a call to copy memory takes most of the time.
#[inline(always)]
fn ends<E: Elementary, const N: usize>(from: &[E], to: &mut [E]) {
    if let (Some(from), Some(to)) = (from.first_chunk::<N>(), to.first_chunk_mut::<N>()) {
        to.clone_from(from);
    }
    if let (Some(from), Some(to)) = (from.last_chunk::<N>(), to.last_chunk_mut::<N>()) {
        to.clone_from(from);
    }
}

/// As `reference::scatter`.
///
/// BITS: source rows are added in source order.
pub(crate) fn scatter<E: Elementary>(
    source: View<'_, E>,
    columns: &[usize],
    rows: usize,
) -> Block<E> {
    let mut out = Block::stale(rows * product_of(&source.extents[1..]));
    scatter_into(source, columns, &mut out);
    out
}

/// As `reference::scatter`, into `out`.
pub(crate) fn scatter_into<E: Elementary>(source: View<'_, E>, columns: &[usize], out: &mut [E]) {
    let row = product_of(&source.extents[1..]);
    out.fill(E::zero());
    if row == 0 {
        return;
    }
    let elements = packed(source);
    for (from, &column) in elements.chunks_exact(row).zip(columns) {
        for (target, x) in out[column * row..(column + 1) * row].iter_mut().zip(from) {
            *target = target.add(x);
        }
    }
}

/// As `reference::row_update`.
pub(crate) fn row_update<E: Elementary>(
    table: View<'_, E>,
    source: View<'_, E>,
    columns: &[usize],
) -> Block<E> {
    let mut out = Block::stale(table.count());
    row_update_into(table, source, columns, &mut out);
    out
}

/// As `reference::row_update`, into `out`.
pub(crate) fn row_update_into<E: Elementary>(
    table: View<'_, E>,
    source: View<'_, E>,
    columns: &[usize],
    out: &mut [E],
) {
    let row = product_of(&source.extents[1..]);
    super::copy_into(table, out);
    if row == 0 {
        return;
    }
    let elements = packed(source);
    for (from, &column) in elements.chunks_exact(row).zip(columns) {
        out[column * row..(column + 1) * row].clone_from_slice(from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::reference;
    use crate::kernel::testing::assert_same;

    #[test]
    fn rows_of_every_length_are_gathered_whole() {
        for row in 1..40 {
            let table: Vec<f32> = (0..3 * row).map(|i| i as f32).collect();
            let (extents, strides) = ([3, row], [row, 1]);
            let view = View::new(&table, &extents, &strides, 0);
            let columns = [2, 0, 0, 1];
            let expected = reference::gather(view, &columns);
            assert_same(&gather(view, &columns), &expected, &format!("rows of {row}"));
        }
    }
}
