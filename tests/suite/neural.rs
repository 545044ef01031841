//! What models are made of: initial values, losses, layers and optimisers, by the public surface.

use crate::refusal::caught;
use poorgrad::{
    Activation, Elementary, Field, Layer, Mlp, Network, Neuron, Optimizer, Sgd, Shape, Symbol,
    Tensor, init,
};
use testkit::bits::{Digest, identical};
use testkit::{Dual, Modular};

/// The message of a panic, which must come from the line of this call.
macro_rules! refused_here {
    ($expression:expr) => {{
        let (message, file, line) = caught(|| $expression);
        assert_eq!((file.as_str(), line), (file!(), line!()), "{message}");
        message
    }};
}

// Initial values.

#[test]
fn golden_initial_values() {
    let shape = Shape::from([2, 2]);
    let bits = |t: Tensor<f64>| Vec::from_iter(t.iter().map(f64::to_bits));
    let short = |t: Tensor<f32>| Vec::from_iter(t.iter().map(f32::to_bits));
    // Computed from the documented generator in exact arithmetic.
    assert_eq!(
        bits(init::uniform(-1.0, 1.0, 42)(&shape)),
        [
            0xbfcc_ef40_fb27_df88,
            0x3fea_f6dc_85a9_3ffa,
            0xbfea_ae38_cc59_e9e4,
            0x3fca_7e5c_0b8b_e620
        ]
    );
    assert_eq!(
        short(init::uniform(-1.0, 1.0, 42)(&shape)),
        [0xbe67_7a08, 0x3f57_b6e4, 0xbf55_71c8, 0x3e53_f2e0]
    );
    assert_eq!(
        bits(init::normal(0.0, 1.0, 42)(&shape)),
        [
            0x3feb_dde5_bac4_1b58,
            0xbfd5_3898_dbed_0b1b,
            0x3fe0_1d6d_46fe_2faf,
            0xbfc2_ff43_6b08_911e
        ]
    );
    assert_eq!(
        short(init::normal(0.0, 1.0, 42)(&shape)),
        [0x3f5e_ef2e, 0xbea9_c4c4, 0x3f00_eb6f, 0xbe17_fa12]
    );
}

#[test]
fn golden_digests_of_initial_values() {
    // The second call of each closure: a stream of its own.
    fn digest<E: Elementary>(mut init: impl FnMut(&Shape) -> Tensor<E>) -> String {
        let _ = init(&Shape::from([3]));
        let mut digest = Digest::new();
        digest.payload(&init(&Shape::from([16, 3, 5, 5])));
        digest.text()
    }
    let digests = [
        digest::<f32>(init::uniform(-0.1, 0.1, 1)),
        digest::<f64>(init::uniform(-0.1, 0.1, 1)),
        digest::<f32>(init::normal(1.0, 0.5, 2)),
        digest::<f64>(init::normal(1.0, 0.5, 2)),
        digest::<f32>(init::xavier(3)),
        digest::<f64>(init::xavier(3)),
        digest::<f32>(init::xavier_uniform(4)),
        digest::<f64>(init::xavier_uniform(4)),
        digest::<f32>(init::kaiming(5)),
        digest::<f64>(init::kaiming(5)),
        digest::<f32>(init::scaled(5.0 / 3.0, init::kaiming_uniform(6))),
        digest::<f64>(init::scaled(5.0 / 3.0, init::kaiming_uniform(6))),
    ];
    let expected = [
        "79af740d3110243155db929e42c87886",
        "c244b893030e4f6c0ed92437762bfd9a",
        "5f32736922017a94e642d56cf954bab9",
        "c83cdda0921ece57b3812c97d7c201e0",
        "f04a510bd1052f5d603de7dff15062a5",
        "8314569e70ae661b6f825ae57b70fdc0",
        "fb40351e71c7b316d87d50d66ead810d",
        "44d032e3bed1afc4220b0eb567704f97",
        "c39c8cce467bc5727ed45d880fb011e3",
        "d57401331f4d1bc7ee53b7f0817d3b2b",
        "9e5fd3aa4dd78e0c3fabc94d6c9715ac",
        "315bd5bd532a6d6bbf04a4f0c35e897d",
    ];
    assert_eq!(digests, expected);
}

