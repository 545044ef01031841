//! Files: small, opened by a `//!` that says what they are, and without tests that never run.

use super::{Violation, source::Source};

/// No file is longer than this, tests not counted.
const HARD_CAP: usize = 500;

/// Files over this are named in the report: candidates for a split.
const SOFT_CAP: usize = 300;

/// Half of the crate's files are no longer than this.
const MEDIAN_CAP: usize = 150;

/// Long files, files without an opening, ignored tests that `ci` does not know.
pub fn check(sources: &[Source]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for source in rust(sources) {
        // The crate's root may open with a document of its own.
        let opened = ["//!", "#![doc = include_str!("];
        if !opened.iter().any(|opening| source.text.starts_with(opening)) {
            violations.push(Violation::new(
                &source.path,
                1,
                "a file opens with `//!`: what it is, what it keeps",
            ));
        }
        let length = length(source);
        if length > HARD_CAP {
            let message = format!("{length} lines without tests; the cap is {HARD_CAP}");
            violations.push(Violation::new(&source.path, 1, message));
        }
        violations.extend(ignored(source));
    }
    let median = median(&lengths(sources, "src/"));
    if median > MEDIAN_CAP {
        let message = format!("the median file has {median} lines; at most {MEDIAN_CAP}");
        violations.push(Violation::new("src", 1, message));
    }
    violations
}

/// What the files measure, in a few lines.
pub fn measure(sources: &[Source]) -> String {
    let crate_lengths = lengths(sources, "src/");
    let all = lengths(sources, "");
    let mut report = format!(
        "{} files under src/, median {} lines; {} files in all, median {}",
        crate_lengths.len(),
        median(&crate_lengths),
        all.len(),
        median(&all)
    );
    for source in rust(sources).filter(|source| length(source) > SOFT_CAP) {
        report += &format!("\nlong: {} ({} lines)", source.path, length(source));
    }
    report
}

fn rust(sources: &[Source]) -> impl Iterator<Item = &Source> {
    sources.iter().filter(|source| source.is_rust())
}

/// The number of lines that are no tests.
fn length(source: &Source) -> usize {
    if source.is_test() { 0 } else { source.code().len() }
}

fn lengths(sources: &[Source], prefix: &str) -> Vec<usize> {
    let mut lengths: Vec<usize> = rust(sources)
        .filter(|source| source.path.starts_with(prefix) && !source.is_test())
        .map(length)
        .collect();
    lengths.sort_unstable();
    lengths
}

fn median(sorted: &[usize]) -> usize {
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}

/// A test is ignored only because it is heavy (`ci` runs those in release) or deep (`cargo xtask
/// deep` does), and says so.
fn ignored(source: &Source) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut lines = source.lines();
    while let Some((number, line)) = lines.next() {
        if !line.trim_start().starts_with("#[ignore") {
            continue;
        }
        let name = lines.by_ref().find_map(|(_, line)| line.trim_start().strip_prefix("fn "));
        let is = |kind: &str| {
            line.contains(&format!("#[ignore = \"{kind}: "))
                && name.is_some_and(|name| name.starts_with(&format!("{kind}_")))
        };
        if !is("heavy") && !is("deep") {
            let message = "an ignored test is named `heavy_..` and marked `#[ignore = \"heavy: ..\"]`, \
                           or `deep_..` likewise";
            violations.push(Violation::new(&source.path, number, message));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(&[Source::new(path, text)]).iter().map(Violation::to_string).collect()
    }

    #[test]
    fn a_file_without_an_opening_is_refused() {
        assert_eq!(found("zoo/src/a.rs", "fn f() {}\n").len(), 1);
        assert!(found("zoo/src/a.rs", "//! A.\nfn f() {}\n").is_empty());
    }

    #[test]
    fn length_is_counted_without_tests() {
        let body = "fn f() {}\n".repeat(499);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "    fn g() {}\n".repeat(300));
        assert!(found("zoo/src/a.rs", &format!("//! A.\n{body}{tests}")).is_empty());
        assert_eq!(found("zoo/src/a.rs", &format!("//! A.\n{body}fn h() {{}}\n{tests}")).len(), 1);
        assert!(found("tests/suite/a.rs", &format!("//! A.\n{}", body.repeat(2))).is_empty());
    }

    #[test]
    fn the_median_of_the_crate_is_capped() {
        let files = |lines: usize| {
            let text = format!("//! A.\n{}", "fn f() {}\n".repeat(lines));
            check(&[Source::new("src/a.rs", &text), Source::new("zoo/src/b.rs", "//! B.\n")])
        };
        assert!(files(149).is_empty());
        assert_eq!(files(150).len(), 1);
    }

    #[test]
    fn only_heavy_tests_are_ignored() {
        let test = |attribute: &str, name: &str| {
            format!("//! A.\n#[test]\n{attribute}\nfn {name}() {{}}\n")
        };
        assert_eq!(found("tests/a.rs", &test("#[ignore]", "slow")).len(), 1);
        assert_eq!(found("tests/a.rs", &test("#[ignore = \"heavy: minutes\"]", "slow")).len(), 1);
        assert!(
            found("tests/a.rs", &test("#[ignore = \"heavy: minutes\"]", "heavy_tapes")).is_empty()
        );
    }
}
