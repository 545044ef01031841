//! Convolutions and pools, raised; and what their chains are where no operation means them.

use super::movement::{fold, unfold};
use super::reduce;
use super::types::{Kind, Type, Value, array};
use super::writer::Writer;
use crate::kernel::Window;
use crate::kernel::call::Geometry;
use crate::kernel::task::WindowForm;

/// Work on the windows of images.
pub(super) fn emit(w: &mut Writer, form: WindowForm, of: &Geometry, x: &[Value]) -> Value {
    match form {
        WindowForm::Product => product(w, of, x),
        WindowForm::ImagesGradient => images_gradient(w, of, x),
        WindowForm::WeightsGradient => weights_gradient(w, of, x),
        WindowForm::MaxPool => pool(w, of, &x[0], "maximum", f64::NEG_INFINITY),
        WindowForm::MaxPoolGradient if of.window.dilation == [1, 1] => unpool(w, of, x),
        WindowForm::MaxPoolGradient => unpool_recorded(w, of, x),
    }
}

/// The windows down and across.
fn outputs(of: &Geometry) -> [usize; 2] {
    let Window { step, dilation, padding, .. } = of.window;
    [0, 1].map(|axis| {
        let padded = padding[axis][0] + of.extents[2 + axis] + padding[axis][1];
        (padded - ((of.filters[2 + axis] - 1) * dilation[axis] + 1)) / step[axis] + 1
    })
}

/// `a` and `b` by what the attributes say.
struct Convolution<'a> {
    layout: &'a str,
    stride: [usize; 2],
    pad: [[i64; 2]; 2],
    dilate: [[usize; 2]; 2],
    /// Groups of batches of `a`, and of its features: one of the two is 1.
    groups: [usize; 2],
    extents: [usize; 4],
    /// How many products an element sums.
    terms: usize,
}

fn convolution(w: &mut Writer, a: &Value, b: &Value, by: &Convolution<'_>) -> Value {
    let Convolution { layout, stride, pad, dilate: [left, right], groups, extents, terms } = by;
    let [batches, features] = groups;
    let of = Type::new(a.of.kind, extents);
    let text = format!(
        "stablehlo.convolution({a}, {b}) dim_numbers = {layout}, window = {{stride = {stride:?}, \
         pad = {pad:?}, lhs_dilate = {left:?}, rhs_dilate = {right:?}}} {{batch_group_count = {batches} : i64, feature_group_count = {features} : i64, \
         precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}} : \
         ({}, {}) -> {of}",
        a.of, b.of
    );
    let sum = w.write(of, text);
    if *terms == 1 { w.sum_of_one(&sum) } else { sum }
}

fn product(w: &mut Writer, of: &Geometry, x: &[Value]) -> Value {
    let [oh, ow] = outputs(of);
    let by = Convolution {
        layout: "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
        stride: of.window.step,
        pad: of.window.padding.map(|pad| pad.map(|n| n as i64)),
        dilate: [[1, 1], of.window.dilation],
        groups: [1, of.window.groups],
        extents: [of.extents[0], of.filters[0], oh, ow],
        terms: of.filters[1..].iter().product(),
    };
    convolution(w, &x[0], &x[1], &by)
}

/// Of the cotangent, spread by the step, and the reversed weights.
///
/// COST: reversed by an operation of its own. XLA-CPU has no fast convolution that reverses.
fn images_gradient(w: &mut Writer, of: &Geometry, x: &[Value]) -> Value {
    let Window { step, dilation, padding, groups } = of.window;
    let outputs = outputs(of);
    let pad = [0, 1].map(|axis| {
        let reach = (of.filters[2 + axis] - 1) * dilation[axis];
        let spread = (outputs[axis] - 1) * step[axis] + 1;
        let low = reach as i64 - padding[axis][0] as i64;
        [low, (of.extents[2 + axis] + reach) as i64 - spread as i64 - low]
    });
    let by = Convolution {
        layout: "[b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]",
        stride: [1, 1],
        pad,
        dilate: [step, dilation],
        groups: [1, groups],
        extents: of.extents,
        terms: of.filters[0] / groups * of.filters[2] * of.filters[3],
    };
    let mut weights = w.reverse(&x[1], &[2, 3]);
    if groups > 1 {
        // What was a group's filters are its channels, each group's behind the last one's.
        let [f, c, kh, kw] = of.filters;
        let apart = w.reshape(&weights, &[groups, f / groups, c, kh, kw]);
        let beside = w.permute(&apart, &[1, 0, 2, 3, 4]);
        weights = w.reshape(&beside, &[f / groups, groups * c, kh, kw]);
    }
    convolution(w, &x[0], &weights, &by)
}

