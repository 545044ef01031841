//! Conventions: each name in the list that ends the specification of the operations is quoted by a
//! test, which pins it.

use super::{Violation, source::Source};

const LIST: &str = "docs/spec/3-operations.md";
const HEADING: &str = "## The conventions by name";

/// Every convention that no test under `tests/` quotes.
pub fn check(sources: &[Source]) -> Vec<Violation> {
    let Some(list) = sources.iter().find(|source| source.path == LIST) else { return Vec::new() };
    let tests = || sources.iter().filter(|source| source.path.starts_with("tests/"));
    let quoted = |name: &str| {
        let quoted = format!("`{name}`");
        tests().any(|test| test.lines().any(|(_, line)| line.contains(&quoted)))
    };
    let rows = list.lines().skip_while(|(_, line)| *line != HEADING);
    let names = rows.filter_map(|(number, line)| {
        let name = line.strip_prefix("| `")?.split_once('`')?.0;
        Some((number, name))
    });
    let unquoted = names.filter(|(_, name)| !quoted(name));
    let violation = |(number, name)| {
        let message = format!("no test quotes the convention `{name}`");
        Violation::new(LIST, number, message)
    };
    unquoted.map(violation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_convention_that_no_test_quotes_is_found() {
        let list =
            "| `add` | an operation |\n## The conventions by name\n| `a-b` | x |\n| `c-d` | y |\n";
        let sources = [
            Source::new(LIST, list),
            Source::new("tests/suite/a.rs", "/// `a-b`: it holds.\n"),
            Source::new("src/b.rs", "// `c-d`\n"),
        ];
        let found = check(&sources);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].line, found[0].message.contains("`c-d`")), (4, true));
    }
}
