//! Convolutions, pools and their gradients as raised: modules that give the ends alone, so that what
//! is between them is matched, and the raised operations are what runs.

use super::tools::{Bench, Tool};
use poorgrad::{
    Compile, Elementary, Emit, EmitForm, EmittedModule, Network, Random, Symbol, Tensor, Window,
};
use testkit::bits::identical;

/// The module of these targets alone.
pub(super) fn ends<E: Elementary>(
    network: &Network<Tensor<E>>,
    targets: &[Symbol],
    form: EmitForm,
) -> EmittedModule<Tensor<E>> {
    let plan = targets.iter().fold(Compile::new(network), Compile::target).plan();
    Emit::new(&plan).form(form).module().unwrap_or_else(|error| panic!("{error}"))
}

/// Extents of images and weights, and how the windows lie.
pub(super) type Case = ([usize; 4], [usize; 4], Window);

/// Steps, gaps, padding on each side by itself, padding wider than the reach of a window, rows and
/// columns that no window covers, windows that leave room between them, one window alone; groups of
/// several channels and filters, of one channel, of one filter, of one of each.
pub(super) fn cases() -> [Case; 16] {
    let plain = Window::new();
    [
        ([2, 2, 5, 6], [3, 2, 3, 2], plain),
        ([2, 2, 8, 7], [3, 2, 3, 2], plain.step([2, 3])),
        ([1, 2, 7, 8], [2, 2, 3, 3], plain.dilation([2, 3])),
        ([2, 1, 4, 5], [2, 1, 3, 3], plain.padding([[2, 0], [0, 1]])),
        ([1, 2, 3, 4], [2, 2, 2, 2], plain.padding([[3, 2], [2, 4]])),
        ([1, 1, 3, 3], [2, 1, 1, 2], plain.padding([[2, 1], [3, 0]]).step([2, 2])),
        ([2, 2, 7, 6], [3, 2, 3, 2], plain.step([2, 2]).dilation([2, 1]).padding([[1, 2], [3, 0]])),
        ([1, 3, 6, 6], [2, 3, 1, 1], plain.step([2, 4])),
        ([1, 1, 9, 10], [2, 1, 2, 2], plain.step([4, 3])),
        ([2, 1, 8, 8], [1, 1, 2, 2], plain.step([5, 4]).padding([[0, 3], [2, 0]])),
        ([2, 2, 4, 3], [3, 2, 4, 3], plain),
        ([1, 1, 1, 9], [3, 1, 1, 3], plain.step([1, 3]).dilation([1, 2]).padding([[0, 0], [4, 1]])),
        ([2, 4, 5, 6], [6, 2, 3, 2], plain.groups(2)),
        ([1, 2, 6, 5], [6, 1, 2, 3], plain.groups(2).dilation([2, 1]).padding([[1, 0], [0, 2]])),
        ([2, 6, 5, 4], [3, 2, 2, 2], plain.groups(3).step([2, 1]).padding([[0, 1], [1, 1]])),
        ([2, 3, 7, 6], [3, 1, 3, 3], plain.groups(3).step([2, 2]).padding([[1, 1], [2, 0]])),
    ]
}

/// A convolution under a cotangent: inputs, then the loss and the gradients of images and weights.
pub(super) struct Convolved<E: Elementary> {
    pub(super) network: Network<Tensor<E>>,
    pub(super) inputs: [Symbol; 3],
    pub(super) targets: [Symbol; 3],
    pub(super) shapes: [Vec<usize>; 3],
}

pub(super) fn convolved<E: Elementary>((images, weights, window): Case) -> Convolved<E> {
    let network = Network::new();
    let x = network.input(Tensor::full(images, E::one()));
    let w = network.input(Tensor::full(weights, E::one()));
    let y = x.conv2d(w, &window);
    let shape = y.shape();
    let c = network.input(Tensor::full(shape.clone(), E::one()));
    let loss = (y * c).sum();
    let gradients = network.differentiate(loss, [x, w]);
    let targets = [loss.symbol(), gradients[0].symbol(), gradients[1].symbol()];
    let inputs = [x, w, c].map(|value| value.symbol());
    let shapes = [images.to_vec(), weights.to_vec(), shape.extents().to_vec()];
    Convolved { network, inputs, targets, shapes }
}

