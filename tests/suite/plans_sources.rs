//! What a run is given: parameters and feeds in every storage and layout, shared or not.

use super::properties::{LAYOUTS, in_layout};
use poorgrad::{Compile, Network, Pass, Plan, Symbol, Tensor, Value};
use testkit::bits::identical;

type Payload = Tensor<f32>;

/// Every way of storing or seeing a matrix `[3, 4]` that is not the rows of one dense buffer.
fn storages() -> Vec<(&'static str, Payload)> {
    let dense = Tensor::from_fn([3, 4], |at| (at[0] * 4 + at[1]) as f32 * 0.25 - 1.0);
    let wide = Tensor::from_fn([6, 9], |at| (at[0] * 9 + at[1]) as f32 * 0.125 - 2.0);
    let turned = Tensor::from_fn([4, 3], |at| (at[0] * 3 + at[1]) as f32 * 0.5 - 2.0);
    vec![
        ("dense", dense.clone()),
        ("transposed", turned.transpose()),
        ("narrowed", wide.narrow(0, 2, 3).narrow(1, 4, 4)),
        ("broadcast row", Tensor::from([0.5, -1.5, 2.0, -0.0]).broadcast_to([3, 4])),
        ("broadcast column", Tensor::from([[0.5], [1.0], [-2.0]]).broadcast_to([3, 4])),
        ("constant", Tensor::full([3, 4], 0.75)),
        ("zeros", Tensor::zeros([3, 4])),
        ("bf16", dense.to_bf16()),
        ("selection", Tensor::selection(&[3, 0, 3], 4)),
    ]
}

/// A network that reads one parameter `[3, 4]` in every way: in products from both sides, element
/// for element, through views, and whole as a result.
struct Reader {
    network: Network<Payload>,
    w: Symbol,
    x: Symbol,
    loss: Symbol,
    kept: Vec<Symbol>,
}

fn reader(stored: Payload) -> Reader {
    let network = Network::new();
    let w = network.parameter(stored);
    let x = network.input(Tensor::from_fn([3, 4], |at| at[1] as f32 * 0.5 - at[0] as f32));
    let product = w.matmul(x.transpose());
    let turned = w.transpose().matmul(x);
    let mixed = (w * x + w).tanh();
    let shaped = w.reshape([2, 6]).sum_along(&[0]).exp();
    let part = w.narrow(1, 1, 2).permute(&[1, 0]).sigmoid();
    let loss = product.sum() + turned.sum() + mixed.sum() + shaped.sum() + part.sum();
    let kept = [w, w.transpose(), mixed, w.reshape([12])].map(Value::symbol).to_vec();
    let [w, x, loss] = [w, x, loss].map(Value::symbol);
    Reader { network, w, x, loss, kept }
}

fn plans(of: &Reader) -> Vec<Plan<Payload>> {
    let training = || {
        let compile = Compile::new(&of.network).loss(of.loss).gradients_of(of.x);
        of.kept.iter().fold(compile, Compile::keep)
    };
    vec![
        training().plan(),
        training().without(Pass::Simplify).plan(),
        training().without(Pass::Simplify).without(Pass::Fuse).plan(),
    ]
}

/// Classes that are read under another shape are those of the source below.
#[test]
fn a_selection_under_another_shape_chooses_the_same_rows() {
    let network = Network::new();
    let table = network.parameter(Tensor::from_fn([4, 2], |at| (at[0] * 2 + at[1]) as f32));
    let chosen = network.input(Tensor::selection(&[3, 0, 3, 1], 4));
    let y = table.gather(chosen.reshape([2, 2, 4]));
    let loss = (y * y).sum();
    let plan = network.compile_training(loss, [y.symbol()]);
    plan.check(&network, []).expect("the oracle's bits");
    let other = [(chosen.symbol(), Tensor::selection(&[2, 2, 1, 0], 4))];
    plan.check(&network, other.clone()).expect("the oracle's bits");
    assert_eq!(plan.forward(&network, other).of(y).to_vec(), [4., 5., 4., 5., 2., 3., 0., 1.]);
}

/// The plan's results on a generation against the oracle's.
#[track_caller]
fn agree(name: &str, of: &Reader, network: &Network<Payload>, feeds: &[(Symbol, Payload)]) {
    let oracle = network.reference().forward_with(feeds.iter().cloned());
    let gradients = oracle.backward(of.loss);
    for plan in plans(of) {
        // Twice: what a run leaves behind changes nothing.
        for _ in 0..2 {
            let results = plan.forward(network, feeds.iter().cloned());
            for value in of.kept.iter().chain([&of.loss]) {
                let value = *value;
                assert!(identical(&results.of(value), &oracle.of(value)), "{name}: {value:?}");
            }
            let planned = results.backward(of.loss);
            for source in [of.w, of.x] {
                assert!(identical(&planned.of(source), &gradients.of(source)), "{name}");
            }
        }
        plan.check(network, feeds.iter().cloned())
            .unwrap_or_else(|found| panic!("{name}: {found}"));
    }
}

