//! Every refusal of a lookup, a feed, a gradient, an update or a field: its kind, its message, and
//! that nothing has changed. And what a composite, a layer or a model refuses leaves no node behind.

use crate::refusal::caught;
use poorgrad::{
    Activation, Layer, Mlp, Network, NetworkError, Neuron, Shape, ShapeError, Symbol, Tensor,
    Value, gradcheck, gradcheck_second, init, no_feeds,
};

type Payload = Tensor<f64>;

/// A network with one of everything that can be refused.
struct Model {
    network: Network<Payload>,
    x: Symbol,
    rows: Symbol,
    w: Symbol,
    product: Symbol,
    loss: Symbol,
}

fn model() -> Model {
    let network = Network::new();
    let x = network.input(Tensor::from([1.0, 2.0])).named("x");
    let rows = network.input(Tensor::selection(&[1], 2)).named("rows");
    let w = network.parameter(Tensor::from([3.0, 4.0])).named("w");
    let product = (x * w).named("product");
    let loss = product.sum().named("loss");
    let [x, rows, w, product, loss] = [x, rows, w, product, loss].map(Value::symbol);
    Model { network, x, rows, w, product, loss }
}

/// Asserts the kind and the message of a refusal, and that the network is as it was.
macro_rules! refuses {
    ($model:ident, $pattern:pat, $message:literal, $expression:expr) => {{
        let before = ($model.network.len(), $model.network.fingerprint());
        match $expression {
            Ok(_) => panic!("`{}` is accepted", stringify!($expression)),
            Err(error) => {
                assert!(matches!(error, $pattern), "{error:?}");
                let message = error.to_string();
                assert!(message.contains($message), "{message}");
                assert!(message.starts_with(&format!("{}: ", error.operation())), "{message}");
            }
        }
        assert_eq!(before, ($model.network.len(), $model.network.fingerprint()));
        let run = $model.network.forward();
        assert_eq!(run.of($model.loss).item(), 11.0);
        assert_eq!(run.backward($model.loss).of($model.w).to_vec(), [1.0, 2.0]);
    }};
}

