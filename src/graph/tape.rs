//! `Tape`: a frozen view of what a network had recorded at one moment. Cheap to clone, owns
//! what it needs, and takes no lock to make or to read.

use super::chain::{Chain, unique};
use super::error::NetworkError;
use super::node::Node;
use super::symbol::Symbol;

/// What symbols and plans know a tape by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lineage {
    /// Of all forks and generations, reinferred ones among them: whose symbols are valid here.
    pub(crate) id: u64,
    /// Of those whose inputs have the same shapes.
    pub(crate) shapes: u64,
}

impl Lineage {
    pub(crate) fn new() -> Self {
        Self { id: unique(), shapes: unique() }
    }

    /// The same values under other shapes.
    pub(crate) fn reinferred(self) -> Self {
        Self { shapes: unique(), ..self }
    }
}

pub(crate) struct Tape<P> {
    lineage: Lineage,
    nodes: Chain<Node<P>>,
    length: usize,
}

impl<P> Clone for Tape<P> {
    fn clone(&self) -> Self {
        Self { nodes: self.nodes.clone(), ..*self }
    }
}

impl<P> Tape<P> {
    pub(crate) fn new(lineage: Lineage, nodes: &Chain<Node<P>>) -> Self {
        Self { lineage, nodes: nodes.clone(), length: nodes.len() }
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    #[inline]
    pub(crate) fn node(&self, index: usize) -> &Node<P> {
        self.nodes.get(index)
    }

    pub(crate) fn nodes(&self) -> impl Iterator<Item = &Node<P>> {
        self.nodes.iter(self.length)
    }

    pub(crate) fn symbol(&self, index: usize) -> Symbol {
        let branch = self.nodes.branch_of(index);
        Symbol { lineage: self.lineage.id, branch, index: index as u32 }
    }

    /// The position of a symbol's value on this tape.
    pub(crate) fn position(
        &self,
        symbol: Symbol,
        operation: &'static str,
    ) -> Result<usize, NetworkError> {
        if symbol.lineage != self.lineage.id {
            return Err(NetworkError::Foreign { operation });
        }
        let index = symbol.index as usize;
        if index >= self.length && self.nodes.branch() == symbol.branch {
            return Err(NetworkError::Younger { operation, index });
        }
        if index >= self.length || self.nodes.branch_of(index) != symbol.branch {
            return Err(NetworkError::Divergent { operation, index });
        }
        Ok(index)
    }

    /// Whether values that both tapes have are of one shape on both.
    pub(crate) fn has_shapes_of(&self, other: &Self) -> bool {
        self.lineage == other.lineage
    }

    /// How many nodes in front two tapes share, whatever the shapes of their values.
    pub(crate) fn common_prefix(&self, other: &Self) -> usize {
        if self.lineage.id != other.lineage.id {
            return 0;
        }
        self.nodes.common_prefix(&other.nodes, (self.length, other.length))
    }
}
