//! `Options`: what a plan was asked to be.

use super::passes::Pass;
use crate::kernel::Numerics;

/// The labelled options behind [`Compile`](crate::Compile).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    /// Passes that are left out.
    pub(crate) off: Vec<Pass>,
    /// How many of the passes that may be switched off run at most, for bisection.
    pub(crate) limit: Option<usize>,
    /// What the backward half computes again.
    pub(crate) rematerialise: Rematerialise,
    /// How products round.
    pub(crate) numerics: Numerics,
    /// How many threads a step may be split over, at most.
    pub(crate) threads: Option<usize>,
    /// Bytes of the cache that bands stay in.
    pub(crate) cache: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            off: Vec::new(),
            limit: None,
            rematerialise: Rematerialise::default(),
            numerics: Numerics::default(),
            threads: None,
            cache: CACHE,
        }
    }
}

/// COST: a second-level cache: 1 MiB on AMD Zen 5, where the workloads were measured.
const CACHE: usize = 1 << 20;

/// What the backward half computes again instead of keeping it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Rematerialise {
    #[default]
    Nothing,
    /// As much as makes the memory smallest.
    Compact,
    /// As little as keeps the memory within so many bytes.
    Budget(u64),
}
