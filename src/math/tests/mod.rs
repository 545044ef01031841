//! Tests of the elementary functions.
//!
//! Invariant: bits are compared as bits, NaN canonicalised. Place: beside the
//! code; `exhaustive` holds what runs on demand.

mod cases;
mod exact;
mod exhaustive;
mod golden;
mod specials;
mod width;

/// Distance in units of the last place between two finite numbers.
fn ulps(a: f64, b: f64) -> u64 {
    let key = |x: f64| {
        let bits = x.to_bits() as i64;
        if bits < 0 { i64::MIN - bits } else { bits }
    };
    key(a).abs_diff(key(b))
}

/// The same for `f32`.
fn ulps32(a: f32, b: f32) -> u32 {
    let key = |x: f32| {
        let bits = x.to_bits() as i32;
        if bits < 0 { i32::MIN - bits } else { bits }
    };
    key(a).abs_diff(key(b))
}
