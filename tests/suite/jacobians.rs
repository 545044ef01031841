//! Jacobians and Hessians: against dual numbers, central differences, products, and a plan.

use crate::refusal::caught;
use poorgrad::{Elementary, Network, NetworkError, Symbol, Tensor, Value};
use testkit::bits::identical;
use testkit::{Dual, generate_smooth, seeded};

const INPUTS: [[f64; 2]; 4] = [[0.5, -1.0], [2.0, 0.25], [-0.75, 1.5], [1.0, 1.0]];
const WEIGHTS: [f64; 6] = [0.3, -0.8, 1.1, 0.6, 0.2, -0.4];
const BIASES: [f64; 3] = [0.1, -0.2, 0.7];

/// A small layer `[4, 3]` of a weight `[2, 3]` and a bias `[3]`: twelve results of nine numbers.
fn layer<E: Elementary>(
    network: &Network<Tensor<E>>,
    element: impl Fn(usize) -> E,
) -> ([Value<'_, Tensor<E>>; 2], Value<'_, Tensor<E>>) {
    let weight = network.parameter(Tensor::new([2, 3], (0..6).map(&element).collect()));
    let bias = network.parameter(Tensor::new([3], (6..9).map(&element).collect()));
    let inputs = INPUTS.concat().into_iter().map(E::from_f64).collect();
    let x = network.leaf(Tensor::new([4, 2], inputs));
    let hidden = x.matmul(weight);
    let y = (hidden + bias.broadcast_like(hidden)).tanh();
    ([weight, bias], y * y.exp())
}

fn number(at: usize) -> f64 {
    [&WEIGHTS[..], &BIASES[..]].concat()[at]
}

/// The columns of a Jacobian by dual numbers: forward mode, one direction at a time.
fn columns_by_duals(
    reduce: impl for<'n> Fn(Value<'n, Tensor<Dual>>) -> Value<'n, Tensor<Dual>>,
) -> Vec<Vec<f64>> {
    let column = |moving: usize| {
        let network = Network::new();
        let direction = |at: usize| if at == moving { 1.0 } else { 0.0 };
        let (_, y) = layer(&network, |at| Dual::new(number(at), direction(at)));
        let result = reduce(y);
        network.forward().of(result).iter().map(|y| y.tangent).collect()
    };
    (0..9).map(column).collect()
}

