//! Random tapes: values and gradients of a few hundred, so that a platform that differs in
//! anything is seen.

use poorgrad::{Elementary, Tensor};
use testkit::bits::Digest;
use testkit::{generate, seeded};

fn digests<E: Elementary>() -> Vec<(String, String)> {
    let group = |first: u64| {
        let mut digest = Digest::new();
        for seed in first..first + 25 {
            let tape = generate::<Tensor<E>>(&seeded(seed, 150));
            let evaluation = tape.network.forward();
            for value in tape.network.values() {
                digest.payload(&evaluation.of(value));
            }
            for (_, gradient) in evaluation.backward(tape.target).iter() {
                digest.payload(gradient);
            }
        }
        (format!("{} tapes {first}..{}", E::NAME, first + 25), digest.text())
    };
    (0..6).map(|group_number| group(25 * group_number)).collect()
}

#[test]
fn golden_tapes() {
    let found = [digests::<f32>(), digests::<f64>()].concat();
    super::check("tapes.txt", "values and gradients of random tapes", &found);
}
