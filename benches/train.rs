//! A step of training of whole networks, by the interpreter and by a plan: forward, backward and
//! an update of every parameter.
//!
//!     cargo bench --bench train

use poorgrad::{Compile, Network, Numerics, Plan, Tensor};
use zoo::models::{Recorded, lenet, plain, residual, vgg};

fn main() {
    divan::main();
}

const MODELS: [&str; 4] = ["plain", "residual", "lenet", "vgg"];

fn model(name: &str) -> Recorded {
    match name {
        "plain" => plain(128),
        "residual" => residual(64, 32, 256),
        "lenet" => lenet(64),
        _ => vgg(32),
    }
}

#[divan::bench(args = MODELS, sample_count = 10)]
fn interpreter(bencher: divan::Bencher, name: &str) {
    let Recorded { network, loss, feeds, .. } = model(name);
    let mut network = Some(network);
    bencher.bench_local(|| {
        let now = network.take().expect("the last step's network");
        let evaluation = now.forward_for([loss], feeds.iter().cloned());
        let gradients = evaluation.backward(loss);
        drop(evaluation);
        network = Some(now.step(&gradients, |w, g| w - 1e-3 * g));
    });
}

fn by_plan(bencher: divan::Bencher, name: &str, numerics: Numerics) {
    let Recorded { network, loss, feeds, .. } = model(name);
    let plan: Plan<Tensor> = Compile::new(&network).loss(loss).numerics(numerics).plan();
    let mut network: Option<Network<Tensor>> = Some(network);
    bencher.bench_local(|| {
        let now = network.take().expect("the last step's network");
        let results = plan.forward(&now, feeds.iter().cloned());
        network = Some(now.step(&results.backward(loss), |w, g| w - 1e-3 * g));
    });
}

#[divan::bench(args = MODELS, sample_count = 10)]
fn exact(bencher: divan::Bencher, name: &str) {
    by_plan(bencher, name, Numerics::Exact);
}

#[divan::bench(args = MODELS, sample_count = 10)]
fn fast(bencher: divan::Bencher, name: &str) {
    by_plan(bencher, name, Numerics::Fast);
}
