//! Layers, losses, optimisers and schedules against PyTorch and SciPy: `tests/referees/neural.txt`, made
//! by `tools/neural_fixtures.py`.

use poorgrad::{
    Activation, Adam, AdamW, BatchNorm, Conv2d, Embedding, Layer, LayerNorm, Module, Network,
    Optimizer, RmsNorm, RmsProp, RunningStatistics, Schedule, Sgd, Shape, Symbol, Tensor, Value,
    Window, scaled_dot_product_attention,
};
use std::collections::BTreeMap;

type Net = Network<Tensor<f64>>;
type Tensors = BTreeMap<String, Tensor<f64>>;

/// The tensors of a case.
fn case(name: &str) -> Tensors {
    let text = include_str!("../referees/neural.txt");
    let mut lines =
        text.lines().skip_while(|line| line.strip_prefix("case ") != Some(name)).skip(1);
    let mut tensors = Tensors::new();
    for line in lines.by_ref().take_while(|line| !line.starts_with("case ")) {
        let (head, numbers) = line.split_once(':').expect("a line has a colon");
        let (name, extents) = head.split_once(' ').expect("a tensor has a name and extents");
        let extents = extents.split(',').filter(|e| !e.is_empty());
        let extents = Vec::from_iter(extents.map(|e| e.parse().expect("an extent is a number")));
        let numbers = numbers.split_whitespace().map(|x| x.parse().expect("a number"));
        tensors.insert(name.to_owned(), Tensor::new(extents, numbers.collect()));
    }
    assert!(!tensors.is_empty(), "no case {name}");
    tensors
}

fn larger(a: f64, b: f64) -> f64 {
    if a < b { b } else { a }
}

/// Every element within `1e-10` of the referee's, relative to the larger of it and a thousandth of the
/// tensor's largest: where terms cancel, their own size is the measure.
#[track_caller]
fn close(found: &Tensor<f64>, expected: &Tensor<f64>, what: &str) {
    assert_eq!(*found.shape(), *expected.shape(), "{what}");
    let largest = expected.iter().fold(0.0_f64, |most, x| larger(most, x.abs()));
    for (at, (x, y)) in found.iter().zip(expected.iter()).enumerate() {
        let scale = larger(y.abs(), 1e-3 * largest);
        assert!(x == y || (x - y).abs() <= 1e-10 * scale, "{what}[{at}]: {x} for {y}");
    }
}

/// What a part makes of a case's inputs, and every gradient, by the interpreter; a training plan must
/// give the same bits.
fn check(
    name: &str,
    parameters: &[&str],
    record: impl for<'n> Fn(
        &'n Net,
        &BTreeMap<String, Value<'n, Tensor<f64>>>,
    ) -> Value<'n, Tensor<f64>>,
) {
    let tensors = case(name);
    let network = Net::new();
    let mut values = BTreeMap::new();
    for &parameter in parameters {
        let value = network.parameter(tensors[parameter].clone());
        values.insert(parameter.to_owned(), value);
    }
    let output = record(&network, &values);
    let loss = match tensors.get("cotangent") {
        Some(cotangent) => (output * network.leaf(cotangent.clone())).sum(),
        None => output,
    };
    let evaluation = network.forward();
    close(&evaluation.of(output), &tensors["output"], name);
    let gradients = evaluation.backward(loss);
    let results = network.compile_training(loss, []).forward(&network, []);
    let planned = results.backward(loss);
    for &parameter in parameters {
        let what = format!("{name} d_{parameter}");
        let gradient = gradients.of(values[parameter]);
        if let Some(expected) = tensors.get(&format!("d_{parameter}")) {
            close(&gradient, expected, &what);
        }
        assert!(testkit::bits::identical(&gradient, &planned.of(values[parameter])), "{what}");
    }
}

