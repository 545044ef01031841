//! Deep and wide graphs: everything that walks a tape does so without recursion, in a stack of
//! 256 KiB.

use poorgrad::{Emit, EmitForm, Network, Tensor, Value};
use std::time::Duration;
use testkit::timing::{on_stack, within};

const STACK: usize = 256 << 10;

/// Seconds that one operation on a million nodes may take in release; a debug build gets more.
fn limit() -> Duration {
    Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 5 })
}

fn timed<T>(name: &str, work: impl FnOnce() -> T) -> T {
    within(limit(), name, work)
}

/// `x = x + 1` so many times, and everything there is to do with it: a literal each time, or one
/// constant for all.
fn chain(count: usize, literal: bool) {
    on_stack(STACK, || {
        let network = Network::new();
        let (x, one) = (network.input(0.0_f64), network.leaf(1.0));
        let add = |y| if literal { y + 1.0 } else { y + one };
        let y = timed("record", || (0..count).fold(x, |y, _| add(y)));
        let (x, y) = (x.symbol(), y.symbol());
        let run = timed("run", || network.forward());
        assert_eq!(run.of(y), count as f64);
        let gradients = timed("backward", || run.backward(y));
        assert_eq!(gradients.of(x), 1.0);
        timed("drop gradients and run", || drop((gradients, run)));
        let slope = timed("differentiate", || network.differentiate(y, [x])[0].symbol());
        assert_eq!(network.forward_for([slope], [(x, 5.0); 0]).of(slope), 1.0);
        let text = timed("print", || network.to_text());
        let copy = timed("parse", || Network::<f64>::parse(&text)).expect("its own text");
        assert_eq!(copy.len(), network.len());
        assert_eq!(timed("fingerprint", || copy.fingerprint()), network.fingerprint());
        timed("drop text and copy", || drop((text, copy)));
        let compact = timed("compact", || network.compacted());
        timed("drop", || drop(network));
        assert_eq!(compact.forward().of(y), count as f64);
        timed("drop compacted", || drop(compact));
    });
}

/// One value with so many consumers, summed by one more operation and by a chain.
fn fan(count: usize) {
    on_stack(STACK, || {
        let network = Network::new();
        let x = network.input(Tensor::from([2.0_f64]));
        let consumers: Vec<Value<'_, _>> = timed("record", || (0..count).map(|_| x * x).collect());
        let joined = timed("concatenate", || Value::concat(&consumers, 0).sum());
        let chained = consumers[1..].iter().fold(consumers[0], |sum, value| sum + *value).sum();
        let total = (joined + chained).symbol();
        let x = x.symbol();
        let run = timed("run", || network.forward());
        assert_eq!(run.of(total).item(), 8.0 * count as f64);
        let gradients = timed("backward", || run.backward(total));
        assert_eq!(gradients.of(x).item(), 8.0 * count as f64);
        let slope = timed("differentiate", || network.differentiate(total, [x])[0].symbol());
        assert_eq!(network.forward().of(slope).item(), 8.0 * count as f64);
        let text = timed("print", || network.to_text());
        let copy = timed("parse", || Network::<Tensor<f64>>::parse(&text)).expect("its own text");
        assert_eq!(copy.len(), network.len());
        let compact = timed("compact", || network.compacted());
        timed("drop", || drop((network, run, gradients)));
        assert_eq!(compact.forward().of(total).item(), 8.0 * count as f64);
    });
}

#[test]
fn b03_a_deep_chain_fits_a_small_stack() {
    chain(20_000, true);
    chain(20_000, false);
}

#[test]
#[ignore = "heavy: a million additions"]
fn heavy_b03_a_chain_of_a_million_fits_a_small_stack() {
    chain(1_000_000, false);
}

/// Two million nodes, each addition with a literal of its own.
#[test]
#[ignore = "heavy: a million additions of literals"]
fn heavy_b03_a_million_additions_of_literals() {
    on_stack(STACK, || {
        let network = Network::new();
        let x = network.input(0.0_f64);
        let y = timed("record", || (0..1_000_000).fold(x, |y, _| y + 1.0));
        let run = timed("run", || network.forward());
        assert_eq!(run.of(y), 1_000_000.0);
        assert_eq!(timed("backward", || run.backward(y)).of(x), 1.0);
        let compact = timed("compact", || network.compacted());
        timed("drop compacted", || drop(compact));
    });
}

/// `y = y * w` so many times, as a module in every form, alone and with its gradient.
fn emitted(count: usize) {
    on_stack(STACK, || {
        let network = Network::new();
        let w = network.parameter(Tensor::from([1.0_f32, 0.5]));
        let loss = (0..count).fold(w, |y, _| y * w).sum();
        let forward = timed("compile forward", || network.compile([loss], []));
        let training = timed("compile training", || network.compile_training(loss, []));
        for form in [EmitForm::Raised, EmitForm::Recorded, EmitForm::Exact] {
            let products = |plan, name| {
                let module = timed(name, || Emit::new(plan).form(form).module()).expect("a module");
                module.text().matches("stablehlo.multiply").count()
            };
            assert_eq!(products(&forward, "emit"), count, "{form:?}");
            // Two cotangents a product, of which those at the ends may be shared.
            let both = products(&training, "emit training");
            assert!(both > 2 * count, "{form:?}: {both}");
        }
        timed("drop", || drop((network, forward, training)));
    });
}

#[test]
fn a_deep_chain_is_emitted_in_a_small_stack() {
    emitted(2_000);
}

#[test]
#[ignore = "heavy: a module of 100,000 operations"]
fn heavy_a_chain_of_a_hundred_thousand_is_emitted_in_a_small_stack() {
    emitted(100_000);
}

#[test]
fn b03_doubling_a_thousand_times_is_exact() {
    on_stack(STACK, || {
        let network = Network::new();
        let x = network.input(1.0_f64);
        let y = (0..1000).fold(x, |y, _| y + y);
        let run = network.forward();
        assert_eq!(run.of(y).to_bits(), 0x7E70_0000_0000_0000);
        assert_eq!(run.backward(y).of(x).to_bits(), 0x7E70_0000_0000_0000);
    });
}

#[test]
fn a_wide_fan_out_fits_a_small_stack() {
    fan(5_000);
}

#[test]
#[ignore = "heavy: a value with 100,000 consumers"]
fn heavy_a_fan_out_of_a_hundred_thousand_fits_a_small_stack() {
    fan(100_000);
}

#[test]
fn a_long_line_of_derivatives_fits_a_small_stack() {
    on_stack(STACK, || {
        let network = Network::new();
        let x = network.input(0.5_f64);
        let mut y = x.powi(6);
        for _ in 0..6 {
            y = network.differentiate(y, [x])[0];
        }
        assert_eq!(network.forward().of(y), 720.0);
    });
}
