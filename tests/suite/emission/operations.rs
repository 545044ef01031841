//! Every operation at its corners: both zeros, infinities, NaN, subnormals, ties, the largest and the
//! least, empty extents.

use super::steps::violation;
use super::tools::{Bench, Tool};
use poorgrad::{Elementary, EmitForm, Network, Tensor, Value, Window, operations};
use std::collections::BTreeSet;
use testkit::emission::Accuracy;

const CORNERS: [f64; 30] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    1.5,
    0.1,
    -0.1,
    1e-3,
    1e-20,
    -1e-20,
    1e-40,
    -1e-40,
    1e-45,
    20.0,
    -20.0,
    88.0,
    -88.0,
    100.0,
    -104.0,
    3e38,
    -3e38,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

type Recorder<E> = fn(&Network<Tensor<E>>);

pub(super) fn corners<E: Elementary>() -> Vec<E> {
    CORNERS.iter().map(|&x| E::from_f64(x)).collect()
}

fn numbers<E: Elementary>(network: &Network<Tensor<E>>, shape: &[usize]) -> Tensor<E> {
    let seed = network.len() as u64;
    let mut random = poorgrad::Random::new(seed);
    Tensor::from_fn(shape, |_| E::from_f64((random.below(33) as f64 - 16.0) / 8.0))
}

/// The functions of one number, at every corner.
fn unary<E: Elementary>(network: &Network<Tensor<E>>) {
    let x = network.input(Tensor::new([CORNERS.len()], corners()));
    let _ = (-x, x.exp(), x.exp_m1(), x.ln(), x.ln_1p(), x.sqrt(), x.tanh(), x.sigmoid());
    let _ = (x.sin(), x.cos(), x.erf(), x.relu(), x.softplus());
    let _ = [-3, -1, 0, 1, 2, 3, 5].map(|n| x.powi(n));
}

/// The functions of two numbers, at every pair of corners.
fn binary<E: Elementary>(network: &Network<Tensor<E>>) {
    let x = network.input(Tensor::new([CORNERS.len()], corners()));
    let square = network.leaf(Tensor::full([CORNERS.len(), CORNERS.len()], E::zero()));
    let a = x.broadcast_like(square);
    let b = a.transpose();
    let _ = (a + b, a - b, a * b, a / b, a.absorb(b), a.absorb_div(b), a.powf(b), a.maximum(b));
    let _ = (a.lt(b), a.le(b), a.gt(b), a.ge(b), a.eq(b), a.ne(b));
    let mean = network.input(numbers(network, &[3, 7])).mean_along(&[1]);
    let _ = (a.select(b, a), a.lt(b).select(a, b), mean);
    // Numbers that are truths: XLA takes a product with a converted one for a choice.
    let mask = a.lt(b);
    let moved = mask.transpose().narrow(0, 0, 1).broadcast_like(a);
    let _ = (a * mask, mask * a, a.absorb(mask), mask.absorb(a), a * moved, a.absorb(moved));
    let _ = (mask * moved, -mask * a, a / mask, a.absorb_div(mask));
}

/// What moves elements, corners among them.
fn movement<E: Elementary>(network: &Network<Tensor<E>>) {
    let x = network.input(Tensor::new([2, 3, 5], corners()));
    let y = network.input(numbers(network, &[3, 1]));
    let _ = (x.reshape([5, 6]).reshape_like(x), x.permute(&[2, 0, 1]), x.unsqueeze(1).squeeze(1));
    let _ = (x.narrow(2, 1, 3), x.pad(1, 2, 1, -7.5), x.pad(0, 0, 0, 1.0));
    let _ = Value::concat(&[x, x.narrow(1, 0, 1), x.narrow(1, 0, 0)], 1);
    let wide = y.broadcast_like(x);
    let _ = (wide.sum_like(y), x.sum_along(&[1]).broadcast_along(&[1], x));
    let _ = (x.unfold(2, 3, 1, 1).fold(2, 5, 1, 1), x.unfold(2, 2, 2, 2), x.unfold(1, 3, 1, 1));
    let long = network.input(numbers(network, &[90]));
    let _ = (long.unfold(0, 40, 1, 1), long.unfold(0, 3, 5, 2).fold(0, 90, 5, 2));
    let _ = long.unfold(0, 4, 5, 1).fold(0, 90, 5, 1);
    let none = network.input(Tensor::full([4, 1], E::from_f64(-0.0)));
    let _ = (none.fold(0, 4, 1, 1), none.fold(0, 7, 2, 1));
    let _ = network.input(Tensor::full([3, 2], E::from_f64(-0.0))).fold(0, 4, 1, 1);
}

