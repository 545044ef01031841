//! Scalar elementary functions of `f64`.
//!
//! Invariant: each is the one-lane instance of the generic definition beside it.
//! Place: what the rest of the crate calls for single elements.

use super::{erf, exp, extrema, ln, pow, scalar::Scalar, tanh, trigonometry, value::Value};

#[inline(always)]
fn lane(x: f64) -> Value<Scalar<f64>> {
    Value::new(Scalar::new(), x)
}

/// The exponential.
pub fn exp(x: f64) -> f64 {
    exp::exp(lane(x)).lanes()
}

/// `exp(x) - 1`, precise near 0.
pub fn exp_m1(x: f64) -> f64 {
    exp::exp_m1(lane(x)).lanes()
}

/// The natural logarithm.
pub fn ln(x: f64) -> f64 {
    ln::ln(lane(x)).lanes()
}

/// `ln(1 + x)`, precise near 0.
pub fn ln_1p(x: f64) -> f64 {
    ln::ln_1p(lane(x)).lanes()
}

/// The hyperbolic tangent.
pub fn tanh(x: f64) -> f64 {
    tanh::tanh(lane(x)).lanes()
}

/// The logistic function `1 / (1 + exp(-x))`.
pub fn sigmoid(x: f64) -> f64 {
    tanh::sigmoid(lane(x)).lanes()
}

/// The sine of an angle in radians.
pub fn sin(x: f64) -> f64 {
    trigonometry::sin(lane(x)).lanes()
}

/// The cosine of an angle in radians.
pub fn cos(x: f64) -> f64 {
    trigonometry::cos(lane(x)).lanes()
}

/// The error function.
pub fn erf(x: f64) -> f64 {
    erf::erf(lane(x)).lanes()
}

/// `x` above 0, NaN of NaN, else `+0`.
#[inline]
pub fn relu(x: f64) -> f64 {
    extrema::relu(lane(x)).lanes()
}

/// IEEE 754-2019 `maximum`: NaN if either is NaN, and `-0 < +0`.
#[inline]
pub fn maximum(a: f64, b: f64) -> f64 {
    extrema::maximum(lane(a), lane(b)).lanes()
}

/// `x^y` with the special cases of IEEE 754-2019 `pow`.
pub fn powf(x: f64, y: f64) -> f64 {
    pow::pow(lane(x), lane(y)).lanes()
}

/// `x^n`, the bits of `powf(x, n)`.
pub fn powi(x: f64, n: i32) -> f64 {
    pow::pow(lane(x), lane(f64::from(n))).lanes()
}