#[test]
fn initialisers_serve_any_element() {
    let shape = Shape::from([2, 3]);
    let dual: Tensor<Dual> = init::xavier(7)(&shape);
    let plain: Tensor<f64> = init::xavier(7)(&shape);
    assert!(dual.iter().zip(plain.iter()).all(|(dual, plain)| {
        identical(&dual.to_f64(), &plain) && identical(&dual, &Dual::from_f64(plain))
    }));
    let bias: Tensor<Modular> = init::kaiming(7)(&Shape::from([4]));
    assert!(bias.iter().all(|x| x.is_zero()));
}

// Losses.

/// The cross-entropy of one row of logits against targets, and its gradient.
fn cross_entropy<const N: usize>(logits: [f64; N], targets: [f64; N]) -> (f64, Vec<f64>) {
    let network = Network::new();
    let logits = network.parameter(Tensor::from(logits));
    let loss = logits.cross_entropy(network.input(Tensor::from(targets)));
    let evaluation = network.forward();
    (evaluation.of(loss).item(), evaluation.backward(loss).of(logits).to_vec())
}

#[test]
fn b27_cross_entropy_absorbs_an_impossible_class() {
    const LOW: f64 = f64::NEG_INFINITY;
    let (loss, gradient) = cross_entropy([LOW, 0.0], [0.0, 1.0]);
    assert_eq!((loss.to_bits(), gradient), (0, vec![0.0, 0.0]));
    // Soft targets equal to the probabilities that the logits give.
    assert_eq!(cross_entropy([0.0, LOW], [1.0, 0.0]).0.to_bits(), 0);
    // The wrong class is certain: infinite, not NaN.
    assert_eq!(cross_entropy([LOW, 0.0], [1.0, 0.0]).0, f64::INFINITY);
}

#[test]
fn b28_a_masked_row_with_no_target_leaves_the_mean_alone() {
    let network = Network::new();
    let rows = [[0.0, 0.0], [f64::NEG_INFINITY; 2]];
    let logits = network.parameter(Tensor::from(rows));
    let targets = network.input(Tensor::from([[1.0, 0.0], [0.0, 0.0]]));
    let loss = logits.cross_entropy(targets);
    let evaluation = network.forward();
    let ln_2 = std::f64::consts::LN_2;
    assert!((evaluation.of(loss).item() - ln_2 / 2.0).abs() < 1e-15);
    let gradient = evaluation.backward(loss).of(logits);
    assert_eq!(gradient.to_vec(), [-0.25, 0.25, 0.0, 0.0]);
}

#[test]
fn cross_entropy_is_what_it_says() {
    let network = Network::new();
    let logits = network.parameter(init::normal(0.0, 2.0, 1)(&Shape::from([2, 3, 5])));
    let columns = [0, 4, 2, 1, 1, 3];
    let one_hot = network.input(Tensor::<f64>::selection_shaped([2, 3], &columns, 5));
    let dense = network.leaf(Tensor::new([2, 3, 5], one_hot.payload().unwrap().to_vec()));
    let loss = logits.cross_entropy(one_hot);
    let of_dense = logits.cross_entropy(dense);
    let by_hand = (-one_hot.absorb(logits.log_softmax(2)).sum_along(&[2])).mean();
    let evaluation = network.forward();
    assert!(identical(&evaluation.of(loss), &evaluation.of(of_dense)));
    assert!(identical(&evaluation.of(loss), &evaluation.of(by_hand)));
    let gradient = evaluation.backward(loss).of(logits);
    assert!(identical(&gradient, &evaluation.backward(by_hand).of(logits)));
    let report = poorgrad::gradcheck(&network, loss, [logits]).unwrap();
    assert!(report.error() < 1e-8 && report.kinks().is_empty(), "{report}");
    assert_eq!(report.checked(), 30);
    // (softmax - t) / rows.
    let softmax = logits.softmax(2);
    let expected = (network.forward().of(softmax) - dense.payload().unwrap()) / 6.0;
    assert!(gradient.iter().zip(expected.iter()).all(|(a, b)| (a - b).abs() < 1e-15));
}

