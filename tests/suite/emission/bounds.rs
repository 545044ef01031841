//! The bounds themselves, on results that are wrong by hand: what a flushing runner loses takes nothing
//! from what it is held to elsewhere, and a zero has a sign.

use poorgrad::{Network, Tensor, Value};
use testkit::emission::{Accuracy, Apart, check};

/// Whether XLA-CPU may give `found` for the last value of a tape on its inputs' defaults.
fn passes(record: impl Fn(&Network<Tensor>), found: &dyn Fn(&mut Vec<f32>)) -> bool {
    passes_by(&Accuracy::XLA_CPU, record, found)
}

/// Whether a runner of this accuracy may.
fn passes_by(
    accuracy: &Accuracy,
    record: impl Fn(&Network<Tensor>),
    found: &dyn Fn(&mut Vec<f32>),
) -> bool {
    let network = Network::new();
    record(&network);
    let evaluation = network.reference().forward();
    let values: Vec<Tensor> = network.values().map(|value| evaluation.of(value)).collect();
    let apart = Apart::<Tensor>::new(&network);
    let node = network.len() - 1;
    let mut elements = values[node].to_vec();
    found(&mut elements);
    let found = Tensor::new(values[node].shape().clone(), elements);
    check(&apart, node, &apart.read(node, &values), &found, accuracy).is_none()
}

const TINY: f32 = 1e-40;

fn table(network: &Network<Tensor>) -> Value<'_, Tensor> {
    network.input(Tensor::from([[TINY, 1.0, 2.0], [3.0, 4.0, -0.0]]))
}

#[test]
fn a_subnormal_number_blinds_no_other_element() {
    let moved = |network: &Network<Tensor>| {
        let _ = table(network).transpose();
    };
    let summed = |network: &Network<Tensor>| {
        let _ = table(network).sum_along(&[1]);
    };
    let product = |network: &Network<Tensor>| {
        let x = network.input(Tensor::from([[TINY, 1.0, 2.0], [0.0, 4.0, 1.0]]));
        let _ = x.matmul(network.input(Tensor::from([[1e37_f32], [2.0], [1.0]])));
    };
    let largest = |network: &Network<Tensor>| {
        let _ = table(network).max_along(&[1]);
    };
    let first = |network: &Network<Tensor>| {
        let _ = network.input(Tensor::from([[0.0, TINY], [2.0, 1.0]])).first_max_along(&[1]);
    };
    for record in [&moved as &dyn Fn(&Network<Tensor>), &summed, &product, &largest, &first] {
        assert!(passes(record, &|_| ()));
        assert!(!passes(record, &|x| *x.last_mut().expect("an element") += 0.01));
        assert!(!passes(record, &|x| x[1] = f32::NAN));
    }
    // What is flushed may be, and no more than that.
    assert!(passes(moved, &|x| x[0] = 0.0));
    assert!(!passes(moved, &|x| x[0] = 1e-30));
    assert!(passes(product, &|x| x[0] -= TINY * 1e37));
    assert!(!passes(product, &|x| x[0] -= 3e-3));
    // A tie of what is flushed with zero is decided otherwise.
    assert!(passes(first, &|x| x[..2].copy_from_slice(&[1.0, 0.0])));
    assert!(!passes(first, &|x| x[2..].copy_from_slice(&[0.0, 1.0])));
}

#[test]
fn a_zero_has_the_sign_of_the_definition() {
    let zeros = |network: &Network<Tensor>| network.input(Tensor::from([[0.0_f32, -0.0]])).symbol();
    let of = |network: &Network<Tensor>, name: &str| {
        let x = network.resolve(zeros(network));
        let _ = match name {
            "transpose" => x.transpose(),
            "neg" => -x,
            "tanh" => x.tanh(),
            "maximum" => x.maximum(x * x.literal(1.0)),
            "mul" => x * x.literal(2.0),
            "sum" => x.sum_along(&[0]),
            "add" => x + x,
            _ => x.log_softmax(1),
        };
    };
    for name in ["transpose", "neg", "tanh", "maximum", "mul", "sum", "add"] {
        let record = |network: &Network<Tensor>| of(network, name);
        for accuracy in [&Accuracy::INTERPRETER, &Accuracy::XLA_CPU] {
            assert!(passes_by(accuracy, record, &|_| ()), "{name}");
            assert!(!passes_by(accuracy, record, &|x| x[1] = -x[1]), "{name}");
        }
    }
    // A product that is contracted into a sum may be less than nothing before it is rounded.
    let contracted = |network: &Network<Tensor>| {
        let x = network.resolve(zeros(network));
        let _ = (x * x.literal(2.0)).transpose().reshape([1, 2]) + x;
    };
    assert!(passes(contracted, &|x| x[1] = 0.0));
    assert!(!passes_by(&Accuracy::INTERPRETER, contracted, &|x| x[1] = 0.0));
}
