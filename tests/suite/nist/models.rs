//! The models of the problems, as NIST states them.

use poorgrad::{Tensor, Value};
use std::f64::consts::PI;

/// A value of a model.
type V<'n> = Value<'n, Tensor<f64>>;

/// A problem: what it computes from its parameters and predictors.
pub struct Problem {
    pub name: &'static str,
    pub text: &'static str,
    pub model: for<'n> fn(&[V<'n>], &[V<'n>]) -> V<'n>,
    /// Whether the model is of the logarithm of the response.
    pub logarithm: bool,
}

macro_rules! problems {
    ($($name:literal $model:expr;)*) => {
        /// All 27.
        pub const PROBLEMS: &[Problem] = &[$(Problem {
            name: $name,
            text: include_str!(concat!($name, ".txt")),
            model: $model,
            logarithm: matches!($name.as_bytes(), b"Nelson"),
        }),*];
    };
}

problems! {
    "Bennett5" |b, x| b[0] * (b[1] + x[0]).powf(-1.0 / b[2]);
    "BoxBOD" saturating;
    "Chwirut1" chwirut;
    "Chwirut2" chwirut;
    "DanWood" |b, x| b[0] * x[0].powf(b[1]);
    "ENSO" enso;
    "Eckerle4" |b, x| {
        let z = (x[0] - b[2]) / b[1];
        b[0] / b[1] * (-0.5 * (z * z)).exp()
    };
    "Gauss1" gauss;
    "Gauss2" gauss;
    "Gauss3" gauss;
    "Hahn1" cubics;
    "Kirby2" |b, x| {
        let x = x[0];
        (b[0] + x * (b[1] + x * b[2])) / (1.0 + x * (b[3] + x * b[4]))
    };
    "Lanczos1" lanczos;
    "Lanczos2" lanczos;
    "Lanczos3" lanczos;
    "MGH09" |b, x| {
        let x = x[0];
        b[0] * (x * (x + b[1])) / (x * (x + b[2]) + b[3])
    };
    "MGH10" |b, x| b[0] * (b[1] / (x[0] + b[2])).exp();
    "MGH17" |b, x| b[0] + b[1] * (-x[0] * b[3]).exp() + b[2] * (-x[0] * b[4]).exp();
    "Misra1a" saturating;
    "Misra1b" |b, x| b[0] * (1.0 - (1.0 + b[1] * x[0] / 2.0).powi(-2));
    "Misra1c" |b, x| b[0] * (1.0 - 1.0 / (1.0 + 2.0 * b[1] * x[0]).sqrt());
    "Misra1d" |b, x| b[0] * b[1] * x[0] / (1.0 + b[1] * x[0]);
    "Nelson" |b, x| b[0] - b[1] * x[0] * (-b[2] * x[1]).exp();
    "Rat42" |b, x| b[0] / (1.0 + (b[1] - b[2] * x[0]).exp());
    "Rat43" |b, x| b[0] / (1.0 + (b[1] - b[2] * x[0]).exp()).powf(1.0 / b[3]);
    "Roszman1" |b, x| b[0] - b[1] * x[0] - arctangent(b[2] / (x[0] - b[3])) / PI;
    "Thurber" cubics;
}

fn saturating<'n>(b: &[V<'n>], x: &[V<'n>]) -> V<'n> {
    b[0] * (1.0 - (-b[1] * x[0]).exp())
}

fn chwirut<'n>(b: &[V<'n>], x: &[V<'n>]) -> V<'n> {
    (-b[0] * x[0]).exp() / (b[1] + b[2] * x[0])
}

fn enso<'n>(b: &[V<'n>], x: &[V<'n>]) -> V<'n> {
    let turns = 2.0 * PI * x[0];
    let wave = |period: V<'n>, cosine: V<'n>, sine: V<'n>| {
        let phase = turns / period;
        cosine * phase.cos() + sine * phase.sin()
    };
    let year = turns / 12.0;
    b[0] + b[1] * year.cos() + b[2] * year.sin() + wave(b[3], b[4], b[5]) + wave(b[6], b[7], b[8])
}

fn gauss<'n>(b: &[V<'n>], x: &[V<'n>]) -> V<'n> {
    let bell = |height: V<'n>, centre: V<'n>, width: V<'n>| {
        let z = (x[0] - centre) / width;
        height * (-(z * z)).exp()
    };
    b[0] * (-b[1] * x[0]).exp() + bell(b[2], b[3], b[4]) + bell(b[5], b[6], b[7])
}

fn cubics<'n>(b: &[V<'n>], x: &[V<'n>]) -> V<'n> {
    let x = x[0];
    (b[0] + x * (b[1] + x * (b[2] + x * b[3]))) / (1.0 + x * (b[4] + x * (b[5] + x * b[6])))
}

fn lanczos<'n>(b: &[V<'n>], x: &[V<'n>]) -> V<'n> {
    b[0] * (-b[1] * x[0]).exp() + b[2] * (-b[3] * x[0]).exp() + b[4] * (-b[5] * x[0]).exp()
}

/// The arctangent, which is no operation: four halvings of the angle leave at most a tenth of a
/// radian, where eight terms of the series reach the last digit.
fn arctangent(tangent: V<'_>) -> V<'_> {
    let mut t = tangent;
    for _ in 0..4 {
        t = t / (1.0 + (1.0 + t * t).sqrt());
    }
    let square = t * t;
    let mut series = 0.0 * square + 1.0 / 15.0;
    for term in (0..7).rev() {
        series = 1.0 / f64::from(2 * term + 1) - square * series;
    }
    16.0 * (t * series)
}
