//! `Item`: one value of a schedule, before anything says when or where it is computed.

use crate::graph::node::Operands;
use crate::ops::Function;
use crate::ops::lower::Lowered;
use crate::payload::Shape;
use std::sync::Arc;

/// The number of an item in its schedule: operands have lower ones.
pub(crate) type Id = u32;

/// Where an item's payload comes from.
#[derive(Clone, Debug)]
pub(crate) enum Definition<P> {
    /// A parameter of the generation that a run is given, by its number.
    Parameter(u32),
    /// A feed, or this default.
    Input(P),
    /// The same in every run.
    Constant(P),
    /// An operation on the operands, and what computes it.
    Operation(Function, Lowered),
}

impl<P> Definition<P> {
    /// Whether nothing computes the item.
    pub(crate) fn is_source(&self) -> bool {
        !matches!(self, Self::Operation(..))
    }
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) struct Item<P> {
    /// The node of the tape that it stands for.
    pub(crate) origin: u32,
    pub(crate) definition: Definition<P>,
    /// What is read of the operation's operands, in their order; of an opaque payload, all.
    pub(crate) operands: Operands,
    pub(crate) shape: Arc<Shape>,
    /// Whether it computes again what another item computed before.
    pub(crate) recomputed: bool,
}

impl<P> Item<P> {
    /// Whether its elements are computed, not read from another item's.
    pub(crate) fn is_computed(&self) -> bool {
        matches!(
            self.definition,
            Definition::Operation(_, Lowered::Pointwise(_) | Lowered::Call(_))
        )
    }

    /// The number of elements; the shape was checked when it was recorded.
    pub(crate) fn count(&self) -> usize {
        self.shape.count()
    }
}