#[test]
fn symbols_of_others_are_refused_by_the_call_that_was_made() {
    let m = model();
    let network = &m.network;
    let other = Network::<Payload>::new();
    let foreign = other.leaf(Tensor::scalar(1.0)).symbol();
    let fork = network.clone();
    let divergent = fork.leaf(Tensor::scalar(1.0)).symbol();
    let run = network.forward();
    let gradients = run.backward(m.loss);
    let one = network.leaf(Tensor::scalar(1.0)).symbol();
    refuses!(
        m,
        NetworkError::Foreign { .. },
        "resolve: the symbol comes",
        network.try_resolve(foreign)
    );
    refuses!(
        m,
        NetworkError::Divergent { .. },
        "was recorded on a fork",
        network.try_resolve(divergent)
    );
    refuses!(m, NetworkError::Foreign { .. }, "evaluation: ", run.try_of(foreign));
    refuses!(m, NetworkError::Younger { .. }, "recorded after this run", run.try_of(one));
    refuses!(
        m,
        NetworkError::Younger { .. },
        "recorded after the run of this field",
        gradients.try_of(one)
    );
    refuses!(
        m,
        NetworkError::Younger { .. },
        "record the target before the run: in `forward().backward(x.sum())`",
        run.try_backward(one)
    );
    refuses!(m, NetworkError::Foreign { .. }, "field: ", gradients.try_restricted([foreign]));
    refuses!(m, NetworkError::Foreign { .. }, "backward: ", run.try_backward(foreign));
    refuses!(
        m,
        NetworkError::Foreign { .. },
        "backward_for: ",
        run.try_backward_for(m.loss, [foreign])
    );
    refuses!(
        m,
        NetworkError::Foreign { .. },
        "backward_for: ",
        run.try_backward_for(foreign, [m.w])
    );
    refuses!(
        m,
        NetworkError::Foreign { .. },
        "forward_for: ",
        network.try_forward_for([foreign], no_feeds())
    );
    refuses!(
        m,
        NetworkError::Foreign { .. },
        "forward_for: ",
        network.reference().try_forward_for([foreign], no_feeds())
    );
    refuses!(
        m,
        NetworkError::Foreign { .. },
        "feed: ",
        network.try_forward_with([(foreign, Tensor::scalar(1.0))])
    );
    refuses!(
        m,
        NetworkError::Foreign { .. },
        "differentiate: ",
        network.try_differentiate(foreign, [m.w])
    );
    refuses!(m, NetworkError::Foreign { .. }, "vjp: ", network.try_vjp(m.loss, foreign, [m.w]));
    refuses!(m, NetworkError::Foreign { .. }, "jvp: ", network.try_jvp(foreign, [(m.w, m.w)]));
    refuses!(m, NetworkError::Foreign { .. }, "jvp: ", network.try_jvp(m.loss, [(m.w, foreign)]));
    refuses!(m, NetworkError::Foreign { .. }, "hvp: ", network.try_hvp(foreign, [(m.w, m.w)]));
    refuses!(m, NetworkError::Foreign { .. }, "gradcheck: ", gradcheck(network, foreign, [m.w]));
    let parted = fork.forward().backward(m.loss);
    let _ = fork.parameter(Tensor::scalar(2.0));
    let _ = network.parameter(Tensor::scalar(2.0));
    let both = |left: &Network<Payload>, right: &Network<Payload>| {
        let field = |network: &Network<Payload>| network.forward().backward(m.loss);
        field(left).try_zip(&field(right), |left, _| left.clone()).err()
    };
    assert!(parted.try_zip(&parted, |left, _| left.clone()).is_ok());
    let error = both(network, &fork).expect("the forks have parted");
    assert!(matches!(error, NetworkError::FieldsDiverge { common: 5, .. }), "{error:?}");
    assert!(
        error.to_string().contains("parted after 5 values (they are of 7 and of 7)"),
        "{error}"
    );
    let m2 = model();
    let left = m2.network.forward().backward(m2.loss);
    let error = left.try_zip(&gradients, |left, _| left.clone()).expect_err("other networks");
    assert!(error.to_string().contains("belong to different networks"), "{error}");
}

#[test]
fn n11_feeds_that_do_not_fit_are_refused_and_nothing_runs() {
    let m = model();
    let (network, oracle) = (&m.network, m.network.reference());
    let pair = || Tensor::from([1.0, 1.0]);
    let selection = || Tensor::selection(&[0], 2);
    refuses!(
        m,
        NetworkError::NotAnInput { .. },
        "is not an input; declare it",
        network.try_forward_with([(m.w, pair())])
    );
    refuses!(
        m,
        NetworkError::FedTwice { .. },
        "is fed twice in one run; name each input once",
        network.try_forward_with([(m.x, pair()), (m.x, pair())])
    );
    refuses!(
        m,
        NetworkError::FeedShape { .. },
        "has shape [2] and was fed [3]",
        network.try_forward_with([(m.x, Tensor::zeros([3]))])
    );
    // The convention `selection-feeds` (V16).
    refuses!(
        m,
        NetworkError::FeedNotSelection { .. },
        "takes selections",
        network.try_forward_with([(m.rows, Tensor::from([[0.0, 1.0]]))])
    );
    refuses!(
        m,
        NetworkError::FeedNotSelection { .. },
        "\"rows\"",
        oracle.try_forward_with([(m.rows, Tensor::zeros([1, 2]))])
    );
    refuses!(
        m,
        NetworkError::FedTwice { .. },
        "feed: ",
        network.try_forward_for([m.loss], [(m.rows, selection()), (m.rows, selection())])
    );
    assert_eq!(oracle.forward_with([(m.x, pair())]).of(m.loss).item(), 7.0);
    assert_eq!(oracle.forward_for([m.loss], [(m.x, pair())]).of(m.loss).item(), 7.0);
}

