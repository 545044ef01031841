//! Normalisation, activations and attention, composed from the operations.

use super::{compare, counted, elements, number, read, scalars, tensor, vector};
use poorgrad::{Compile, Elementary, Network, Pass, Tensor, Tensorial, Value};

/// `(x - mean) / sqrt(variance + epsilon)` along the last axis of `[rows, columns]`.
fn normalised<'n, P: Tensorial>(x: Value<'n, P>, epsilon: f64) -> Value<'n, P> {
    let centred = x - x.mean_along(&[1]).broadcast_along(&[1], x);
    let variance = x.variance_along(&[1]);
    let deviation = (variance + variance.literal(epsilon)).sqrt();
    centred / deviation.broadcast_along(&[1], x)
}

#[test]
fn b56_a_variance_in_two_passes_does_not_cancel() {
    let far = tensor::<f32>([1, 4], &[40000.0, 40001.0, 40002.0, 40003.0]);
    let far = read(&[far], |v| normalised(v[0], 1e-5));
    let expected = [0xBFAB_BAB6, 0xBEE4_F8F2].map(|bits| f64::from(f32::from_bits(bits)));
    far.value_within(4, &[expected[0], expected[1], -expected[1], -expected[0]]);
    let near = read(&[counted::<f32>([1, 4], 1)], |v| normalised(v[0], 1e-5));
    assert!(far.value.is_identical(&near.value));
    elements!(E => {
        let constant = Tensor::<E>::full([1, 256], 1234.0);
        read(&[constant], |v| normalised(v[0], 1e-5)).value_is(&[0.0; 256]);
    });
    let slope = read(&[counted::<f64>([1, 4], 1)], |v| normalised(v[0], 1e-5).narrow(1, 0, 1));
    let expected = [0.268_330_303_893, -0.357_768_372_025, -0.089_443_434_631, 0.178_881_502_763];
    for (found, expected) in slope.gradients[0].iter().zip(expected) {
        assert!((found - expected).abs() < 1e-10, "{found} for {expected}");
    }
    read(&[tensor::<f64>([1, 2], &[5.0, 5.0])], |v| normalised(v[0], 1e-5).narrow(1, 0, 1))
        .gradient_within(4, 0, &[158.113_883_008_418_98, -158.113_883_008_418_98]);
}

#[test]
fn b64_two_forms_of_gelu() {
    let cases = [
        (1.0, 0.841_191_990_608_276_7, 0.841_344_746_068_542_9),
        (-1.0, -0.158_808_009_391_723_3, -0.158_655_253_931_457_05),
        (3.0, 2.996_362_607_918_227, 2.995_950_305_905_11),
        (0.5, 0.345_714_009_825_143_94, 0.345_731_230_637_006_56),
    ];
    for (x, tanh_form, erf_form) in cases {
        read(&[x], |v| v[0].gelu_tanh()).value_within(4, &[tanh_form]);
        read(&[x], |v| v[0].gelu()).value_within(4, &[erf_form]);
    }
    read(&[1.0], |v| v[0].gelu_tanh()).gradient_within(4, 0, &[1.082_964_083_845_782_6]);
    scalars!(P => {
        read(&[number::<P>(0.0)], |v| v[0].gelu_tanh()).value_is(&[0.0]).gradient_is(0, &[0.5]);
        read(&[number::<P>(0.0)], |v| v[0].gelu()).value_is(&[0.0]).gradient_is(0, &[0.5]);
    });
}

/// `softmax(scores) values` where the mask `[t, t]` is not 0.
fn attended<'n, P: Tensorial>(
    scores: Value<'n, P>,
    mask: Value<'n, P>,
    values: Value<'n, P>,
) -> Value<'n, P> {
    mask.select(scores, scores.literal(f64::NEG_INFINITY)).softmax(1).matmul(values)
}

fn causal<E: Elementary>(length: usize) -> Tensor<E> {
    let mask = |at: &[usize]| if at[1] <= at[0] { E::one() } else { E::zero() };
    Tensor::from_fn([length, length], mask)
}

#[test]
fn b66_a_mask_masks_whatever_the_scores() {
    elements!(E => {
        let scores = tensor::<E>([1, 2], &[-20000.0, 0.0]);
        let mask = tensor([1, 2], &[1.0, 0.0]);
        read(&[scores, mask], |v| {
            v[1].select(v[0], v[0].literal(f64::NEG_INFINITY)).softmax(1)
        })
        .value_is(&[1.0, 0.0]);
        let uniform = [Tensor::zeros([3, 3]), causal::<E>(3), tensor([3, 1], &[1.0, 2.0, 6.0])];
        read(&uniform, |v| attended(v[0], v[1], v[2])).value_within(2, &[1.0, 1.5, 3.0]);
    });
}

