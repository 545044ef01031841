//! Products.

use super::types::{Type, Value, list};
use super::writer::Writer;
use crate::kernel::order::KB;

/// `[.., m, k] x [.., k, n]`; exactly, block sums of [`KB`] terms are added in ascending order.
pub(super) fn emit(w: &mut Writer, a: &Value, b: &Value, exact: bool) -> Value {
    let (left, right) = (a.rank() - 1, b.rank() - 2);
    let depth = a.extents()[left];
    if depth == 1 {
        let product = dot(w, a, b);
        return w.sum_of_one(&product);
    }
    if !exact || depth <= KB {
        return dot(w, a, b);
    }
    let mut total: Option<Value> = None;
    for start in (0..depth).step_by(KB) {
        let range = [start, (start + KB).min(depth), 1];
        let (a, b) = (w.slice(a, left, range), w.slice(b, right, range));
        let block = dot(w, &a, &b);
        total = Some(match total {
            None => block,
            Some(total) => w.add(&total, &block),
        });
    }
    total.expect("invariant: there is a block")
}

fn dot(w: &mut Writer, a: &Value, b: &Value) -> Value {
    let leading = a.rank() - 2;
    let mut extents = a.extents().to_vec();
    extents[leading + 1] = b.extents()[leading + 1];
    let of = Type::new(a.of.kind, &extents);
    let batch = match leading {
        0 => String::new(),
        _ => {
            let axes = list(&(0..leading).collect::<Vec<_>>());
            format!("batching_dims = [{axes}] x [{axes}], ")
        }
    };
    let text = format!(
        "stablehlo.dot_general {a}, {b}, {batch}contracting_dims = [{}] x [{leading}], precision = \
         [HIGHEST, HIGHEST] : ({}, {}) -> {of}",
        leading + 1,
        a.of,
        b.of
    );
    w.write(of, text)
}
