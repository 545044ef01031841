//! Second derivatives, by differentiating what differentiation recorded.

use poorgrad::{Network, Value};

/// The second derivative at `x`.
fn second(x: f64, f: impl for<'n> Fn(Value<'n, f64>) -> Value<'n, f64>) -> f64 {
    let network = Network::new();
    let x = network.input(x);
    let first = network.differentiate(f(x), [x])[0];
    let second = network.differentiate(first, [x])[0];
    let along = network.hvp(f(x), [(x, network.leaf(1.0))])[0];
    let run = network.forward();
    assert_eq!(run.of(second).to_bits(), run.of(along).to_bits());
    // The first derivative's gradient is the second derivative, to the bit.
    assert_eq!(run.backward(first).of(x).to_bits(), run.of(second).to_bits());
    run.of(second)
}

fn relative(found: f64, expected: f64) -> f64 {
    ((found - expected) / expected).abs()
}

#[test]
fn b90_d_second_derivatives() {
    assert_eq!(second(42.0, |x| x.powi(3) + x + x.powi(2)), 254.0);
    assert_eq!(second(2.0, |x| x * x.ln() + 1.0), 0.5);
    assert_eq!(second(-3.0, |x| x.powi(4)), 108.0);
    assert_eq!(second(-3.0, |x| x * x * x * x), 108.0);
    assert_eq!(second(0.0, |x| x.silu()), 0.5);
}

#[test]
fn b90_d_second_derivatives_far_out() {
    let deep = f64::from_bits(0xBC9F_3023_6F23_2FE2);
    assert!(relative(second(40.410_841_513_445_845, |x| x.silu()), deep) < 1e-6);
    let network = Network::new();
    let x = network.input(-709.0);
    let y = x.silu();
    let slope = network.forward().backward(y).of(x);
    assert!(relative(slope, -8.614_807_714_413_836e-306) < 1e-12, "{slope:e}");
    // `tanh' = (1 - t)(1 + t)` is never distributed over its cotangent.
    let steep = second(1.0, |v| {
        let scaled = v * 1e8;
        (-scaled).tanh() * (scaled * scaled)
    });
    assert_eq!(steep, -2e16);
}

#[test]
fn b15_second_derivatives_of_a_product_with_zeros() {
    let network = Network::new();
    let v = network.input(poorgrad::Tensor::from([2.0, 3.0, 0.0, 0.0]));
    let factor = |at| v.narrow(0, at, 1);
    let product = factor(0) * factor(1) * factor(2) * factor(3);
    let mut rows = Vec::new();
    for direction in 0..4 {
        let unit = poorgrad::Tensor::from_fn([4], |at| f64::from(u8::from(at[0] == direction)));
        rows.push(network.hvp(product, [(v, network.leaf(unit))])[0].symbol());
    }
    let run = network.forward();
    for (row, hessian) in rows.iter().enumerate() {
        for (column, found) in run.of(hessian).iter().enumerate() {
            let expected = if (row.min(column), row.max(column)) == (2, 3) { 6.0 } else { 0.0 };
            assert_eq!(found, expected, "H[{row}, {column}]");
        }
    }
}
