//! Every `f32` input against the `f64` functions, and a coarse walk of the same.
//!
//! Invariant: an error of at most one unit of the last place; the reference is
//! this crate's `f64` function, which is itself within one unit of an `f64`.
//! On demand: `cargo xtask deep deep_all_inputs`.

use crate::math::{f32 as s, f64 as d};

type Pair = (&'static str, fn(f32) -> f32, fn(f64) -> f64, f64);

/// By its definition `sigmoid` rounds four times below 0, hence the other bound.
const FUNCTIONS: [Pair; 9] = [
    ("exp", s::exp, d::exp, 1.0),
    ("exp_m1", s::exp_m1, d::exp_m1, 1.0),
    ("ln", s::ln, d::ln, 1.0),
    ("ln_1p", s::ln_1p, d::ln_1p, 1.0),
    ("tanh", s::tanh, d::tanh, 1.0),
    ("sigmoid", s::sigmoid, d::sigmoid, 3.0),
    ("sin", s::sin, d::sin, 1.0),
    ("cos", s::cos, d::cos, 1.0),
    ("erf", s::erf, d::erf, 1.0),
];

/// The unit of the last place of `f32` at the true result.
fn unit(value: f64) -> f64 {
    let exponent = (value.abs().to_bits() >> 52) as i64 - 1023;
    f64::from_bits(((exponent.clamp(-126, 127) - 23 + 1023) as u64) << 52)
}

fn walk(stride: usize) {
    for (name, f, reference, bound) in FUNCTIONS {
        let (mut worst, mut at) = (0.0, 0.0);
        for bits in (0..1u64 << 32).step_by(stride) {
            let x = f32::from_bits(bits as u32);
            let (y, exact) = (f(x), reference(f64::from(x)));
            let rounded = exact as f32;
            if y.is_nan() || rounded.is_nan() || y.is_infinite() || rounded.is_infinite() {
                assert!(y == rounded || y.is_nan() && rounded.is_nan(), "{name}({x:e}) = {y:e}");
                continue;
            }
            let error = (f64::from(y) - exact).abs() / unit(exact);
            if error > worst {
                (worst, at) = (error, x);
            }
        }
        println!("{name}: {worst:.4} ulp at {at:e}");
        assert!(worst <= bound, "{name}: {worst} ulp at {at:e}");
    }
}

#[test]
fn one_input_in_some() {
    walk(262_147);
}

#[test]
#[ignore = "deep: all 2^32 inputs of nine functions, minutes for each in release"]
fn deep_all_inputs() {
    walk(1);
}
