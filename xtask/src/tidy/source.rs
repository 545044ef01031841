//! The text files of the repository, and where in a Rust file the tests are.

use std::{collections::BTreeSet, fs, path::Path};

use crate::run::Outcome;

/// Folders with nothing of ours to read.
const SKIPPED: [&str; 4] = ["target", ".git", "corpus", "artifacts"];

/// Endings of the files that people write.
const TEXTS: [&str; 7] = ["rs", "md", "toml", "yml", "yaml", "py", "sh"];

/// One file: its path from the root, with `/` between folders, and its text.
#[derive(Clone, Debug)]
pub struct Source {
    pub path: String,
    pub text: String,
}

/// All text files under `root`, sorted by path.
pub fn read(root: &Path) -> Outcome<Vec<Source>> {
    let mut sources = Vec::new();
    visit(root, "", &mut sources)
        .map_err(|error| format!("xtask: can't read the sources: {error}"))?;
    sources.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}

fn visit(folder: &Path, prefix: &str, sources: &mut Vec<Source>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if entry.file_type()?.is_dir() {
            if !SKIPPED.contains(&name.as_str()) {
                visit(&entry.path(), &format!("{path}/"), sources)?;
            }
        } else if is_text(&path) {
            sources.push(Source { path, text: fs::read_to_string(entry.path())? });
        }
    }
    Ok(())
}

fn is_text(path: &str) -> bool {
    let script = path.starts_with("tools/") || path.starts_with(".ci/");
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    TEXTS.contains(&ending) || (script && !path.ends_with(".pyc"))
}

impl Source {
    #[cfg(test)]
    pub fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    /// Whether this is Rust.
    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether the whole file serves tests alone: under a `tests` folder, or the `tests` or `testing`
    /// module of another file.
    pub fn is_test(&self) -> bool {
        self.path
            .split('/')
            .any(|part| matches!(part, "tests" | "tests.rs" | "testing" | "testing.rs"))
    }

    /// The module that a file under `src/` is in: `["kernel", "map"]` for `src/kernel/map.rs`.
    pub fn module(&self) -> Option<Vec<&str>> {
        let path = self.path.strip_prefix("src/")?.strip_suffix(".rs")?;
        let mut parts: Vec<&str> = path.split('/').collect();
        if matches!(parts.last(), Some(&("mod" | "lib"))) {
            parts.pop();
        }
        Some(parts)
    }

    /// The operation whose card this is: `sum` for `src/ops/reduce/sum.rs`. Composites are no cards, they
    /// record operations that have one; nor are the macros that write cards.
    pub fn operation(&self) -> Option<&str> {
        let path = self.path.strip_prefix("src/ops/")?.strip_suffix(".rs")?;
        let (group, operation) = path.split_once('/')?;
        let helper = matches!(operation, "mod" | "tests") || operation.ends_with("_macros");
        (group != "composite" && !helper && !operation.contains('/')).then_some(operation)
    }

    /// The lines outside `#[cfg(test)]` items, with their numbers from 1.
    pub fn code(&self) -> Vec<(usize, &str)> {
        let tested = self.test_lines();
        self.lines().filter(|(number, _)| !tested.contains(number)).collect()
    }

    /// All lines, with their numbers from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// The numbers of the lines inside `#[cfg(test)]` items. Formatted code ends an item that begins with
    /// a brace at the first `}` that is indented like its attribute.
    fn test_lines(&self) -> BTreeSet<usize> {
        let mut tested = BTreeSet::new();
        let mut lines = self.lines();
        while let Some((number, line)) = lines.next() {
            let code = line.trim_start();
            if !code.starts_with("#[cfg(test)]") && !code.starts_with("#[cfg(all(test") {
                continue;
            }
            let end = format!("{}}}", &line[..line.len() - code.len()]);
            tested.insert(number);
            let mut opened = false;
            for (number, line) in lines.by_ref() {
                tested.insert(number);
                opened |= line.trim_end().ends_with('{');
                let whole =
                    !opened && (line.trim_end().ends_with(';') || line.trim_end().ends_with('}'));
                if whole || (opened && line.trim_end() == end) {
                    break;
                }
            }
        }
        tested
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_items_are_not_code() {
        let text = "\
//! A.
#[cfg(test)]
use b::c;
fn d() {
    #[cfg(test)]
    {
        e();
    }
}
#[cfg(test)]
mod tests;
#[cfg(test)]
#[path = \"x.rs\"]
mod tests {
    fn f() {
    }
}
fn g() {}
";
        let source = Source::new("src/a.rs", text);
        let code: Vec<&str> = source.code().into_iter().map(|(_, line)| line).collect();
        assert_eq!(code, ["//! A.", "fn d() {", "}", "fn g() {}"]);
    }

    #[test]
    fn modules_follow_from_paths() {
        let module = |path| Source::new(path, "").module().map(|parts| parts.join("::"));
        assert_eq!(module("src/kernel/map.rs").as_deref(), Some("kernel::map"));
        assert_eq!(module("src/kernel/mod.rs").as_deref(), Some("kernel"));
        assert_eq!(module("src/lib.rs").as_deref(), Some(""));
        assert_eq!(module("zoo/src/lib.rs"), None);
    }

    #[test]
    fn test_files_are_known_by_their_place() {
        for path in [
            "tests/suite/a.rs",
            "src/math/tests.rs",
            "src/math/tests/exp.rs",
            "src/kernel/testing.rs",
        ] {
            assert!(Source::new(path, "").is_test(), "{path}");
        }
        assert!(!Source::new("src/text/test.rs", "").is_test());
    }
}
