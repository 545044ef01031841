//! NIST's Statistical Reference Datasets for nonlinear regression: 27 problems with certified answers, from
//! two starts each, the first of them far away.
//!
//! The data and the certified values are NIST's (a US agency; public domain), written and proved by
//! `tools/nist_strd.py`.

mod models;

use models::{PROBLEMS, Problem};
use poorgrad::{LevenbergMarquardt, Network, Symbol, Tensor};

/// What a file says.
struct Published {
    starts: [Vec<f64>; 2],
    certified: Vec<f64>,
    deviations: Vec<f64>,
    squares: f64,
    deviation: f64,
    /// The response, then the predictors.
    columns: Vec<Vec<f64>>,
}

fn published(text: &str) -> Published {
    let numbers = |words: &str| -> Vec<f64> {
        words.split_whitespace().map(|word| word.parse().expect(word)).collect()
    };
    let lines: Vec<&str> = text.lines().collect();
    let named = |at: usize, name: &str| numbers(lines[at].strip_prefix(name).expect(name));
    let rows: Vec<Vec<f64>> = lines[6..].iter().map(|line| numbers(line)).collect();
    let column = |at: usize| rows.iter().map(|row| row[at]).collect();
    Published {
        starts: [named(0, "start1"), named(1, "start2")],
        certified: named(2, "certified"),
        deviations: named(3, "deviations"),
        squares: named(4, "squares")[0],
        deviation: named(5, "deviation ")[0],
        columns: (0..rows[0].len()).map(column).collect(),
    }
}

/// Records the residuals of a problem at a start.
fn recorded(problem: &Problem, data: &Published, start: &[f64]) -> (Network<Tensor<f64>>, Symbol) {
    let network = Network::new();
    let scalar = |value: &f64| network.parameter(Tensor::scalar(*value));
    let parameters: Vec<_> = start.iter().map(scalar).collect();
    let column = |values: &Vec<f64>| network.leaf(Tensor::new([values.len()], values.clone()));
    let columns: Vec<_> = data.columns.iter().map(column).collect();
    let spread: Vec<_> = parameters.iter().map(|b| b.broadcast_like(columns[0])).collect();
    let answers = if problem.logarithm { columns[0].ln() } else { columns[0] };
    let residuals = ((problem.model)(&spread, &columns[1..]) - answers).symbol();
    (network, residuals)
}

/// How many digits agree in the number where the fewest do: NIST certifies 11.
#[expect(clippy::disallowed_methods, reason = "digits are counted, no result depends on them")]
fn digits(found: impl IntoIterator<Item = f64>, certified: &[f64]) -> f64 {
    let each = found.into_iter().zip(certified).map(|(found, certified)| {
        let error = ((found - certified) / certified).abs();
        if error.is_nan() { 0.0 } else { (-error.log10()).min(11.0) }
    });
    each.fold(11.0, f64::min)
}

/// Fits a problem from one of its starts: the digits of the parameters, their standard errors, and the
/// residual standard deviation.
fn judged(problem: &Problem, start: usize) -> [f64; 3] {
    let data = published(problem.text);
    let (network, residuals) = recorded(problem, &data, &data.starts[start]);
    let fitted = LevenbergMarquardt::new().fit(&network, residuals, []);
    let (_, report) = fitted.expect("everything is finite at NIST's starts");
    let values = report.estimates.iter().map(|estimate| estimate.value);
    let parameters = digits(values, &data.certified);
    let errors = report.standard_errors().unwrap_or_default();
    let errors = if errors.is_empty() { 0.0 } else { digits(errors, &data.deviations) };
    let deviation =
        digits([report.deviation().expect("more residuals than parameters")], &[data.deviation]);
    println!(
        "{:10} start {}: {parameters:5.2} {errors:5.2} {deviation:5.2} digits, {} steps, {}+{} runs, {}",
        problem.name,
        start + 1,
        report.iterations,
        report.evaluations,
        report.jacobians,
        report.stop
    );
    [parameters, errors, deviation]
}

/// The residuals of this problem are made of the last digits of its data: in `f64` they have three digits.
const ROUNDED: &str = "Lanczos1";

fn all_judged(start: usize) {
    for problem in PROBLEMS {
        let [parameters, errors, deviation] = judged(problem, start);
        assert!(parameters >= 10.0, "{}: {parameters} digits", problem.name);
        let bar = if problem.name == ROUNDED { 2.0 } else { 9.5 };
        assert!(errors >= bar && deviation >= bar, "{}: {errors}, {deviation}", problem.name);
    }
    assert_eq!(PROBLEMS.len(), 27);
}

#[test]
fn certified_values_from_the_near_starts() {
    all_judged(1);
}

#[test]
fn certified_values_from_the_far_starts() {
    all_judged(0);
}

/// The data, the models and the certified values belong together, with no fit between them: at the
/// certified parameters the sum of squares is the certified one, to all eleven digits.
#[test]
fn certified_parameters_have_the_certified_sums_of_squares() {
    for problem in PROBLEMS {
        let data = published(problem.text);
        let (network, residuals) = recorded(problem, &data, &data.certified);
        let residuals = network.forward().of(residuals);
        let squares = residuals.iter().fold(0.0, |sum, r| sum + r * r);
        let found = digits([squares], &[data.squares]);
        println!("{:10} {squares:.11e} {found:.2} digits", problem.name);
        if problem.name == ROUNDED {
            // Parameters rounded to eleven digits miss the data by more than its residuals, 1e-13 each.
            assert!(squares < 1e-19, "{squares:e}");
        } else {
            assert!(found >= 9.5, "{}: {squares:e}, {found} digits", problem.name);
        }
    }
}
