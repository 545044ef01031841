//! `Report`: what blame found.

use super::check::Violation;
use std::fmt;

/// Whether an operation is wrong by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Alone, on the oracle's operands, it leaves its bound.
    Operation,
    /// Alone it keeps its bound: with these nodes, which a module holds together, it does not.
    Fusion(Vec<usize>),
    /// The runner refuses the module, or ends; its message.
    Refused(String),
}

/// What is wrong, and the least that shows it.
#[derive(Clone, Debug)]
pub struct Report {
    /// The operation, its neighbours, or the module as such.
    pub verdict: Verdict,
    /// The element, in the numbering of the minimal tape; nothing where the module was not run.
    pub violation: Option<Violation>,
    /// The line of the tape, with its source line.
    pub line: String,
    /// A tape that shows it, with its operands as the inputs' defaults.
    pub tape: String,
    /// The module of that tape.
    pub module: String,
    /// How many modules were run.
    pub runs: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { verdict, violation, line, tape, module, runs } = self;
        writeln!(f, "{line}")?;
        match verdict {
            Verdict::Operation => writeln!(f, "is wrong by itself")?,
            Verdict::Fusion(nodes) => {
                let nodes: Vec<String> = nodes.iter().map(|node| format!("%{node}")).collect();
                let nodes = nodes.join(", ");
                writeln!(f, "is right by itself, and wrong in one module with {nodes}")?;
            }
            Verdict::Refused(message) => writeln!(f, "is refused: {message}")?,
        }
        if let Some(Violation { at, expected, found, ulps, bound, .. }) = violation {
            writeln!(f, "  element {at}: the runner has {found:e}, the oracle {expected:e}")?;
            let apart = (found - expected).abs();
            writeln!(f, "  {ulps} ulp, {apart:e} apart; the bound is {bound:e}")?;
        }
        write!(
            f,
            "after {runs} modules; the least that shows it, and its module:\n\n{tape}\n{module}"
        )
    }
}
