//! Parts of models, by the public surface: normalisations, filters, pools, tables, parts put together.

use crate::refusal::caught;
use poorgrad::{
    Activation, AveragePool, BatchNorm, Conv2d, Dropout, Embedding, Flatten, Layer, LayerNorm,
    MaxPool, Mlp, Module, Network, Random, Residual, RmsNorm, RunningStatistics, Sequential, Shape,
    StatisticsError, Tensor, Window, init,
};
use testkit::bits::identical;

type Net = Network<Tensor<f64>>;

fn paths(network: &Network<Tensor<f64>>) -> Vec<String> {
    network.parameters().map(|(path, _)| path).collect()
}

#[test]
fn b54_a_window_wholly_in_the_padding_is_refused_when_it_is_recorded() {
    let network = Net::new();
    let point = network.input(Tensor::ones([1, 1, 1, 1]));
    let window = Window::new().step([3, 3]).padding([[3, 3]; 2]);
    let before = network.len();
    for error in [
        MaxPool::new([3, 3], window).try_express(&network, point).unwrap_err(),
        AveragePool::new([3, 3], window).try_express(&network, point).unwrap_err(),
    ] {
        assert_eq!(error.constraint(), Some(5));
        assert!(error.to_string().contains("is wholly padding"), "{error}");
    }
    assert_eq!(network.len(), before);
}

#[test]
fn b56_a_distant_mean_takes_no_digits_away() {
    let network = Network::<Tensor<f32>>::new();
    let norm = LayerNorm::new(&network, 4);
    let rows = Tensor::from([[40_000.0_f32, 40_001.0, 40_002.0, 40_003.0], [1.0, 2.0, 3.0, 4.0]]);
    let y = norm.express(&network, network.leaf(rows));
    let bits = network.forward().of(y).iter().map(f32::to_bits).collect::<Vec<_>>();
    assert_eq!(bits[..4], bits[4..]);
    for (found, expected) in bits.iter().zip([0xBFAB_BAB6_u32, 0xBEE4_F8F2]) {
        assert!(found.abs_diff(expected) <= 4, "{found:#x} for {expected:#x}");
    }
    let wide = LayerNorm::new(&network, 256);
    let y = wide.express(&network, network.leaf(Tensor::full([1, 256], 1234.0)));
    assert!(network.forward().of(y).iter().all(|x| x == 0.0));

    let network = Net::new();
    let norm = LayerNorm::new(&network, 4);
    let x = network.parameter(Tensor::from([[1.0, 2.0, 3.0, 4.0]]));
    let first = norm.express(&network, x).narrow(1, 0, 1).sum();
    let gradient = network.forward().backward(first).of(x);
    let expected = [0.268_330_303_893, -0.357_768_372_025, -0.089_443_434_631, 0.178_881_502_763];
    for (found, expected) in gradient.iter().zip(expected) {
        assert!((found / expected - 1.0_f64).abs() < 1e-10, "{found} for {expected}");
    }
    // A constant row: the root of epsilon is what is left.
    let norm = LayerNorm::new(&network, 2);
    let x = network.parameter(Tensor::from([[5.0, 5.0]]));
    let first = norm.express(&network, x).narrow(1, 0, 1).sum();
    let gradient = network.forward().backward(first).of(x).to_vec();
    for (found, expected) in gradient.iter().zip([158.113_883_008_418_98, -158.113_883_008_418_98])
    {
        assert!((found / expected - 1.0_f64).abs() < 1e-14, "{found}");
    }
}

