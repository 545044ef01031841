//! Movement: views, padding, concatenation, windows and their adjoint.

use super::types::{Kind, Type, Value, array, list};
use super::writer::Writer;
use crate::ops::lower::Rearrangement;

/// Another order of reading; `extents` are the result's.
pub(super) fn view(w: &mut Writer, how: &Rearrangement, x: &Value, extents: &[usize]) -> Value {
    match *how {
        Rearrangement::Permute(ref axes) => w.permute(x, axes),
        Rearrangement::Narrow { axis, start, length } => {
            w.slice(x, axis, [start, start + length, 1])
        }
        Rearrangement::Broadcast(ref axes) => w.broadcast(x, extents, axes),
        Rearrangement::Unfold { axis, size, step, dilation } => {
            unfold(w, x, axis, [size, step, dilation])
        }
    }
}

/// More slices than this are one gather instead.
const SLICES: usize = 32;

/// Sliding windows: `axis` becomes the windows, a last axis the positions in them.
pub(super) fn unfold(w: &mut Writer, x: &Value, axis: usize, by: [usize; 3]) -> Value {
    let [size, step, dilation] = by;
    let reach = (size - 1) * dilation + 1;
    let windows = (x.extents()[axis] - reach) / step + 1;
    let last = x.rank();
    let mut extents = x.extents().to_vec();
    extents[axis] = windows;
    extents.push(size);
    if size.min(windows) > SLICES {
        return gathered(w, x, axis, by, &extents);
    }
    // By positions or by windows, whatever is less.
    let parts: Vec<Value> = if size <= windows {
        extents[last] = 1;
        let slices = (0..size).map(|at| {
            let start = at * dilation;
            let part = w.slice(x, axis, [start, start + (windows - 1) * step + 1, step]);
            w.reshape(&part, &extents)
        });
        slices.collect()
    } else {
        // A window lies along the axis: it is brought behind the others.
        extents[axis] = 1;
        let slices = (0..windows).map(|window| {
            let start = window * step;
            let part = w.slice(x, axis, [start, start + reach, dilation]);
            let axes: Vec<usize> = (0..last).filter(|&at| at != axis).chain([axis]).collect();
            let part = w.permute(&part, &axes);
            w.reshape(&part, &extents)
        });
        slices.collect()
    };
    w.concat(&parts, if size <= windows { last } else { axis })
}

/// The same by a table of positions.
fn gathered(w: &mut Writer, x: &Value, axis: usize, by: [usize; 3], extents: &[usize]) -> Value {
    let [size, step, dilation] = by;
    let windows = extents[axis];
    let table = [windows, size];
    let terms = [(0, step), (1, dilation)].map(|(along, stride)| {
        let at = w.iota(Kind::Index, &table, along);
        let stride = w.splat(stride as f64, Kind::Index, &table);
        w.binary("multiply", &at, &stride)
    });
    let positions = w.add(&terms[0], &terms[1]);
    // What is gathered stands in front: [windows, size, the other axes].
    let rows = take(w, x, axis, &positions);
    let others = 2..rows.rank();
    let mut axes: Vec<usize> = others.collect();
    axes.insert(axis, 0);
    axes.push(1);
    w.permute(&rows, &axes)
}

/// Slices of one axis by their positions, whose axes come first.
pub(super) fn take(w: &mut Writer, x: &Value, axis: usize, positions: &Value) -> Value {
    let mut sizes = x.extents().to_vec();
    sizes[axis] = 1;
    let others: Vec<usize> =
        (0..x.rank()).filter(|&at| at != axis).map(|at| x.extents()[at]).collect();
    let leading = positions.rank();
    let offsets: Vec<usize> = (leading..leading + others.len()).collect();
    let of = Type::new(x.of.kind, &[positions.extents(), &others].concat());
    let offsets = match offsets.is_empty() {
        true => String::new(),
        false => format!("offset_dims = [{}], ", list(&offsets)),
    };
    let text = format!(
        "\"stablehlo.gather\"({x}, {positions}) <{{dimension_numbers = #stablehlo.gather<\
         {offsets}collapsed_slice_dims = [{axis}], start_index_map = [{axis}], \
         index_vector_dim = {leading}>, slice_sizes = {}}}> : ({}, {}) -> {of}",
        array(&sizes),
        x.of,
        positions.of
    );
    w.write(of, text)
}

/// Windows added back onto `extent` positions, ascending.
///
/// BITS: onto a position its windows ascend where the positions inside them descend; the zeros
/// between change no sum that began at `+0`.
pub(super) fn fold(w: &mut Writer, x: &Value, axis: usize, by: [usize; 3]) -> Value {
    let [extent, step, dilation] = by;
    let (last, windows) = (x.rank() - 1, x.extents()[axis]);
    let size = x.extents()[last];
    let reach = (size - 1) * dilation + 1;
    if windows > 0 && step >= reach && dilation == 1 {
        return apart(w, x, axis, [extent, step]);
    }
    let mut extents = x.extents()[..last].to_vec();
    extents[axis] = extent;
    let mut total: Option<Value> = None;
    for at in (0..size).rev() {
        let part = w.slice(x, last, [at, at + 1, 1]);
        let part = w.reshape(&part, &x.extents()[..last]);
        let low = at * dilation;
        let covered = (windows - 1) * step + 1;
        let part = w.pad(&part, axis, [low, extent - low - covered, step - 1], 0.0);
        total = Some(match total {
            None => w.sum_of_one(&part),
            Some(total) => w.add(&total, &part),
        });
    }
    total.unwrap_or_else(|| w.full(0.0, &extents))
}

/// Windows that do not overlap: each is brought where it lies.
fn apart(w: &mut Writer, x: &Value, axis: usize, by: [usize; 2]) -> Value {
    let [extent, step] = by;
    let (last, windows) = (x.rank() - 1, x.extents()[axis]);
    let size = x.extents()[last];
    let mut axes: Vec<usize> = (0..last).collect();
    axes.insert(axis + 1, last);
    let x = w.permute(x, &axes);
    let x = w.pad(&x, axis + 1, [0, step - size, 0], 0.0);
    let mut extents = x.extents().to_vec();
    extents.remove(axis + 1);
    extents[axis] = windows * step;
    let x = w.reshape(&x, &extents);
    // The last window's gap may lie outside.
    let x = w.slice(&x, axis, [0, extent.min(windows * step), 1]);
    let x = w.pad(&x, axis, [0, extent.saturating_sub(windows * step), 0], 0.0);
    w.sum_of_one(&x)
}
