//! Seeded initial values: the same bits forever.

use poorgrad::{Differentiable, Elementary, Shape, Tensor, init};
use testkit::bits::Digest;

/// Three shapes in a row from one initialiser, as a network asks for them.
fn digest<P: Differentiable>(mut make: impl FnMut(&Shape) -> P) -> String {
    let mut digest = Digest::new();
    for shape in [&[40, 25][..], &[3], &[8, 3, 5, 5]] {
        digest.payload(&make(&Shape::from(shape)));
    }
    digest.text()
}

fn digests<E: Elementary>() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for seed in [0, 1, u64::MAX] {
        let mut add = |name: &str, digest: String| {
            found.push((format!("{} {name}, seed {seed}", E::NAME), digest));
        };
        add("uniform", digest(init::uniform::<Tensor<E>>(-1.0, 2.0, seed)));
        add("normal", digest(init::normal::<Tensor<E>>(0.5, 2.0, seed)));
        add("xavier", digest(init::xavier::<Tensor<E>>(seed)));
        add("xavier_uniform", digest(init::xavier_uniform::<Tensor<E>>(seed)));
        add("kaiming", digest(init::kaiming::<Tensor<E>>(seed)));
        add("kaiming_uniform", digest(init::kaiming_uniform::<Tensor<E>>(seed)));
        add("scaled", digest(init::scaled(0.5, init::xavier::<Tensor<E>>(seed))));
    }
    found
}

#[test]
fn golden_initial_values() {
    let found = [digests::<f32>(), digests::<f64>()].concat();
    super::check("initial.txt", "seeded initial values", &found);
}
