//! What the runs of a plan take: exactly what `describe` prints, and nothing more with every step.
//!
//! What is compared: a plan's first run allocates its arena, which the plan keeps for the next one;
//! every run allocates its results; a thread's first run allocates the scratch of its chains, which
//! the thread keeps. A second run shows what a run takes beside these: lists of pieces, a few words
//! for each step. So
//!
//! - the peak of a first run == arena + the peak of a second one,
//! - the peak of a second one == results + lists, which do not grow with the payloads, + what a
//!   reduction takes on the way, and
//! - the peak of a thread's first run == its scratch + the peak of a second one.
//!
//! Parameters that are laid out for products are so before, by as many runs as that takes; what they take of the
//! allocator is no more than what is printed, filled up to whole registers.
//!
//! Parameters are dense, and feeds too but for selections, which are laid out for the run that
//! reads their elements. What a
//! product packs is kept by the thread as well, and not printed. One test, because the counter is
//! the process's.

use poorgrad::{
    Compile, Differentiable, MemoryDescription, Network, Plan, Symbol, Tensor, Tensorial,
    set_threads, trim_memory,
};
use testkit::training::{Training, scalars, tensors};
use testkit::{Counting, generate, seeded};
use zoo::makemore::{CONTEXT, Loss, Model};

#[global_allocator]
static ALLOCATOR: Counting = Counting::new(std::alloc::System, usize::MAX);

fn live() -> usize {
    ALLOCATOR.allocated()
}

/// The most that is alive at one time while `work` runs, beyond what is alive before.
fn peak<T>(work: impl FnOnce() -> T) -> (usize, T) {
    // The counter keeps its maximum for good: what is alive is raised to it first.
    let room = ALLOCATOR.max_allocated() - live();
    let ballast: Vec<u8> = Vec::with_capacity(room);
    let before = live();
    assert_eq!(before, ALLOCATOR.max_allocated());
    let result = work();
    let most = ALLOCATOR.max_allocated() - before;
    drop(ballast);
    (most, result)
}

/// Bytes of lists that a plan keeps behind its first run: what waits for the next one.
fn waiting<P: Tensorial>(plan: &Plan<P>) -> usize {
    512 + 64 * plan.describe().sources.len()
}

/// Bytes of lists that a run may take.
fn lists<P: Tensorial>(plan: &Plan<P>) -> usize {
    let description = plan.describe();
    let (sources, results) = (description.sources.len(), description.results.len());
    let widest = description.steps.iter().map(|step| step.reads.len() + step.writes.len());
    2048 + 160 * (sources + results + widest.max().unwrap_or(0))
}

/// What kernels other than chains and products may take on the way: at most what one of them reads
/// and writes, given back behind it.
fn on_the_way<P: Tensorial>(plan: &Plan<P>) -> usize {
    let steps = plan.describe().steps;
    let others = steps
        .iter()
        .filter(|step| !step.kernel.starts_with("chain") && !step.kernel.starts_with("product"));
    others.map(|step| step.bytes as usize).max().unwrap_or(0)
}

/// Runs a plan until the generation's parameters are laid out for its products, which they then keep.
fn settled<P: Tensorial>(
    name: &str,
    compile: &dyn Fn() -> Plan<P>,
    network: &Network<P>,
    feeds: &[(Symbol, P)],
) -> [usize; 2] {
    trim_memory();
    let before = live();
    let plan = compile();
    let memory = plan.describe().memory;
    for _ in 0..4 {
        drop(plan.forward(network, feeds.to_vec()));
    }
    drop(plan);
    trim_memory();
    // Registers are filled up, at most to twice the columns, and lines of the cache.
    let most = match memory.packed as usize {
        0 => 0,
        packed => 2 * packed + 256 * network.len(),
    };
    let laid_out = live() - before;
    assert!(laid_out <= most, "{name}: {laid_out} laid out, {memory:?}");
    [laid_out, memory.packed as usize]
}