/// An initialiser that hands a case's tensors out by what they are called.
fn given(tensors: &Tensors, names: &'static [&'static str]) -> impl FnMut(&Shape) -> Tensor<f64> {
    let mut waiting = Vec::from_iter(names.iter().map(|&name| tensors[name].clone())).into_iter();
    move |_| waiting.next().expect("as many parameters as the case has")
}

/// A part whose parameters the library has made, on the case's input `x`.
fn check_module<M: Module<Tensor<f64>>>(name: &str, make: impl Fn(&Net, &Tensors) -> M) {
    let tensors = case(name);
    let network = Net::new();
    let x = network.parameter(tensors["x"].clone()).named("x");
    let module = make(&network, &tensors);
    let output = module.express(&network, x);
    let loss = (output * network.leaf(tensors["cotangent"].clone())).sum();
    // What normalisations begin with are ones and zeros: the case's numbers take their place.
    let zero = poorgrad::Field::new(&network, std::iter::empty::<(Symbol, _)>());
    let paths = BTreeMap::from_iter(network.parameters().map(|(path, w)| (w.symbol(), path)));
    let (output, loss) = (output.symbol(), loss.symbol());
    let network = network.update_each(&zero, |symbol, _, _| tensors[&paths[&symbol]].clone());
    let evaluation = network.forward();
    close(&evaluation.of(output), &tensors["output"], name);
    let gradients = evaluation.backward(network.resolve(loss));
    let plan = network.compile_training(network.resolve(loss), []);
    let planned = plan.forward(&network, []).backward(loss);
    for (path, parameter) in network.parameters() {
        let what = format!("{name} d_{path}");
        close(&gradients.of(parameter), &tensors[&format!("d_{path}")], &what);
        assert!(
            testkit::bits::identical(&gradients.of(parameter), &planned.of(parameter)),
            "{what}"
        );
    }
}

#[test]
fn layers_agree_with_pytorch() {
    check_module("conv2d.plain", |network, tensors| {
        let init = given(tensors, &["weight", "bias"]);
        Conv2d::new(network, [4, 4], [3, 2], Window::new(), init)
    });
    let window = Window::new().step([2, 1]).padding([[1, 0], [2, 1]]).dilation([1, 2]).groups(2);
    check_module("conv2d.all", |network, tensors| {
        Conv2d::new(network, [4, 4], [2, 3], window, given(tensors, &["weight", "bias"]))
    });
    let pool = Window::new().step([2, 2]).padding([[1, 1]; 2]);
    check_module("max_pool", |_, _| poorgrad::MaxPool::new([3, 2], pool));
    check_module("average_pool", |_, _| poorgrad::AveragePool::new([3, 2], pool));
    check_module("batch_norm.rows", |network, _| BatchNorm::new(network, 4));
    check_module("batch_norm.images", |network, _| BatchNorm::new(network, 4));
    check_module("layer_norm", |network, _| LayerNorm::new(network, 4));
    check_module("rms_norm", |network, _| RmsNorm::new(network, 4));
    for (name, activation) in [
        ("identity", Activation::Identity),
        ("tanh", Activation::Tanh),
        ("relu", Activation::Relu),
        ("sigmoid", Activation::Sigmoid),
        ("gelu", Activation::Gelu),
        ("gelu_tanh", Activation::GeluTanh),
        ("silu", Activation::Silu),
        ("softplus", Activation::Softplus),
    ] {
        check_module(&format!("layer.{name}"), |network, tensors| {
            Layer::new(network, 4, 5, activation, given(tensors, &["weight", "bias"]))
        });
    }
}

