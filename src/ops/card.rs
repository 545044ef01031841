//! What every operation's card provides: shape rule, definition, derivative rule, text.

use super::algebra::Algebra;
use super::attribute::{Attribute, Attributes};
use super::lower::Lowered;
use crate::graph::error::Violation;
use crate::kernel::Kernels;
use crate::payload::{Shape, Tensorial};
use std::fmt::Debug;

/// Which payloads a derivative rule reads, shapes aside. What a rule does not declare may be
/// gone (or, in tests, poisoned) when the rule runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reads(u8);

#[cfg_attr(not(test), expect(dead_code, reason = "for liveness in plans; proved by poisoning"))]
impl Reads {
    pub(crate) const NOTHING: Self = Self(0);
    pub(crate) const OUTPUT: Self = Self(1);
    pub(crate) const FIRST: Self = Self(2);
    pub(crate) const SECOND: Self = Self(4);
    pub(crate) const THIRD: Self = Self(8);

    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    pub(crate) const fn reads_output(self) -> bool {
        self.0 & 1 != 0
    }
    pub(crate) fn reads_operand(self, position: usize) -> bool {
        position < 7 && self.0 & (2 << position) != 0
    }
}

/// Where a derivative rule stands: the operands, the result and its cotangent. Values that the
/// rule reads by shape alone go through the same accessors.
pub(crate) struct Site<'a, V> {
    pub(crate) operands: &'a [&'a V],
    pub(crate) output: &'a V,
    pub(crate) cotangent: &'a V,
}

/// One operation. Each implementor is a file: its card.
pub(crate) trait Operation: Clone + Debug + PartialEq {
    /// The name that text and messages print.
    const NAME: &'static str;
    /// The operation in a line, for the generated table.
    const SUMMARY: &'static str;
    /// The numbered constraints on operands and attributes: `C1` first.
    const CONSTRAINTS: &'static [&'static str] = &[];
    /// The number of operands, `None` where it varies.
    const ARITY: Option<usize>;

    /// The result's shape.
    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation>;

    /// The definition.
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P;

    /// What computes the result, as data, from operands of these shapes.
    fn lower(&self, operands: &[&Shape]) -> Lowered;

    /// Whether the operand at `position` can receive a cotangent.
    fn differentiable(&self, position: usize) -> bool {
        let _ = position;
        true
    }

    /// Whether the derivative rule makes a number of the extent of an operand's `axis` (of `rank`),
    /// which is then part of what `differentiate` records.
    fn counts(&self, position: usize, axis: usize, rank: usize) -> bool {
        let _ = (position, axis, rank);
        false
    }

    /// The position of the operand that must be a selection, and the constraint that says so.
    fn selection(&self) -> Option<(usize, u8)> {
        None
    }

    /// What the rule for the operand at `position` reads.
    fn reads(&self, position: usize) -> Reads {
        let _ = position;
        Reads::NOTHING
    }

    /// The cotangent's contribution to the operand at `position`, where it is differentiable.
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, position: usize) -> A::Value;

    /// Hands the contribution to each operand whose position is `asked` for to `take`, in ascending
    /// order. An operation whose rule counts along its operands does so here, once for all of them.
    #[inline]
    fn vjp_each<A: Algebra>(
        &self,
        cx: &A,
        site: &Site<'_, A::Value>,
        asked: impl Fn(usize) -> bool,
        mut take: impl FnMut(usize, A::Value),
    ) {
        for position in (0..site.operands.len()).filter(|&position| asked(position)) {
            take(position, self.vjp(cx, site, position));
        }
    }

    /// The request, as text prints it.
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        Vec::new()
    }

    /// The operation that printed these attributes.
    fn from_attributes(attributes: &Attributes) -> Option<Self>;
}
