//! Patterns: groups of steps of known kinds that run as one.
//!
//! A pattern says what matches, how the group runs, and why a near miss missed. This is the one
//! place in the plan that knows particular kernels.

pub(super) mod epilogue;
pub(super) mod windows;