#[test]
fn selection_feeds_for_numbers_read_as_their_dense_twin() {
    let network = Network::new();
    let x = network.input(Tensor::<f64>::zeros([2, 3]));
    let y = (x * x + x).sum_along(&[0]);
    let selection = Tensor::selection(&[2, 0], 3);
    let dense = Tensor::new([2, 3], selection.to_vec());
    let of = |feed: Tensor<f64>| network.forward_with([(x, feed)]).of(y);
    assert!(of(selection).is_identical(&of(dense)));
}

#[test]
fn what_was_skipped_or_has_many_elements_is_refused() {
    let m = model();
    let network = &m.network;
    let run = network.forward_for([m.product], no_feeds());
    refuses!(m, NetworkError::Skipped { .. }, "\"loss\" (recorded at", run.try_of(m.loss));
    refuses!(
        m,
        NetworkError::Skipped { .. },
        "no target of this run depends on it",
        run.try_backward(m.loss)
    );
    refuses!(
        m,
        NetworkError::NotScalar { .. },
        "backward: the target",
        run.try_backward(m.product)
    );
    refuses!(
        m,
        NetworkError::NotScalar { .. },
        "backward_for: the target",
        run.try_backward_for(m.product, [m.w])
    );
    refuses!(
        m,
        NetworkError::NotScalar { .. },
        "has shape [2]",
        network.try_differentiate(m.product, [m.w])
    );
    refuses!(
        m,
        NetworkError::NotScalar { .. },
        "hvp: the target",
        network.try_hvp(m.product, [(m.w, m.w)])
    );
    refuses!(
        m,
        NetworkError::NotScalar { .. },
        "gradcheck: the target",
        gradcheck(network, m.product, [m.w])
    );
    refuses!(
        m,
        NetworkError::DirectionShape { .. },
        "vjp: ",
        network.try_vjp(m.product, m.loss, [m.w])
    );
    refuses!(
        m,
        NetworkError::DirectionShape { .. },
        "jvp: ",
        network.try_jvp(m.loss, [(m.w, m.loss)])
    );
    refuses!(
        m,
        NetworkError::DirectionShape { .. },
        "has shape [2], and its direction []",
        network.try_hvp(m.loss, [(m.w, m.loss)])
    );
    // What differences cannot vary.
    refuses!(
        m,
        NetworkError::NotVariable { .. },
        "is computed, or takes selections",
        gradcheck(network, m.loss, [m.product])
    );
    refuses!(m, NetworkError::NotVariable { .. }, "\"rows\"", gradcheck(network, m.loss, [m.rows]));
    refuses!(
        m,
        NetworkError::NotVariable { .. },
        "",
        gradcheck_second(network, m.loss, [m.product])
    );
}

#[test]
fn updates_that_do_not_fit_are_refused() {
    let m = model();
    let network = &m.network;
    let gradients = network.forward().backward(m.loss);
    let wider = |_: &Payload, _: &Payload| Tensor::zeros([3]);
    refuses!(
        m,
        NetworkError::UpdateShape { .. },
        "update: the rule turned",
        network.try_update(&gradients, wider)
    );
    refuses!(
        m,
        NetworkError::UpdateShape { .. },
        "of shape [2] into [3]",
        network.try_update_each(&gradients, |_, w, g| wider(w, g))
    );
    refuses!(
        m,
        NetworkError::UpdateShape { .. },
        "step: the rule turned",
        network.clone().try_step(&gradients, |w, g| wider(&w, g))
    );
    let next = network.clone();
    let _ = next.parameter(Tensor::scalar(1.0));
    let called = std::cell::Cell::new(false);
    let rule = |w: &Payload, _: &Payload| {
        called.set(true);
        w.clone()
    };
    refuses!(
        m,
        NetworkError::FieldTooOld { .. },
        "update: the field is older than",
        next.try_update(&gradients, rule)
    );
    refuses!(
        m,
        NetworkError::FieldTooOld { .. },
        "step: the field is older than",
        next.clone().try_step(&gradients, |w, g| rule(&w, g))
    );
    let other = model();
    refuses!(
        m,
        NetworkError::FieldForeign { .. },
        "update: the gradients belong to another network",
        other.network.try_update(&gradients, rule)
    );
    refuses!(
        m,
        NetworkError::FieldForeign { .. },
        "step: the gradients belong to another network",
        other.network.clone().try_step(&gradients, |w, g| rule(&w, g))
    );
    assert!(!called.get());
    assert!(network.clone().try_step(&gradients, |w, g| w - 0.5 * g).is_ok());
}

