//! Prints the plans of the networks that examples, benches and tests train: what `cargo xtask replay` compares
//! between two commits.
//!
//! INVARIANT: the text is a function of the source alone. Nothing is fed or run, no number of threads
//! and no machine shows in it.
//!
//!     cargo run --package zoo --bin describe

use poorgrad::{Compile, Network, Plan, Symbol, Tensorial};
use zoo::convnet::ConvNet;
use zoo::makemore::{Loss, Model};
use zoo::models::{Recorded, lenet, plain, residual, transformer, vgg};
use zoo::transformer::{self, Transformer};
use zoo::workloads::moons;

/// The letters of the names, and their end.
const LETTERS: usize = 27;

fn main() {
    let models: [(&str, Recorded); 5] = [
        ("plain on 32 rows", plain(32)),
        ("residual, 4 layers of 64, on 8 rows", residual(8, 4, 64)),
        ("lenet on 4 images", lenet(4)),
        ("vgg on 2 images", vgg(2)),
        ("a block of a transformer on 16 tokens", transformer(16, 32, 4)),
    ];
    for (name, Recorded { network, loss, scores, .. }) in &models {
        show(name, network, *loss, *scores);
    }
    let (network, loss) = moons();
    show("moons, scalars", &network, loss, loss);

    // The models of the examples, which share parameters between a loss and scores of their own.
    let network = Network::new();
    let model = Model::new(&network, LETTERS, 1);
    let loss = Loss::new(&network, &model, 32).loss;
    show("makemore_mlp", &network, loss, loss);

    let network = Network::new();
    let model = Transformer::new(&network, LETTERS, 8, 1);
    let loss = transformer::Loss::new(&network, &model, LETTERS, 4).loss;
    show("makemore_transformer", &network, loss, loss);

    let network = Network::new();
    let step = ConvNet::lenet(&network, 1).loss(&network, [1, 28, 28], 8);
    show("mnist", &network, step.loss, step.scores);

    let network = Network::new();
    let step = ConvNet::vgg(&network, 16, 1).loss(&network, [3, 32, 32], 4);
    show("cifar10", &network, step.loss, step.scores);

    let network = Network::new();
    let (loss, scores) = chain(&network);
    show("chain, scalars", &network, loss, scores);
}

/// An expression of scalars, as in the example `chain`.
fn chain(network: &Network<f64>) -> (Symbol, Symbol) {
    let (a, b) = (network.parameter(-4.0), network.parameter(2.0));
    let c = a + b;
    let d = a * b + b.powi(3);
    let e = (c + c + 1.0) - (d * 2.0 + (b + a).relu());
    let g = e.powi(2) / 2.0 + 10.0 / e;
    (g.symbol(), e.symbol())
}

/// The network's digest, and its plans: values alone, a step of training, and one in little memory.
fn show<P: Tensorial>(name: &str, network: &Network<P>, loss: Symbol, scores: Symbol) {
    println!("== {name}: {} nodes, structure {}", network.len(), network.structure_fingerprint());
    let part = |kind: &str, plan: &Plan<P>| println!("-- {name}, {kind}\n{}", plan.describe());
    part("values", &network.compile([scores], []));
    part("training", &network.compile_training(loss, []));
    part("training, compact", &Compile::new(network).loss(loss).compact().plan());
}