/// The first run of a plan against its description.
fn told_truly<P: Tensorial>(
    name: &str,
    compile: &dyn Fn() -> Plan<P>,
    network: &Network<P>,
    feeds: &[(Symbol, P)],
) -> MemoryDescription {
    let _ = settled(name, compile, network, feeds);
    let plan = &compile();
    let memory = plan.describe().memory;
    let (kept, list) = (memory.arena as usize, waiting(plan));
    let fed = || feeds.to_vec();
    let allowed = lists(plan) + on_the_way(plan);
    // What other plans let go would serve this one.
    trim_memory();
    let before = live();
    let (first, results) = peak(|| plan.forward(network, fed()));
    drop(results);
    trim_memory();
    let after = live() - before;
    assert!((kept..=kept + list).contains(&after), "{name}: {after} kept, {memory:?}");
    let (second, results) = peak(|| plan.forward(network, fed()));
    drop(results);
    trim_memory();
    assert_eq!(live() - before, after, "{name}: a second run keeps nothing");
    let difference = first.abs_diff(kept + second);
    assert!(difference <= list, "{name}: {first} at the first run, {second} then, {memory:?}");
    // A selection that is multiplied is laid out for the run.
    let selections = feeds.iter().filter(|(_, fed)| fed.is_selection());
    let laid_out = selections
        .fold(0, |sum, (_, fed)| sum + fed.shape().volume().unwrap_or(0) * size_of::<P::Element>());
    let printed = memory.results as usize;
    let range = printed..=printed + laid_out + allowed;
    assert!(range.contains(&second), "{name}: {second} of a run, {memory:?}");
    memory
}

/// The makemore network on a batch of `rows`, and what a run is fed.
fn makemore(rows: usize) -> (Network<Tensor>, Symbol, Vec<(Symbol, Tensor)>) {
    let network = Network::new();
    let model = Model::new(&network, 27, 1);
    let loss = Loss::new(&network, &model, rows);
    let contexts: Vec<usize> = (0..rows * CONTEXT).map(|at| at * 7 % 27).collect();
    let targets: Vec<usize> = (0..rows).map(|at| at * 5 % 27).collect();
    let feeds = loss.feeds_of(&model, &contexts, &targets).to_vec();
    (network, loss.loss, feeds)
}

fn the_examples_networks() {
    for rows in [8, 32, 256] {
        let (network, loss, feeds) = makemore(rows);
        // What a thread keeps for itself, such as room for a product's operands, is there already.
        drop(network.forward_with(feeds.clone()).backward(loss));
        drop(network.compile_training(loss, []).forward(&network, feeds.clone()));
        let training = || network.compile_training(loss, []);
        let [laid_out, printed] = settled("makemore", &training, &network, &feeds);
        assert!(laid_out >= printed && (printed > 0) == (rows <= 32), "{laid_out} of {printed}");
        let memory = told_truly("makemore", &training, &network, &feeds);
        assert!(memory.arena > 0 && memory.peak <= memory.arena);
        told_truly("makemore, forward", &|| network.compile([loss], []), &network, &feeds);
    }
    for (name, training) in tensors::<f32>() {
        let Training { network, loss, .. } = &training;
        let feeds = training.feeds(0);
        drop(network.forward_with(feeds.clone()).backward(*loss));
        drop(network.compile_training(*loss, []).forward(network, feeds.clone()));
        told_truly(name, &|| network.compile_training(*loss, []), network, &feeds);
        told_truly(name, &|| network.compile([*loss], []), network, &feeds);
        let unfused = || Compile::new(network).loss(*loss).without(poorgrad::Pass::Fuse).plan();
        told_truly(name, &unfused, network, &feeds);
    }
}