#[test]
fn a21_constants_have_the_gradient_that_is_asked_for_by_name() {
    let network = Network::new();
    let c = network.leaf(3.0_f64);
    let y = c * c;
    let run = network.forward();
    let all = run.backward(y);
    assert!(!all.contains(c) && !all.contains(y));
    assert_eq!((all.of(c), all.of(y)), (0.0, 0.0));
    assert_eq!(run.backward_for(y, [c]).of(c), 6.0);
    let recorded = network.differentiate(y, [c])[0];
    assert_eq!(network.forward().of(recorded), 6.0);
    // An input that takes selections is as a constant.
    let network = Network::new();
    let rows = network.input(Tensor::<f64>::selection(&[1], 2));
    let y = (rows * rows).sum();
    let run = network.forward();
    assert_eq!(run.backward(y).of(rows).to_vec(), [0.0, 0.0]);
    assert_eq!(run.backward_for(y, [rows]).of(rows).to_vec(), [0.0, 2.0]);
}

/// A composite that is refused names itself and records nothing, in any of its operands' networks.
#[track_caller]
fn leaves_nothing<T>(
    networks: [&Network<Payload>; 2],
    operation: &str,
    record: impl FnOnce() -> Result<T, ShapeError>,
) {
    let before = networks.map(Network::len);
    let error = record().err().expect("refused");
    assert_eq!(error.operation(), operation, "{error}");
    assert_eq!(networks.map(Network::len), before, "{error}");
}

#[test]
fn n7_a_refused_composite_records_no_part_of_itself() {
    let (first, second) = (Network::new(), Network::new());
    let networks = [&first, &second];
    let (a, b) = (first.leaf(Tensor::zeros([2])), second.leaf(Tensor::zeros([2])));
    let wide = first.leaf(Tensor::zeros([1 << 58]));
    leaves_nothing(networks, "stack", || Value::try_stack(&[a, b], 0));
    leaves_nothing(networks, "stack", || Value::try_stack(&[wide, wide, wide], 0));
    leaves_nothing(networks, "stack", || Value::try_stack(&[a, a], 2));
    leaves_nothing(networks, "stack", || Value::try_stack(&[a, wide], 0));
    leaves_nothing(networks, "stack", || Value::<Payload>::try_stack(&[], 0));
    leaves_nothing(networks, "dot", || a.try_dot(b));
    leaves_nothing(networks, "minimum", || a.try_minimum(b));
    leaves_nothing(networks, "minimum", || a.try_minimum(wide));
    let (column, row) = (first.leaf(Tensor::zeros([2, 1])), second.leaf(Tensor::zeros([1, 2])));
    leaves_nothing(networks, "broadcast_pair", || column.try_broadcast_pair(row));
    let (column, row) =
        (first.leaf(Tensor::zeros([1 << 40, 1])), first.leaf(Tensor::zeros([1, 1 << 40])));
    leaves_nothing(networks, "broadcast_pair", || column.try_broadcast_pair(row));
    let error = column.try_broadcast_pair(row).unwrap_err().to_string();
    assert!(error.contains("overflows the address space"), "{error}");
    let error = column.try_broadcast_to([1 << 40, 1 << 40]).unwrap_err().to_string();
    assert!(error.contains("overflows the address space"), "{error}");
    let scalar = Network::new();
    let number = scalar.leaf(1.0_f64);
    assert_eq!(Value::try_stack(&[number, number], 0).unwrap_err().operation(), "stack");
    assert_eq!(scalar.len(), 1);
    let stacked = Value::try_stack(&[a, a], 1).expect("it fits");
    assert_eq!(*stacked.shape(), [2, 2]);
}

