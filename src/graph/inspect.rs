//! What a network holds on to, and how it lets go.

use super::network::Network;
use crate::payload::{Differentiable, Tensorial};
use std::collections::BTreeSet;
use std::fmt;

/// What one generation of a network keeps alive: see [`Network::stats`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Recorded values that this network sees.
    pub nodes: usize,
    /// Parameters among them.
    pub parameters: usize,
    /// Values that others recorded behind a point where this network parted from them, and that
    /// the shared storage keeps alive for this network's sake. [`Network::compacted`] lets go of
    /// them.
    pub foreign_nodes: usize,
    /// Bytes of the payloads of constants and inputs, storage that several share counted once.
    pub structure_bytes: usize,
    /// Bytes of this generation's parameters, storage that several share counted once.
    pub parameter_bytes: usize,
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} nodes ({} parameters, {} of others), {} bytes of constants and defaults, {} bytes \
             of parameters",
            self.nodes,
            self.parameters,
            self.foreign_nodes,
            self.structure_bytes,
            self.parameter_bytes
        )
    }
}

fn bytes<'p, P: Differentiable>(payloads: impl Iterator<Item = &'p P>) -> usize {
    let mut seen = BTreeSet::new();
    payloads.fold(0, |bytes, payload| match payload.storage_id() {
        Some(id) if !seen.insert(id) => bytes,
        _ => bytes + payload.bytes(),
    })
}

impl<P: Tensorial> Network<P> {
    /// What this generation keeps alive.
    ///
    /// COST: O(nodes).
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let w = network.parameter(Tensor::from([1.0_f32, 2.0, 3.0, 4.0]));
    /// let _ = w * w;
    /// assert_eq!(network.stats().nodes, 2);
    /// assert_eq!(network.stats().parameter_bytes, 16);
    /// ```
    #[must_use]
    pub fn stats(&self) -> Stats {
        let (tape, parameters) = (self.tape(), self.parameters.len());
        Stats {
            nodes: tape.len(),
            parameters,
            foreign_nodes: self.nodes.foreign(),
            structure_bytes: bytes(tape.nodes().filter_map(|node| node.payload.as_deref())),
            parameter_bytes: bytes(self.parameters.iter(parameters).map(|state| &state.payload)),
        }
    }

    /// The same network on private storage that holds what this network sees and nothing else.
    /// Symbols stay valid.
    ///
    /// COST: O(nodes); payloads are shared, not copied.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let x = network.parameter(1.0_f64).symbol();
    /// let fork = network.clone();
    /// let _ = network.resolve(x) + 1.0; // keeps growing what the fork shares
    /// assert_eq!(fork.stats().foreign_nodes, 2);
    /// let fork = fork.compacted();
    /// assert_eq!(fork.stats().foreign_nodes, 0);
    /// assert_eq!(fork.resolve(x).payload(), Some(1.0));
    /// ```
    #[must_use]
    pub fn compacted(&self) -> Self {
        // A fork first: its length is frozen, and nobody appends to it meanwhile.
        let frozen = self.clone();
        let (nodes, parameters) = (frozen.nodes.len(), frozen.parameters.len());
        Self::from_chains(
            self.lineage,
            frozen.nodes.rebuilt(nodes, frozen.nodes.iter(nodes).cloned()),
            frozen.parameters.rebuilt(parameters, frozen.parameters.iter(parameters).cloned()),
        )
    }
}