#[test]
fn b63_batch_norm_normalises_by_the_biased_variance_and_says_which() {
    let network = Network::<Tensor<f32>>::new();
    let norm = BatchNorm::new(&network, 1);
    let x = network.leaf(Tensor::from([[1.0_f32], [2.0], [3.0], [4.0]]));
    let batch = norm.express(&network, x);
    let evaluation = network.forward();
    for (found, expected) in evaluation.of(batch.output).iter().zip([
        -1.341_635_4,
        -0.447_211_8,
        0.447_211_8,
        1.341_635_4,
    ]) {
        assert!((found - expected).abs() < 2e-7, "{found} for {expected}");
    }
    assert_eq!(evaluation.of(batch.variance).to_vec(), [1.25]);

    let (mean, variance) = (Tensor::from([2.5_f64]), Tensor::from([1.25]));
    let mut unbiased = RunningStatistics::new(1);
    unbiased.update(&mean, &variance, 4).unwrap();
    assert!((unbiased.variance().to_vec()[0] - 1.066_666_666_666_666_7).abs() <= 2.3e-16);
    let mut biased = RunningStatistics::new(1).biased();
    biased.update(&mean, &variance, 4).unwrap();
    assert_eq!((biased.mean().to_vec(), biased.variance().to_vec()), (vec![0.25], vec![1.025]));
    // A batch of one: the output is the bias, and there is no unbiased variance.
    let single = norm.express(&network, network.leaf(Tensor::from([[7.0_f32]])));
    let evaluation = network.forward();
    assert_eq!(evaluation.of(single.output).to_vec(), [0.0]);
    assert_eq!(evaluation.of(single.variance).to_vec(), [0.0]);
    let before = unbiased.clone();
    let error = unbiased.update(&mean, &Tensor::from([0.0]), 1).unwrap_err();
    assert!(matches!(error, StatisticsError::TooFew { count: 1 }), "{error}");
    let error = unbiased.update(&mean, &Tensor::from([0.0, 0.0]), 4).unwrap_err();
    assert!(error.to_string().contains("the statistics are [2], the estimates [1]"), "{error}");
    assert_eq!(unbiased, before);
}

#[test]
fn b66_causal_attention_over_leading_axes_attends_to_what_came_before() {
    let network = Net::new();
    let zeros = network.leaf(Tensor::zeros([2, 2, 3, 1]));
    let values = Tensor::from_fn([2, 2, 3, 1], |at| [1.0, 2.0, 6.0][at[2]] * (at[0] + 1) as f64);
    let values = network.leaf(values);
    let mask = network.leaf(poorgrad::causal_mask(3));
    let y = poorgrad::scaled_dot_product_attention(zeros, zeros, values, Some(mask));
    let found = network.forward().of(y).to_vec();
    assert_eq!(found, [1.0, 1.5, 3.0, 1.0, 1.5, 3.0, 2.0, 3.0, 6.0, 2.0, 3.0, 6.0]);
}

#[test]
fn b28_a_query_that_sees_no_key_is_nan_and_leaves_the_others_alone() {
    let attention = |hidden: f64| {
        let network = Net::new();
        let random = |seed| init::normal(0.0, 1.0, seed)(&Shape::from([3, 2]));
        let [q, k, v] = [1, 2, 3].map(|seed| network.parameter(random(seed)));
        let mask = Tensor::from([[0.0, f64::NEG_INFINITY, 0.0], [hidden; 3], [0.0; 3]]);
        let y = poorgrad::scaled_dot_product_attention(q, k, v, Some(network.leaf(mask)));
        let rest = y.narrow(0, 0, 1).sum() + y.narrow(0, 2, 1).sum();
        let evaluation = network.forward();
        let gradients = evaluation.backward(rest);
        let payloads = [evaluation.of(y), gradients.of(q), gradients.of(k), gradients.of(v)];
        payloads.map(|payload| payload.to_vec())
    };
    let [seen, hidden] = [0.0, f64::NEG_INFINITY].map(attention);
    assert!(hidden[0][2..4].iter().all(|y| y.is_nan()));
    assert_eq!((&hidden[0][..2], &hidden[0][4..]), (&seen[0][..2], &seen[0][4..]));
    assert_eq!((&hidden[1], &hidden[2]), (&seen[1], &seen[2]));
    assert!(hidden[3].iter().all(|g| g.is_nan()) && seen[3].iter().all(|g| g.is_finite()));
    // The mask that is given away hides no row wholly.
    for count in 0..6 {
        let mask: Tensor<f64> = poorgrad::causal_mask(count);
        assert!((0..count).all(|row| mask.get(&[row, 0]) == Some(0.0)));
    }
}