#[test]
fn a_parameter_may_be_stored_in_any_way() {
    for (name, stored) in storages() {
        let reader = reader(stored);
        agree(name, &reader, &reader.network, &[]);
    }
}

/// The storage that a plan saw when it was compiled says nothing about a later generation's.
#[test]
fn a_parameters_storage_may_change_between_generations() {
    let reader = reader(storages()[0].1.clone());
    let gradients = reader.network.forward().backward(reader.loss);
    let mut network = reader.network.clone();
    for turn in 0..2 {
        for (name, stored) in storages() {
            network = network.update(&gradients, |_, _| stored.clone());
            agree(&format!("turn {turn}, {name}"), &reader, &network, &[]);
        }
    }
}

#[test]
fn a_feed_may_lie_in_any_way() {
    let reader = reader(storages()[0].1.clone());
    let default = storages()[0].1.clone();
    for (name, fed) in storages() {
        agree(name, &reader, &reader.network, &[(reader.x, fed)]);
    }
    for layout in 0..LAYOUTS {
        let fed = in_layout(&default, layout);
        agree(&format!("layout {layout}"), &reader, &reader.network, &[(reader.x, fed)]);
    }
}

/// A feed that is the very buffer of a parameter, of a view of it, and of an earlier result.
#[test]
fn feeds_may_share_their_elements_with_parameters_and_results() {
    let reader = reader(storages()[0].1.clone());
    let own = reader.network.resolve(reader.w).payload().expect("a parameter");
    let views =
        [own.clone(), own.transpose().transpose(), own.narrow(0, 1, 1).broadcast_to([3, 4])];
    for fed in views {
        agree("shared", &reader, &reader.network, &[(reader.x, fed)]);
    }
    let plan = &plans(&reader)[0];
    let mut network = reader.network.clone();
    let mut fed = own;
    for step in 0..5 {
        let oracle = network.reference().forward_with([(reader.x, fed.clone())]);
        let results = plan.forward(&network, [(reader.x, fed.clone())]);
        let (planned, expected) = (results.backward(reader.loss), oracle.backward(reader.loss));
        assert!(identical(&planned.of(reader.w), &expected.of(reader.w)), "step {step}");
        // The gradient is the next feed, and its buffer is freed or reused by the update.
        fed = planned.of(reader.w);
        network = network.step(&planned, |w, g| w - 0.01 * g);
        assert!(identical(&fed, &expected.of(reader.w)), "step {step}");
    }
}

/// A selection that names rows, and is multiplied and summed as well.
#[test]
fn a_selection_may_be_read_by_rows_and_densely() {
    let network = Network::new();
    let table = network.parameter(Tensor::from_fn([5, 2], |at| (at[0] * 2 + at[1]) as f32 - 4.0));
    let rows = network.input(Tensor::selection(&[4, 0, 2], 5));
    let scores = network.parameter(Tensor::from_fn([3, 5], |at| at[1] as f32 * 0.5 - at[0] as f32));
    let picked = table.gather(rows);
    let by_product = rows.matmul(table);
    let weighted = (rows * scores).exp();
    let shifted = rows.reshape([15]) + scores.reshape([15]);
    let loss = (picked * by_product).sum() + weighted.sum() + shifted.tanh().sum();
    let kept = [picked, by_product, weighted, rows].map(Value::symbol);
    let plan = network.compile_training(loss, kept);
    let columns = [[4, 0, 2], [1, 1, 1], [0, 4, 0]];
    for columns in columns {
        let feeds = || [(rows.symbol(), Tensor::selection(&columns, 5))];
        let oracle = network.reference().forward_with(feeds());
        let results = plan.forward(&network, feeds());
        for value in kept {
            assert!(identical(&results.of(value), &oracle.of(value)), "{columns:?}");
        }
        let (planned, expected) = (results.backward(loss), oracle.backward(loss));
        for source in [table, scores] {
            assert!(identical(&planned.of(source), &expected.of(source)), "{columns:?}");
        }
        plan.check(&network, feeds()).expect("the oracle's bits");
    }
}

/// What is alive beside a run does not depend on how a source was stored: extents of zero included.
#[test]
fn empty_parameters_and_feeds_run() {
    let network = Network::new();
    let w = network.parameter(Payload::zeros([0, 3]));
    let x = network.input(Payload::zeros([2, 0]));
    let loss = x.matmul(w).tanh().sum() + w.exp().sum();
    let plan = network.compile_training(loss, [x.symbol()]);
    let results = plan.forward(&network, [(x.symbol(), Tensor::new([2, 0], Vec::new()))]);
    assert_eq!(results.of(loss).item().to_bits(), 0.0_f32.to_bits());
    assert_eq!(*results.backward(loss).of(w).shape(), [0, 3]);
}
