//! The recording protocol under the model checker: every interleaving (up to three preemptions)
//! of recording, reading, forking and updating. Run by `cargo xtask ci` with `--cfg loom`.

use super::Network;
use loom::thread;
use std::sync::Arc;

fn explore(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

/// What a reader sees is complete: every node below the length it saw, with its parameter.
fn read(network: &Network<f64>) -> usize {
    let evaluation = network.forward();
    let tape = network.tape();
    (0..tape.len().min(4)).for_each(|index| {
        if let Ok(value) = evaluation.try_of(tape.symbol(index)) {
            assert_eq!(value, 1.0 + index as f64);
        }
    });
    tape.len()
}

#[test]
fn loom_readers_see_whole_nodes() {
    explore(|| {
        let network = Arc::new(Network::new());
        let recorder = {
            let network = network.clone();
            thread::spawn(move || {
                network.parameter(1.0);
                network.parameter(2.0);
            })
        };
        assert!(read(&network) <= 2);
        recorder.join().unwrap();
        assert_eq!(read(&network), 2);
    });
}

#[test]
fn loom_recorders_do_not_lose_nodes() {
    explore(|| {
        let network = Arc::new(Network::new());
        let recorders = [10.0, 20.0].map(|number| {
            let network = network.clone();
            thread::spawn(move || {
                let value = network.parameter(number);
                assert_eq!(value.payload(), Some(number));
                value.symbol()
            })
        });
        let symbols = recorders.map(|recorder| recorder.join().unwrap());
        assert_eq!(network.len(), 2);
        assert_eq!(network.resolve(symbols[0]).payload(), Some(10.0));
        assert_eq!(network.resolve(symbols[1]).payload(), Some(20.0));
    });
}

#[test]
fn loom_a_fork_is_a_moment() {
    explore(|| {
        let network = Arc::new(Network::new());
        network.parameter(1.0);
        let recorder = {
            let network = network.clone();
            thread::spawn(move || {
                network.parameter(2.0);
            })
        };
        let fork = Network::clone(&network);
        let seen = fork.len();
        assert!(seen == 1 || seen == 2);
        let own = fork.parameter(1.0 + seen as f64).symbol();
        recorder.join().unwrap();
        assert_eq!(fork.len(), seen + 1);
        assert_eq!(fork.parameters.len(), seen + 1);
        assert_eq!(read(&fork), seen + 1);
        assert!(network.try_resolve(own).is_err());
        assert_eq!(network.len(), 2);
    });
}

#[test]
fn loom_an_update_takes_a_moment_of_its_parent() {
    explore(|| {
        let network = Arc::new(Network::new());
        let first = network.parameter(1.0);
        let gradients = network.forward().backward(first);
        let recorder = {
            let network = network.clone();
            thread::spawn(move || {
                network.leaf(5.0);
            })
        };
        let next = network.update(&gradients, |w, g| w + g);
        assert!(next.len() == 1 || next.len() == 2);
        assert_eq!(next.resolve(first).payload(), Some(2.0));
        recorder.join().unwrap();
        assert_eq!(first.payload(), Some(1.0));
    });
}