#[test]
fn attention_refuses_in_its_own_name_and_leaves_nothing_behind() {
    use poorgrad::{causal_mask, scaled_dot_product_attention, try_scaled_dot_product_attention};
    let network = Net::new();
    let input = |extents: &[usize]| network.input(Tensor::zeros(Shape::from(extents)));
    let (q, k, v) = (input(&[2, 5, 4]), input(&[2, 6, 4]), input(&[2, 6, 3]));
    let (mask, line, empty) = (input(&[4, 6]), input(&[4]), input(&[2, 0, 4]));
    let fork = network.clone();
    let before = network.len();
    for (operands, mask, problem) in [
        ([q, v, v], None, "inner dimensions differ: [2, 5, 4] x [2, 3, 6]"),
        ([q, k, q], None, "inner dimensions differ: [2, 5, 6] x [2, 5, 4]"),
        ([q, line, v], None, "keys need two axes: [4]"),
        ([line, k, v], None, "the ranks are not equal"),
        ([q, k, v], Some(mask), ""),
        ([q, empty, empty], None, ""),
        ([q, k, fork.resolve(v)], None, "the operands are handles into different networks"),
        ([q, k, v], Some(fork.resolve(mask)), "the operands are handles into different networks"),
    ] {
        let [q, k, v] = operands;
        let error = try_scaled_dot_product_attention(q, k, v, mask).unwrap_err();
        let whole = format!("scaled_dot_product_attention: {problem}");
        assert!(error.to_string().starts_with(&whole), "{error}");
        let (message, file, _) = caught(|| scaled_dot_product_attention(q, k, v, mask));
        assert!(message.starts_with(&whole) && file == file!(), "{file}: {message}");
    }
    assert_eq!([network.len(), fork.len()], [before; 2]);
    let y = try_scaled_dot_product_attention(q, k, v, None).unwrap();
    assert_eq!(*y.shape(), [2, 5, 3]);
    let (message, ..) = caught(|| causal_mask::<Tensor<f64>>(usize::MAX / 2));
    assert!(
        message.starts_with("causal_mask: [") && message.contains("address space"),
        "{message}"
    );
}

#[test]
fn a_normalised_row_has_the_scale_that_was_promised() {
    let network = Net::new();
    let x = network.leaf(init::normal(3.0, 2.0, 1)(&Shape::from([5, 64])));
    let layer = LayerNorm::new(&network, 64).epsilon(0.0).express(&network, x);
    let rms = RmsNorm::new(&network, 64).epsilon(0.0).express(&network, x);
    let evaluation = network.forward();
    for row in 0..5 {
        let row = |value| evaluation.of(value).narrow(0, row, 1);
        let (layer, rms) = (row(layer), row(rms));
        assert!(layer.sum().abs() < 1e-12);
        assert!(((&layer * &layer).sum() / 64.0 - 1.0).abs() < 1e-12);
        assert!(((&rms * &rms).sum() / 64.0 - 1.0).abs() < 1e-12);
    }
}

#[test]
fn given_statistics_treat_each_sample_by_itself_and_those_of_the_batch_agree() {
    let network = Net::new();
    let norm = BatchNorm::new(&network, 3);
    let x = network.leaf(init::normal(1.0, 2.0, 1)(&Shape::from([4, 3, 2, 2])));
    let batch = norm.express(&network, x);
    let again = norm.express_with(&network, x, batch.mean, batch.variance);
    let one = norm.express_with(&network, x.narrow(0, 2, 1), batch.mean, batch.variance);
    let evaluation = network.forward();
    assert!(identical(&evaluation.of(batch.output), &evaluation.of(again)));
    assert_eq!(evaluation.of(again).narrow(0, 2, 1).to_vec(), evaluation.of(one).to_vec());
    let labels = network.values().filter_map(|value| value.label());
    assert!(Vec::from_iter(labels).contains(&"batch_variance".to_owned()));
}

