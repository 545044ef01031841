//! Calibrates a model of option prices, and says how well the market determines it.
//!
//! What it teaches: a price is an expression like any other. Merton's model lets a share jump: the price
//! of a call is a sum over the number of jumps, each term a price by Black and Scholes with another
//! rate and volatility. The calls of a whole market, by strike and maturity, are one tensor.
//! `LevenbergMarquardt` compiles residuals and their Jacobian once, finds the volatility and the jumps
//! again that the market was made of, and estimates how far off it may be. What must be positive is
//! fitted by its logarithm, whose error is a relative one. One tape gives the sensitivities too: `jvp`
//! along the share's price is the delta of every option.
//!
//! The market is made up: Merton's own prices at the numbers in `TRUTH`, with noise, so that it is known
//! what should be found. Prices of a real one are read with `--data`.
//!
//!     cargo run --release --example calibration
//!     cargo run --release --example calibration -- --noise 0.05
//!     cargo run --release --example calibration -- --data quotes.csv

use std::{ops::ControlFlow, path::Path};

use poorgrad::{Elementary, LevenbergMarquardt, Network, Tensor, Value, init};
use zoo::{
    chart::Chart,
    cli::{Arguments, fail},
    progress::Progress,
    table,
};

const NAMES: [&str; 4] = ["volatility", "jumps a year", "mean jump", "spread of jumps"];
const TRUTH: [f64; 4] = [0.15, 0.6, -0.12, 0.18];
/// Where a trader would begin: shares fall more often than they leap. Such a fit has several minima, and
/// a start without jumps to either side (0.25, 0.2, 0, 0.1) ends in a worse one.
const START: [f64; 4] = [0.2, 0.5, -0.05, 0.1];
/// What is positive, and fitted by its logarithm.
const POSITIVE: [bool; 4] = [true, true, false, true];
const STRIKES: [f64; 9] = [70.0, 80.0, 90.0, 95.0, 100.0, 105.0, 110.0, 120.0, 130.0];
const MATURITIES: [f64; 5] = [0.1, 0.25, 0.5, 1.0, 2.0];
const SHARE: f64 = 100.0;
const RATE: f64 = 0.02;
/// So many jumps are thought of: more of them before the last maturity have a chance below 1e-12.
const JUMPS: i32 = 20;

type V<'n> = Value<'n, Tensor<f64>>;

/// The chance of a standard normal below `x`.
fn normal(x: V<'_>) -> V<'_> {
    0.5 + 0.5 * (x * std::f64::consts::FRAC_1_SQRT_2).erf()
}

/// A call by Black and Scholes (1973), with the root of the maturity given.
fn black_scholes<'n>(
    share: V<'n>,
    strike: V<'n>,
    maturity: V<'n>,
    rate: V<'n>,
    variance: V<'n>,
) -> V<'n> {
    let spread = (variance * maturity).sqrt();
    let high = ((share / strike).ln() + rate * maturity) / spread + 0.5 * spread;
    share * normal(high) - strike * (-rate * maturity).exp() * normal(high - spread)
}

/// Calls where the share jumps (Merton, "Option pricing when underlying stock returns are discontinuous",
/// 1976); everything of one shape.
fn merton<'n>(
    [volatility, frequency, mean, spread]: [V<'n>; 4],
    share: V<'n>,
    strike: V<'n>,
    maturity: V<'n>,
) -> V<'n> {
    // What a jump does to the logarithm of the mean price.
    let growth = mean + 0.5 * (spread * spread);
    let jump = growth.exp_m1();
    let expected = frequency * (1.0 + jump) * maturity;
    let mut chance = (-expected).exp();
    let mut price = chance * 0.0;
    for jumps in 0..JUMPS {
        let count = f64::from(jumps);
        if jumps > 0 {
            chance = chance * expected / count;
        }
        let variance = volatility * volatility + count * (spread * spread) / maturity;
        let rate = RATE - frequency * jump + count * growth / maturity;
        price = price + chance * black_scholes(share, strike, maturity, rate, variance);
    }
    price
}

/// Maturities, strikes and prices of a file.
fn read(path: &Path) -> Result<[Tensor<f64>; 3], String> {
    let rows = table::read(path, &["maturity", "strike", "price"])?;
    if let Some(row) = rows.iter().find(|row| row[0] <= 0.0 || row[1] <= 0.0) {
        let (path, maturity, strike) = (path.display(), row[0], row[1]);
        return Err(format!("{path}: maturity {maturity}, strike {strike}: both must be above 0"));
    }
    Ok([0, 1, 2].map(|column| Tensor::from_fn([rows.len()], |at| rows[at[0]][column])))
}

