//! What the oracle says of a tape, and a node with those in front of it.

use super::accuracy::Accuracy;
use super::apart::Apart;
use super::check::{Violation, numbers, ulps};
use super::spread::spread;
use poorgrad::{Elementary, Network, Tensor};
use std::collections::BTreeSet;

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

    /// A node with some levels of what it reads.
    pub(super) fn level(&self, node: usize, depth: usize) -> Level {
        let mut nodes = BTreeSet::from([node]);
        let mut edge = vec![node];
        for _ in 0..depth {
            let next: Vec<usize> = edge
                .iter()
                .flat_map(|&at| self.apart.operands(at).iter().copied())
                .filter(|&at| self.apart.is_step(at) && nodes.insert(at))
                .collect();
            edge = next;
        }
        let read = |at: &usize| self.apart.operands(*at).iter().copied();
        let mut all = nodes.iter().flat_map(read);
        let whole = all.all(|at| nodes.contains(&at) || !self.apart.is_step(at));
        Level { nodes, whole }
    }
}

/// A node with some levels of what it reads.
pub(super) struct Level {
    pub(super) nodes: BTreeSet<usize>,
    /// Whether nothing is left out.
    pub(super) whole: bool,
}