/// The elements of Jacobians by the interpreter; a plan has the same bits.
fn elements_of(
    network: &Network<Tensor<f64>>,
    jacobians: &[Value<'_, Tensor<f64>>],
) -> Vec<Vec<f64>> {
    let run = network.forward();
    let results = network.compile(jacobians.iter().copied(), []).forward(network, []);
    let mut columns = Vec::new();
    for jacobian in jacobians {
        let found = run.of(*jacobian);
        assert!(identical(&found, &results.of(*jacobian)), "a plan has other bits");
        columns.push(found.to_vec());
    }
    columns
}

#[test]
fn a_jacobian_is_that_of_dual_numbers_by_rows_and_by_columns() {
    let network = Network::new();
    let ([weight, bias], y) = layer(&network, number);
    // Twelve rows of nine columns are recorded by columns, three rows by rows.
    let cases: [(Symbol, usize, Vec<Vec<f64>>); 2] = [
        (y.symbol(), 12, columns_by_duals(|y| y)),
        (y.sum_along(&[0]).symbol(), 3, columns_by_duals(|y| y.sum_along(&[0]))),
    ];
    for (target, rows, expected) in cases {
        let extents = network.resolve(target).shape().to_vec();
        let jacobians = network.jacobian(target, [weight, bias]);
        assert_eq!(jacobians[0].shape().to_vec(), [&extents[..], &[2, 3]].concat());
        assert_eq!(jacobians[1].shape().to_vec(), [&extents[..], &[3]].concat());
        let blocks = elements_of(&network, &jacobians);
        for (at, column) in expected.iter().enumerate() {
            let (block, width, place) = if at < 6 { (0, 6, at) } else { (1, 3, at - 6) };
            for row in 0..rows {
                let (found, expected) = (blocks[block][row * width + place], column[row]);
                let error = (found - expected).abs();
                assert!(error <= 1e-14 * (1.0 + expected.abs()), "{row}, {at}: {found} {expected}");
            }
        }
    }
}

#[test]
fn a_hessian_is_that_of_differences_of_the_gradient_and_symmetric() {
    let network = Network::new();
    let ([weight, bias], y) = layer(&network, number);
    let loss = (y * y).mean();
    let hessian = network.hessian(loss, [weight, bias]);
    let run = network.forward();
    let blocks = hessian.iter().flatten().map(|block| run.of(*block)).collect::<Vec<_>>();
    let plan = network.compile(hessian.iter().flatten().copied(), []);
    let compiled = plan.forward(&network, []);
    assert!(blocks.iter().zip(compiled.targets()).all(|(left, right)| identical(left, right)));
    let shapes = [&[2, 3, 2, 3][..], &[2, 3, 3], &[3, 2, 3], &[3, 3]];
    assert!(blocks.iter().zip(shapes).all(|(block, shape)| block.shape().extents() == shape));
    let entry = |i: usize, j: usize| {
        let (block, width) =
            (2 * usize::from(i >= 6) + usize::from(j >= 6), if j < 6 { 6 } else { 3 });
        blocks[block].to_vec()[(i % 6) * width + j % 6]
    };
    let gradient = |moved: usize, by: f64| {
        let network = Network::new();
        let ([weight, bias], y) =
            layer(&network, |at| number(at) + if at == moved { by } else { 0.0 });
        let loss = (y * y).mean();
        let gradient = network.forward().backward(loss);
        [gradient.of(weight).to_vec(), gradient.of(bias).to_vec()].concat()
    };
    let step = 1e-6;
    for j in 0..9 {
        let (above, below) = (gradient(j, step), gradient(j, -step));
        for i in 0..9 {
            let expected = (above[i] - below[i]) / (2.0 * step);
            let found = entry(i, j);
            assert!((found - expected).abs() <= 1e-8, "{i}, {j}: {found} {expected}");
            assert!((found - entry(j, i)).abs() <= 1e-14, "{i}, {j}");
        }
    }
}

/// Of random tapes: a row vector times the Jacobians is the pull-back of it, and plans have the bits of the
/// interpreter.
#[test]
fn a_jacobian_of_a_random_tape_gives_its_pull_backs() {
    let mut judged = 0;
    for seed in 0..60 {
        let bytes = seeded(seed, 12 + seeded(seed, 1)[0] as usize / 8);
        let tape = generate_smooth::<Tensor<f64>>(&bytes, &mut |value, _| value);
        let network = &tape.network;
        let (result, weight) = tape.results[0];
        let volume = |symbol: Symbol| network.resolve(symbol).shape().iter().product::<usize>();
        let elements = tape.sources.iter().fold(0, |sum, source| sum + volume(*source));
        if tape.sources.is_empty() || volume(result).min(elements) > 24 {
            continue;
        }
        let jacobians = network.jacobian(result, tape.sources.iter());
        let pulled = network.vjp(result, weight, tape.sources.iter());
        let run = network.forward();
        let results = network.compile(jacobians.iter().copied(), []).forward(network, []);
        let weight = run.of(weight).to_vec();
        for (jacobian, pulled) in jacobians.iter().zip(&pulled) {
            let found = run.of(*jacobian);
            assert!(
                identical(&found, &results.of(*jacobian)),
                "seed {seed}: a plan has other bits"
            );
            let (found, pulled) = (found.to_vec(), run.of(*pulled).to_vec());
            for (at, expected) in pulled.iter().enumerate() {
                let (mut sum, mut scale) = (0.0, 0.0);
                for (row, weight) in weight.iter().enumerate() {
                    let term = weight * found[row * pulled.len() + at];
                    (sum, scale) = (sum + term, scale + term.abs());
                }
                let near = (sum - expected).abs() <= 1e-11 * (scale + expected.abs());
                assert!(near || !expected.is_finite(), "seed {seed}: {sum} {expected} {scale}");
                judged += 1;
            }
        }
    }
    assert!(judged > 100, "{judged} entries");
}

#[test]
fn scalars_constants_and_what_is_empty_have_jacobians_too() {
    let network = Network::new();
    let (x, y) = (network.input(3.0_f64), network.input(5.0));
    let product = x * y;
    let [first, second] = network.jacobian(product, [x, y])[..] else { panic!("two Jacobians") };
    let hessian = network.hessian(product * x, [x, y]);
    let run = network.forward();
    assert_eq!([run.of(first), run.of(second)], [5.0, 3.0]);
    let entries = hessian.iter().flatten().map(|entry| run.of(*entry));
    assert_eq!(entries.collect::<Vec<_>>(), [10.0, 6.0, 6.0, 0.0]);
    assert!(network.jacobian(product, [] as [Symbol; 0]).is_empty());

    let network = Network::new();
    let x = network.input(Tensor::from([1.0_f64, 2.0]));
    let (nothing, other) = (network.input(Tensor::zeros([0, 2])), network.input(Tensor::ones([3])));
    let y = x.exp();
    let [of_nothing, unreached] = network.jacobian(y, [nothing, other])[..] else { panic!() };
    let of_no_rows = network.jacobian(nothing * nothing, [x])[0];
    let run = network.forward();
    assert_eq!(*of_nothing.shape(), [2, 0, 2]);
    assert!(run.of(unreached).is_identical(&Tensor::zeros([2, 3])));
    assert_eq!(*run.of(of_no_rows).shape(), [0, 2, 2]);
}

#[test]
fn a_jacobian_at_a_kink_takes_the_declared_side_and_absorbs() {
    let network = Network::new();
    let x = network.input(Tensor::from([-1.0_f64, 0.0, 2.0]));
    let jacobian = network.jacobian(x.relu(), [x])[0];
    let jacobian = network.forward().of(jacobian);
    assert_eq!(jacobian.to_vec(), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    // The slope of the reciprocal at 0 is infinite, and no other entry hears of it.
    let inverse = network.jacobian(1.0 / x, [x])[0];
    let inverse = network.forward().of(inverse);
    assert_eq!(inverse.to_vec(), [-1.0, 0.0, 0.0, 0.0, -f64::INFINITY, 0.0, 0.0, 0.0, -0.25]);
}

#[test]
fn refused_jacobians_record_nothing_and_say_why() {
    let network = Network::new();
    let x = network.input(Tensor::from([1.0_f64, 2.0]));
    let (y, total) = (x * x, (x * x).sum());
    let foreign = Network::new();
    let foreign = foreign.input(Tensor::scalar(1.0_f64)).symbol();
    let huge = network.input(Tensor::<f64>::zeros([1 << 40]));
    let other = network.input(Tensor::<f64>::zeros([1 << 40]));
    let wide = (huge.symbol(), other.symbol());
    let before = network.len();
    let messages = [
        network.try_jacobian(foreign, [x]).unwrap_err(),
        network.try_jacobian(y, [foreign]).unwrap_err(),
        network.try_hessian(foreign, [x]).unwrap_err(),
        network.try_hessian(total, [foreign]).unwrap_err(),
        network.try_hessian(y, [x]).unwrap_err(),
        network.try_jacobian(wide.0, [wide.1]).unwrap_err(),
        network.try_hessian(total, [wide.0]).unwrap_err(),
    ];
    assert_eq!(network.len(), before, "a refused recording changes nothing");
    let expected: [fn(&NetworkError) -> bool; 7] = [
        |e| matches!(e, NetworkError::Foreign { operation: "jacobian" }),
        |e| matches!(e, NetworkError::Foreign { operation: "jacobian" }),
        |e| matches!(e, NetworkError::Foreign { operation: "hessian" }),
        |e| matches!(e, NetworkError::Foreign { operation: "hessian" }),
        |e| matches!(e, NetworkError::NotScalar { operation: "hessian", .. }),
        |e| matches!(e, NetworkError::JacobianTooLarge { operation: "jacobian", .. }),
        |e| matches!(e, NetworkError::JacobianTooLarge { operation: "hessian", .. }),
    ];
    for (at, (message, expected)) in messages.iter().zip(expected).enumerate() {
        assert!(expected(message), "{at}: {message}");
        let operation = message.operation();
        assert!(message.to_string().starts_with(&format!("{operation}: ")), "{message}");
    }
    let (message, file, line) = caught(|| network.jacobian(foreign, [x]));
    assert_eq!((file.as_str(), line), (file!(), line!() - 1), "{message}");
    assert!(messages[5].to_string().contains("jvp"), "{}", messages[5]);
}

#[test]
fn nodes_of_a_jacobian_come_from_the_line_that_asked() {
    let network = Network::new();
    let x = network.input(Tensor::from([1.0_f64, 2.0]));
    let y = x.exp();
    let before = network.len();
    let _ = network.jacobian(y, [x]);
    let text = network.to_string();
    let here = format!("jacobians.rs:{}", line!() - 2);
    let recorded = text.lines().filter(|line| line.contains(&here)).count();
    assert_eq!(recorded, network.len() - before, "{text}");
}
