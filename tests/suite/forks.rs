//! Forks, generations and compaction are isolated: random histories against a naive model that
//! copies everything.

use poorgrad::{Network, Symbol};
use std::thread;

/// SplitMix64: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        let bits = testkit::decisions::mixed(self.0);
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (bits % bound as u64) as usize
    }
}

#[derive(Clone)]
enum Made {
    Parameter(f64),
    Input(f64),
    Sum(usize, usize),
    Product(usize, usize),
}

/// A node with an identity that no other recording has.
#[derive(Clone)]
struct ModelNode {
    identity: usize,
    made: Made,
}

type Model = Vec<ModelNode>;

fn values(model: &Model) -> Vec<f64> {
    let mut values: Vec<f64> = Vec::new();
    for node in model {
        values.push(match node.made {
            Made::Parameter(value) | Made::Input(value) => value,
            Made::Sum(a, b) => values[a] + values[b],
            // Kept small, so that every value is an exact integer.
            Made::Product(a, b) => values[a] * values[b],
        });
    }
    values
}

struct World {
    random: Random,
    networks: Vec<(Network<f64>, Model)>,
    symbols: Vec<Symbol>,
}

impl World {
    fn new(seed: u64) -> Self {
        let networks = vec![(Network::new(), Vec::new())];
        Self { random: Random(seed), networks, symbols: Vec::new() }
    }

    fn record(&mut self, at: usize) {
        let count = self.networks[at].1.len();
        let kind = self.random.below(if count == 0 { 2 } else { 4 });
        let (a, b) = (self.random.below(count.max(1)), self.random.below(count.max(1)));
        let number = self.random.below(5) as f64 - 2.0;
        let (network, model) = &mut self.networks[at];
        let at_index = |index: usize| network.resolve(self.symbols[model[index].identity]);
        let (symbol, made) = match kind {
            0 => (network.parameter(number).symbol(), Made::Parameter(number)),
            1 => (network.input(number).symbol(), Made::Input(number)),
            2 => ((at_index(a) + at_index(b)).symbol(), Made::Sum(a, b)),
            _ => ((at_index(a) * at_index(b)).symbol(), Made::Product(a, b)),
        };
        model.push(ModelNode { identity: self.symbols.len(), made });
        self.symbols.push(symbol);
    }

    fn step(&mut self) {
        let at = self.random.below(self.networks.len());
        match self.random.below(12) {
            0..=4 => self.record(at),
            5 => {
                let (network, model) = &self.networks[at];
                let fork = (network.clone(), model.clone());
                self.networks.push(fork);
            }
            6 | 7 => {
                let consuming = self.random.below(2) == 0;
                let (network, model) = self.networks.swap_remove(at);
                if model.is_empty() {
                    self.networks.push((network, model));
                    return;
                }
                let target = self.symbols[model[model.len() - 1].identity];
                let gradients = network.forward().backward(target);
                let mut next = model.clone();
                for node in &mut next {
                    if let Made::Parameter(value) = &mut node.made {
                        *value += 1.0;
                    }
                }
                if consuming {
                    self.networks.push((network.step(&gradients, |w, _| w + 1.0), next));
                } else {
                    let updated = network.update(&gradients, |w, _| w + 1.0);
                    self.networks.push((network, model));
                    self.networks.push((updated, next));
                }
            }
            8 => {
                let (network, model) = &self.networks[at];
                let compact = network.compacted();
                let model = model.clone();
                assert_eq!(compact.stats().foreign_nodes, 0);
                self.networks[at] = (compact, model);
            }
            9 if self.networks.len() > 1 => {
                self.networks.swap_remove(at);
            }
            10 => self.check_symbols(at),
            _ => self.check_values(at),
        }
        if self.networks.len() > 6 {
            self.networks.swap_remove(0);
        }
    }

