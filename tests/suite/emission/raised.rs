//! What raised convolutions do with NaN and infinities, with cotangents that are constants, and with groups
//! that are written otherwise.

use super::tools::{Bench, Tool};
use super::windows::{cases, convolved, ends};
use poorgrad::{Emit, EmitForm, Network, Random, Symbol, Tensor, Value, Window};
use testkit::bits::identical;

/// The differences that `docs/emission.md` lists: the raised gradient of images multiplies the zeros of
/// padding and of steps by the weights, which the recorded fold leaves out.
#[test]
fn a_raised_gradient_of_images_multiplies_padding_by_the_weights() {
    let Some(mut bench) = Bench::open(Tool::Evaluator, "windows") else { return };
    for (weight, first) in [(f32::INFINITY, f32::INFINITY), (f32::NAN, f32::NAN)] {
        let network = Network::new();
        let x = network.input(Tensor::full([1, 1, 1, 3], 1.0_f32));
        let w = network.input(Tensor::new([1, 1, 1, 2], vec![weight, 1.0]));
        let y = x.conv2d(w, &Window::new());
        let loss = (y * network.input(Tensor::full([1, 1, 1, 2], 1.0))).sum();
        let gradient = network.differentiate(loss, [x])[0].symbol();
        let right = Tensor::new([1, 1, 1, 3], vec![first, first, 1.0]);
        assert!(identical(&network.reference().forward().of(gradient), &right));
        for (form, last) in [(EmitForm::Recorded, 1.0), (EmitForm::Raised, f32::NAN)] {
            let module = ends(&network, &[gradient], form);
            let raised = module.text().contains("stablehlo.convolution(");
            assert_eq!(raised, form == EmitForm::Raised, "{}", module.text());
            let found = bench.run(&module, &network, &[]).unwrap_or_else(|e| panic!("{e}"));
            let right = Tensor::new([1, 1, 1, 3], vec![first, first, last]);
            assert!(identical(&found[0], &right), "{form:?}: {:?}", found[0]);
        }
    }
}

/// The one difference that raising makes: what lies in padding, in the gaps of a step or of a dilation, is
/// multiplied in one of the two and left out in the other, and so NaN in one alone. Where nothing lies
/// there, there is none.
fn differ_by_nan_alone(tool: Tool) {
    let Some(mut bench) = Bench::open(tool, "raised") else { return };
    let mut differ = 0;
    for (number, case) in cases().into_iter().enumerate() {
        let of = convolved::<f32>(case);
        let module = ends(&of.network, &of.targets, EmitForm::Raised);
        let mut random = Random::new(number as u64);
        let mut feeds = Vec::new();
        for (symbol, shape) in of.inputs.iter().zip(&of.shapes) {
            let tensor = Tensor::from_fn(shape.as_slice(), |_| match random.below(40) {
                0 => f32::NAN,
                1 => f32::INFINITY,
                2 => f32::NEG_INFINITY,
                below => (below as f32 - 20.0) / 4.0,
            });
            feeds.push((*symbol, tensor));
        }
        let found = bench.run(&module, &of.network, &feeds).unwrap_or_else(|e| panic!("{e}"));
        let right = of.network.reference().forward_with(feeds);
        let window = Window::new().groups(case.2.groups);
        for (at, found) in found.iter().enumerate() {
            let (found, right) = (found.to_vec(), right.of(of.targets[at]).to_vec());
            for (place, (found, right)) in found.into_iter().zip(right).enumerate() {
                let same = found == right || found.is_nan() && right.is_nan();
                let told = format!(
                    "{tool:?}, case {number}, target {at} at {place}: {found}, not {right}"
                );
                assert!(same || found.is_nan() != right.is_nan(), "{told}");
                // An images' gradient reaches beyond the cotangent always, and XLA multiplies the other
                // groups by zeros in one of weights.
                let others = tool == Tool::Runner && at == 2 && case.2.groups > 1;
                assert!(same || at == 1 || others || case.2 != window, "{told}");
                differ += usize::from(!same);
            }
        }
    }
    println!("{tool:?}: {differ} numbers are NaN in one alone");
}