#[test]
fn an_initialiser_that_fails_leaves_no_parameter() {
    let network = Network::<Payload>::new();
    // Right for the first call, wrong for the second.
    let fails = || {
        let mut calls = 0;
        move |shape: &Shape| {
            calls += 1;
            assert!(calls < 3, "enough");
            Tensor::zeros(if calls == 2 { Shape::from([7]) } else { shape.clone() })
        }
    };
    let (message, ..) = caught(|| Layer::new(&network, 2, 3, Activation::Tanh, fails()));
    assert!(message.contains("was given the shape [7]"), "{message}");
    caught(|| Neuron::new(&network, 2, Activation::Tanh, fails()));
    caught(|| Mlp::new(&network, &[2, 3, 1], fails()));
    let mut calls = 0;
    caught(|| {
        Mlp::new(&network, &[2, 3, 1], |shape| {
            calls += 1;
            assert!(calls < 4, "enough");
            Tensor::zeros(shape)
        })
    });
    assert_eq!((network.len(), network.parameters().count()), (0, 0));
    let _ = Layer::new(&network, 2, 3, Activation::Tanh, init::xavier(1));
    assert_eq!(network.parameters().count(), 2);
}

#[test]
fn a_layer_or_model_of_another_network_is_an_error() {
    let (network, other) = (Network::<Payload>::new(), Network::new());
    let layer = Layer::new(&network, 2, 3, Activation::Tanh, init::xavier(1));
    let model = Mlp::new(&network, &[2, 3, 1], init::xavier(1));
    let x = other.input(Tensor::<f64>::zeros([4, 2]));
    for (error, name, parameter) in [
        (layer.try_express(&other, x), "Layer", "weight"),
        (model.try_express(&other, x), "Mlp", "layer0.weight"),
    ] {
        let error = error.expect_err("the parameters are not there");
        assert_eq!((error.operation(), other.len()), (name, 1));
        let problem = format!("{name}: {parameter}: the symbol comes from another network");
        assert!(error.to_string().starts_with(&problem), "{error}");
    }
    let scalars = Network::new();
    let neuron = Neuron::new(&Network::<f64>::new(), 1, Activation::Tanh, init::xavier(1));
    let inputs = [scalars.input(1.0_f64)];
    let refused = crate::refusal::caught(|| neuron.express(&scalars, &inputs)).0;
    assert!(refused.starts_with("Neuron: weight0: the symbol comes from"), "{refused}");
}

#[test]
fn twins_return_what_their_methods_panic_with() {
    let network = Network::new();
    let x = network.input(Tensor::from([[1.0, 5.0], [-3.0, 2.0]]));
    let flat = network.input(Tensor::from([1.0, 5.0]));
    let error = flat.try_transpose().unwrap_err();
    assert_eq!((error.operation(), error.constraint()), ("transpose", Some(1)));
    let turned = x.try_transpose().expect("a matrix");
    let low = x.try_minimum(x.literal(2.0)).expect("one shape");
    let kept = x.try_clamp(-1.0, 2.0).expect("room");
    let run = network.forward();
    assert_eq!(run.of(turned).to_vec(), [1.0, -3.0, 5.0, 2.0]);
    assert_eq!(run.of(low).to_vec(), [1.0, 2.0, -3.0, 2.0]);
    assert_eq!(run.of(kept).to_vec(), [1.0, 2.0, -1.0, 2.0]);

    let t = Tensor::from([1.0, 5.0]);
    for (found, expected) in [
        (t.try_transpose().map(|_| ()), "transpose: a pair of axes is not part of [2]"),
        (t.try_unsqueeze(2).map(|_| ()), "unsqueeze: axis 2 is not part of [2]"),
        (t.try_squeeze(0).map(|_| ()), "squeeze: an axis 0 of extent 1 is not part of [2]"),
        (t.try_sum_along(&[1]).map(|_| ()), "sum_along: the list of axes [1] is not part of [2]"),
        (
            t.try_max_along(&[0, 0]).map(|_| ()),
            "max_along: the list of axes [0, 0] is not part of [2]",
        ),
        (
            t.try_argmax_along(3).map(|_| ()),
            "argmax_along: the list of axes [3] is not part of [2]",
        ),
    ] {
        assert_eq!(found.unwrap_err().to_string(), expected);
    }
    assert_eq!(t.try_argmax_along(0), Ok(vec![1]));
    // An empty axis has no maximum, on a tensor as on the tape, also where none is asked for.
    let empty = Tensor::<f64>::zeros([0, 0]);
    assert!(empty.try_max_along(&[1]).is_err() && empty.try_argmax_along(1).is_err());
    assert!(network.leaf(empty).try_max_along(&[1]).is_err());
}

