//! The crate's own functions over fixed lattices of all floats, and grids where most inputs lie.

use poorgrad::{Elementary, Network, Tensor, Value};
use testkit::bits::{Digest, identical};

type Unary<E> = for<'n> fn(Value<'n, Tensor<E>>) -> Value<'n, Tensor<E>>;
type Binary<E> = for<'n> fn(Value<'n, Tensor<E>>, Value<'n, Tensor<E>>) -> Value<'n, Tensor<E>>;

/// A float type's lattice: bit patterns a prime step apart, from all over the type.
trait Lattice: Elementary {
    fn pattern(number: u64) -> Self;
}

impl Lattice for f32 {
    fn pattern(number: u64) -> Self {
        Self::from_bits((number as u32).wrapping_mul(104_729))
    }
}

impl Lattice for f64 {
    fn pattern(number: u64) -> Self {
        Self::from_bits(number.wrapping_mul(449_813_735_177_743))
    }
}

/// 41,000 bit patterns and 8,192 numbers between -32 and 32.
fn lattice<E: Lattice>(first: u64) -> Tensor<E> {
    let patterns = (0..41_000).map(|number| E::pattern(number * (2 * first + 1) + first));
    let grid = (0..8_192).map(|number| E::from_f64((number as f64 - 4_096.0) / 128.0 + 1e-3));
    patterns.chain(grid).collect::<Vec<_>>().into()
}

fn functions<E: Lattice>() -> Vec<(String, String)> {
    let unary: [(&str, Unary<E>); 12] = [
        ("exp", |x| x.exp()),
        ("exp_m1", |x| x.exp_m1()),
        ("ln", |x| x.ln()),
        ("ln_1p", |x| x.ln_1p()),
        ("sqrt", |x| x.sqrt()),
        ("tanh", |x| x.tanh()),
        ("sigmoid", |x| x.sigmoid()),
        ("softplus", |x| x.softplus()),
        ("sin", |x| x.sin()),
        ("cos", |x| x.cos()),
        ("erf", |x| x.erf()),
        ("relu", |x| x.relu()),
    ];
    let binary: [(&str, Binary<E>); 7] = [
        ("powf", |x, y| x.powf(y)),
        ("maximum", |x, y| x.maximum(y)),
        ("add", |x, y| x + y),
        ("sub", |x, y| x - y),
        ("mul", |x, y| x * y),
        ("div", |x, y| x / y),
        ("absorb", |x, y| x.absorb(y)),
    ];
    let mut found = Vec::new();
    let network = Network::new();
    let (x, y) = (network.leaf(lattice::<E>(0)), network.leaf(lattice::<E>(3)));
    let mut values = Vec::new();
    for (name, function) in unary {
        values.push((String::from(name), function(x)));
    }
    for (name, function) in binary {
        values.push((String::from(name), function(x, y)));
    }
    for exponent in [-3, -1, 2, 3, 5, 17, 100] {
        values.push((format!("powi {exponent}"), x.powi(exponent)));
    }
    let (native, reference) = (network.forward(), network.reference().forward());
    for (name, value) in values {
        let computed = native.of(value);
        assert!(identical(&computed, &reference.of(value)), "{name}: kernels differ");
        let mut digest = Digest::new();
        digest.payload(&computed);
        found.push((format!("{} {name}", E::NAME), digest.text()));
    }
    found
}

#[test]
fn golden_elementary_functions() {
    let found = [functions::<f32>(), functions::<f64>()].concat();
    super::check("elementary.txt", "elementary functions over fixed lattices", &found);
}
