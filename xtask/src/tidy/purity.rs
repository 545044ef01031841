//! Below `neural` the crate reads no clock, file, environment or chance: results are functions of inputs.

use super::{Violation, source::Source};

/// What reaches outside.
const OUTSIDE: [&str; 7] =
    ["std::time", "std::env", "std::fs", "std::net", "std::process", "std::thread", "RandomState"];

/// Modules that may reach outside: they stand above the pipeline.
const ABOVE: [&str; 2] = ["neural", "notebook"];

/// Files below that may, and why: a profile measures time, a pool of threads asks how many there are.
const EXCEPTIONS: [&str; 2] = ["src/plan/profile.rs", "src/kernel/threads/pool.rs"];

/// Every line below `neural` that reaches outside.
pub fn check(sources: &[Source]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for source in sources.iter().filter(|source| source.is_rust() && !source.is_test()) {
        let Some(module) = source.module() else { continue };
        let above = module.first().is_some_and(|first| ABOVE.contains(first));
        if above || EXCEPTIONS.contains(&source.path.as_str()) {
            continue;
        }
        for (number, line) in source.code() {
            if line.trim_start().starts_with("//") {
                continue;
            }
            if let Some(outside) = OUTSIDE.iter().find(|outside| line.contains(**outside)) {
                let message =
                    format!("`{outside}` below `neural`: results must depend on inputs alone");
                violations.push(Violation::new(&source.path, number, message));
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_and_files_are_refused_below_neural_only() {
        let found = |path, text| check(&[Source::new(path, text)]).len();
        assert_eq!(found("src/engine/a.rs", "//! A.\nuse std::time::Instant;"), 1);
        assert_eq!(
            found("src/engine/a.rs", "// not std::fs\n#[cfg(test)]\nmod tests { use std::fs; }"),
            0
        );
        assert_eq!(found("src/plan/profile.rs", "use std::time::Instant;"), 0);
        assert_eq!(found("src/neural/checkpoint.rs", "use std::fs;"), 0);
        assert_eq!(found("zoo/src/corpus.rs", "use std::fs;"), 0);
    }
}
