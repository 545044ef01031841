//! `Report`: what a pass did, in its own words, for the description of a plan.

/// What one pass did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// The pass.
    pub pass: &'static str,
    /// Whether it ran, or was switched off.
    pub ran: bool,
    /// What it did, in a line.
    pub summary: String,
    /// What it did not do, and why, a line each.
    pub notes: Vec<String>,
}

impl Report {
    /// A pass that ran.
    pub(crate) fn new(pass: &'static str, summary: String) -> Self {
        Self { pass, ran: true, summary, notes: Vec::new() }
    }

    /// A pass that was switched off.
    pub(crate) fn skipped(pass: &'static str) -> Self {
        Self { pass, ran: false, summary: String::from("switched off"), notes: Vec::new() }
    }
}