#[test]
fn parts_of_several_inputs_agree_with_pytorch() {
    check("batch_norm.given", &["x", "mean", "variance"], |network, values| {
        let tensors = case("batch_norm.given");
        let norm = BatchNorm::new(network, 4);
        let [x, mean, variance] = ["x", "mean", "variance"].map(|name| values[name]);
        let plain = norm.express_with(network, x, mean, variance);
        // Ones and zeros here: the case's weight and bias beside them.
        let [weight, bias] = ["weight", "bias"].map(|name| network.leaf(tensors[name].clone()));
        plain * weight.broadcast_like(plain) + bias.broadcast_like(plain)
    });
    check("attention", &["q", "k", "v"], |network, values| {
        let mask = network.leaf(case("attention")["mask"].clone());
        let [q, k, v] = ["q", "k", "v"].map(|name| values[name]);
        scaled_dot_product_attention(q, k, v, Some(mask))
    });
    let tensors = case("embedding");
    let columns = Vec::from_iter(tensors["columns"].iter().map(|column| column as usize));
    let network = Net::new();
    let embedding = Embedding::new(&network, 5, 3, given(&tensors, &["weight"]));
    let letters = network.leaf(Tensor::selection_shaped([2, 3], &columns, 5));
    let output = embedding.express(&network, letters);
    let loss = (output * network.leaf(tensors["cotangent"].clone())).sum();
    let evaluation = network.forward();
    close(&evaluation.of(output), &tensors["output"], "embedding");
    let gradient = evaluation.backward(loss).of(embedding.weight());
    close(&gradient, &tensors["d_weight"], "embedding");
}

#[test]
fn statistics_of_batches_agree_with_pytorch() {
    for name in ["batch_norm.rows", "batch_norm.images"] {
        let tensors = case(name);
        let network = Net::new();
        let norm = BatchNorm::new(&network, 4);
        let batch = norm.express(&network, network.leaf(tensors["x"].clone()));
        let evaluation = network.forward();
        close(&evaluation.of(batch.mean), &tensors["statistic0"], name);
        close(&evaluation.of(batch.variance), &tensors["statistic1"], name);
    }
    let tensors = case("running_statistics");
    let network = Net::new();
    let norm = BatchNorm::new(&network, 4);
    let batch = norm.express(&network, network.leaf(tensors["x"].clone()));
    let evaluation = network.forward();
    let mut running = RunningStatistics::new(4);
    for _ in 0..3 {
        running.update(&evaluation.of(batch.mean), &evaluation.of(batch.variance), 6).unwrap();
    }
    close(&running.mean(), &tensors["mean"], "running mean");
    close(&running.variance(), &tensors["variance"], "running variance");
}

#[test]
fn losses_agree_with_pytorch_and_scipy_on_extreme_logits() {
    for name in ["soft", "zeros", "ones"] {
        check(&format!("binary_cross_entropy.{name}"), &["x", "target"], |_, values| {
            values["x"].binary_cross_entropy_with_logits(values["target"])
        });
    }
    check("huber", &["x", "target"], |_, values| values["x"].huber(values["target"], 0.75));
    check("mean_squared_error", &["x", "target"], |_, values| {
        values["x"].mean_squared_error(values["target"])
    });
    for name in ["soft", "impossible"] {
        check(&format!("cross_entropy.{name}"), &["x", "target"], |_, values| {
            values["x"].cross_entropy(values["target"])
        });
    }
}

/// 50 steps on a layer; the parameters after some of them.
fn run(name: &str, mut optimizer: Box<dyn Optimizer<Tensor<f64>>>) {
    let (tensors, expected) = (case("optimizers"), case(&format!("optimizer.{name}")));
    let mut network = Net::new();
    let layer = Layer::new(&network, 3, 2, Activation::Tanh, given(&tensors, &["w", "b"]));
    let [x, y] = ["x", "y"].map(|name| network.leaf(tensors[name].clone()));
    let loss = layer.express(&network, x).mean_squared_error(y).symbol();
    let plan = network.compile_training(network.resolve(loss), []);
    for step in 1..=50 {
        // Gradients of a plan: those of `backward`, to the bit.
        let gradients = plan.forward(&network, []).backward(loss);
        network = optimizer.step(network, &gradients);
        for (letter, symbol) in [("w", layer.weight()), ("b", layer.bias())] {
            if let Some(expected) = expected.get(&format!("{letter}{step}")) {
                let found = network.resolve(symbol).payload().expect("a parameter has a payload");
                close(&found, expected, &format!("{name} {letter}{step}"));
            }
        }
    }
    assert_eq!(expected.len(), 8);
}

