//! The rules of the house that no compiler checks. Each rule is a function from the sources to what
//! breaks it, so that each is tested on sources made up for it.

mod constraints;
mod conventions;
mod dependencies;
mod files;
pub mod manifest;
mod paths;
mod purity;
pub mod source;
mod strata;
mod words;

use std::fmt;

use crate::run::{Outcome, root};

/// A place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    path: String,
    line: usize,
    message: String,
}

impl Violation {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Checks the whole repository and prints what it measured.
pub fn tidy() -> Outcome {
    let sources = source::read(&root())?;
    let mut violations = files::check(&sources);
    violations.extend(strata::check(&sources));
    violations.extend(purity::check(&sources));
    violations.extend(words::check(&sources));
    violations.extend(constraints::check(&sources));
    violations.extend(conventions::check(&sources));
    violations.extend(dependencies::check(&sources, &manifest::read()?));
    println!("{}", files::measure(&sources));
    if violations.is_empty() {
        return Ok(());
    }
    violations.sort_unstable();
    let lines: Vec<String> = violations.iter().map(Violation::to_string).collect();
    Err(format!("{}\nxtask: tidy: {} violations", lines.join("\n"), lines.len()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_repository_is_tidy() {
        if let Err(message) = super::tidy() {
            panic!("{message}");
        }
    }
}
