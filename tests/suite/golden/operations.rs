//! Every operation and composite, forward and backward, in both types.

use super::mixture;
use poorgrad::{Elementary, Extent, Network, Tensor, Value, operations};
use std::collections::BTreeSet;
use testkit::bits::{Digest, first_difference, first_gradient_difference};

type Build<E> = for<'n> fn(&[Value<'n, Tensor<E>>]) -> Value<'n, Tensor<E>>;

struct Sample<E: Elementary> {
    name: &'static str,
    inputs: Vec<Tensor<E>>,
    build: Build<E>,
}

/// The samples of element-wise functions: over 300 elements, so that wide kernels have a rest.
fn element_wise<E: Elementary>() -> Vec<Sample<E>> {
    let one: [(&'static str, Build<E>); 25] = [
        ("neg", |v| -v[0]),
        ("exp", |v| v[0].exp()),
        ("exp_m1", |v| v[0].exp_m1()),
        ("ln", |v| v[0].abs().ln()),
        ("ln_1p", |v| v[0].abs().ln_1p()),
        ("sqrt", |v| v[0].abs().sqrt()),
        ("tanh", |v| v[0].tanh()),
        ("sigmoid", |v| v[0].sigmoid()),
        ("sin", |v| v[0].sin()),
        ("cos", |v| v[0].cos()),
        ("erf", |v| v[0].erf()),
        ("powi", |v| v[0].powi(3) + v[0].powi(-2) + v[0].powi(0)),
        ("relu", |v| v[0].relu()),
        ("softplus", |v| v[0].softplus()),
        ("abs", |v| v[0].abs()),
        ("step", |v| v[0].step(0.25) * v[0]),
        ("clamp", |v| v[0].clamp(-0.5, 1.0)),
        ("log_sigmoid", |v| v[0].log_sigmoid()),
        ("silu", |v| v[0].silu()),
        ("gelu", |v| v[0].gelu()),
        ("gelu_tanh", |v| v[0].gelu_tanh()),
        ("literals", |v| (v[0].literal(0.1) + v[0]) * v[0].literal(3.0) - v[0].literal(1e-3)),
        ("reciprocal", |v| v[0].literal(1.0) / v[0]),
        ("mean", |v| v[0].mean()),
        ("dot", |v| v[0].reshape([Extent::Infer]).dot(v[0].transpose().reshape([Extent::Infer]))),
    ];
    let two: [(&'static str, Build<E>); 11] = [
        ("add", |v| v[0] + v[1]),
        ("sub", |v| v[0] - v[1]),
        ("mul", |v| v[0] * v[1]),
        ("div", |v| v[0] / v[1]),
        ("absorb", |v| v[0].absorb(v[1])),
        ("absorb_div", |v| v[0].absorb_div(v[1])),
        ("powf", |v| v[0].abs().powf(v[1])),
        ("maximum", |v| v[0].maximum(v[1])),
        ("minimum", |v| v[0].minimum(v[1])),
        ("compare", |v| {
            v[0].lt(v[1]) + v[0].le(v[1]) * v[0] + v[0].gt(v[1]) * v[1] + v[0].ge(v[1])
                - v[0].eq(v[1])
                + v[0].ne(v[1]) * v[0]
        }),
        ("select", |v| v[0].gt(v[1]).select(v[0].exp(), v[1] * v[0])),
    ];
    let shape = [12, 25];
    let unary = one.map(|(name, build)| Sample { name, inputs: vec![mixture(&shape, 1)], build });
    let binary = two.map(|(name, build)| {
        let inputs = vec![mixture(&shape, 1), mixture(&shape, 2)];
        Sample { name, inputs, build }
    });
    unary.into_iter().chain(binary).collect()
}

/// Products, movement, windows, indices and reductions.
fn structural<E: Elementary>() -> Vec<Sample<E>> {
    let mut samples = Vec::new();
    let mut add = |name, inputs: Vec<Tensor<E>>, build: Build<E>| {
        samples.push(Sample { name, inputs, build });
    };
    let of = |shape: &[usize]| mixture::<E>(shape, shape.len() as u64);
    let at = || Tensor::selection(&[3, 0, 3, 1, 4], 5);
    add("matmul", vec![of(&[17, 300]), of(&[300, 23])], |v| v[0].matmul(v[1]));
    add("matmul blocks", vec![of(&[3, 515]), of(&[515, 2])], |v| v[0].matmul(v[1]));
    add("matmul turned", vec![of(&[33, 9]), of(&[20, 33])], |v| {
        v[0].transpose().matmul(v[1].transpose())
    });
    add("matmul batched", vec![of(&[2, 3, 5, 7]), of(&[2, 3, 7, 4])], |v| v[0].matmul(v[1]));
    add("matmul selection", vec![at(), of(&[5, 6])], |v| v[0].matmul(v[1]));
    add("reshape", vec![of(&[4, 6])], |v| {
        v[0].transpose().reshape([Extent::Keep(1), Extent::Infer])
    });
    add("reshape_like", vec![of(&[4, 6]), of(&[3, 8])], |v| v[0].reshape_like(v[1]) * v[1]);
    add("permute", vec![of(&[2, 3, 4])], |v| v[0].permute(&[2, 0, 1]));
    add("unsqueeze", vec![of(&[3, 2])], |v| v[0].unsqueeze(1));
    add("squeeze", vec![of(&[3, 1, 2])], |v| v[0].squeeze(1));
    add("narrow", vec![of(&[5, 7])], |v| v[0].narrow(1, 2, 4));
    add("pad", vec![of(&[3, 4])], |v| v[0].pad(0, 1, 2, 0.5).pad(1, 0, 3, -1.0));
    add("concat", vec![of(&[3, 4]), of(&[3, 1]), of(&[3, 2])], |v| Value::concat(v, 1));
    add("stack", vec![of(&[3, 4]), of(&[3, 4])], |v| Value::stack(v, 1));
    add("broadcast_like", vec![of(&[4]), of(&[3, 4])], |v| v[0].broadcast_like(v[1]) * v[1]);
    add("broadcast_along", vec![of(&[3]), of(&[3, 4])], |v| {
        v[0].broadcast_along(&[1], v[1]) * v[1]
    });
    add("broadcast_to", vec![of(&[1, 4])], |v| v[0].broadcast_to([5, 3, 4]));
    add("broadcast_pair", vec![of(&[3, 1]), of(&[1, 4])], |v| {
        let (a, b) = v[0].broadcast_pair(v[1]);
        a * b
    });
    add("sum_like", vec![of(&[6, 3, 4]), of(&[3, 1])], |v| v[0].sum_like(v[1]) * v[1]);
    add("count", vec![of(&[3, 4])], |v| v[0].mean_along(&[0]));
    add("unfold", vec![of(&[2, 9])], |v| v[0].unfold(1, 3, 2, 2));
    add("fold", vec![of(&[3, 4, 3])], |v| v[0].fold(1, 9, 2, 1));
    add("convolution", vec![of(&[2, 3, 6, 5]), of(&[27, 4])], |v| {
        let padded = v[0].pad(2, 1, 1, 0.0).pad(3, 1, 1, 0.0);
        let windows = padded.unfold(2, 3, 1, 1).unfold(3, 3, 1, 1).permute(&[0, 2, 3, 1, 4, 5]);
        windows.reshape([60, 27]).matmul(v[1]).reshape([2, 6, 5, 4]).permute(&[0, 3, 1, 2])
    });
    add("gather", vec![of(&[5, 6]), at()], |v| v[0].gather(v[1]));
    add("scatter", vec![of(&[5, 6]), at()], |v| v[0].scatter(v[1]));
    add("row_update", vec![of(&[5, 6]), of(&[5, 6]), at()], |v| v[0].row_update(v[1], v[2]));
    add("sum", vec![of(&[9001])], |v| v[0].sum());
    add("sum_along", vec![of(&[5, 70, 3])], |v| v[0].sum_along(&[1]));
    add("sum_along blocks", vec![of(&[4097, 2])], |v| v[0].sum_along(&[0]));
    add("sum_along outer", vec![of(&[5, 4, 30])], |v| v[0].sum_along(&[0, 2]));
    add("max_along", vec![of(&[5, 7, 3])], |v| v[0].max_along(&[1, 2]));
    add("first_max_along", vec![of(&[5, 7])], |v| v[0].first_max_along(&[1]) * v[0]);
    add("log_sum_exp", vec![of(&[5, 70])], |v| v[0].log_sum_exp(1));
    add("log_softmax", vec![of(&[5, 70])], |v| v[0].log_softmax(1));
    add("softmax", vec![of(&[70, 5])], |v| v[0].softmax(0));
    add("mean_along", vec![of(&[5, 7, 3])], |v| v[0].mean_along(&[0, 2]));
    add("variance_along", vec![of(&[5, 33])], |v| v[0].variance_along(&[1]));
    samples
}

fn digests<E: Elementary>(found: &mut Vec<(String, String)>, seen: &mut BTreeSet<&'static str>) {
    for Sample { name, inputs, build } in element_wise::<E>().into_iter().chain(structural()) {
        let network = Network::new();
        let values: Vec<_> = inputs.iter().map(|input| network.input(input.clone())).collect();
        let result = build(&values);
        let weight = network.leaf(mixture(result.shape(), 9));
        let target = (result * weight).sum();
        let (native, reference) = (network.forward(), network.reference().forward());
        assert_eq!(first_difference(&network, &native, &reference), None, "{name}");
        let gradients = native.backward(target);
        let other = reference.backward(target);
        assert_eq!(first_gradient_difference(&network, &gradients, &other), None, "{name}");
        let (mut forward, mut backward) = (Digest::new(), Digest::new());
        forward.payload(&native.of(result));
        values.iter().for_each(|value| backward.payload(&gradients.of(*value)));
        found.push((format!("{} {name}, forward", E::NAME), forward.text()));
        found.push((format!("{} {name}, backward", E::NAME), backward.text()));
        seen.extend(network.values().map(Value::operation));
    }
}

#[test]
fn golden_operations() {
    let (mut found, mut seen) = (Vec::new(), BTreeSet::from(["parameter"]));
    digests::<f32>(&mut found, &mut seen);
    digests::<f64>(&mut found, &mut seen);
    let missing: Vec<_> =
        operations().iter().filter(|operation| !seen.contains(operation.name)).collect();
    assert!(missing.is_empty(), "no sample of {missing:?}");
    super::check("operations.txt", "every operation, forward and backward", &found);
}
