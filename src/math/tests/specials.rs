//! Zeros, infinities, NaN and the edges of the range.
//!
//! Invariant: results that IEEE 754 or mathematics fix exactly are exact.

use crate::math::{f32 as s, f64 as d};

macro_rules! specials {
    ($test:ident, $m:ident, $float:ident) => {
        #[test]
        fn $test() {
            const INF: $float = $float::INFINITY;
            let same = |a: $float, b: $float| {
                assert!(a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(), "{a} is not {b}");
            };
            let functions = [
                $m::exp,
                $m::exp_m1,
                $m::ln,
                $m::ln_1p,
                $m::tanh,
                $m::sigmoid,
                $m::sin,
                $m::cos,
                $m::erf,
                $m::relu,
            ];
            for f in functions {
                assert!(f($float::NAN).is_nan());
                assert!(f(-$float::NAN).is_nan());
            }
            for f in [$m::exp_m1, $m::ln_1p, $m::tanh, $m::sin, $m::erf] {
                for x in [0.0, $float::from_bits(1), $float::from_bits(77), 1e-30] {
                    let small = f(x);
                    let factor = small / x;
                    assert!(x == 0.0 || (1.0..1.14).contains(&factor), "{x}");
                    same(f(-x), -f(x));
                }
                same(f(0.0), 0.0);
                same(f(-0.0), -0.0);
            }
            same($m::exp(0.0), 1.0);
            same($m::exp(-0.0), 1.0);
            same($m::exp(INF), INF);
            same($m::exp(-INF), 0.0);
            same($m::exp($float::MAX), INF);
            same($m::exp(-$float::MAX), 0.0);
            same($m::exp_m1(INF), INF);
            same($m::exp_m1(-INF), -1.0);
            same($m::exp_m1($float::MAX), INF);
            same($m::exp_m1(-$float::MAX), -1.0);
            same($m::ln(1.0), 0.0);
            same($m::ln(0.0), -INF);
            same($m::ln(-0.0), -INF);
            same($m::ln(-1.0), $float::NAN);
            same($m::ln(-$float::from_bits(1)), $float::NAN);
            same($m::ln(-INF), $float::NAN);
            same($m::ln(INF), INF);
            same($m::ln_1p(INF), INF);
            same($m::ln_1p(-1.0), -INF);
            same($m::ln_1p(-1.5), $float::NAN);
            same($m::ln_1p(-INF), $float::NAN);
            same($m::ln_1p($float::MAX), $m::ln($float::MAX));
            same($m::tanh(INF), 1.0);
            same($m::tanh(-INF), -1.0);
            same($m::sigmoid(INF), 1.0);
            same($m::sigmoid(-INF), 0.0);
            same($m::sigmoid(0.0), 0.5);
            same($m::sigmoid(-0.0), 0.5);
            same($m::sin(INF), $float::NAN);
            same($m::cos(-INF), $float::NAN);
            same($m::cos(0.0), 1.0);
            same($m::cos(-0.0), 1.0);
            same($m::cos($float::from_bits(1)), 1.0);
            same($m::erf(INF), 1.0);
            same($m::erf(-INF), -1.0);
            same($m::erf($float::MAX), 1.0);

            let minimum = |a: $float, b: $float| -$m::maximum(-a, -b);
            same($m::maximum(-0.0, 0.0), 0.0);
            same($m::maximum(0.0, -0.0), 0.0);
            same($m::maximum(-0.0, -0.0), -0.0);
            same(minimum(-0.0, 0.0), -0.0);
            same(minimum(0.0, -0.0), -0.0);
            same(minimum(0.0, 0.0), 0.0);
            same($m::maximum(1.0, 2.0), 2.0);
            same(minimum(1.0, 2.0), 1.0);
            same($m::maximum(-3.0, -3.0), -3.0);
            same($m::maximum(INF, $float::NAN), $float::NAN);
            same($m::maximum($float::NAN, INF), $float::NAN);
            same(minimum(-INF, $float::NAN), $float::NAN);
            same(minimum($float::NAN, -INF), $float::NAN);
            same($m::relu(-0.0), 0.0);
            same($m::relu(-1.0), 0.0);
            same($m::relu(-INF), 0.0);
            same($m::relu(2.5), 2.5);
            same($m::relu(INF), INF);

            let nan = $float::NAN;
            for (x, y, z) in [
                (0.0, 0.0, 1.0),
                (nan, 0.0, 1.0),
                (nan, -0.0, 1.0),
                (INF, 0.0, 1.0),
                (1.0, nan, 1.0),
                (1.0, INF, 1.0),
                (1.0, -$float::MAX, 1.0),
                (-1.0, INF, 1.0),
                (-1.0, -INF, 1.0),
                (-1.0, $float::MAX, 1.0),
                (nan, 1.0, nan),
                (2.0, nan, nan),
                (-1.0, nan, nan),
                (0.0, 3.0, 0.0),
                (-0.0, 3.0, -0.0),
                (-0.0, 2.0, 0.0),
                (-0.0, 2.5, 0.0),
                (0.0, -3.0, INF),
                (-0.0, -3.0, -INF),
                (-0.0, -2.0, INF),
                (-0.0, -2.5, INF),
                (0.0, INF, 0.0),
                (-0.0, -INF, INF),
                (INF, 2.0, INF),
                (INF, -2.0, 0.0),
                (-INF, 3.0, -INF),
                (-INF, 2.0, INF),
                (-INF, 2.5, INF),
                (-INF, -3.0, -0.0),
                (-INF, -2.5, 0.0),
                (2.0, INF, INF),
                (2.0, -INF, 0.0),
                (0.5, INF, 0.0),
                (0.5, -INF, INF),
                (-2.0, INF, INF),
                (-0.5, -INF, INF),
                (-0.5, INF, 0.0),
                (INF, INF, INF),
                (INF, -INF, 0.0),
                (-8.0, 1.0 / 3.0, nan),
                (-2.0, 2.5, nan),
                (-2.0, $float::MAX, INF),
                (-2.0, -$float::MAX, 0.0),
                (-3.0, 3.0, -27.0),
                (-2.0, -1.0, -0.5),
                (10.0, 10.0, 1e10),
                (3.0, -1.0, 1.0 / 3.0),
                (1.5, 8.0, 6561.0 / 256.0),
                (2.0, -126.0, 1.0 / (1u128 << 126) as $float),
                (2.0, 127.0, (1u128 << 127) as $float),
                (4.0, 0.5, 2.0),
                ($float::MIN_POSITIVE, 1.0, $float::MIN_POSITIVE),
                ($float::from_bits(1), 1.0, $float::from_bits(1)),
                ($float::from_bits(1), -1.0, INF),
                (-$float::from_bits(5), 1.0, -$float::from_bits(5)),
                ($float::MAX, 1.0, $float::MAX),
                (-$float::MAX, 1.0, -$float::MAX),
                ($float::MAX, 2.0, INF),
                (-$float::MAX, 3.0, -INF),
            ] {
                same($m::powf(x, y), z);
            }
            for (x, n, z) in [
                (2.0, 10, 1024.0),
                (-2.0, i32::MIN, 0.0),
                (2.0, i32::MAX, INF),
                (-2.0, i32::MAX, -INF),
                (-1.0, i32::MIN, 1.0),
                (-1.0, i32::MAX, -1.0),
                (nan, 0, 1.0),
                (0.0, -1, INF),
                (-0.0, -1, -INF),
                (0.5, i32::MIN, INF),
                (7.0, 1, 7.0),
            ] {
                same($m::powi(x, n), z);
            }
        }
    };
}

specials!(single, s, f32);
specials!(double, d, f64);

/// Integer powers whose value is representable come out exactly.
#[test]
fn representable_powers_are_exact() {
    for base in 2..=99u64 {
        let mut value = 1u64;
        for n in 0.. {
            let x = base as f64;
            assert_eq!(d::powi(x, n), value as f64, "{base}^{n}");
            assert_eq!(d::powf(-x, f64::from(n)).abs(), value as f64);
            if value < 1 << 24 {
                assert_eq!(s::powi(base as f32, n), value as f32, "{base}^{n}");
            }
            match value.checked_mul(base) {
                Some(next) if next <= 1 << 53 => value = next,
                _ => break,
            }
        }
    }
    for n in -1074..1024 {
        let x = d::powi(2.0, n);
        let bits = if n < -1022 { 1u64 << (n + 1074) } else { ((n + 1023) as u64) << 52 };
        assert_eq!(x.to_bits(), bits, "2^{n}");
    }
}
