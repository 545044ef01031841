//! Sums, maxima, and first maxima.

use super::types::{Kind, Value};
use super::writer::Writer;
use crate::kernel::order::{LANES, SB};

/// The sum over `axes`, ascending; exactly, in the specified order.
pub(super) fn sum(w: &mut Writer, x: &Value, axes: &[usize], exact: bool) -> Value {
    if axes.iter().all(|&axis| x.extents()[axis] == 1) {
        let kept = (0..x.rank()).filter(|axis| !axes.contains(axis)).map(|axis| x.extents()[axis]);
        let term = w.reshape(x, &kept.collect::<Vec<_>>());
        return w.sum_of_one(&term);
    }
    if !exact {
        return w.reduce("add", x, axes, 0.0);
    }
    let (rows, kept) = rows(w, x, axes);
    let sums = in_order(w, &rows);
    w.reshape(&sums, &kept)
}

/// The reduced axes as the last one of two, and the extents of the others.
fn rows(w: &mut Writer, x: &Value, axes: &[usize]) -> (Value, Vec<usize>) {
    let kept: Vec<usize> = (0..x.rank()).filter(|axis| !axes.contains(axis)).collect();
    let extents: Vec<usize> = kept.iter().map(|&axis| x.extents()[axis]).collect();
    let outer = extents.iter().product::<usize>();
    let x = w.permute(x, &[&kept[..], axes].concat());
    let count = x.count().checked_div(outer).unwrap_or(0);
    (w.reshape(&x, &[outer, count]), extents)
}

/// The sums of rows.
///
/// BITS: what is absent is `+0`, which changes no lane: lanes begin at `+0`, and no sum that does is
/// ever `-0`.
fn in_order(w: &mut Writer, rows: &Value) -> Value {
    let [outer, count] = [rows.extents()[0], rows.extents()[1]];
    let blocks = count.div_ceil(SB);
    let width = if blocks > 1 { SB } else { count.next_multiple_of(LANES) };
    let rows = w.pad(rows, 1, [0, blocks * width - count, 0], 0.0);
    let rows = w.reshape(&rows, &[outer, blocks, width / LANES, LANES]);
    let mut lanes = w.reduce("add", &rows, &[2], 0.0);
    let mut half = LANES / 2;
    while half > 0 {
        let low = w.slice(&lanes, 2, [0, half, 1]);
        let high = w.slice(&lanes, 2, [half, 2 * half, 1]);
        lanes = w.add(&low, &high);
        half /= 2;
    }
    let sums = w.reshape(&lanes, &[outer, blocks]);
    if blocks > 1 { in_order(w, &sums) } else { w.reshape(&sums, &[outer]) }
}

/// The maximum over `axes`.
pub(super) fn max(w: &mut Writer, x: &Value, axes: &[usize]) -> Value {
    w.reduce("maximum", x, axes, f64::NEG_INFINITY)
}

/// 1 at the first maximum over `axes`, at the first NaN where there is one, else 0.
pub(super) fn first_max(w: &mut Writer, x: &Value, axes: &[usize]) -> Value {
    let kept: Vec<usize> = (0..x.rank()).filter(|axis| !axes.contains(axis)).collect();
    let order = [&kept[..], axes].concat();
    let (rows, _) = rows(w, x, axes);
    let largest = max(w, &rows, &[1]);
    let largest = w.broadcast(&largest, rows.extents(), &[0]);
    // Where the maximum is NaN it equals nothing, and only NaN remains.
    let equal = w.compare("EQ", &rows, &largest);
    let none = w.compare("NE", &rows, &rows);
    let text = format!("stablehlo.or {equal}, {none} : {}", equal.of);
    let candidates = w.write(equal.of.clone(), text);
    let at = w.iota(Kind::Index, rows.extents(), 1);
    let behind = w.splat(rows.extents()[1] as f64, Kind::Index, rows.extents());
    let places = w.select(&candidates, &at, &behind);
    let first = w.reduce("minimum", &places, &[1], f64::from(i32::MAX));
    let first = w.broadcast(&first, rows.extents(), &[0]);
    let found = w.compare("EQ", &at, &first);
    // Back in the order of the axes.
    let extents: Vec<usize> = order.iter().map(|&axis| x.extents()[axis]).collect();
    let found = w.reshape(&found, &extents);
    let mut back = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &axis)| back[axis] = at);
    let found = w.permute(&found, &back);
    w.number_of(&found)
}