/// How many numbers each target's elements sum, at most.
fn terms((images, weights, _): Case, outputs: &[usize]) -> [usize; 3] {
    let [f, c, kh, kw] = weights;
    let all: usize = outputs.iter().product();
    [c * kh * kw + all + 1, f * kh * kw, images[0] * outputs[2] * outputs[3]]
}

/// The raised convolution and its gradients against the oracle: on numbers whose sums are exact, to
/// the bit of their values; on others within any order's distance from any other's.
fn hold<E: Elementary>(tool: Tool, unit: f64) {
    let Some(mut bench) = Bench::open(tool, "windows") else { return };
    for (number, case) in cases().into_iter().enumerate() {
        let of = convolved::<E>(case);
        let module = ends(&of.network, &of.targets, EmitForm::Raised);
        let raised = module.text().matches("stablehlo.convolution(").count();
        assert_eq!(raised, 3, "case {number}: {}", module.text());
        assert!(!module.text().contains("dot_general"), "case {number}: {}", module.text());
        let mut random = Random::new(number as u64);
        for exact in [true, false] {
            let mut feeds = Vec::new();
            for (symbol, shape) in of.inputs.iter().zip(&of.shapes) {
                let quarter = |random: &mut Random| (random.below(9) as f64 - 4.0) / 4.0;
                let any = |random: &mut Random| random.below(1 << 20) as f64 / 1e6 - 0.5;
                let tensor = Tensor::from_fn(shape.as_slice(), |_| {
                    E::from_f64(if exact { quarter(&mut random) } else { any(&mut random) })
                });
                feeds.push((*symbol, tensor));
            }
            let found = bench.run(&module, &of.network, &feeds);
            let found = found.unwrap_or_else(|error| panic!("case {number}: {error}"));
            let reference = of.network.reference();
            let right = reference.forward_with(feeds.iter().cloned());
            let sizes = feeds.iter().map(|(symbol, tensor)| {
                let shape = tensor.shape().clone();
                let sizes =
                    tensor.iter().map(|x| E::from_f64(x.to_f64().abs())).collect::<Vec<_>>();
                (*symbol, Tensor::new(shape, sizes))
            });
            let sizes = reference.forward_with(sizes.collect::<Vec<_>>());
            let terms = terms(case, &of.shapes[2]);
            for (at, found) in found.iter().enumerate() {
                let numbers =
                    |tensor: Tensor<E>| -> Vec<f64> { tensor.iter().map(|x| x.to_f64()).collect() };
                let (right, sizes) = (right.of(of.targets[at]), sizes.of(of.targets[at]));
                assert_eq!(found.shape(), right.shape());
                let pairs = numbers(found.clone()).into_iter().zip(numbers(right));
                for (place, ((found, right), size)) in pairs.zip(numbers(sizes)).enumerate() {
                    let bound = match exact {
                        true => 0.0,
                        false => 2.0 * (terms[at] as f64 + 1.0) * unit * size,
                    };
                    assert!(
                        (found - right).abs() <= bound,
                        "{tool:?}, case {number}, target {at} at {place}: {found}, not {right} by {bound}"
                    );
                }
            }
        }
    }
}

#[test]
fn raised_convolutions_and_gradients_evaluate_within_bounds() {
    hold::<f32>(Tool::Evaluator, 0.5 * f64::from(f32::EPSILON));
    hold::<f64>(Tool::Evaluator, 0.5 * f64::EPSILON);
}

#[test]
fn raised_convolutions_and_gradients_run_within_bounds() {
    hold::<f32>(Tool::Runner, 0.5 * f64::from(f32::EPSILON));
}

/// What a pool may have to decide: ties, zeros of both signs, NaN, infinities.
const DECISIONS: [f32; 9] =
    [0.0, -0.0, 1.0, 1.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];

/// Images for pools: nothing but zeros of both signs, nothing but `-inf`, ties, all of it.
fn images(shape: [usize; 4]) -> Vec<Tensor> {
    let mut random = Random::new(7);
    let mut of = |among: &[f32]| Tensor::from_fn(shape, |_| among[random.below(among.len())]);
    vec![
        of(&DECISIONS[..2]),
        of(&DECISIONS[7..]),
        of(&DECISIONS[..5]),
        of(&[f32::NAN, 1.0, f32::NAN, f32::NEG_INFINITY]),
        of(&DECISIONS),
        of(&DECISIONS),
    ]
}

