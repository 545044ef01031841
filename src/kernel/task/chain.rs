//! Several element-wise functions of a run of elements.

use crate::kernel::chain::{Op, Slot};
use std::fmt;

/// Several element-wise functions, one after another, of a run of elements: see
/// [`Elementary::chain`](crate::Elementary::chain).
#[non_exhaustive]
pub struct ChainTask<'t, 's, E> {
    /// How many elements each function is taken of.
    pub count: usize,
    pub(crate) ops: &'t [Op],
    pub(crate) slots: &'t mut [Slot<'s, E>],
}

impl<E> fmt::Debug for ChainTask<'_, '_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, ops, slots } = self;
        let mut debug = f.debug_struct("ChainTask");
        debug.field("count", count).field("ops", ops).field("slots", &slots.len()).finish()
    }
}