#[test]
fn a_refused_loss_says_which_one_and_records_nothing() {
    let network = Network::new();
    let a = network.leaf(Tensor::<f64>::zeros([2, 3]));
    let b = network.leaf(Tensor::zeros([3, 2]));
    let scalar = network.leaf(Tensor::zeros([]));
    let elsewhere = Network::new();
    let foreign = elsewhere.leaf(Tensor::zeros([2, 3]));
    let (before, there) = (network.len(), elsewhere.len());
    let error = a.try_cross_entropy(b).unwrap_err();
    assert_eq!(error.operation(), "cross_entropy");
    assert!(error.to_string().starts_with("cross_entropy: "), "{error}");
    assert_eq!(scalar.try_cross_entropy(scalar).unwrap_err().operation(), "cross_entropy");
    assert_eq!(a.try_cross_entropy(foreign).unwrap_err().operation(), "cross_entropy");
    assert_eq!(a.try_mean_squared_error(b).unwrap_err().operation(), "mean_squared_error");
    assert_eq!((network.len(), elsewhere.len()), (before, there));
    let refused = refused_here!(a.cross_entropy(b));
    assert!(refused.starts_with("cross_entropy: "), "{refused}");
    let refused = refused_here!(a.mean_squared_error(b));
    assert!(refused.starts_with("mean_squared_error: "), "{refused}");
}

#[test]
fn losses_say_what_their_operands_should_have_been() {
    let network = Network::new();
    let column = network.input(Tensor::<f64>::zeros([4, 1])).named("prediction");
    let vector = network.input(Tensor::zeros([4]));
    let refused = refused_here!(column.mean_squared_error(vector));
    let problem = "mean_squared_error: prediction and target must have one shape; `reshape` one of \
                   them: [4, 1] x [4]\n  operand 0: [4, 1] from input \"prediction\" at ";
    assert!(refused.starts_with(problem), "{refused}");

    let logits = network.parameter(Tensor::zeros([4, 3])).named("logits");
    let numbers = network.input(Tensor::from([0.0, 2.0, 1.0, 0.0]));
    let refused = refused_here!(logits.cross_entropy(numbers));
    let problem = "cross_entropy: the targets [4] are not of the logits' shape [4, 3]; class \
                   numbers become one-hot rows by `Tensor::selection(&labels, 3)`: [4, 3] x [4]\n  \
                   operand 0: [4, 3] from parameter \"logits\" at ";
    assert!(refused.starts_with(problem), "{refused}");
    let four = network.input(Tensor::selection(&[0, 1, 2, 3], 4));
    let refused = refused_here!(logits.cross_entropy(four));
    assert!(
        refused.contains("the targets [4, 4] are not of the logits' shape [4, 3]"),
        "{refused}"
    );

    // Swapped operands have a loss too, which has no minimum.
    let labels = network.input(Tensor::selection(&[0, 1, 2, 2], 3));
    let refused = refused_here!(labels.cross_entropy(logits));
    assert!(refused.contains("call it on the logits, with the selection as the targets"));
    let labels = network.leaf(Tensor::selection(&[0, 1, 2, 2], 3)).reshape([2, 2, 3]);
    let logits = logits.reshape([2, 2, 3]);
    assert!(labels.try_cross_entropy(logits).is_err() && logits.try_cross_entropy(labels).is_ok());
}

// Layers.

/// A model by `Mlp`, and the same model of the same numbers written out.
struct Twins {
    network: Network<Tensor<f64>>,
    parameters: Vec<Symbol>,
    loss: Symbol,
}

const INPUTS: [[f64; 2]; 4] = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
const TARGETS: [[f64; 1]; 4] = [[0.0], [0.5], [0.25], [0.75]];

fn by_mlp() -> Twins {
    let network = Network::new();
    let model = Mlp::new(&network, &[2, 5, 3, 1], init::xavier(11));
    let x = network.leaf(Tensor::from(INPUTS));
    let y = network.leaf(Tensor::from(TARGETS));
    let loss = model.express(&network, x).mean_squared_error(y).symbol();
    let parameters = network.parameters().map(|(_, w)| w.symbol()).collect();
    Twins { network, parameters, loss }
}

fn by_hand() -> Twins {
    let network = Network::new();
    let mut init = init::xavier(11);
    let mut parameter = |shape: &[usize]| network.parameter(init(&shape.into()));
    let [w0, b0] = [parameter(&[2, 5]), parameter(&[5])];
    let [w1, b1] = [parameter(&[5, 3]), parameter(&[3])];
    let [w2, b2] = [parameter(&[3, 1]), parameter(&[1])];
    let x = network.leaf(Tensor::from(INPUTS));
    let y = network.leaf(Tensor::from(TARGETS));
    let product = x.matmul(w0);
    let hidden = (product + b0.broadcast_like(product)).tanh();
    let product = hidden.matmul(w1);
    let hidden = (product + b1.broadcast_like(product)).tanh();
    let product = hidden.matmul(w2);
    let difference = product + b2.broadcast_like(product) - y;
    let loss = (difference * difference).mean().symbol();
    let parameters = [w0, b0, w1, b1, w2, b2].map(|w| w.symbol()).to_vec();
    Twins { network, parameters, loss }
}