#[test]
fn raised_convolutions_differ_by_nan_alone_in_the_interpreter() {
    differ_by_nan_alone(Tool::Evaluator);
}

#[test]
fn raised_convolutions_differ_by_nan_alone_on_xla() {
    differ_by_nan_alone(Tool::Runner);
}

/// The loss `sum` of a value has a cotangent that is one number everywhere: what reads it is matched before
/// it is folded. The gradient of a pool has it of every window from the start, and stays what is recorded.
#[test]
fn gradients_of_a_constant_cotangent_are_raised() {
    for groups in [1, 2, 3] {
        let network = Network::new();
        let numbers = |step: usize| {
            move |i: &[usize]| ((i[0] + 3 * i[1] + step * i[2] + 5 * i[3]) % 7) as f32 - 3.0
        };
        let x = network.input(Tensor::from_fn([2, 6, 5, 6], numbers(2)));
        let w = network.parameter(Tensor::from_fn([6, 6 / groups, 3, 2], numbers(1)));
        let window = Window::new().step([2, 1]).padding([[1, 1], [0, 1]]).groups(groups);
        let convolved = x.conv2d(w, &window).sum();
        let pooled = x.max_pool([2, 2], &Window::new().step([1, 2])).sum();
        let [dx, dw] = *network.differentiate(convolved, [x, w]) else { unreachable!("two") };
        let [routed] = *network.differentiate(pooled, [x]) else { unreachable!("one") };
        let targets = [dx, dw, routed].map(|value| value.symbol());
        let module = ends(&network, &targets, EmitForm::Raised);
        let count = |name: &str| module.text().matches(name).count();
        assert_eq!(count("stablehlo.convolution("), 2, "{}", module.text());
        assert_eq!(count("dot_general"), 0, "{}", module.text());
        let right = network.reference().forward();
        for tool in [Tool::Evaluator, Tool::Runner] {
            let Some(mut bench) = Bench::open(tool, "raised") else { continue };
            let found = bench.run(&module, &network, &[]).unwrap_or_else(|error| panic!("{error}"));
            for (target, found) in targets.iter().zip(&found) {
                // Whole numbers: every order gives the same.
                assert_eq!(found, &right.of(target), "{tool:?}");
            }
        }
    }
}

/// Two groups written by hand, with what tells a convolution of groups from its likes.
struct Written {
    /// Which range of channels each group reads, and which of filters.
    channels: [usize; 2],
    filters: [usize; 2],
    /// Whether something else reads the first group's product.
    read: bool,
    /// Which of two inputs each group reads the images of.
    images: [usize; 2],
    /// As how many images, rows and columns the windows are given out.
    grid: [usize; 3],
}

fn written(network: &Network<Tensor>, of: &Written) -> Vec<Symbol> {
    let numbers = |i: &[usize]| ((2 * i[0] + 3 * i[1] + i[2] + 5 * i[3]) % 7) as f32 - 3.0;
    let x = network.input(Tensor::from_fn([1, 4, 3, 3], numbers));
    let w = network.input(Tensor::from_fn([4, 2, 2, 2], numbers));
    let other = network.input(Tensor::from_fn([1, 4, 3, 3], |i| -numbers(i)));
    let windows = [x, other].map(|images| images.unfold(2, 2, 1, 1).unfold(3, 2, 1, 1));
    let products: Vec<Value<'_, Tensor>> = (0..2)
        .map(|group| {
            let windows = windows[of.images[group]];
            let rows = windows.narrow(1, of.channels[group], 2).permute(&[0, 2, 3, 1, 4, 5]);
            let lines = w.narrow(0, of.filters[group], 2).reshape([2, 8]).permute(&[1, 0]);
            rows.reshape([4, 8]).matmul(lines)
        })
        .collect();
    let [n, down, across] = of.grid;
    let images = products.iter().map(|product| product.reshape([n, down, across, 2]));
    let y = Value::concat(&images.collect::<Vec<_>>(), 3).permute(&[0, 3, 1, 2]);
    let mut targets = vec![y.symbol()];
    targets.extend(of.read.then(|| products[0].symbol()));
    let gradients = network.differentiate((y * y).sum(), [x, w]);
    targets.extend(gradients.iter().map(|value| value.symbol()));
    targets
}

