//! Trajectories of 100 steps: twelve networks whose every bit follows from the arithmetic.

use poorgrad::{Elementary, Tensor, Tensorial};
use testkit::bits::Digest;
use testkit::training::{Training, scalars, tensors};

/// Digests of the losses of all steps and of the parameters after them.
fn trajectory<P: Tensorial>(name: &str, mut training: Training<P>) -> [(String, String); 2] {
    let (mut losses, mut parameters) = (Digest::new(), Digest::new());
    for step in 0..100 {
        losses.payload(&training.step(step));
    }
    for (_, parameter) in training.network.parameters() {
        parameters.payload(&parameter.payload().expect("a parameter holds a payload"));
    }
    let name = format!("{} {name}", P::Element::NAME);
    [
        (format!("{name}, losses of 100 steps"), losses.text()),
        (format!("{name}, parameters after 100 steps"), parameters.text()),
    ]
}

fn trajectories<E: Elementary>() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, training) in tensors::<E>() {
        found.extend(trajectory(name, training));
    }
    found
}

#[test]
fn golden_training() {
    let mut found = trajectories::<f32>();
    found.extend(trajectories::<f64>());
    found.extend(trajectory("scalars", scalars::<f32>()));
    found.extend(trajectory("scalars", scalars::<f64>()));
    super::check("training.txt", "training runs", &found);
    // A tensor of rank 0 is a scalar, to the bit.
    let ranked = trajectory("scalars", scalars::<Tensor<f64>>());
    assert!(ranked.iter().all(|line| found.contains(line)));
}