fn random_tapes(count: u64) {
    for seed in 0..count {
        let bytes = seeded(seed, 20 + seeded(seed, 1)[0] as usize);
        let tape = generate::<Tensor<f64>>(&bytes);
        let is_source = |operation| ["input", "parameter", "leaf"].contains(&operation);
        // Only what is dense takes no room of a run's own.
        let dense = tape.network.values().filter(|value| is_source(value.operation()));
        let mut payloads = dense.map(|value| value.payload().expect("a source"));
        if !payloads.all(|payload| payload.as_slice().is_some() || payload.is_selection()) {
            continue;
        }
        let plan = || tape.network.compile_training(tape.target, []);
        drop(plan().forward(&tape.network, []));
        told_truly(&format!("tape {seed}"), &plan, &tape.network, &[]);
    }
}

/// A chain's scratch is the thread's: a fresh thread allocates what is printed.
fn scratch_of_a_thread() {
    let network = Network::new();
    let x = network.input(Tensor::from_fn([200, 300], |at| at[1] as f32 * 0.01 - at[0] as f32));
    let row = network.parameter(Tensor::from_fn([300], |at| at[0] as f32));
    let y = (x * row.broadcast_like(x) + x).tanh() - x.exp();
    let plan = network.compile([y], []);
    let memory = plan.describe().memory;
    let printed = memory.scratch as usize;
    assert!(printed > 0 && plan.describe().steps.len() == 1, "{memory:?}");
    drop(plan.forward(&network, []));
    let [first, second] = std::thread::scope(|scope| {
        let thread = scope.spawn(|| [(); 2].map(|()| peak(|| plan.forward(&network, [])).0));
        thread.join().expect("two runs")
    });
    let difference = first - second;
    assert!((printed..=printed + 512).contains(&difference), "{difference}, {memory:?}");
}

/// A flat program keeps its slots, and says how many.
fn flat_programs() {
    let training = scalars::<f64>();
    let plan = training.network.compile_training(training.loss, []);
    let [_, slots] = plan.describe().flat.expect("a flat program");
    let before = live();
    drop(plan.forward(&training.network, training.feeds(0)));
    let kept = live() - before;
    assert!((slots * 8..=slots * 8 + 512).contains(&kept), "{kept} bytes for {slots} slots");
    drop(plan.forward(&training.network, training.feeds(1)));
    assert_eq!(live() - before, kept);
}

/// Live bytes after 20 planned steps of training, and after 1,020.
fn planned_training<P: Tensorial>(name: &str, training: Training<P>) {
    let plan = training.network.compile_training(training.loss, []);
    let Training { mut network, loss, batches, rate } = training;
    let feeds = |step: usize| {
        let feed =
            |(symbol, batches): &(Symbol, Vec<P>)| (*symbol, batches[step % batches.len()].clone());
        batches.iter().map(feed).collect::<Vec<_>>()
    };
    let mut early = 0;
    for step in 0..1_020 {
        let results = plan.forward(&network, feeds(step));
        let gradients = results.backward(loss);
        drop(results);
        let rule = |w: &P, g: &P| {
            let rate = P::full(&g.shape(), poorgrad::Elementary::from_f64(rate));
            let native = poorgrad::Kernels::Native;
            w.zip(poorgrad::Binary::Sub, &g.zip(poorgrad::Binary::Mul, &rate, native), native)
        };
        network = match step % 2 {
            0 => network.update(&gradients, rule),
            _ => network.step(&gradients, |w, g| rule(&w, g)),
        };
        drop(gradients);
        if step == 19 {
            early = live();
        }
    }
    assert_eq!(live(), early, "{name}: 1,000 planned steps");
}

#[test]
fn plans_take_what_they_print_and_leak_nothing() {
    testkit::allocation::settle(&ALLOCATOR);
    // Scratch is printed for one thread, and more than one takes lists of its own.
    set_threads(1);
    the_examples_networks();
    random_tapes(if cfg!(debug_assertions) { 150 } else { 1_000 });
    scratch_of_a_thread();
    flat_programs();
    for (name, training) in tensors::<f32>() {
        planned_training(name, training);
    }
    planned_training("scalars", scalars::<f64>());
    set_threads(0);
}