/// Of the images and the cotangent, batches for channels, so that groups of channels are groups of
/// batches. The result's batch stands in front of its
/// features, as some targets want it, and is transposed.
fn weights_gradient(w: &mut Writer, of: &Geometry, x: &[Value]) -> Value {
    let Window { step, dilation, padding, .. } = of.window;
    let outputs = outputs(of);
    let pad = [0, 1].map(|axis| {
        let spread = ((outputs[axis] - 1) * step[axis] + 1) as i64;
        let reach = ((of.filters[2 + axis] - 1) * dilation[axis]) as i64;
        let low = padding[axis][0] as i64;
        [low, reach + spread - of.extents[2 + axis] as i64 - low]
    });
    let [f, c, kh, kw] = of.filters;
    let by = Convolution {
        layout: "[f, b, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]",
        stride: dilation,
        pad,
        dilate: [[1, 1], step],
        groups: [of.window.groups, 1],
        extents: [c, f, kh, kw],
        terms: of.extents[0] * outputs[0] * outputs[1],
    };
    let swapped = convolution(w, &x[0], &x[1], &by);
    w.permute(&swapped, &[1, 0, 2, 3])
}

/// The maximum or the sum of each window; padding is `start`.
pub(super) fn pool(w: &mut Writer, of: &Geometry, x: &Value, op: &str, start: f64) -> Value {
    let [oh, ow] = outputs(of);
    let extents = [of.extents[0], of.extents[1], oh, ow];
    let result = Type::new(x.of.kind, &extents);
    let init = w.full(start, &[]);
    let [[top, bottom], [left, right]] = of.window.padding;
    let text = format!(
        "\"stablehlo.reduce_window\"({x}, {init}) <{{padding = dense<[[0, 0], [0, 0], [{top}, \
         {bottom}], [{left}, {right}]]> : tensor<4x2xi64>, window_dilations = {}, \
         window_dimensions = {}, window_strides = {}}}> {} : ({}, {}) -> {result}",
        array(&[&[1, 1], &of.window.dilation[..]].concat()),
        array(&[1, 1, of.filters[2], of.filters[3]]),
        array(&[&[1, 1], &of.window.step[..]].concat()),
        w.region(op),
        x.of,
        init.of
    );
    let pooled = w.write(result, text);
    match op {
        "add" if of.filters[2..] == [1, 1] => w.sum_of_one(&pooled),
        _ => pooled,
    }
}

/// Images in their padding.
fn padded(w: &mut Writer, of: &Geometry, x: &Value, value: f64) -> Value {
    let [rows, columns] = of.window.padding;
    let x = w.pad(x, 2, [rows[0], rows[1], 0], value);
    w.pad(&x, 3, [columns[0], columns[1], 0], value)
}

/// Images without it.
fn trimmed(w: &mut Writer, of: &Geometry, x: &Value) -> Value {
    let [[top, _], [left, _]] = of.window.padding;
    let x = w.slice(x, 2, [top, top + of.extents[2], 1]);
    w.slice(&x, 3, [left, left + of.extents[3], 1])
}

/// To the first maximum of each window, to its first NaN where there is one. The padding is there:
/// where a window is all `-inf`, its first maximum may be in it.
fn unpool(w: &mut Writer, of: &Geometry, x: &[Value]) -> Value {
    let images = padded(w, of, &x[0], f64::NEG_INFINITY);
    let zero = w.full(0.0, &[]);
    let element = Type::new(images.of.kind, &[]);
    let truth = Type::new(Kind::Truth, &[]);
    let text = format!(
        "\"stablehlo.select_and_scatter\"({images}, {}, {zero}) <{{padding = dense<0> : \
         tensor<4x2xi64>, window_dimensions = {}, window_strides = {}}}> ({{\n    \
         ^bb0(%$a: {element}, %$b: {element}):\n      \
         %$p = stablehlo.compare GE, %$a, %$b, FLOAT : ({element}, {element}) -> {truth}\n      \
         %$q = stablehlo.compare NE, %$a, %$a, FLOAT : ({element}, {element}) -> {truth}\n      \
         %$r = stablehlo.or %$p, %$q : {truth}\n      \
         stablehlo.return %$r : {truth}\n    }}, {} : ({}, {}, {}) -> {}",
        x[1],
        array(&[1, 1, of.filters[2], of.filters[3]]),
        array(&[&[1, 1], &of.window.step[..]].concat()),
        w.region("add").trim_start_matches('('),
        images.of,
        x[1].of,
        zero.of,
        images.of
    );
    let spread = w.write(images.of.clone(), text);
    trimmed(w, of, &spread)
}

/// The chain that the tape records.
fn unpool_recorded(w: &mut Writer, of: &Geometry, x: &[Value]) -> Value {
    let Window { step, dilation, .. } = of.window;
    let images = padded(w, of, &x[0], f64::NEG_INFINITY);
    let rows = unfold(w, &images, 2, [of.filters[2], step[0], dilation[0]]);
    let windows = unfold(w, &rows, 3, [of.filters[3], step[1], dilation[1]]);
    let first = reduce::first_max(w, &windows, &[4, 5]);
    let truth = w.truth_of(&first);
    let cotangent = w.broadcast(&x[1], windows.extents(), &[0, 1, 2, 3]);
    let zero = w.full(0.0, windows.extents());
    let routed = w.select(&truth, &cotangent, &zero);
    let columns = fold(w, &routed, 3, [images.extents()[3], step[1], dilation[1]]);
    let folded = fold(w, &columns, 2, [images.extents()[2], step[0], dilation[0]]);
    trimmed(w, of, &folded)
}
