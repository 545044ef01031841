//! Scalar elementary functions of `f32`.
//!
//! Invariant: each is the one-lane instance of the generic definition beside it.
//! Place: what the rest of the crate calls for single elements.

use super::{erf, exp, extrema, ln, pow, scalar::Scalar, tanh, trigonometry, value::Value};

#[inline(always)]
fn lane(x: f32) -> Value<Scalar<f32>> {
    Value::new(Scalar::new(), x)
}

#[inline(always)]
fn wide(x: f64) -> Value<Scalar<f64>> {
    Value::new(Scalar::new(), x)
}

/// The exponential.
pub fn exp(x: f32) -> f32 {
    exp::exp(lane(x)).lanes()
}

/// `exp(x) - 1`, precise near 0.
pub fn exp_m1(x: f32) -> f32 {
    exp::exp_m1(lane(x)).lanes()
}

/// The natural logarithm.
pub fn ln(x: f32) -> f32 {
    ln::ln(lane(x)).lanes()
}

/// `ln(1 + x)`, precise near 0.
pub fn ln_1p(x: f32) -> f32 {
    ln::ln_1p(lane(x)).lanes()
}

/// The hyperbolic tangent.
pub fn tanh(x: f32) -> f32 {
    tanh::tanh(lane(x)).lanes()
}

/// The logistic function `1 / (1 + exp(-x))`.
pub fn sigmoid(x: f32) -> f32 {
    tanh::sigmoid(lane(x)).lanes()
}

/// The sine of an angle in radians.
pub fn sin(x: f32) -> f32 {
    trigonometry::sin(lane(x)).lanes()
}

/// The cosine of an angle in radians.
pub fn cos(x: f32) -> f32 {
    trigonometry::cos(lane(x)).lanes()
}

/// The error function.
pub fn erf(x: f32) -> f32 {
    erf::erf(lane(x)).lanes()
}

/// `x` above 0, NaN of NaN, else `+0`.
#[inline]
pub fn relu(x: f32) -> f32 {
    extrema::relu(lane(x)).lanes()
}

/// IEEE 754-2019 `maximum`: NaN if either is NaN, and `-0 < +0`.
#[inline]
pub fn maximum(a: f32, b: f32) -> f32 {
    extrema::maximum(lane(a), lane(b)).lanes()
}

/// `x^y` with the special cases of IEEE 754-2019 `pow`.
pub fn powf(x: f32, y: f32) -> f32 {
    pow::pow_of_singles(wide(f64::from(x)), wide(f64::from(y))).lanes() as f32
}

/// `x^n`; the same bits as `powf` wherever `n` is an `f32`.
pub fn powi(x: f32, n: i32) -> f32 {
    pow::pow_of_singles(wide(f64::from(x)), wide(f64::from(n))).lanes() as f32
}