#[test]
fn a_model_written_by_hand_trains_bit_identically() {
    let (mut left, mut right) = (by_mlp(), by_hand());
    let mut optimizer = Sgd::new(0.1);
    for step in 0..400 {
        let (a, b) = (left.network.forward(), right.network.forward());
        assert!(identical(&a.of(left.loss), &b.of(right.loss)), "step {step}");
        left.network = optimizer.step(left.network, &a.backward(left.loss));
        right.network = right.network.update(&b.backward(right.loss), |w, g| w - 0.1 * g);
        for (&a, &b) in left.parameters.iter().zip(&right.parameters) {
            let of = |twin: &Twins, symbol| twin.network.resolve(symbol).payload().unwrap();
            assert!(identical(&of(&left, a), &of(&right, b)), "step {step}");
        }
    }
    let last = left.network.forward().of(left.loss).item();
    assert!(last < 1e-3, "{last}");
}

#[test]
fn models_name_their_parameters_and_ask_for_their_shapes() {
    let network = Network::<Tensor>::new();
    let mut shapes = Vec::new();
    let model = Mlp::new(&network, &[3, 4, 4, 1], |shape| {
        shapes.push(shape.to_vec());
        Tensor::zeros(shape)
    });
    let expected: [&[usize]; 6] = [&[3, 4], &[4], &[4, 4], &[4], &[4, 1], &[1]];
    assert_eq!(shapes, expected);
    let paths = Vec::from_iter(network.parameters().map(|(path, _)| path));
    let layers = ["layer0", "layer1", "layer2"];
    let expected = layers.iter().flat_map(|l| [format!("{l}.weight"), format!("{l}.bias")]);
    assert_eq!(paths, Vec::from_iter(expected));
    let activations = model.layers().iter().map(Layer::activation);
    let hidden = Activation::Tanh;
    assert_eq!(Vec::from_iter(activations), [hidden, hidden, Activation::Identity]);
    let symbols = model.layers().iter().flat_map(|layer| [layer.weight(), layer.bias()]);
    let parameters = network.parameters().map(|(_, value)| value.symbol());
    assert_eq!(Vec::from_iter(symbols), Vec::from_iter(parameters));
}

#[test]
fn a_layer_refuses_other_shapes() {
    let network = Network::<Tensor>::new();
    let layer = Layer::new(&network, 3, 2, Activation::Relu, init::kaiming(1));
    let before = network.len();
    let narrow = network.leaf(Tensor::zeros([5, 4]));
    let error = layer.try_express(&network, narrow).unwrap_err();
    assert!(error.to_string().starts_with("matmul: inner dimensions differ: [5, 4] x [3, 2] (C2)"));
    assert_eq!(network.len(), before + 1);
    let refused = refused_here!(layer.express(&network, narrow));
    assert!(refused.starts_with("matmul: inner dimensions differ"), "{refused}");
    let zeros = |_: &Shape| Tensor::zeros([9]);
    let wrong = refused_here!(Layer::new(&network, 3, 2, Activation::Relu, zeros));
    assert_eq!(wrong, "init: a parameter of shape [3, 2] was given the shape [9]");
    let short = refused_here!(Mlp::new(&network, &[3], init::kaiming(1)));
    assert_eq!(short, "Mlp: the sizes [3] make no layer; name at least two");
    let model = Mlp::new(&network, &[3, 2], init::kaiming(1));
    let refused = refused_here!(model.express(&network, narrow));
    assert!(refused.starts_with("matmul: inner dimensions differ"), "{refused}");
}

