//! Plans of deep and wide graphs, in a stack of 256 KiB.

use poorgrad::{Network, Tensor, Value};
use std::time::Duration;
use testkit::Wrapped;
use testkit::timing::{on_stack, within};

const STACK: usize = 256 << 10;

/// Seconds that one operation may take in release; a debug build gets more.
fn timed<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let limit = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 5 });
    within(limit, name, work)
}

/// What compiling 100,000 nodes may take in release.
fn compiled<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let limit = Duration::from_millis(if cfg!(debug_assertions) { 60_000 } else { 500 });
    within(limit, name, work)
}

/// `y = y * w + 1`, so many nodes of it.
fn scalars(count: usize) {
    on_stack(STACK, || {
        let network = Network::new();
        let (w, one) = (network.parameter(1.0_f64), network.leaf(1.0));
        let y = (0..count / 2).fold(w, |y, _| y * w + one);
        let (w, y) = (w.symbol(), y.symbol());
        let forward = timed("compile forward", || network.compile([y], []));
        let training = timed("compile training", || network.compile_training(y, []));
        let results = timed("run forward", || forward.forward(&network, []));
        assert_eq!(results.of(y), (count / 2 + 1) as f64);
        let trained = timed("run training", || training.forward(&network, []));
        let gradients = timed("backward", || trained.backward(y));
        let run = network.forward();
        assert_eq!(gradients.of(w).to_bits(), run.backward(y).of(w).to_bits());
        let description = timed("describe", || training.describe());
        let text = timed("print", || description.to_string());
        assert!(text.contains("functions"), "{text}");
        timed("check", || training.check(&network, [])).expect("the oracle's bits");
        timed("diff", || drop(forward.diff(&training)));
        timed("drop", || drop((network, forward, training, results, trained, gradients)));
    });
}

#[test]
fn a_deep_chain_of_scalars_compiles_in_a_small_stack() {
    scalars(20_000);
}

#[test]
#[ignore = "heavy: a million scalars"]
fn heavy_a_chain_of_a_million_scalars_compiles_in_a_small_stack() {
    scalars(1_000_000);
}

/// `y = tanh(y * w + 1)` over tensors of two elements; a sum now and then ends a group.
fn tensors(count: usize, barriers: bool) {
    on_stack(STACK, || {
        let network = Network::new();
        let w = network.parameter(Tensor::from([0.5_f32, -0.5]));
        let one = network.leaf(Tensor::from([1.0, 0.25]));
        let mut y = w;
        for number in 0..count / 3 {
            y = (y * w + one).tanh();
            if barriers && number % 10 == 0 {
                y = y + y.sum().broadcast_like(y);
            }
        }
        let loss = y.sum().symbol();
        let w = w.symbol();
        let forward = compiled("compile forward", || network.compile([loss], []));
        let training = timed("compile training", || network.compile_training(loss, []));
        let results = timed("run training", || training.forward(&network, []));
        let run = network.forward();
        assert_eq!(results.of(loss).item().to_bits(), run.of(loss).item().to_bits());
        assert_eq!(results.backward(loss).of(w), run.backward(loss).of(w));
        assert_eq!(forward.forward(&network, []).of(loss), results.of(loss));
        let text = timed("describe", || training.describe().to_string());
        assert!(text.contains("steps"));
        timed("diff", || drop(forward.diff(&training)));
        timed("drop", || drop((network, forward, training)));
    });
}

#[test]
fn a_deep_chain_of_tensors_compiles_in_a_small_stack() {
    tensors(3_000, false);
    tensors(3_000, true);
}

#[test]
#[ignore = "heavy: 100,000 tensors"]
fn heavy_a_chain_of_a_hundred_thousand_tensors_compiles_in_half_a_second() {
    tensors(100_000, false);
    tensors(100_000, true);
}

/// One value with so many readers that differ, joined by one operation and by a chain.
fn fan(count: usize) {
    on_stack(STACK, || {
        let network = Network::new();
        let x = network.parameter(Tensor::from([2.0_f64, 0.5]));
        let factors: Vec<Value<'_, _>> =
            (0..count).map(|at| network.leaf(Tensor::from([at as f64, 1.0]))).collect();
        let readers: Vec<Value<'_, _>> = factors.iter().map(|&factor| x * factor).collect();
        let joined = Value::concat(&readers, 0).sum();
        let chained = readers[1..].iter().fold(readers[0], |sum, value| sum + *value).sum();
        let total = (joined + chained).symbol();
        let x = x.symbol();
        let forward = timed("compile forward", || network.compile([total], []));
        let training = timed("compile training", || network.compile_training(total, []));
        let results = timed("run", || training.forward(&network, []));
        let run = network.forward();
        assert_eq!(results.of(total), run.of(total));
        assert_eq!(forward.forward(&network, []).of(total), run.of(total));
        assert_eq!(results.backward(total).of(x), run.backward(total).of(x));
        let text = timed("describe", || training.describe().to_string());
        assert!(text.contains("concat"));
        timed("drop", || drop((network, forward, training)));
    });
}

#[test]
fn a_wide_fan_out_compiles_in_a_small_stack() {
    fan(1_000);
}

#[test]
#[ignore = "heavy: a value with 100,000 readers"]
fn heavy_a_fan_out_of_a_hundred_thousand_compiles_in_a_small_stack() {
    fan(100_000);
}

/// As many targets as nodes, and a plan of an element of a user's own.
#[test]
fn many_targets_and_opaque_payloads_compile_in_linear_time() {
    on_stack(STACK, || {
        let network = Network::new();
        let x = network.parameter(Wrapped(Tensor::from([1.0_f32])));
        let mut values = vec![x];
        for at in 0..20_000 {
            values.push(values[at] + x);
        }
        let plan = compiled("compile", || network.compile(values.iter().copied(), []));
        let results = timed("run", || plan.forward(&network, []));
        assert_eq!(results.targets().len(), 20_001);
        assert_eq!(results.targets()[20_000].0.item(), 20_001.0);
    });
}