#[test]
fn products_that_are_no_groups_side_by_side_stay_products() {
    let groups =
        Written { channels: [0, 2], filters: [0, 2], read: false, images: [0, 0], grid: [1, 2, 2] };
    let others = [
        Written { channels: [2, 0], ..groups },
        Written { filters: [2, 0], ..groups },
        Written { channels: [0, 0], ..groups },
        Written { channels: [0, 1], ..groups },
        Written { filters: [0, 1], ..groups },
        Written { images: [0, 1], ..groups },
        Written { grid: [1, 1, 4], ..groups },
        Written { grid: [1, 4, 1], ..groups },
        Written { grid: [2, 1, 2], ..groups },
        Written { grid: [4, 1, 1], ..groups },
    ];
    let all = [(Written { ..groups }, 3), (Written { read: true, ..groups }, 2)];
    let all = all.into_iter().chain(others.into_iter().map(|other| (other, 0)));
    let mut benches = [Tool::Evaluator, Tool::Runner].map(|tool| Bench::open(tool, "raised"));
    for (number, (of, convolutions)) in all.enumerate() {
        let network = Network::new();
        let targets = written(&network, &of);
        let module = ends(&network, &targets, EmitForm::Raised);
        let count = module.text().matches("stablehlo.convolution(").count();
        assert_eq!(count, convolutions, "{number}: {}", module.text());
        let right = network.reference().forward();
        for bench in benches.iter_mut().flatten() {
            let found = bench.run(&module, &network, &[]).unwrap_or_else(|error| panic!("{error}"));
            for (target, found) in targets.iter().zip(&found) {
                assert_eq!(found, &right.of(target), "{number}");
            }
        }
    }
}

/// Six windows, two rows of three, that are given out as three rows of two: no convolution has that form.
#[test]
fn windows_given_out_in_another_grid_are_no_convolution() {
    let mut benches = [Tool::Evaluator, Tool::Runner].map(|tool| Bench::open(tool, "grids"));
    for (grid, convolutions) in [([2, 3], 1), ([3, 2], 0)] {
        let network = Network::new();
        let x = network.input(Tensor::from_fn([1, 1, 4, 5], |at| (at[2] * 5 + at[3]) as f32));
        let w = network.input(Tensor::from_fn([2, 1, 3, 3], |at| (at[0] + at[2] * at[3]) as f32));
        let windows = x.unfold(2, 3, 1, 1).unfold(3, 3, 1, 1);
        let rows = windows.permute(&[0, 2, 3, 1, 4, 5]).reshape([6, 9]);
        let product = rows.matmul(w.reshape([2, 9]).permute(&[1, 0]));
        let y = product.reshape([1, grid[0], grid[1], 2]).permute(&[0, 3, 1, 2]).symbol();
        let module = ends(&network, &[y], EmitForm::Raised);
        let found = module.text().matches("stablehlo.convolution(").count();
        assert_eq!(found, convolutions, "{}", module.text());
        let right = network.reference().forward();
        for bench in benches.iter_mut().flatten() {
            let found = bench.run(&module, &network, &[]).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(found[0], right.of(y));
        }
        network.compile([y], []).check(&network, poorgrad::no_feeds()).expect("the same bits");
    }
}

/// What has a form of its own stays that in the recorded and in the exact form.
#[test]
fn only_the_raised_form_has_groups() {
    let network = Network::new();
    let x = network.input(Tensor::full([1, 2, 3, 3], 1.0_f32));
    let w = network.input(Tensor::full([2, 1, 2, 2], 0.5));
    let y = x.conv2d(w, &Window::new().groups(2));
    let plan = network.compile([y], []);
    for (form, count) in [(EmitForm::Raised, 1), (EmitForm::Recorded, 0), (EmitForm::Exact, 0)] {
        let module = Emit::new(&plan).form(form).module().expect("a module");
        let found = module.text().matches("feature_group_count = 2").count();
        assert_eq!(found, count, "{}", module.text());
    }
}
