//! Fits a growth curve to measurements, and says how well they determine it.
//!
//! What it teaches: a model of one's own is an expression of parameters, and a fit of it is
//! `LevenbergMarquardt` on its residuals. The report has what a scientist needs: estimates with standard
//! errors, their correlations, and the residual standard deviation. The built-in measurements (how
//! heavy onions grow; NIST's problem Rat43) come with answers certified to eleven digits.
//!
//!     cargo run --release --example regression
//!     cargo run --release --example regression -- --data growth.txt

use std::{fs, ops::ControlFlow, path::Path};

use poorgrad::{LevenbergMarquardt, Network, Tensor, Value};
use zoo::{
    cli::{Arguments, fail},
    plane::Plane,
    progress::Progress,
};

/// Starts and answers in six lines, then the response and the predictor of each measurement.
const RAT43: &str = include_str!("../tests/suite/nist/Rat43.txt");

/// Richards' growth curve: from 0 to `limit`, steep by `rate`, late by `delay`, skew by `shape`.
fn curve<'n>(
    [limit, delay, rate, shape]: [Value<'n, Tensor<f64>>; 4],
    x: Value<'n, Tensor<f64>>,
) -> Value<'n, Tensor<f64>> {
    let [limit, delay, rate, shape] =
        [limit, delay, rate, shape].map(|parameter| parameter.broadcast_like(x));
    limit / (1.0 + (delay - rate * x).exp()).powf(1.0 / shape)
}

fn numbers(line: &str) -> Result<Vec<f64>, String> {
    let words = line.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty());
    words.map(|word| word.parse().map_err(|_| format!("`{word}` is no number"))).collect()
}

/// The pairs `x y` of a file.
fn read(path: &Path) -> Result<Vec<[f64; 2]>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut pairs = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match numbers(line).as_deref() {
            Ok(&[x, y]) if x.is_finite() && y.is_finite() => pairs.push([x, y]),
            Ok(_) => return Err(format!("{} line {}: not `x y`", path.display(), at + 1)),
            Err(error) => return Err(format!("{} line {}: {error}", path.display(), at + 1)),
        }
    }
    Ok(pairs)
}

/// The smallest and the largest number of an axis.
fn ends(points: &[[f64; 2]], axis: usize) -> [f64; 2] {
    points.iter().fold([f64::INFINITY, -f64::INFINITY], |[low, high], point| {
        let at = point[axis];
        [if at < low { at } else { low }, if at > high { at } else { high }]
    })
}

fn main() {
    let about = "Fits a growth curve to measurements, with standard errors.";
    let options = Arguments::new("regression", about, 200)
        .steps("Steps of the fit, at most")
        .seed("Not read: nothing here is random")
        .data("A text file with `x y` a line [default: the weights of onions, NIST's Rat43]")
        .parse();
    let certified =
        numbers(RAT43.lines().nth(2).and_then(|l| l.strip_prefix("certified")).unwrap_or(""));
    let (points, certified) = match &options.data {
        Some(path) => (read(path).unwrap_or_else(|error| fail(&error)), None),
        None => {
            let rows = RAT43.lines().skip(6).flat_map(numbers);
            (rows.map(|row| [row[1], row[0]]).collect(), certified.ok())
        }
    };
    if points.is_empty() {
        fail(&"there are no measurements");
    }

    // Where a grower would guess: the largest weight, halfway in the middle.
    let ([first, last], [_, largest]) = (ends(&points, 0), ends(&points, 1));
    let rate = if last > first { 10.0 / (last - first) } else { 1.0 };
    let guess = [largest, rate * 0.5 * (first + last), rate, 1.0];
    let network = Network::new();
    let names = ["limit", "delay", "rate", "shape"];
    let parameters =
        [0, 1, 2, 3].map(|at| network.parameter(Tensor::scalar(guess[at])).named(names[at]));
    let column = |axis: usize| {
        let values: Vec<f64> = points.iter().map(|point| point[axis]).collect();
        network.leaf(Tensor::new([values.len()], values))
    };
    let residuals = curve(parameters, column(0)) - column(1);
    let places: Vec<f64> =
        (0..=100).map(|at| first + (last - first) * f64::from(at) / 100.0).collect();
    let drawn = curve(parameters, network.leaf(Tensor::from(places.clone()))).symbol();

    let progress = Progress::new("fitting", options.steps);
    let method = LevenbergMarquardt::new().iterations(options.steps);
    let (fitted, report) = method
        .fit_with(&network, residuals, [], |iterate| {
            progress.step(iterate.value);
            ControlFlow::Continue(())
        })
        .unwrap_or_else(|error| fail(&error));
    progress.finish();

    let values = fitted.forward().of(drawn).to_vec();
    Plane::new("growth")
        .axes("x", "y")
        .points("measured", points.iter().copied())
        .curve("fitted", places.iter().zip(&values).map(|(x, y)| [*x, *y]))
        .print();
    println!("{report}");
    match report.correlation() {
        Ok(correlation) => println!("correlations of the estimates\n{correlation:.3}"),
        Err(error) => println!("{error}"),
    }
    if let Some(certified) = certified {
        let error = |(estimate, certified): (&poorgrad::Estimate, &f64)| {
            ((estimate.value - certified) / certified).abs()
        };
        let errors = report.estimates.iter().zip(&certified).map(error);
        let worst = errors.fold(0.0, |worst, error| if error > worst { error } else { worst });
        println!("the certified answers are {certified:?}: off by {worst:.1e} of them, at most");
    }
    println!("fingerprint {}", fitted.fingerprint());
}