fn main() {
    let about = "Calibrates Merton's model of option prices, with standard errors.";
    let options = Arguments::new("calibration", about, 100)
        .steps("Steps of the calibration, at most")
        .data(
            "Quotes of calls on a share at 100, where money grows by 2 % a year: `maturity,strike,price` a \
             line below these words, maturities in years",
        )
        .positive("noise", 0.01, "Standard deviation of the quotes, in units of the share's price")
        .parse();
    let given = options.data.as_deref().map(|path| read(path).unwrap_or_else(|error| fail(&error)));
    let [maturities, strikes] = match &given {
        Some([maturities, strikes, _]) => [maturities, strikes].map(Clone::clone),
        None => {
            let shape = [MATURITIES.len(), STRIKES.len()];
            let maturities = Tensor::from_fn(shape, |index| MATURITIES[index[0]]);
            [maturities, Tensor::from_fn(shape, |index| STRIKES[index[1]])]
        }
    };
    let shape = maturities.shape().clone();
    let network = Network::new();
    let strike = network.leaf(strikes.clone());
    let maturity = network.leaf(maturities);
    let share = network.input(Tensor::full(shape.clone(), SHARE)).named("share");

    let noise = options.number("noise");
    let quotes = match &given {
        Some([.., prices]) => prices.clone(),
        // The market: prices by the true parameters, quoted with noise.
        None => {
            let constant = |value| network.leaf(Tensor::from_fn(shape.clone(), |_| value));
            let truth = merton(TRUTH.map(constant), share, strike, maturity);
            let off: Tensor<f64> = init::normal(0.0, noise, options.seed)(&shape);
            &network.forward().of(truth) + off
        }
    };

    let parameters = [0, 1, 2, 3].map(|at| {
        let (start, name) = (START[at], NAMES[at]);
        if POSITIVE[at] {
            let logarithm = network.parameter(Tensor::scalar(Elementary::ln(&start)));
            logarithm.named(&format!("log {name}")).exp()
        } else {
            network.parameter(Tensor::scalar(start)).named(name)
        }
    });
    let everywhere = parameters.map(|parameter| parameter.broadcast_like(share));
    let prices = merton(everywhere, share, strike, maturity);
    // In units of the noise: the sum of squares of a good model is near the number of quotes.
    let residuals = (prices - network.leaf(quotes)) / noise;

    let progress = Progress::new("calibrating", options.steps);
    let mut course = Vec::new();
    let method = LevenbergMarquardt::new().iterations(options.steps);
    let (fitted, report) = method
        .fit_with(&network, residuals, [], |iterate| {
            progress.step(iterate.value);
            course.push((iterate.iteration as f64, iterate.value));
            ControlFlow::Continue(())
        })
        .unwrap_or_else(|error| fail(&error));
    progress.finish();
    Chart::new("sum of squares").curve("calls", course).logarithmic().print();
    println!("{report}\n");
    println!("{:16} {:>10} {:>10} {:>10} {:>12}", "", "truth", "found", "error", "errors away");
    let errors = report.standard_errors().unwrap_or_else(|error| fail(&error));
    for (at, (estimate, error)) in report.estimates.iter().zip(errors).enumerate() {
        let (name, truth) = (NAMES[at], TRUTH[at]);
        let (found, error) = if POSITIVE[at] {
            let found = Elementary::exp(&estimate.value);
            (found, found * error)
        } else {
            (estimate.value, error)
        };
        // Of quotes from elsewhere nobody knows the truth.
        let [truth, away] = match given {
            None => [format!("{truth:.4}"), format!("{:.2}", (found - truth) / error)],
            Some(_) => ["-", "-"].map(str::to_owned),
        };
        println!("{name:16} {truth:>10} {found:10.4} {error:10.4} {away:>12}");
    }

    // The prices along the share's: the delta of every call, from the same tape.
    let ones = fitted.leaf(Tensor::full(shape.clone(), 1.0));
    let deltas = fitted.jvp(prices.symbol(), [(share.symbol(), ones.symbol())]);
    let deltas = fitted.forward().of(deltas);
    let at_the_money: Vec<String> = strikes
        .iter()
        .zip(deltas.iter())
        .filter(|(strike, _)| *strike == SHARE)
        .map(|(_, delta)| format!("{delta:.4}"))
        .collect();
    println!("\ndeltas at the money, by maturity: {}", at_the_money.join(", "));
    println!("fingerprint {}", fitted.fingerprint());
}
