//! Numbered constraints: each `C<n>` that an operation's card states has a test that breaks it.
//!
//! The test carries the number in its name: `c1_..` or `.._c1_..` in the card's own file, or
//! `matmul_c1_..` under `tests/suite/`.

use std::collections::{BTreeMap, BTreeSet};

use super::{Violation, source::Source};

/// Every constraint without a test.
pub fn check(sources: &[Source]) -> Vec<Violation> {
    let suite: Vec<&str> = sources
        .iter()
        .filter(|source| source.path.starts_with("tests/suite/"))
        .flat_map(test_names)
        .collect();
    let mut violations = Vec::new();
    for card in sources {
        let Some(operation) = card.operation() else { continue };
        let own = test_names(card);
        let start = format!("{operation}_c");
        for (number, line) in declared(card) {
            let here = own.iter().any(|name| has_part(name, &number));
            let there =
                suite.iter().any(|name| name.starts_with(&start) && has_part(name, &number));
            if !here && !there {
                let message = format!(
                    "{} of `{operation}` has no test; name one `{number}_..` here, \
                     or `{operation}_{number}_..` under tests/suite/",
                    number.to_uppercase()
                );
                violations.push(Violation::new(&card.path, line, message));
            }
        }
    }
    violations
}

/// The constraints that a card states, as `c1`, with the line that states each first: `C1: ..` in a
/// list, or `(C1)` in a message.
fn declared(card: &Source) -> BTreeMap<String, usize> {
    let mut constraints = BTreeMap::new();
    for (line_number, line) in card.code() {
        for (at, _) in line.match_indices('C') {
            let rest = &line[at + 1..];
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let stated = rest[digits..].starts_with(": ") || {
                line[..at].ends_with('(') && rest[digits..].starts_with(')')
            };
            let word = line[..at].chars().next_back().is_some_and(char::is_alphanumeric);
            if digits > 0 && stated && !word {
                constraints.entry(format!("c{}", &rest[..digits])).or_insert(line_number);
            }
        }
    }
    constraints
}

/// What may be the name of a test: functions outside the code, and in a test file also the first word of
/// a line, which is where a macro that writes tests is given their names.
fn test_names(source: &Source) -> Vec<&str> {
    let file = source.is_test();
    let code: BTreeSet<usize> = if file {
        BTreeSet::new()
    } else {
        source.code().into_iter().map(|(number, _)| number).collect()
    };
    let word =
        |text: &'_ str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    source
        .lines()
        .filter(|(number, _)| !code.contains(number))
        .filter_map(|(_, line)| {
            let line = line.trim_start();
            let name = line.strip_prefix("fn ").or(file.then_some(line))?;
            Some(&name[..word(name)])
        })
        .collect()
}

fn has_part(name: &str, part: &str) -> bool {
    name.split('_').any(|piece| piece == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARD: &str = "//! M.\nconst C: [&str; 2] = [\"C1: one\", \"C2: two\"];\n/// Where it fails (C1), (C12).\n";

    fn found(tests: &str, suite: &str) -> Vec<usize> {
        let card = format!("{CARD}#[cfg(test)]\nmod tests {{\n{tests}\n}}\n");
        let sources = [
            Source::new("src/ops/contract/matmul.rs", &card),
            Source::new("tests/suite/shapes.rs", suite),
        ];
        check(&sources).iter().map(|violation| violation.line).collect()
    }

    #[test]
    fn a_constraint_without_a_test_is_found_where_it_is_stated() {
        assert_eq!(found("", ""), [2, 3, 2]);
    }

    #[test]
    fn tests_in_the_card_or_in_the_suite_count() {
        assert_eq!(found("    fn c1_refused() {}\n    fn refuses_c2_and_c12() {}", ""), []);
        assert_eq!(
            found("    fn c1_refused() {}", "fn matmul_c2_panics() {}\nfn matmul_by_add_c12() {}"),
            [3]
        );
        assert_eq!(found("    fn c11() {}", "fn matmul_c2() {}\nfn matmul_c12() {}"), [2]);
    }

    #[test]
    fn a_macro_may_write_the_tests_of_the_suite() {
        let suite = "cases! {\n    matmul_c1_one a;\n    matmul_c2_c12_two b;\n}\n";
        assert_eq!(found("", suite), []);
    }

    #[test]
    fn other_files_state_no_constraints() {
        for path in ["src/ops/rule.rs", "src/ops/reduce/mod.rs", "src/ops/composite/shaping.rs"] {
            assert!(check(&[Source::new(path, CARD)]).is_empty(), "{path}");
        }
    }
}
