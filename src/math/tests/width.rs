//! The same bits at another lane width.
//!
//! Invariant: a lane's result does not depend on its neighbours, also where
//! some lanes take the rare path.

use crate::math::{
    erf::erf, exp::exp, lanes::Lanes, ln::ln_1p, pow::pow, scalar::Scalar, tanh::tanh,
    trigonometry::sin, unrolled::Unrolled, value::Value,
};

type Three<E> = Unrolled<Scalar<E>, 3>;

#[test]
fn neighbours_do_not_matter() {
    let token: Three<f32> = Unrolled(Scalar::new());
    let one = Scalar::<f32>::new();
    for lanes in [[1.0, 1e30, f32::NAN], [-0.0, f32::INFINITY, 7000.0], [-3.5, 0.8, 1e-42]] {
        let wide = Value::new(token, lanes);
        let results = [sin(wide), exp(wide), tanh(wide), erf(wide), ln_1p(wide)].map(|v| v.lanes());
        for (i, x) in lanes.into_iter().enumerate() {
            let x = Value::new(one, x);
            let single = [sin(x), exp(x), tanh(x), erf(x), ln_1p(x)].map(|v| v.lanes());
            for (many, single) in results.iter().zip(single) {
                assert!(
                    many[i].to_bits() == single.to_bits() || many[i].is_nan() && single.is_nan()
                );
            }
        }
    }
}

#[test]
fn pairs_of_lanes() {
    let token: Three<f64> = Unrolled(Scalar::new());
    let (x, y) = ([-2.0, 0.3, 0.0], [3.0, -700.25, 0.0]);
    let wide = pow(Value::new(token, x), Value::new(token, y)).lanes();
    for i in 0..3 {
        assert_eq!(wide[i].to_bits(), crate::math::f64::powf(x[i], y[i]).to_bits());
    }
    assert_eq!(token.add(x, y)[0], 1.0);
}