#[test]
fn a_dropout_that_is_fed_nothing_is_the_identity_and_its_mask_has_a_mean_of_one() {
    let network = Net::new();
    let dropout = Dropout::new(0.25);
    let x = network.parameter(init::normal(0.0, 1.0, 1)(&Shape::from([50, 40])));
    let y = dropout.express(&network, x);
    assert!(identical(&network.forward().of(y), &x.payload().unwrap()));
    let mask = network.find("mask").unwrap();
    let drawn: Tensor<f64> = dropout.mask(mask.shape(), &mut Random::new(1));
    assert!(drawn.iter().all(|m| m == 0.0 || m == 1.0 / 0.75));
    assert!((drawn.sum() / 2000.0 - 1.0).abs() < 0.05);
    // A plan takes the mask as a feed, and what is dropped gets no gradient.
    let loss = y.sum();
    let mask = mask.symbol();
    let plan = network.compile_training(loss, [y.symbol()]);
    let results = plan.forward(&network, [(mask, drawn.clone())]);
    let evaluation = network.forward_with([(mask, drawn.clone())]);
    assert!(identical(&results.of(y), &evaluation.of(y)));
    assert!(identical(&results.backward(loss).of(x), &drawn));
    for rate in [-0.1, 1.0, f64::NAN] {
        let (message, ..) = caught(|| Dropout::new(rate));
        assert!(message.contains("is not of [0, 1)"), "{message}");
    }
}

/// A network of each kind of part.
fn stack(network: &Net) -> Sequential<Tensor<f64>> {
    let mut init = init::kaiming(5);
    let same = Window::new().padding([[1, 1]; 2]);
    Sequential::new()
        .then(network, "stem", |n| Conv2d::without_bias(n, [2, 4], [3, 3], same, &mut init))
        .then(network, "norm", |n| BatchNorm::new(n, 4))
        .then(network, "relu", |_| Activation::Relu)
        .then(network, "block", |n| Residual::new(Conv2d::new(n, [4, 4], [3, 3], same, &mut init)))
        .then(network, "pool", |_| MaxPool::halving())
        .then(network, "flat", |_| Flatten)
        .then(network, "head", |n| Mlp::new(n, &[16, 8, 3], &mut init))
}

#[test]
fn parts_in_a_row_name_their_parameters_by_path_and_serve_every_generation() {
    let network = Net::new();
    let model = {
        let _scope = network.scope("model");
        stack(&network)
    };
    let expected = [
        "model.stem.weight",
        "model.norm.weight",
        "model.norm.bias",
        "model.block.weight",
        "model.block.bias",
        "model.head.layer0.weight",
        "model.head.layer0.bias",
        "model.head.layer1.weight",
        "model.head.layer1.bias",
    ];
    assert_eq!(paths(&network), expected);
    assert_eq!(model.names().collect::<Vec<_>>().join(" "), "stem norm relu block pool flat head");
    let x = network.input(init::normal(0.0, 1.0, 1)(&Shape::from([3, 2, 4, 4])));
    let y = network.input(Tensor::selection(&[0, 2, 1], 3));
    let loss = model.express(&network, x).cross_entropy(y).symbol();
    let plan = network.compile_training(network.resolve(loss), []);
    let (mut network, mut first) = (network, None);
    for _ in 0..60 {
        let evaluation = network.forward();
        let (results, gradients) = (plan.forward(&network, []), evaluation.backward(loss));
        let planned = results.backward(loss);
        for (path, w) in network.parameters() {
            assert!(identical(&gradients.of(w), &planned.of(w)), "{path}");
        }
        first = first.or(Some(evaluation.of(loss).item()));
        drop(evaluation);
        network = network.step(&gradients, |w, g| w - 0.1 * g);
    }
    assert!(network.forward().of(loss).item() < 0.2 * first.unwrap());
    // The same symbols, in a later generation, for another batch.
    let x = network.input(Tensor::zeros([1, 2, 4, 4]));
    assert_eq!(*model.express(&network, x).shape(), [1, 3]);
}

