//! Parts of a tape: what the oracle says of them, and a node with those in front of it.

use super::accuracy::Accuracy;
use super::apart::Apart;
use super::check::{Violation, numbers, ulps};
use super::single::input;
use super::spread::spread;
use poorgrad::{Elementary, Network, Symbol, Tensor};
use std::collections::{BTreeMap, BTreeSet};

/// What the oracle says of a tape.
pub(super) struct Known<E: Elementary> {
    pub(super) apart: Apart<Tensor<E>>,
    pub(super) values: Vec<Tensor<E>>,
    pub(super) bounds: Vec<Vec<f64>>,
}

impl<E: Elementary> Known<E> {
    pub(super) fn new(network: &Network<Tensor<E>>, accuracy: &Accuracy) -> Self {
        let apart = Apart::<Tensor<E>>::new(network);
        let evaluation = network.reference().forward();
        let values: Vec<Tensor<E>> = network.values().map(|value| evaluation.of(value)).collect();
        let bounds = spread(&apart, &values, accuracy);
        Self { apart, values, bounds }
    }

    /// The first element that is further from the oracle's than bounds can make it.
    pub(super) fn outside(&self, node: usize, found: &Tensor<E>) -> Option<Violation> {
        let (right, found, bounds) =
            (numbers(&self.values[node]), numbers(found), &self.bounds[node]);
        let at = (0..right.len()).find(|&at| {
            let (right, found) = (right[at], found[at]);
            let same = right == found || right.is_nan() && found.is_nan();
            let apart = (right - found).abs();
            !same && bounds[at] != f64::INFINITY && (apart > bounds[at] || apart.is_nan())
        })?;
        let (expected, found, bound) = (right[at], found[at], bounds[at]);
        let ulps = ulps(expected, found, E::lowering());
        Some(Violation { node, at, expected, found, ulps, bound })
    }
}

/// A node with some levels of what it reads; what those read are inputs.
pub(super) struct Part<E: Elementary> {
    pub(super) network: Network<Tensor<E>>,
    pub(super) last: Symbol,
    pub(super) text: String,
    /// The nodes besides the suspect, in the numbering of the whole tape.
    pub(super) nodes: Vec<usize>,
    /// Whether nothing is left out.
    pub(super) whole: bool,
}

impl<E: Elementary> Part<E> {
    pub(super) fn new(known: &Known<E>, node: usize, depth: usize) -> Self {
        let mut inside = BTreeSet::from([node]);
        let mut edge = vec![node];
        for _ in 0..depth {
            let next: Vec<usize> = edge
                .iter()
                .flat_map(|&at| known.apart.operands(at).iter().copied())
                .filter(|&at| known.apart.is_step(at) && inside.insert(at))
                .collect();
            edge = next;
        }
        let read = |at: &usize| known.apart.operands(*at).iter().copied();
        let whole =
            inside.iter().flat_map(read).all(|at| inside.contains(&at) || !known.apart.is_step(at));
        let all: BTreeSet<usize> =
            inside.iter().flat_map(read).chain(inside.iter().copied()).collect();
        let mut numbers = BTreeMap::new();
        let mut part = format!("tape 1 {}\n", E::NAME);
        for (number, &at) in all.iter().enumerate() {
            let operands =
                known.apart.operands(at).iter().map(|at| {
                    numbers.get(at).map(|number| format!("%{number}")).unwrap_or_default()
                });
            let operands = operands.collect::<Vec<_>>().join(", ");
            let body = match inside.contains(&at) {
                true => {
                    let (operation, attributes) =
                        (known.apart.operation(at), known.apart.attributes(at));
                    let shape = known.values[at].shape();
                    format!("{operation} {operands}{attributes} : {shape}")
                }
                false => input(&known.values[at]),
            };
            part += &format!("%{number} = {body}\n");
            numbers.insert(at, number);
        }
        let network =
            Network::<Tensor<E>>::parse(&part).unwrap_or_else(|error| panic!("{error}\n{part}"));
        let last = network.values().last().expect("invariant: the suspect").symbol();
        inside.remove(&node);
        Self { network, last, text: part, nodes: inside.into_iter().collect(), whole }
    }
}
