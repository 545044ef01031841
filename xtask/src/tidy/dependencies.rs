//! Dependencies are few and chosen: a new one is a decision, written down here and in ARCHITECTURE.md.
//! The table of operations, where there is one, knows every card.

use super::{Violation, manifest::Manifest, source::Source};

/// What the published crate is built from.
const RUNTIME: [&str; 11] = [
    "bytemuck",
    "memmap2",
    "miniz_oxide",
    "pulp",
    "rawzip",
    "rayon",
    "rustc-hash",
    "serde",
    "serde_json",
    "smallvec",
    "xxhash-rust",
];

/// Packages that were not decided on, decisions without a package, and gaps in the documents.
pub fn check(sources: &[Source], manifest: &Manifest) -> Vec<Violation> {
    compare(sources, manifest, &RUNTIME)
}

fn compare(sources: &[Source], manifest: &Manifest, decided: &[&str]) -> Vec<Violation> {
    let mut violations = Vec::new();
    let built = manifest.runtime();
    for package in built.iter().filter(|package| !decided.contains(package)) {
        let message =
            format!("`{package}` is no decided dependency (xtask/src/tidy/dependencies.rs)");
        violations.push(Violation::new("Cargo.toml", 1, message));
    }
    for package in decided.iter().filter(|package| !built.contains(**package)) {
        violations.push(Violation::new(
            "Cargo.toml",
            1,
            format!("`{package}` is decided on, but not built with"),
        ));
    }
    let text = |path: &str| {
        sources.iter().find(|source| source.path == path).map(|source| source.text.as_str())
    };
    match text("ARCHITECTURE.md") {
        None => violations.push(Violation::new("ARCHITECTURE.md", 1, "is missing")),
        Some(architecture) => {
            for package in built.iter().filter(|package| !architecture.contains(**package)) {
                let message = format!("says nothing of the dependency `{package}`");
                violations.push(Violation::new("ARCHITECTURE.md", 1, message));
            }
        }
    }
    if let Some(operations) = text("docs/OPERATIONS.md") {
        for operation in sources.iter().filter_map(Source::operation) {
            if !operations.contains(&format!("`{operation}`")) {
                let message = format!("knows no `{operation}`; run `cargo xtask ops`");
                violations.push(Violation::new("docs/OPERATIONS.md", 1, message));
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(dependencies: &str, documents: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> =
            documents.iter().map(|(path, text)| Source::new(path, text)).collect();
        let manifest = Manifest::new(&format!("[dependencies]\n{dependencies}"));
        compare(&sources, &manifest, &["hash"]).iter().map(Violation::to_string).collect()
    }

    #[test]
    fn dependencies_are_the_decided_and_described_ones() {
        let described = ("ARCHITECTURE.md", "We use `hash` and `other`.");
        assert!(found("hash = \"1\"\n", &[described]).is_empty());
        assert_eq!(found("hash = \"1\"\nother = \"1\"\n", &[described]).len(), 1);
        assert_eq!(found("", &[described]).len(), 1);
        assert_eq!(found("hash = \"1\"\n", &[("ARCHITECTURE.md", "")]).len(), 1);
        assert_eq!(found("hash = \"1\"\n", &[]).len(), 1);
    }

    #[test]
    fn the_table_of_operations_knows_every_card() {
        let described = ("ARCHITECTURE.md", "hash");
        let card = ("src/ops/reduce/sum.rs", "");
        let helpers = ("src/ops/reduce/mod.rs", "");
        let with = |table| {
            found("hash = \"1\"\n", &[described, card, helpers, ("docs/OPERATIONS.md", table)])
        };
        assert!(with("| `sum` |").is_empty());
        assert_eq!(with("| `sum_along` |").len(), 1);
    }
}
