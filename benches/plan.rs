//! Plans against the interpreter on the same tapes: one step of training each.
//!
//!     cargo bench --bench plan

use zoo::models::Recorded;
use zoo::workloads::{Gate, gate, makemore};

fn main() {
    divan::main();
}

#[divan::bench(args = [32, 1024])]
fn makemore_interpreter(bencher: divan::Bencher, rows: usize) {
    let Recorded { network, loss, feeds, .. } = makemore(rows);
    let mut network = Some(network);
    bencher.bench_local(|| {
        let now = network.take().expect("the last step's network");
        let evaluation = now.forward_for([loss], feeds.iter().cloned());
        let gradients = evaluation.backward(loss);
        drop(evaluation);
        network = Some(now.step(&gradients, |w, g| w - 0.01 * g));
    });
}

#[divan::bench(args = [32, 1024])]
fn makemore_plan(bencher: divan::Bencher, rows: usize) {
    let Recorded { network, loss, feeds, .. } = makemore(rows);
    let plan = network.compile_training(loss, []);
    let mut network = Some(network);
    bencher.bench_local(|| {
        let now = network.take().expect("the last step's network");
        let results = plan.forward(&now, feeds.iter().cloned());
        network = Some(now.step(&results.backward(loss), |w, g| w - 0.01 * g));
    });
}

#[divan::bench(sample_count = 7)]
fn gate_interpreter(bencher: divan::Bencher) {
    let Gate { network, loss, wrt, .. } = gate();
    bencher
        .bench_local(|| network.forward_for([loss], poorgrad::no_feeds()).backward_for(loss, wrt));
}

#[divan::bench(sample_count = 7)]
fn gate_plan(bencher: divan::Bencher) {
    let Gate { network, loss, wrt: [x, ..], .. } = gate();
    let plan = poorgrad::Compile::new(&network).loss(loss).gradients_of(x).plan();
    bencher.bench_local(|| plan.forward(&network, []));
}
