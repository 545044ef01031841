//! `Measured`: numbers of a node that were extents when it was recorded.
//!
//! What a user asks for is on the tape as it was asked: `reshape` keeps or infers an extent, a
//! broadcast names the value that it is like. A derivative rule and some composites write numbers
//! instead that they read off a shape. The node says where, so that a tape that is inferred again
//! for other shapes refuses a number that is no longer right.

/// Where a node's numbers (its attributes, or a constant's shape) come from, where they are no
/// request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measured {
    /// They are what was asked for.
    Nothing,
    /// The derivative rule of the node there: extents of its operands.
    Rule(u32),
    /// Extents of the value there.
    Extents(u32, Axes),
}

/// A set of axes. Those from 31 on are in it together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axes(u32);

impl Axes {
    pub(crate) fn new(axes: impl IntoIterator<Item = usize>) -> Self {
        Self(axes.into_iter().fold(0, |set, axis| set | 1 << axis.min(31)))
    }

    pub(crate) fn with(self, axis: usize) -> Self {
        Self(self.0 | Self::new([axis]).0)
    }

    /// Whether all are axes of a shape of this rank.
    pub(crate) fn within(self, rank: usize) -> bool {
        self.0 & !Self::new(0..rank).0 == 0
    }

    pub(crate) fn contains(self, axis: usize) -> bool {
        self.0 >> axis.min(31) & 1 == 1
    }

    /// Those that a shape has, ascending.
    pub(crate) fn of(self, rank: usize) -> impl Iterator<Item = usize> {
        (0..rank).filter(move |&axis| self.contains(axis))
    }
}