#[test]
fn optimisers_agree_with_pytorch_over_50_steps() {
    run("sgd", Box::new(Sgd::new(0.1)));
    run("momentum", Box::new(Sgd::new(0.05).momentum(0.9)));
    run("nesterov", Box::new(Sgd::new(0.05).momentum(0.9).nesterov()));
    run("adam", Box::new(Adam::new(0.05)));
    run("adam.other", Box::new(Adam::new(0.02).betas(0.8, 0.99).epsilon(1e-3)));
    run("adam_w", Box::new(AdamW::new(0.05).decay(0.1)));
    run("rms_prop", Box::new(RmsProp::new(0.01)));
    run(
        "rms_prop.momentum",
        Box::new(RmsProp::new(0.01).smoothing(0.9).epsilon(1e-6).momentum(0.5)),
    );
}

/// The first steps in `f32`, as long as those of the referee in `f64` to 2 in 100,000: what rounding 0.999
/// leaves of `1 - p2`, which a wrong power (a factor of the root of 2 and more) exceeds by far.
#[test]
fn the_first_steps_of_moments_in_f32_are_as_long_as_those_of_pytorch() {
    let tensors = case("optimizers");
    let single = |name: &str| tensors[name].to_f32();
    type Single = Box<dyn Optimizer<Tensor<f32>>>;
    let optimizers: [(&str, f64, Single); 3] = [
        ("adam", 0.05, Box::new(Adam::new(0.05))),
        ("adam.other", 0.02, Box::new(Adam::new(0.02).betas(0.8, 0.99).epsilon(1e-3))),
        ("adam_w", 0.05, Box::new(AdamW::new(0.05).decay(0.1))),
    ];
    for (name, rate, mut optimizer) in optimizers {
        let expected = case(&format!("optimizer.{name}"));
        let mut network = Network::<Tensor<f32>>::new();
        let w = network.parameter(single("w")).named("w");
        let b = network.parameter(single("b")).named("b");
        let [x, y] = ["x", "y"].map(|name| network.leaf(single(name)));
        let product = x.matmul(w);
        let loss = (product + b.broadcast_like(product)).tanh().mean_squared_error(y).symbol();
        let symbols = [("w", w.symbol()), ("b", b.symbol())];
        for step in 1..=2 {
            let gradients = network.forward().backward(loss);
            network = optimizer.step(network, &gradients);
            for (letter, symbol) in symbols {
                let found = network.resolve(symbol).payload().expect("a parameter has a payload");
                let expected = &expected[&format!("{letter}{step}")];
                for (found, expected) in found.iter().zip(expected.iter()) {
                    // Beside the length, a few roundings of the parameter itself.
                    let bound = 2e-5 * rate * f64::from(step)
                        + f64::from(step + 1) * f64::from(f32::EPSILON) * expected.abs();
                    let error = (f64::from(found) - expected).abs();
                    assert!(error <= bound, "{name} {letter}{step}: {found} for {expected}");
                }
            }
        }
    }
}

#[test]
fn schedules_agree_with_pytorch() {
    for (name, schedule) in [
        ("cosine", Schedule::cosine(1e-3, 1e-5, 40)),
        ("one_cycle", Schedule::one_cycle(0.1, 41)),
        ("step", Schedule::step(0.8, 0.3, 7)),
    ] {
        let expected = &case(&format!("schedule.{name}"))["rates"];
        let found = Tensor::from_fn([40], |at| schedule.at(at[0]));
        close(&found, expected, name);
    }
}
