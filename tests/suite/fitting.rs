//! Fits of second order: against SciPy's minima (`tools/fitting_fixtures.py`), and what they report and
//! refuse. The certified regressions are in `nist`.

use poorgrad::{
    Elementary, FitError, Lbfgs, LevenbergMarquardt, Network, NetworkError, Stop, Symbol, Tensor,
    Value,
};
use std::ops::ControlFlow;
use testkit::bits::{Digest, identical};

type V<'n> = Value<'n, Tensor<f64>>;
type Function = for<'n> fn(V<'n>) -> V<'n>;

const ROWS: usize = 40;

// The functions of the script.

fn at(x: V<'_>, index: usize) -> V<'_> {
    x.narrow(0, index, 1).sum()
}

fn square(x: V<'_>) -> V<'_> {
    x * x
}

fn rosenbrock(x: V<'_>) -> V<'_> {
    let pairs = x.reshape([x.shape()[0] / 2, 2]);
    let [odd, even] = [0, 1].map(|column| pairs.narrow(1, column, 1));
    (100.0 * square(even - odd * odd) + square(1.0 - odd)).sum()
}

fn beale(x: V<'_>) -> V<'_> {
    let (a, b) = (at(x, 0), at(x, 1));
    let term = |power: i32, y: f64| square(y - a * (1.0 - b.powi(power)));
    term(1, 1.5) + term(2, 2.25) + term(3, 2.625)
}

fn wood(x: V<'_>) -> V<'_> {
    let [a, b, c, d] = [0, 1, 2, 3].map(|index| at(x, index));
    let first = 100.0 * square(b - a * a) + square(1.0 - a);
    let second = 90.0 * square(d - c * c) + square(1.0 - c);
    first + second + 10.0 * square(b + d - 2.0) + 0.1 * square(b - d)
}

/// The scores of the rows of the script's design.
fn scores(w: V<'_>) -> V<'_> {
    let entry =
        |index: &[usize]| Elementary::sin(&(1.0 + index[0] as f64 * (index[1] + 1) as f64 * 0.7));
    let design = w.network().leaf(Tensor::from_fn([ROWS, 3], entry));
    design.matmul(w.reshape([3, 1])).reshape([ROWS])
}

fn logistic(w: V<'_>) -> V<'_> {
    let score = scores(w);
    let label = |index: &[usize]| f64::from(u8::from(index[0].is_multiple_of(3)));
    let label = w.network().leaf(Tensor::from_fn([ROWS], label));
    (score.softplus() - label * score).mean() + 0.01 * square(w).sum()
}

fn robust(w: V<'_>) -> V<'_> {
    let target = |index: &[usize]| {
        let far = if index[0].is_multiple_of(7) { 5.0 } else { 0.0 };
        Elementary::cos(&(index[0] as f64 * 1.3)) + far
    };
    let residual = scores(w) - w.network().leaf(Tensor::from_fn([ROWS], target));
    ((1.0 + residual * residual).sqrt() - 1.0).mean()
}

fn cases() -> [(&'static str, Function, Vec<f64>); 6] {
    [
        ("rosenbrock", rosenbrock, vec![-1.2, 1.0]),
        ("extended_rosenbrock", rosenbrock, [-1.2, 1.0].repeat(10)),
        ("beale", beale, vec![1.0, 1.0]),
        ("wood", wood, vec![-3.0, -1.0, -3.0, -1.0]),
        ("logistic", logistic, vec![0.0; 3]),
        ("robust", robust, vec![0.0; 3]),
    ]
}

#[test]
fn minima_are_those_of_scipy() {
    let lines = include_str!("fixtures/fitting.txt").lines();
    for ((name, function, start), line) in cases().into_iter().zip(lines) {
        let mut words = line.split(' ');
        assert_eq!(words.next(), Some(name));
        let numbers: Vec<f64> = words.map(|word| word.parse().unwrap()).collect();
        let network = Network::new();
        let x = network.parameter(Tensor::new([start.len()], start));
        let loss = function(x);
        let method = Lbfgs::new().tolerance(1e-9);
        let (fitted, report) = method.fit(&network, loss, []).unwrap();
        println!("{name}: {report}");
        assert!(report.converged() && report.gradient <= 1e-9, "{name}: {report}");
        assert!((report.loss - numbers[0]).abs() <= 1e-14 * (1.0 + numbers[0]), "{name}: {report}");
        let found = fitted.resolve(x).payload().unwrap();
        for (found, expected) in found.iter().zip(&numbers[1..]) {
            assert!((found - expected).abs() <= 1e-7 * (1.0 + expected.abs()), "{name}: {found}");
        }
        assert!(report.evaluations < 200, "{name}: {report}");
    }
}

/// A line through noisy points: the closed form is known.
struct Line {
    network: Network<Tensor<f64>>,
    residuals: Symbol,
    parameters: [Symbol; 2],
    x: Symbol,
}

const XS: [f64; 5] = [0.0, 1.0, 2.0, 3.0, 4.0];
const YS: [f64; 5] = [1.1, 2.9, 5.2, 6.8, 9.1];

fn line() -> Line {
    let network = Network::new();
    let slope = network.parameter(Tensor::scalar(0.0)).named("slope");
    let _ = network.parameter(Tensor::from([7.0, 8.0])).named("unrelated");
    let intercept = network.parameter(Tensor::from([0.0])).named("intercept");
    let input = network.input(Tensor::from(XS));
    let y = network.leaf(Tensor::from(YS));
    let model = slope.broadcast_like(input) * input + intercept.broadcast_like(input);
    let residuals = (model - y).symbol();
    let (parameters, x) = ([slope.symbol(), intercept.symbol()], input.symbol());
    Line { network, residuals, parameters, x }
}

#[test]
fn a_line_has_the_estimates_errors_and_correlation_of_the_closed_form() {
    let Line { network, residuals, parameters, .. } = line();
    let before = network.len();
    let (fitted, report) = LevenbergMarquardt::new().fit(&network, residuals, []).unwrap();
    // Sums of the data: n = 5, mean x = 2, Sxx = 10, Sxy = 19.9, mean y = 5.02.
    let (slope, intercept) = (1.99, 5.02 - 2.0 * 1.99);
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-13 * b.abs();
    let values: Vec<f64> = report.estimates.iter().map(|estimate| estimate.value).collect();
    assert!(near(values[0], slope) && near(values[1], intercept), "{report}");
    let names: Vec<&str> = report.estimates.iter().map(|estimate| &*estimate.name).collect();
    assert_eq!(names, ["slope", "intercept[0]"]);
    let squares = XS.iter().zip(YS).fold(0.0, |sum, (x, y)| {
        let residual = slope * x + intercept - y;
        sum + residual * residual
    });
    let deviation = (squares / 3.0_f64).sqrt();
    assert!((report.sum_of_squares - squares).abs() < 1e-13 && report.degrees_of_freedom() == 3);
    assert!((report.deviation().unwrap() - deviation).abs() < 1e-13);
    let errors = report.standard_errors().unwrap();
    let expected = [deviation / 10.0_f64.sqrt(), deviation * (1.0 / 5.0_f64 + 4.0 / 10.0).sqrt()];
    assert!(errors.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-13), "{errors:?}");
    assert_eq!(report.estimates[1].standard_error, Some(errors[1]));
    let covariance = report.covariance().unwrap();
    assert!((covariance.get(&[0, 1]).unwrap() + 2.0 / 10.0 * deviation * deviation).abs() < 1e-13);
    let correlation = report.correlation().unwrap();
    let expected = -2.0 / (10.0_f64 * (0.2 + 0.4)).sqrt();
    assert!((correlation.get(&[1, 0]).unwrap() - expected).abs() < 1e-13);
    assert!(report.converged() && report.relative_offset < 1e-12, "{report}");
    let text = report.to_string();
    for part in ["slope", "intercept[0]", "+-", "5 residuals", "standard deviation"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The fitted generation has the estimates and nothing else changed; the network itself did not.
    let read = |network: &Network<Tensor<f64>>, at| network.resolve(at).payload().unwrap();
    assert_eq!(read(&fitted, parameters[0]).item(), values[0]);
    assert_eq!(read(&network, parameters[0]).item(), 0.0);
    assert_eq!((network.len(), fitted.len()), (before, before));
    let unrelated = fitted.parameters().nth(1).unwrap().1;
    assert_eq!(unrelated.payload().unwrap().to_vec(), [7.0, 8.0]);
}

#[test]
fn feeds_are_what_is_fitted_to() {
    let Line { network, residuals, parameters, x } = line();
    // Twice the predictor, half the slope; the same for both methods.
    let doubled = Tensor::from(XS.map(|x| 2.0 * x));
    let feeds = [(x, doubled.clone())];
    let (fitted, _) = LevenbergMarquardt::new().fit(&network, residuals, feeds.clone()).unwrap();
    let slope = fitted.resolve(parameters[0]).payload().unwrap().item();
    assert!((slope - 0.995).abs() < 1e-13, "{slope}");
    let residuals = network.resolve(residuals);
    let loss = (residuals * residuals).sum();
    let (lowest, _) = Lbfgs::new().tolerance(1e-12).fit(&network, loss, feeds).unwrap();
    let slope = lowest.resolve(parameters[0]).payload().unwrap().item();
    assert!((slope - 0.995).abs() < 1e-12, "{slope}");
    // One generation on, a fit goes on from there, and has nothing left to do.
    let (again, report) =
        LevenbergMarquardt::new().fit(&fitted, residuals.symbol(), [(x, doubled)]).unwrap();
    assert!(report.iterations <= 1 && report.converged(), "{report}");
    let moved = again.resolve(parameters[0]).payload().unwrap().item() - 0.995;
    assert!(moved.abs() < 1e-13);
}

#[test]
fn a_fit_of_scalars_is_a_fit() {
    let network = Network::new();
    let (x, y) = (network.parameter(-1.2_f64), network.parameter(1.0));
    let loss = 100.0 * (y - x * x) * (y - x * x) + (1.0 - x) * (1.0 - x);
    let (lowest, report) = Lbfgs::new().fit(&network, loss, []).unwrap();
    assert!(report.converged(), "{report}");
    assert!((lowest.resolve(y).payload().unwrap() - 1.0).abs() < 1e-7);
    // One residual of one parameter: an equation.
    let root = x * x * x - 2.0;
    let (solved, report) = LevenbergMarquardt::new().fit(&network, root, []).unwrap();
    let cube = solved.resolve(x).payload().unwrap();
    assert!((cube * cube * cube - 2.0).abs() < 1e-14, "{report}");
    assert_eq!(report.deviation(), Err(FitError::NoFreedom { count: 1 }));
    assert_eq!(report.estimates[0].standard_error, None);
}

/// A digest of the parameters.
fn digest(network: &Network<Tensor<f64>>) -> String {
    let mut digest = Digest::new();
    let payloads = network.parameters().filter_map(|(_, parameter)| parameter.payload());
    payloads.for_each(|payload| digest.payload(&payload));
    digest.text()
}

#[test]
fn golden_fits_have_the_same_bits_again_and_on_any_number_of_threads() {
    let bits = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut bits = Vec::new();
            for (_, function, start) in cases() {
                let network = Network::new();
                let x = network.parameter(Tensor::new([start.len()], start));
                let (fitted, _) = Lbfgs::new().fit(&network, function(x), []).unwrap();
                bits.push(digest(&fitted));
            }
            let Line { network, residuals, .. } = line();
            let (fitted, _) = LevenbergMarquardt::new().fit(&network, residuals, []).unwrap();
            bits.push(digest(&fitted));
            bits
        })
    };
    let one = bits(1);
    assert_eq!(one, bits(4));
    assert_eq!(one, GOLDEN);
}

const GOLDEN: [&str; 7] = [
    "59aeb0e480451948d47ba036b7476f0c",
    "0baa2f058e6ed3552358d23f430d4d5a",
    "28e8df0d1d79cf7dac918f9f21225e34",
    "92593f7fde73a6d422c4b9416f1bf91c",
    "8a0561fadda8faa2cf10dda050541e08",
    "2977bd5d9084dbd3858880d8cfb3381d",
    "7acd3f3c12d1745ec3a6b52fc55dcac1",
];

#[test]
fn an_observer_sees_every_step_and_can_end_the_fit() {
    let network = Network::new();
    let x = network.parameter(Tensor::from([-1.2_f64, 1.0]));
    let (mut seen, mut values) = (0, Vec::new());
    let (_, report) = Lbfgs::new()
        .fit_with(&network, rosenbrock(x), [], |iterate| {
            assert_eq!(iterate.iteration, seen + 1);
            (seen, values) = (iterate.iteration, [&values[..], &[iterate.value]].concat());
            if seen == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert_eq!((report.stop, report.iterations), (Stop::Asked, 5));
    assert!(values.windows(2).all(|pair| pair[1] <= pair[0]) && report.loss == values[4]);
    assert!(!report.converged());
    let Line { network, residuals, .. } = line();
    let (_, report) = LevenbergMarquardt::new()
        .fit_with(&network, residuals, [], |_| ControlFlow::Break(()))
        .unwrap();
    assert_eq!((report.stop, report.iterations), (Stop::Asked, 1));
}

#[test]
fn limits_and_stalls_are_reported_and_are_no_errors() {
    let network = Network::new();
    let x = network.parameter(Tensor::from([-1.2_f64, 1.0]));
    let (_, report) = Lbfgs::new().iterations(3).fit(&network, rosenbrock(x), []).unwrap();
    assert_eq!((report.stop, report.iterations), (Stop::IterationLimit, 3));
    // At the bottom of a kink no step is lower, and the gradient is not zero.
    let corner = Network::new();
    let bottom = corner.parameter(Tensor::from([0.0_f64]));
    let kink = bottom.maximum(bottom * -2.0).sum();
    let (fitted, report) = Lbfgs::new().fit(&corner, kink, []).unwrap();
    assert_eq!((report.stop, report.iterations, report.loss), (Stop::Stalled, 0, 0.0));
    assert!(report.gradient >= 0.5 && !report.converged(), "{report}");
    assert_eq!(fitted.resolve(bottom).payload().unwrap().to_vec(), [0.0]);
    let pair = [square(at(x, 1) - at(x, 0)), 1.0 - at(x, 0)];
    let residuals = Value::stack(&pair, 0);
    let (_, report) = LevenbergMarquardt::new().iterations(2).fit(&network, residuals, []).unwrap();
    assert_eq!((report.stop, report.iterations), (Stop::IterationLimit, 2));
    // Where the residuals start at zero, there is nothing to do.
    let (_, report) = LevenbergMarquardt::new().fit(&network, x * 0.0, []).unwrap();
    assert_eq!((report.stop, report.iterations, report.evaluations), (Stop::Stationary, 0, 1));
    assert_eq!(report.sum_of_squares, 0.0);
}

#[test]
fn a_region_shrinks_back_from_where_residuals_are_not_finite() {
    // From 4 the first Gauss-Newton step leads below zero, where the logarithm is none.
    let network = Network::new();
    let x = network.parameter(Tensor::from([4.0_f64]));
    let residuals = x.ln() + 3.0;
    let (fitted, report) = LevenbergMarquardt::new().fit(&network, residuals, []).unwrap();
    let found = fitted.resolve(x).payload().unwrap().to_vec()[0];
    assert!((found - Elementary::exp(&-3.0_f64)).abs() < 1e-15, "{report}");
    assert!(report.evaluations > report.iterations, "{report}");
    let loss = square(x.ln() + 3.0).sum();
    let (fitted, report) = Lbfgs::new().fit(&network, loss, []).unwrap();
    let found = fitted.resolve(x).payload().unwrap().to_vec()[0];
    assert!((found - Elementary::exp(&-3.0_f64)).abs() < 1e-8, "{report}");
}

#[test]
fn what_is_refused_names_the_reason_and_the_way_out() {
    let network = Network::new();
    let x = network.parameter(Tensor::from([-1.0_f64, 2.0])).named("x");
    let input = network.input(Tensor::from([1.0, 1.0]));
    let least = |residuals: Symbol, feeds: Vec<(Symbol, Tensor<f64>)>| {
        LevenbergMarquardt::new().fit(&network, residuals, feeds).map(|_| ()).unwrap_err()
    };
    let lowest = |loss: Symbol| Lbfgs::new().fit(&network, loss, []).map(|_| ()).unwrap_err();
    let foreign = Network::new();
    let foreign = foreign.input(Tensor::scalar(1.0_f64)).symbol();
    let before = network.len();

    let error = least(foreign, Vec::new());
    assert!(matches!(&error, FitError::Network(e) if matches!(**e, NetworkError::Foreign { .. })));
    assert!(std::error::Error::source(&error).is_some());
    assert!(matches!(lowest(foreign), FitError::Network(_)));
    let shape = least(x.symbol(), vec![(input.symbol(), Tensor::scalar(1.0))]);
    assert!(
        matches!(&shape, FitError::Network(e) if matches!(**e, NetworkError::FeedShape { .. }))
    );
    let many = lowest(x.symbol());
    assert!(matches!(&many, FitError::Network(e) if matches!(**e, NetworkError::NotScalar { .. })));
    let none = least(input.symbol(), Vec::new());
    assert_eq!(none, FitError::NoParameters { method: "LevenbergMarquardt" });
    assert_eq!(network.len(), before);
    let logarithm = x.ln();
    let (few, total) = (x.sum(), logarithm.sum());
    assert_eq!(lowest(input.sum().symbol()), FitError::NoParameters { method: "Lbfgs" });
    let few = least(few.symbol(), Vec::new());
    assert_eq!(few, FitError::Underdetermined { residuals: 1, parameters: 2 });
    for error in [least(logarithm.symbol(), Vec::new()), lowest(total.symbol())] {
        let FitError::NotFinite { position: 0, origin: Some(origin), .. } = &error else {
            panic!("{error}");
        };
        assert!(origin.contains("ln") && error.to_string().contains("begin elsewhere"), "{error}");
    }
    // The root is finite at 0, and its slope is not.
    let error = least((x + 1.0).sqrt().symbol(), Vec::new());
    assert!(
        matches!(&error, FitError::NotFinite { what, .. } if what.contains("Jacobian")),
        "{error}"
    );
    let error = lowest((x + 1.0).sqrt().sum().symbol());
    assert!(
        matches!(&error, FitError::NotFinite { what, .. } if what.contains("gradient")),
        "{error}"
    );
    for error in [none, few, shape] {
        assert!(error.to_string().len() > 40, "{error}");
    }
}

#[test]
fn parameters_that_the_residuals_do_not_tell_apart_are_named() {
    let network = Network::new();
    let (a, b) =
        (network.parameter(Tensor::scalar(1.0_f64)), network.parameter(Tensor::scalar(1.0)));
    let (a, b) = (a.named("a"), b.named("b"));
    let x = network.leaf(Tensor::from(XS));
    let y = network.leaf(Tensor::from(YS));
    let idle = network.parameter(Tensor::scalar(3.0)).named("idle");
    let slope = (a * b + idle * 0.0).broadcast_like(x);
    let (fitted, report) = LevenbergMarquardt::new().fit(&network, slope * x - y, []).unwrap();
    let error = report.standard_errors().unwrap_err();
    let FitError::RankDeficient { rank: 1, parameters } = &error else { panic!("{error}") };
    assert_eq!(parameters.len(), 2, "{error}");
    assert!(parameters.contains(&String::from("idle")), "{error}");
    assert!(error.to_string().contains("idle") && error.to_string().contains("constants"));
    // Their product is what the closed form says, all the same.
    let read = |parameter: V<'_>| fitted.resolve(parameter).payload().unwrap().item();
    let product = read(a) * read(b);
    let expected = XS.iter().zip(YS).fold(0.0, |sum, (x, y)| sum + x * y) / 30.0;
    assert!((product - expected).abs() < 1e-12, "{product} {expected}");
    assert!(report.estimates.iter().all(|estimate| estimate.standard_error.is_none()));
    assert!(identical(&fitted.resolve(idle).payload().unwrap(), &Tensor::scalar(3.0)));
}