    fn check_values(&self, at: usize) {
        let (network, model) = &self.networks[at];
        assert_eq!(network.len(), model.len());
        let evaluation = network.forward();
        for (node, expected) in model.iter().zip(values(model)) {
            let found = evaluation.of(self.symbols[node.identity]);
            assert_eq!(found.to_bits(), expected.to_bits(), "node {}", node.identity);
        }
    }

    fn check_symbols(&self, at: usize) {
        let (network, model) = &self.networks[at];
        for (identity, &symbol) in self.symbols.iter().enumerate() {
            let expected = model.iter().any(|node| node.identity == identity);
            assert_eq!(network.try_resolve(symbol).is_ok(), expected, "node {identity}");
        }
    }
}

fn histories(count: u64, steps: usize) {
    for seed in 0..count {
        let mut world = World::new(seed);
        for _ in 0..steps {
            world.step();
        }
        for at in 0..world.networks.len() {
            world.check_values(at);
            world.check_symbols(at);
        }
    }
}

#[test]
fn random_histories_agree_with_the_model() {
    histories(5_000, 60);
}

#[test]
fn two_forks_record_from_two_threads() {
    let network = Network::new();
    let x = network.parameter(1.0_f64).symbol();
    let forks = [network.clone(), network.clone()];
    // A literal and a sum each.
    let record = |fork: &Network<f64>, addend: f64| -> Vec<Symbol> {
        let mut value = fork.resolve(x);
        let extend = |_| {
            let literal = fork.leaf(addend);
            value = value + literal;
            [literal.symbol(), value.symbol()]
        };
        (0..500).flat_map(extend).collect()
    };
    let symbols: Vec<Vec<Symbol>> = thread::scope(|scope| {
        let handles = [(&forks[0], 1.0), (&forks[1], 2.0)]
            .map(|(fork, addend)| scope.spawn(move || record(fork, addend)));
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    assert_eq!([forks[0].len(), forks[1].len()], [1_001, 1_001]);
    for (own, other) in [(0, 1), (1, 0)] {
        let evaluation = forks[own].forward();
        let addend = own as f64 + 1.0;
        for (number, &symbol) in symbols[own].iter().enumerate() {
            let sum = 1.0 + addend * (number / 2 + 1) as f64;
            let expected = if number % 2 == 0 { addend } else { sum };
            assert_eq!(evaluation.of(symbol), expected, "value {number} of fork {own}");
            assert!(network.try_resolve(symbol).is_err());
        }
        for &symbol in &symbols[other] {
            let error = forks[own].try_resolve(symbol).unwrap_err().to_string();
            assert!(error.contains("recorded on a fork after it parted"), "{error}");
        }
    }
    assert_eq!(network.len(), 1);
}

#[test]
fn fields_of_forks_that_parted_do_not_mix() {
    let network = Network::new();
    let w = network.parameter(2.0_f64);
    let (left, right) = (network.clone(), network.clone());
    let loss = left.resolve(w) * 3.0;
    let other = right.resolve(w) * 5.0;
    let gradient = left.forward().backward(loss);
    let foreign = right.forward().backward(other);
    let message = crate::refusal::caught(|| &gradient + &foreign).0;
    assert!(message.contains("forks that parted"), "{message}");
    // A gradient of a fork updates what both had before they parted.
    assert_eq!(network.update(&gradient, |w, g| w + g).resolve(w).payload(), Some(5.0));
    let late = network.parameter(1.0);
    let error = network.try_update(&gradient, |w, g| w + g).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("the field is older than"), "{error}");
    assert_eq!(late.payload(), Some(1.0));
}

#[test]
fn a_panicking_rule_leaves_the_network_usable() {
    let network = Network::new();
    let w = network.parameter(2.0_f64);
    let y = w * w;
    let gradients = network.forward().backward(y);
    let message = crate::refusal::caught(|| network.update(&gradients, |_, _| panic!("rule"))).0;
    assert_eq!(message, "rule");
    assert_eq!(network.update(&gradients, |w, g| w - g).resolve(w).payload(), Some(-2.0));
    assert_eq!((w + 1.0).payload(), None);
}
