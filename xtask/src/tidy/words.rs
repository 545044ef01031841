//! Words that have no place in the repository: notes to oneself, names of machines, talk of how it is made.

use super::{Violation, source::Source};

/// How a word is recognised.
enum Match {
    /// As it stands, anywhere.
    Part,
    /// Whole and in any case.
    Word,
}

/// Each in two pieces, so that this file passes its own check.
const BANNED: [(&str, &str, Match, &str); 21] = [
    ("TO", "DO", Match::Part, "finish it, or file it where work is planned"),
    ("FIX", "ME", Match::Part, "finish it, or file it where work is planned"),
    ("XX", "X", Match::Part, "finish it, or file it where work is planned"),
    ("todo", "!(", Match::Part, "finish it"),
    ("unimplemented", "!(", Match::Part, "finish it"),
    ("dbg", "!(", Match::Part, "left over from a search for a mistake"),
    ("crates", ".io/", Match::Part, HOST),
    ("index.crates", ".io", Match::Part, HOST),
    ("pypi", ".org", Match::Part, HOST),
    ("python", "hosted", Match::Part, HOST),
    ("npm", "js.", Match::Part, HOST),
    ("debian", ".org", Match::Part, HOST),
    ("golang", ".org", Match::Part, HOST),
    ("issue", " #", Match::Word, ABOUT_ITSELF),
    ("age", "nt", Match::Word, ABOUT_ITSELF),
    ("age", "nts", Match::Word, ABOUT_ITSELF),
    ("sess", "ion", Match::Word, ABOUT_ITSELF),
    ("sess", "ions", Match::Word, ABOUT_ITSELF),
    ("/wo", "rk/", Match::Part, "a path of one machine"),
    ("../sha", "red", Match::Part, "a path outside the repository"),
    ("language ", "model wrote", Match::Word, ABOUT_ITSELF),
];

const HOST: &str = "packages are named, never the machine that serves them";
const ABOUT_ITSELF: &str = "the documents speak of the project, not of how it is made";

/// Phrases in which such a word is meant otherwise.
const MEANT: [(&str, &str); 3] =
    [("user ag", "ent"), ("notebook sess", "ion"), ("evcxr sess", "ion")];

/// The one file that knows of a folder beside the checkout.
const BESIDE: (&str, &str) = (".ci/run", "../sha");

/// Every line with such a word.
pub fn check(sources: &[Source]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for source in sources {
        for (number, line) in source.lines() {
            let mut lower = line.to_lowercase();
            for (head, tail) in MEANT {
                lower = lower.replace(&format!("{head}{tail}"), "");
            }
            for (head, tail, how, why) in &BANNED {
                if source.path == BESIDE.0 && *head == BESIDE.1 {
                    continue;
                }
                let word = format!("{head}{tail}");
                let found = match how {
                    Match::Part => line.contains(&word),
                    Match::Word => has_word(&lower, &word),
                };
                if found {
                    violations.push(Violation::new(
                        &source.path,
                        number,
                        format!("`{word}`: {why}"),
                    ));
                }
            }
        }
    }
    violations
}

fn has_word(text: &str, word: &str) -> bool {
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let open = word.ends_with(|c: char| !letter(c));
        let before = text[..at].chars().next_back().is_some_and(letter);
        let after = text[at + word.len()..].chars().next().is_some_and(letter);
        !before && (open || !after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        check(&[Source::new(path, text)]).len()
    }

    #[test]
    fn words_are_found_whole_and_in_any_case() {
        for (head, tail, ..) in &BANNED {
            assert_eq!(found("docs/a.md", &format!("x {head}{tail} 7")).min(1), 1, "{head}{tail}");
        }
        assert_eq!(found("docs/a.md", concat!("The Age", "nt of change")), 1);
        assert_eq!(
            found("docs/a.md", "a reagent, the obsession, an issue, 4 tissues, a shared buffer"),
            0
        );
    }

    #[test]
    fn a_phrase_that_means_something_else_passes() {
        assert_eq!(found("docs/a.md", concat!("in a notebook sess", "ion")), 0);
        assert_eq!(found("zoo/src/a.rs", concat!("the user age", "nt of a download")), 0);
    }

    #[test]
    fn one_script_knows_of_a_folder_beside_the_checkout() {
        let line = concat!("data=../sha", "red/data");
        assert_eq!(found(".ci/run", line), 0);
        assert_eq!(found("tools/a.sh", line), 1);
    }
}
