//! Rows by a selection, which is a tensor of row numbers here.

use super::movement::take;
use super::types::{Kind, Type, Value, list};
use super::writer::Writer;

/// Rows of a table: `[rows, ..]` by `[..]` row numbers.
pub(super) fn gather(w: &mut Writer, table: &Value, rows: &Value) -> Value {
    take(w, table, 0, rows)
}

/// Rows added onto `count` rows of `+0`: in their order by the interpreter; the standard leaves the order
/// to the target.
pub(super) fn scatter(w: &mut Writer, source: &Value, rows: &Value, count: usize) -> Value {
    let leading = rows.rank();
    let rest = &source.extents()[leading..];
    let extents = [&[count], rest].concat();
    // Not shared: an interpreter that adds in place would write into others' zeros.
    let zero = w.own_splat(0.0, w.element, &extents);
    let of = Type::new(source.of.kind, &extents);
    let offsets: Vec<usize> = (leading..source.rank()).collect();
    let offsets = match offsets.is_empty() {
        true => String::new(),
        false => format!("update_window_dims = [{}], ", list(&offsets)),
    };
    let text = format!(
        "\"stablehlo.scatter\"({zero}, {rows}, {source}) <{{scatter_dimension_numbers = \
         #stablehlo.scatter<{offsets}inserted_window_dims = [0], scatter_dims_to_operand_dims = \
         [0], index_vector_dim = {leading}>}}> {} : ({}, {}, {}) -> {of}",
        w.region("add"),
        zero.of,
        rows.of,
        source.of
    );
    let sums = w.write(of, text);
    // A target may write one row where it should add it.
    if rows.count() == 1 { w.sum_of_one(&sums) } else { sums }
}

/// A table with the rows that `[count]` numbers name replaced; the last of equal numbers stays.
pub(super) fn row_update(w: &mut Writer, table: &Value, source: &Value, rows: &Value) -> Value {
    let count = rows.extents()[0];
    if count == 1 {
        return one_row(w, table, source, rows);
    }
    // The last source row of each table row, or -1.
    let named = [count, table.extents()[0]];
    let at = w.iota(Kind::Index, &named, 1);
    let names = w.broadcast(rows, &named, &[0]);
    let hit = w.compare("EQ", &at, &names);
    let number = w.iota(Kind::Index, &named, 0);
    let none = w.splat(-1.0, Kind::Index, &named);
    let number = w.select(&hit, &number, &none);
    let last = w.reduce("maximum", &number, &[0], -1.0);
    let zero = w.splat(0.0, Kind::Index, last.extents());
    let replaced = w.compare("GE", &last, &zero);
    let safe = w.binary("maximum", &last, &zero);
    let fresh = take(w, source, 0, &safe);
    let replaced = w.broadcast(&replaced, table.extents(), &[0]);
    w.select(&replaced, &fresh, table)
}

/// In place where the target owns the table.
fn one_row(w: &mut Writer, table: &Value, source: &Value, rows: &Value) -> Value {
    let row = w.reshape(rows, &[]);
    let zero = w.splat(0.0, Kind::Index, &[]);
    let starts: Vec<String> =
        (0..table.rank()).map(|axis| if axis == 0 { &row } else { &zero }.to_string()).collect();
    let types = vec![zero.of.to_string(); table.rank()].join(", ");
    let text = format!(
        "stablehlo.dynamic_update_slice {table}, {source}, {} : ({}, {}, {types}) -> {}",
        starts.join(", "),
        table.of,
        source.of,
        table.of
    );
    w.write(table.of.clone(), text)
}

/// A selection as numbers: 1 in the column of each row, else 0.
pub(super) fn one_hot(w: &mut Writer, rows: &Value, classes: usize) -> Value {
    let extents = [rows.extents(), &[classes]].concat();
    let last = rows.rank();
    let at = w.iota(Kind::Index, &extents, last);
    let axes: Vec<usize> = (0..last).collect();
    let columns = w.broadcast(rows, &extents, &axes);
    let hit = w.compare("EQ", &at, &columns);
    w.number_of(&hit)
}