#[test]
fn neurons_compute_what_a_layer_does() {
    let (inputs, outputs) = (3, 2);
    let tensors = Network::<Tensor<f64>>::new();
    let layer =
        Layer::new(&tensors, inputs, outputs, Activation::Tanh, init::uniform(-1.0, 1.0, 5));
    let weight = tensors.resolve(layer.weight()).payload().unwrap();
    let bias = tensors.resolve(layer.bias()).payload().unwrap();
    let row = [0.5, -1.5, 2.0];
    let output = layer.express(&tensors, tensors.leaf(Tensor::from([row])));
    let total = output.sum();
    let evaluation = tensors.forward();
    let gradients = evaluation.backward(total);

    let scalars = Network::<f64>::new();
    let x = row.map(|x| scalars.input(x));
    for unit in 0..outputs {
        let column = (0..inputs).map(|input| weight.get(&[input, unit]).unwrap());
        let mut numbers = column.chain(bias.get(&[unit]));
        let neuron = Neuron::new(&scalars, inputs, Activation::Tanh, |_| numbers.next().unwrap());
        let y = neuron.express(&scalars, &x);
        let run = scalars.forward();
        assert!(identical(&run.of(y), &evaluation.of(output).get(&[0, unit]).unwrap()));
        let slopes = run.backward(y);
        for (input, &symbol) in neuron.weights().iter().enumerate() {
            let expected = gradients.of(layer.weight()).get(&[input, unit]).unwrap();
            assert_eq!(slopes.of(symbol), expected);
        }
        assert_eq!(slopes.of(neuron.bias()), gradients.of(layer.bias()).get(&[unit]).unwrap());
    }
    let neuron = Neuron::new(&scalars, 2, Activation::Identity, init::xavier(1));
    let refused = refused_here!(neuron.express(&scalars, &x));
    assert_eq!(refused, "Neuron: 2 weights, 3 inputs");
}

#[test]
fn activations_are_the_methods_of_values() {
    let network = Network::new();
    let x = network.leaf(Tensor::from([-2.0_f64, -0.5, 0.0, 1.5]));
    let pairs = [
        (Activation::Identity, x),
        (Activation::Tanh, x.tanh()),
        (Activation::Relu, x.relu()),
        (Activation::Sigmoid, x.sigmoid()),
        (Activation::Gelu, x.gelu()),
        (Activation::GeluTanh, x.gelu_tanh()),
        (Activation::Silu, x.silu()),
        (Activation::Softplus, x.softplus()),
    ];
    let applied = pairs.map(|(activation, _)| activation.apply(x));
    let evaluation = network.forward();
    for ((activation, expected), value) in pairs.into_iter().zip(applied) {
        assert!(identical(&evaluation.of(value), &evaluation.of(expected)), "{activation:?}");
    }
}

#[test]
fn gains_keep_the_scale_of_a_normal_sample() {
    let network = Network::<Tensor<f64>>::new();
    let z = network.leaf(init::normal(0.0, 1.0, 3)(&Shape::from([400_000])));
    // The others are conventions: `tanh` and `sigmoid` are documented to differ.
    for activation in [
        Activation::Identity,
        Activation::Relu,
        Activation::Gelu,
        Activation::GeluTanh,
        Activation::Silu,
    ] {
        let y = activation.apply(z);
        let second_moment = (y * y).mean();
        let second_moment = network.forward().of(second_moment).item();
        let kept = second_moment * activation.gain() * activation.gain();
        assert!((kept - 1.0).abs() < 0.01, "{activation:?}: {kept}");
    }
    assert_eq!(Activation::Tanh.gain(), 5.0 / 3.0);
    assert_eq!((Activation::Sigmoid.gain(), Activation::Softplus.gain()), (1.0, 1.0));
}

// Optimisers.