/// What sums and compares along axes.
fn reductions<E: Elementary>(network: &Network<Tensor<E>>) {
    let x = network.input(Tensor::new([2, 3, 5], corners()));
    let tied = network.input(Tensor::new(
        [3, 4],
        [1.0, 3.0, 3.0, 2.0, -0.0, 0.0, -0.0, 0.0, 0.5, f64::NAN, 7.0, f64::NAN]
            .map(E::from_f64)
            .to_vec(),
    ));
    for x in [x.reshape([6, 5]), tied] {
        let _ = (x.max_along(&[1]), x.first_max_along(&[1]), x.first_max_along(&[0]));
        let _ = (x.sum(), x.sum_along(&[0]), x.log_sum_exp(1), x.log_softmax(1), x.softmax(0));
    }
    let _ = (x.first_max_along(&[0, 2]), x.max_along(&[0, 1, 2]));
    let far = network.input(Tensor::new(
        [3, 3],
        [
            f64::NEG_INFINITY,
            f64::NEG_INFINITY,
            f64::NEG_INFINITY,
            1.0,
            f64::INFINITY,
            0.0,
            -2.0,
            1.0,
            1.0,
        ]
        .map(E::from_f64)
        .to_vec(),
    ));
    let _ = (far.log_sum_exp(1), far.log_softmax(1), far.softmax(1));
    // Sums of one term, and of nothing but -0.
    let one = network.input(Tensor::new([6, 1, 5], corners()));
    let _ = (one.sum_along(&[1]), one.sum_like(one.sum_along(&[1]).reshape([6, 1, 5])));
    let none = network.input(Tensor::full([3, 4], E::from_f64(-0.0)));
    let _ = (none.sum_along(&[1]), none.sum(), none.sum_along(&[0]));
    let _ = (x - x.literal(0.0), x.literal(0.0) - x, x * x.literal(1.0));
    let long = network.input(numbers(network, &[4100]));
    let _ = (long.sum(), long.reshape([2, 2050]).sum_along(&[1]));
}

/// Products, short and of several blocks, batched and empty.
fn products<E: Elementary>(network: &Network<Tensor<E>>) {
    let of = |shape: &[usize]| network.input(numbers(network, shape));
    let _ = of(&[3, 4]).matmul(of(&[4, 2]));
    let _ = of(&[2, 3, 2, 4]).matmul(of(&[2, 3, 4, 3]));
    let _ = of(&[2, 515]).matmul(of(&[515, 3]));
    let _ = of(&[2, 0]).matmul(of(&[0, 3]));
    let column = network.input(Tensor::new([30, 1], corners()));
    let _ = column.matmul(column.transpose());
    let none = network.input(Tensor::full([3, 4], E::from_f64(-0.0)));
    let _ = none.matmul(of(&[4, 2]) * of(&[4, 2]));
    let corners = network.input(Tensor::new([5, 6], corners()));
    let _ = corners.matmul(of(&[6, 2]));
}