/// Pools, with what their gradients are raised to.
fn pools() -> [([usize; 2], Window, bool); 5] {
    let plain = Window::new();
    [
        ([2, 2], plain.step([2, 2]), true),
        ([3, 2], plain.padding([[2, 1], [1, 1]]), true),
        ([2, 3], plain.step([1, 2]).padding([[0, 1], [2, 0]]), true),
        ([2, 2], plain.step([3, 3]), true),
        ([2, 2], plain.dilation([2, 1]).padding([[1, 1], [0, 1]]), false),
    ]
}

fn pools_hold(tool: Tool) {
    let Some(mut bench) = Bench::open(tool, "windows") else { return };
    let shape = [1, 2, 5, 6];
    for (number, (size, window, scattered)) in pools().into_iter().enumerate() {
        let network = Network::new();
        let x = network.input(Tensor::full(shape, 1.0_f32));
        let pooled = x.max_pool(size, &window);
        // Sums of quarters are exact; a sum of `-0` is `+0`.
        let mut random = Random::new(number as u64);
        let cotangent = Tensor::from_fn(pooled.shape().clone(), |_| match random.below(9) {
            8 => -0.0,
            below => (below as f32 - 4.0) / 4.0,
        });
        let loss = (pooled * network.input(cotangent)).sum();
        let gradient = network.differentiate(loss, [x])[0];
        let targets = [pooled.symbol(), gradient.symbol()];
        let module = ends(&network, &targets, EmitForm::Raised);
        let has = |name: &str| module.text().contains(&format!("\"stablehlo.{name}\""));
        assert!(has("reduce_window"), "{}", module.text());
        assert_eq!(has("select_and_scatter"), scattered, "{}", module.text());
        for images in images(shape) {
            let feeds = [(x.symbol(), images.clone())];
            let found = bench.run(&module, &network, &feeds).unwrap_or_else(|e| panic!("{e}"));
            let right = network.reference().forward_with(feeds);
            for (target, found) in targets.iter().zip(&found) {
                let right = right.of(target);
                assert!(
                    identical(found, &right),
                    "{tool:?}, pool {number} of {images:?}:\n{found:?}\nis not\n{right:?}"
                );
            }
        }
    }
}

#[test]
fn raised_pools_and_gradients_decide_as_the_oracle_in_the_interpreter() {
    pools_hold(Tool::Evaluator);
}

#[test]
fn raised_pools_and_gradients_decide_as_the_oracle_on_xla() {
    pools_hold(Tool::Runner);
}

#[test]
fn windows_of_no_images_give_what_the_oracle_gives() {
    let network = Network::new();
    let x = network.input(Tensor::full([0, 2, 5, 4], 1.0_f32));
    let w = network.parameter(Tensor::full([3, 2, 2, 2], 0.5));
    let window = Window::new().padding([[1, 0], [0, 1]]);
    let y = x.conv2d(w, &window);
    let pooled = y.max_pool([2, 2], &window);
    let averaged = x.average_pool([2, 2], &window);
    let loss = pooled.sum() + averaged.tanh().sum();
    let gradients = network.differentiate(loss, [x, w]);
    let targets = [loss, averaged, gradients[0], gradients[1]].map(|value| value.symbol());
    let right = network.reference().forward();
    assert_eq!(right.of(gradients[1]).to_vec(), [0.0; 24]);
    for form in [EmitForm::Raised, EmitForm::Recorded, EmitForm::Exact] {
        let module = ends(&network, &targets, form);
        for tool in [Tool::Evaluator, Tool::Runner] {
            let Some(mut bench) = Bench::open(tool, "windows") else { continue };
            let found = bench.run(&module, &network, &[]).unwrap_or_else(|error| panic!("{error}"));
            for (target, found) in targets.iter().zip(&found) {
                let right = right.of(target);
                assert_eq!(found.shape(), right.shape());
                assert!(identical(found, &right), "{tool:?}, {form:?}: {found:?}, not {right:?}");
            }
        }
    }
}