#[test]
fn a_part_that_refuses_leaves_nothing_behind() {
    let network = Net::new();
    let model = stack(&network);
    let elsewhere = Net::new();
    // The last part refuses: the axes that are flattened are too many.
    let wide = network.input(Tensor::zeros([1, 2, 8, 8]));
    let before = network.len();
    let error = model.try_express(&network, wide).unwrap_err();
    assert!(error.to_string().starts_with("matmul: inner dimensions differ"), "{error}");
    let (message, file, _) = caught(|| model.express(&network, wide));
    assert!(message.starts_with("matmul: ") && file == file!(), "{file}: {message}");
    let three = network.input(Tensor::zeros([1, 3, 4, 4]));
    assert_eq!(model.try_express(&network, three).unwrap_err().operation(), "conv2d");
    assert_eq!(network.len(), before + 1);
    let foreign = elsewhere.input(Tensor::zeros([1, 2, 4, 4]));
    let error = model.try_express(&elsewhere, foreign).unwrap_err();
    assert!(error.to_string().starts_with("Conv2d: weight: "), "{error}");
    assert_eq!(elsewhere.len(), 1);

    let problems = [
        (
            LayerNorm::new(&network, 3).try_express(&network, wide),
            "LayerNorm: the last axis must have 3",
        ),
        (
            RmsNorm::new(&network, 3).try_express(&network, wide),
            "RmsNorm: the last axis must have 3",
        ),
        (
            Residual::new(Flatten).try_express(&network, wide),
            "Residual: the part changes the shape",
        ),
        (
            Module::try_express(&BatchNorm::new(&network, 3), &network, wide),
            "BatchNorm: the input must be [n, 3] or [n, 3, h, w]: [1, 2, 8, 8]",
        ),
    ];
    for (result, problem) in problems {
        let error = result.unwrap_err().to_string();
        assert!(error.starts_with(problem), "{error}");
    }
    let (message, ..) = caught(|| {
        let window = Window::new().groups(2);
        Conv2d::new(&network, [3, 4], [1, 1], window, init::kaiming(1))
    });
    assert_eq!(message, "Conv2d: 2 groups do not divide 3 channels and 4 filters");
}

#[test]
fn no_part_takes_a_handle_into_another_generation_or_fork() {
    type Part = Box<dyn Module<Tensor<f64>>>;
    let network = Net::new();
    let mut init = init::kaiming(1);
    let images = network.input(Tensor::ones([2, 2, 4, 4]));
    let rows = network.input(Tensor::ones([2, 4]));
    let letters = network.input(Tensor::selection(&[0, 3], 4));
    let conv = |init: &mut _| Conv2d::new(&network, [2, 2], [1, 1], Window::new(), init);
    let shared: std::sync::Arc<dyn Module<Tensor<f64>>> = std::sync::Arc::new(Flatten);
    let parts: Vec<(Part, _)> = vec![
        (Box::new(conv(&mut init)), images),
        (Box::new(MaxPool::halving()), images),
        (Box::new(AveragePool::halving()), images),
        (Box::new(BatchNorm::new(&network, 2)), images),
        (Box::new(LayerNorm::new(&network, 4)), images),
        (Box::new(RmsNorm::new(&network, 4)), images),
        (Box::new(Dropout::new(0.5)), images),
        (Box::new(Flatten), images),
        (Box::new(shared), images),
        (Box::new(Residual::new(conv(&mut init))), images),
        (Box::new(stack(&network)), images),
        (Box::new(Sequential::new()), images),
        (Box::new(Activation::Identity), images),
        (Box::new(Layer::new(&network, 4, 3, Activation::Tanh, &mut init)), rows),
        (Box::new(Mlp::new(&network, &[4, 3, 2], &mut init)), rows),
        (Box::new(Embedding::new(&network, 4, 3, &mut init)), letters),
    ];
    let fork = network.clone();
    let none: [poorgrad::Symbol; 0] = [];
    let total = images.sum();
    let nothing = network.forward().backward(total).restricted(none);
    let later = fork.clone().update(&nothing, |w, _| w.clone());
    for (at, (part, input)) in parts.iter().enumerate() {
        let lengths = || [&network, &fork, &later].map(Network::len);
        let before = lengths();
        for other in [&fork, &later] {
            let error = part.try_express(&network, other.resolve(*input)).unwrap_err().to_string();
            assert!(error.starts_with("express: the input is a handle into another"), "{error}");
            let error = part.try_express(other, *input).unwrap_err().to_string();
            assert!(error.contains(file!()) && error.contains("resolve its symbol"), "{error}");
        }
        let (message, file, _) = caught(|| part.express(&fork, *input));
        assert!(message.starts_with("express: ") && file == file!(), "{file}: {message}");
        assert_eq!(lengths(), before, "part {at}");
        // Resolved there, it is taken, whatever the generation.
        for network in [&network, &later] {
            let _scope = network.scope(&format!("part{at}"));
            part.try_express(network, network.resolve(*input)).unwrap();
        }
    }
    // What is of another model altogether is refused as such.
    let elsewhere = Net::new();
    let foreign = elsewhere.input(Tensor::ones([2, 4]));
    let error = Flatten.try_express(&network, foreign).unwrap_err();
    assert!(error.to_string().starts_with("resolve: the symbol comes from another"), "{error}");
}