/// Rows by selections.
fn indexing<E: Elementary>(network: &Network<Tensor<E>>) {
    let table = network.input(Tensor::new([5, 6], corners()));
    let rows = network.input(Tensor::selection(&[4, 0, 4, 2], 5));
    let one = network.leaf(Tensor::selection(&[3], 5));
    let source = network.input(numbers(network, &[4, 6]));
    let _ = (table.gather(rows), source.scatter(rows), table.row_update(source, rows));
    let _ = table.row_update(source.narrow(0, 0, 1), one);
    let none = network.input(Tensor::full([4, 6], E::from_f64(-0.0)));
    let _ = (none.narrow(0, 0, 1).scatter(one), none.scatter(rows));
    let _ = rows.reshape([2, 2, 5]).sum_along(&[2]);
    let flat = network.input(numbers(network, &[5]));
    let _ = (flat.gather(rows), rows * rows, table.gather(rows.reshape([2, 2, 5])));
    let lines = network.input(Tensor::new([6, 5], corners())).narrow(0, 2, 4);
    let _ = (
        lines * rows,
        lines.absorb(rows),
        rows.absorb(lines),
        rows.transpose().transpose() * lines,
    );
    let _ = lines * lines.first_max_along(&[1]);
}

/// Convolutions and pools with all their gradients: raised where they may be.
fn windows<E: Elementary>(network: &Network<Tensor<E>>) {
    let images = network.input(numbers(network, &[2, 2, 7, 6]));
    let weights = network.parameter(numbers(network, &[3, 2, 3, 2]));
    let window = Window::new().step([2, 1]).dilation([1, 2]).padding([[1, 0], [2, 1]]);
    let y = images.conv2d(weights, &window);
    let pooled = y.max_pool([2, 2], &Window::new().step([1, 2]).padding([[1, 1], [0, 1]]));
    let average =
        images.average_pool([2, 3], &Window::new().step([2, 2]).padding([[0, 1], [1, 1]]));
    let apart = images.average_pool([2, 2], &Window::new().step([3, 2]));
    let loss = (pooled * pooled).sum() + (average * average).sum() + apart.tanh().sum();
    let _ = network.differentiate(loss, [images, weights]);
}

const GROUPS: usize = 7;

fn groups<E: Elementary>() -> [(&'static str, Recorder<E>); GROUPS] {
    [
        ("unary", unary),
        ("binary", binary),
        ("movement", movement),
        ("reductions", reductions),
        ("products", products),
        ("indexing", indexing),
        ("windows", windows),
    ]
}

#[test]
fn the_samples_cover_every_operation() {
    let mut seen = BTreeSet::new();
    for (_, record) in groups::<f64>() {
        let network = Network::new();
        record(&network);
        seen.extend(network.values().map(Value::operation));
    }
    let all = operations().iter().map(|operation| operation.name);
    let missing: Vec<_> = all.filter(|name| !seen.contains(name)).collect();
    assert!(missing.is_empty(), "no sample has {missing:?}");
}

fn hold<E: Elementary>(
    tool: Tool,
    test: &'static str,
    forms: &[(EmitForm, Accuracy)],
) -> Vec<String> {
    let Some(mut bench) = Bench::open(tool, test) else { return Vec::new() };
    let mut found = Vec::new();
    for (name, record) in groups::<E>() {
        let network = Network::new();
        record(&network);
        for (form, accuracy) in forms {
            if let Some(violation) = violation(&mut bench, &network, *form, accuracy) {
                found.push(format!("{name} of {}: {violation}", E::NAME));
            }
        }
    }
    found
}

#[test]
fn operations_evaluate_at_their_corners() {
    const TEST: &str = "operations";
    let forms = [
        (EmitForm::Exact, Accuracy::EXACT),
        (EmitForm::Recorded, Accuracy::INTERPRETER),
        (EmitForm::Raised, Accuracy::INTERPRETER),
    ];
    let found =
        [hold::<f32>(Tool::Evaluator, TEST, &forms), hold::<f64>(Tool::Evaluator, TEST, &forms)];
    let found = found.concat();
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}

#[test]
fn operations_run_at_their_corners() {
    const TEST: &str = "operations";
    let forms = [(EmitForm::Recorded, Accuracy::XLA_CPU), (EmitForm::Raised, Accuracy::XLA_CPU)];
    let found =
        [hold::<f32>(Tool::Runner, TEST, &forms), hold::<f64>(Tool::Runner, TEST, &forms)].concat();
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}