/// Trains `w` on `(w - 3)^2 / 2`, whose gradient is `w - 3`, and returns every `w` on the way.
fn descent(mut optimizer: impl Optimizer<f64>, steps: usize) -> Vec<f64> {
    let network = Network::new();
    let w = network.parameter(0.0_f64);
    let error = w - 3.0;
    let loss = (error * error / 2.0).symbol();
    let w = w.symbol();
    let mut network = network;
    let step = |_| {
        let gradients = network.forward().backward(loss);
        network = optimizer.step(std::mem::take(&mut network), &gradients);
        network.resolve(w).payload().expect("a parameter has a payload")
    };
    (0..steps).map(step).collect()
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn sgd_takes_the_documented_steps() {
    let (rate, momentum) = (0.1, 0.9);
    let by_hand = |direction: &dyn Fn(f64, f64) -> f64| {
        let (mut w, mut velocity, mut seen) = (0.0, None, Vec::new());
        for _ in 0..20 {
            let g: f64 = w - 3.0;
            let v = velocity.map_or(g, |v: f64| momentum * v + g);
            velocity = Some(v);
            w -= rate * direction(g, v);
            seen.push(w);
        }
        bits(&seen)
    };
    let plain = by_hand(&|g, _| g);
    assert_eq!(bits(&descent(Sgd::new(rate), 20)), plain);
    assert_eq!(bits(&descent(Sgd::new(rate).momentum(0.0).nesterov(), 20)), plain);
    let heavy = by_hand(&|_, v| v);
    assert_eq!(bits(&descent(Sgd::new(rate).momentum(momentum), 20)), heavy);
    let nesterov = by_hand(&|g, v| g + momentum * v);
    assert_eq!(bits(&descent(Sgd::new(rate).momentum(momentum).nesterov(), 20)), nesterov);
    assert!(plain != heavy && heavy != nesterov);
}

#[test]
fn optimisers_are_objects_with_a_rate_to_schedule() {
    let mut optimizer: Box<dyn Optimizer<f64> + Send + Sync> = Box::new(Sgd::new(0.5));
    let network = Network::new();
    let w = network.parameter(1.0);
    let gradients = network.forward().backward(w);
    let symbol = w.symbol();
    let network = optimizer.step(network, &gradients);
    assert_eq!(network.resolve(symbol).payload(), Some(0.5));
    optimizer.set_learning_rate(0.25);
    assert_eq!(optimizer.learning_rate(), 0.25);
    let network = optimizer.step(network, &gradients);
    assert_eq!(network.resolve(symbol).payload(), Some(0.25));
}

#[test]
fn velocity_holds_the_parameters_alone_and_outlives_recording() {
    let mut network = Network::new();
    let w = network.parameter(2.0_f64).symbol();
    let loss = {
        let w = network.resolve(w);
        ((w * w).exp() * 0.01).symbol()
    };
    let mut optimizer = Sgd::new(0.1).momentum(0.5);
    let gradients = network.forward().backward(loss);
    assert!(gradients.iter().count() > 1);
    network = optimizer.step(network, &gradients);
    let support = |field: &Field<f64>| Vec::from_iter(field.iter().map(|(symbol, _)| symbol));
    assert_eq!(support(optimizer.velocity().unwrap()), [w]);
    // A parameter that is recorded between two steps starts without velocity.
    let late = network.parameter(1.0).symbol();
    let total = (network.resolve(loss) + network.resolve(late)).symbol();
    let gradients = network.forward().backward(total);
    network = optimizer.step(network, &gradients);
    assert_eq!(network.resolve(late).payload(), Some(0.9));
    assert_eq!(support(optimizer.velocity().unwrap()), [w, late]);
}

// Training runs.

fn train<E: Elementary>(optimizer: &mut dyn Optimizer<Tensor<E>>, hidden: Activation) -> String {
    let network = Network::<Tensor<E>>::new();
    let model = Mlp::with_activation(&network, &[8, 16, 16, 4], hidden, init::xavier(1));
    let x = network.leaf(init::normal(0.0, 1.0, 2)(&Shape::from([32, 8])));
    let labels = Vec::from_iter((0..32).map(|row| (row * 7 + row / 5) % 4));
    let targets = network.leaf(Tensor::selection(&labels, 4));
    let loss = model.express(&network, x).cross_entropy(targets).symbol();
    let mut network = network;
    let first = network.forward().of(loss).item().to_f64();
    for _ in 0..100 {
        let gradients = network.forward().backward(loss);
        network = optimizer.step(network, &gradients);
    }
    let last = network.forward().of(loss).item().to_f64();
    assert!(last < 0.7 * first, "{last} after {first}");
    let mut digest = Digest::new();
    network
        .parameters()
        .for_each(|(_, w)| digest.payload(&w.payload().expect("a parameter has a payload")));
    digest.text()
}

#[test]
fn golden_training_runs_of_100_steps() {
    let digests = [
        train::<f32>(&mut Sgd::new(0.1), Activation::Tanh),
        train::<f64>(&mut Sgd::new(0.1), Activation::Tanh),
        train::<f32>(&mut Sgd::new(0.05).momentum(0.9), Activation::Relu),
        train::<f64>(&mut Sgd::new(0.05).momentum(0.9), Activation::Relu),
        train::<f32>(&mut Sgd::new(0.05).momentum(0.9).nesterov(), Activation::Gelu),
        train::<f64>(&mut Sgd::new(0.05).momentum(0.9).nesterov(), Activation::Gelu),
    ];
    let expected = [
        "fd2bdf951786cfbd68657df88826f708",
        "459c86cbb3506eef3805177b5094f526",
        "6c39251f2310889287f867d9f963a316",
        "94d4367dcc5d28f3282046f4a4d7793e",
        "55b88c69cab644ca152db7114eb6419d",
        "c346c65b03f3a7a4c63e69b61897d110",
    ];
    assert_eq!(digests, expected);
}