#[test]
fn a_leaked_network_lives_as_long_as_the_process() {
    let network: &'static Network<f64> = Network::leaked();
    let x: Value<'static, f64> = network.input(2.0);
    let y = std::thread::spawn(move || (x * x).symbol()).join().expect("it lives");
    assert_eq!(network.forward().of(y), 4.0);
    let fork = network.clone().leak();
    assert_eq!(fork.resolve(y).shape().rank(), 0);
}

#[test]
fn stats_count_the_bytes_of_a_generation() {
    let network = Network::new();
    let w = network.parameter(Tensor::from([1.0_f64, 2.0, 3.0]));
    let shared = w.payload().expect("a parameter");
    let _ = network.parameter(shared);
    let _ = network.parameter(Tensor::<f64>::zeros([1 << 40]));
    let _ = network.leaf(Tensor::from([1.0, 2.0]));
    let stats = network.stats();
    assert_eq!((stats.parameters, stats.parameter_bytes, stats.structure_bytes), (3, 24, 16));
}

#[test]
fn v9_a_sum_that_removes_the_empty_axis_keeps_the_volume_in_bounds() {
    let text = "tape 1 f32\n\
                %0 = leaf dense [] : [0, 9223372036854775807]\n\
                %1 = sum_along %0 {axes = [0]} : [9223372036854775807]\n\
                %2 = reshape %1 {extents = [infer]} : [9223372036854775807]\n";
    let error = Network::<Tensor<f32>>::parse(text).expect_err("the volume overflows");
    assert_eq!(error.line(), 3, "{error}");
    assert!(Tensor::<f32>::zeros([0, usize::MAX]).try_sum_along(&[0]).is_err());
    assert_eq!(Tensor::<f32>::zeros([0, usize::MAX]).categorical(1), Ok(Vec::new()));
}

#[test]
fn v15_no_rows_of_no_classes_are_no_selection_of_other_rows() {
    let network = Network::new();
    let nothing = network.input(Tensor::<f64>::selection(&[], 0));
    let table = network.leaf(Tensor::new([0, 2], Vec::new()));
    let three = nothing.reshape([3, 0]);
    let error = table.try_gather(three).expect_err("no column is below 0");
    assert_eq!(error.constraint(), Some(4));
    let still = nothing.reshape([5, 0, 0]);
    assert_eq!(*table.gather(still).shape(), [5, 0, 2]);
    assert!(network.forward().of(still).columns().is_some());
}

#[test]
fn t2_extents_beyond_a_signed_number_read_back() {
    let network = Network::new();
    let empty = network.leaf(Tensor::<f32>::zeros([0, usize::MAX]));
    let _ = empty.narrow(1, usize::MAX - 5, 3);
    let _ = network.leaf(Tensor::zeros([0, 1])).pad(1, usize::MAX - 5, 3, 0.0);
    let again = Network::<Tensor<f32>>::parse(&network.to_text()).expect("what was printed parses");
    assert_eq!(again.to_text(), network.to_text());
}

#[test]
fn an_empty_tensor_prints_short_however_many_rows_it_has() {
    assert!(Tensor::<f32>::zeros([1_000_000, 0]).to_string().len() < 200);
    assert!(format!("{:?}", Tensor::<f32>::zeros([usize::MAX, 0])).len() < 200);
    assert_eq!(Tensor::<f32>::zeros([2, 0]).to_string(), "[[],\n []]");
}
