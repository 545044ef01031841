//! Peaks of memory, as the program's allocator sees them: a step of training by the interpreter, by a plan, by a
//! plan that computes again what it can, and a run of a forward plan; beside the sum of all values that are
//! computed.
//!
//!     cargo bench --bench memory [-- NAME BATCH]
//!
//! With a name and a batch it prints the peak of a planned step of training alone, in bytes: parameters, feeds,
//! gradients and what the step works in. `tools/memory.py` sets that beside PyTorch's.

use poorgrad::{Network, Plan, set_large_pages, set_threads, trim_memory};
use testkit::Counting;
use zoo::models::{Recorded, lenet, plain, residual, vgg};

#[global_allocator]
static ALLOCATOR: Counting = Counting::new(std::alloc::System, usize::MAX);

/// The most that is alive at one time while `work` runs, beyond what is alive before: on a thread of its own, which has
/// no scratch yet.
fn peak<T>(work: impl FnOnce() -> T + Send) -> usize {
    trim_memory();
    // The counter keeps its maximum for good: what is alive is raised to it first.
    let room = ALLOCATOR.max_allocated() - ALLOCATOR.allocated();
    let ballast: Vec<u8> = Vec::with_capacity(room);
    let before = ALLOCATOR.allocated();
    std::thread::scope(|scope| {
        scope.spawn(|| drop(work()));
    });
    let most = ALLOCATOR.max_allocated() - before;
    drop(ballast);
    most
}

fn model(name: &str, batch: usize) -> Recorded {
    match name {
        "plain" => plain(batch),
        "residual" => residual(batch, 32, 256),
        "lenet" => lenet(batch),
        "vgg" => vgg(batch),
        _ => panic!("no model {name}: plain, residual, lenet, vgg"),
    }
}

/// A step of training whose network is taken over, by a plan.
fn step(plan: &Plan<poorgrad::Tensor>, model: &Recorded, network: Network<poorgrad::Tensor>) {
    let results = plan.forward(&network, model.feeds.iter().cloned());
    let gradients = results.backward(model.loss);
    drop(network.step(&gradients, |w, g| w - 0.01 * g));
}

fn main() {
    // What is mapped on large pages no allocator sees; threads have scratch of their own.
    set_large_pages(false);
    set_threads(1);
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [name, batch] = &words[..] {
        let batch = batch.parse().expect("a number of images");
        let before = ALLOCATOR.allocated();
        let model = model(name, batch);
        let plan = model.network.compile_training(model.loss, []);
        let held = ALLOCATOR.allocated() - before;
        println!("{}", held + peak(|| step(&plan, &model, model.network.clone())));
        return;
    }
    println!(
        "MiB                    interpreter   plan   compact   forward   all values   forward / all"
    );
    for (name, batch) in [("plain", 128), ("residual", 64), ("lenet", 64), ("vgg", 32)] {
        let model = model(name, batch);
        let Recorded { network, loss, feeds, .. } = &model;
        let feeds = || feeds.iter().cloned();
        let interpreted = peak(|| network.forward_for([*loss], feeds()).backward(*loss));
        let planned = |plan: &Plan<poorgrad::Tensor>| peak(|| step(plan, &model, network.clone()));
        let training = planned(&network.compile_training(*loss, []));
        let compact = planned(&network.compile_training_compact(*loss, []));
        let forward = network.compile([*loss], []);
        let recorded = forward.describe().memory.recorded as usize;
        let forward = peak(|| forward.forward(network, feeds()));
        let title = format!("{name}, batch {batch}");
        let [interpreted, training, compact, forward, recorded] =
            [interpreted, training, compact, forward, recorded]
                .map(|bytes| bytes as f64 / 1048576.0);
        println!(
            "{title:<22} {interpreted:>11.2} {training:>6.2} {compact:>9.2} {forward:>9.2} {recorded:>12.2} {:>15.2}",
            forward / recorded
        );
    }
}
