//! `Options`: what a plan was asked to be.

use super::passes::Pass;

/// The labelled options behind [`Compile`](crate::Compile).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Options {
    /// Passes that are left out.
    pub(crate) off: Vec<Pass>,
    /// How many of the passes that may be switched off run at most, for bisection.
    pub(crate) limit: Option<usize>,
    /// How many threads a step may be split over, at most.
    pub(crate) threads: Option<usize>,
}