#[test]
fn b66_a_later_token_does_not_change_earlier_outputs() {
    elements!(E => {
        let length = 6;
        let network = Network::new();
        let tokens = network.input(counted::<E>([length, 3], 1));
        let scores = tokens.matmul(tokens.transpose()) * tokens.matmul(tokens.transpose()).literal(0.01);
        let mask = network.leaf(causal(length));
        let y = attended(scores, mask, tokens);
        let before = network.forward().of(y);
        for changed in 1..length {
            let fed = Tensor::from_fn([length, 3], |at| {
                let number = (at[0] * 3 + at[1] + 1) as f64;
                E::from_f64(if at[0] == changed { -7.0 * number } else { number })
            });
            let after = network.forward_with([(tokens, fed)]).of(y);
            assert!(before.narrow(0, 0, changed).is_identical(&after.narrow(0, 0, changed)));
            assert!(!before.is_identical(&after));
        }
    });
}

/// The gradient of `mean((y - x) w + (y - x) 0 (y - x))`, or of the same without its second term.
fn with_nothing<E: Elementary>(count: usize, nothing: bool) -> Tensor<E> {
    let reading = super::read_once(&[vector::<E>(&[1.0; 3])], &|v| {
        let network = v[0].network();
        let y = network.leaf(Tensor::ones([count, 3]));
        let w = network.leaf(tensor([3, 1], &[1.0, 2.0, 3.0]));
        let distance = y - v[0].broadcast_like(y);
        let linear = distance.matmul(w).squeeze(1);
        if !nothing {
            return linear.mean();
        }
        let zeros = network.leaf(Tensor::zeros([3, 3]));
        (linear + (distance.matmul(zeros) * distance).sum_along(&[1])).mean()
    });
    reading.gradients[0].clone()
}

fn nothing_changes_nothing<E: Elementary>(count: usize, epsilon: f64) {
    let found = with_nothing::<E>(count, true);
    assert!(found.is_identical(&with_nothing(count, false)), "{count} samples");
    let expected = [-1.0, -2.0, -3.0];
    if count.is_power_of_two() {
        compare("gradient", &found, &expected, 0);
    }
    // 1 / count is rounded, and so is each sum of it.
    for (found, expected) in found.iter().zip(expected) {
        assert!((found.to_f64() - expected).abs() <= 100.0 * epsilon, "{found:?} for {expected}");
    }
}

#[test]
fn b73_a_term_that_is_nothing_changes_no_gradient() {
    for count in [1, 1000, 1024] {
        nothing_changes_nothing::<f32>(count, f64::from(f32::EPSILON));
        nothing_changes_nothing::<f64>(count, f64::EPSILON);
    }
}

#[test]
#[ignore = "heavy: 100,000 samples by the reference kernels"]
fn heavy_b73_a_term_that_is_nothing_changes_no_gradient() {
    nothing_changes_nothing::<f32>(100_000, f64::from(f32::EPSILON));
    nothing_changes_nothing::<f64>(100_000, f64::EPSILON);
}

#[test]
fn b73_two_hundred_steps_fused_are_those_of_the_interpreter() {
    elements!(E => {
        let noise = |at: usize| E::from_f64((at * 7919 % 101) as f64 / 101.0 - 0.5);
        let network = Network::new();
        let x = network.leaf(Tensor::from_fn([16, 3], |at| noise(3 * at[0] + at[1])));
        let y = network.leaf(Tensor::from_fn([16, 2], |at| noise(2 * at[0] + at[1] + 50)));
        let w = network.parameter(Tensor::from_fn([3, 8], |at| noise(8 * at[0] + at[1] + 90)));
        let b = network.parameter(Tensor::zeros([8]));
        let v = network.parameter(Tensor::from_fn([8, 2], |at| noise(2 * at[0] + at[1] + 130)));
        let hidden = x.matmul(w);
        let error = (hidden + b.broadcast_like(hidden)).tanh().matmul(v) - y;
        // The term that is nothing comes along.
        let nothing = error.matmul(network.leaf(Tensor::zeros([2, 2]))) * error;
        let loss = (error * error + nothing).mean().symbol();
        let parameters = [w, b, v].map(|parameter| parameter.symbol());
        let plan = network.compile_training(loss, []);
        let unfused = Compile::new(&network).loss(loss).without(Pass::Fuse).plan();
        assert!(plan.describe().steps.len() < unfused.describe().steps.len(), "nothing is fused");
        let (mut interpreted, mut planned) = (network.clone(), network.clone());
        let mut losses = Vec::new();
        for step in 0..200 {
            let run = interpreted.forward();
            let results = plan.forward(&planned, []);
            assert!(results.of(loss).is_identical(&run.of(loss)), "the loss of step {step}");
            losses.push(run.of(loss).item());
            interpreted = interpreted.step(&run.backward(loss), |w, g| w - 0.5 * g);
            planned = planned.step(&results.backward(loss), |w, g| w - 0.5 * g);
            for parameter in parameters {
                let [left, right] = [&interpreted, &planned]
                    .map(|network| network.resolve(parameter).payload().expect("a parameter"));
                assert!(left.is_identical(&right), "a parameter after step {step}");
            }
        }
        assert!(losses[199] < 0.8 * losses[0], "{losses:?}");
    });
}