#[test]
fn empty_batches_go_through() {
    let network = Net::new();
    let x = network.input(Tensor::zeros([0, 2, 4, 4]));
    let conv = Conv2d::new(&network, [2, 4], [3, 3], Window::new(), init::kaiming(1));
    let y = Flatten.express(&network, conv.express(&network, x));
    assert_eq!(*y.shape(), [0, 16]);
    let rows = LayerNorm::new(&network, 16).express(&network, y);
    let layer = Layer::new(&network, 16, 2, Activation::Tanh, init::kaiming(2));
    let output = layer.express(&network, rows);
    assert_eq!(network.forward().of(output).len(), 0);
    let error = BatchNorm::new(&network, 16).try_express(&network, y).unwrap_err();
    assert!(error.to_string().contains("a batch of no numbers has no statistics"), "{error}");
}

#[test]
fn a_table_lets_no_other_row_have_a_say() {
    let network = Net::new();
    let table = Tensor::from([[1.0, 2.0], [f64::NAN, f64::INFINITY], [5.0, 6.0]]);
    let embedding = Embedding::new(&network, 3, 2, |_| table.clone());
    let letters = network.input(Tensor::selection(&[2, 0, 2], 3));
    let y = embedding.express(&network, letters);
    let total = y.sum();
    let evaluation = network.forward();
    assert_eq!(evaluation.of(y).to_vec(), [5.0, 6.0, 1.0, 2.0, 5.0, 6.0]);
    let gradient = evaluation.backward(total).of(embedding.weight());
    assert_eq!(gradient.to_vec(), [1.0, 1.0, 0.0, 0.0, 2.0, 2.0]);
}

#[test]
fn losses_refuse_other_shapes_and_stay_finite_far_out() {
    let network = Net::new();
    let column = network.input(Tensor::zeros([4, 1]));
    let vector = network.input(Tensor::zeros([4]));
    let before = network.len();
    let error = column.try_binary_cross_entropy_with_logits(vector).unwrap_err();
    assert_eq!(error.operation(), "binary_cross_entropy_with_logits");
    assert_eq!(column.try_huber(vector, 1.0).unwrap_err().operation(), "huber");
    for delta in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = vector.try_huber(vector, delta).unwrap_err();
        assert!(error.to_string().contains("delta must be a finite number above 0"), "{error}");
    }
    assert_eq!(network.len(), before);
    let far = network.parameter(Tensor::from([f64::INFINITY, f64::NEG_INFINITY]));
    let right = network.leaf(Tensor::from([1.0, 0.0]));
    let wrong = network.leaf(Tensor::from([0.0, 1.0]));
    let (good, bad) =
        (far.binary_cross_entropy_with_logits(right), far.binary_cross_entropy_with_logits(wrong));
    let huber = far.huber(right, 2.0);
    let evaluation = network.forward();
    assert_eq!(evaluation.of(good).item(), 0.0);
    assert_eq!(evaluation.of(bad).item(), f64::INFINITY);
    assert_eq!(evaluation.backward(good).of(far).to_vec(), [0.0, 0.0]);
    assert_eq!(evaluation.backward(bad).of(far).to_vec(), [0.5, -0.5]);
    assert_eq!(evaluation.backward(huber).of(far).to_vec(), [1.0, -1.0]);
}
