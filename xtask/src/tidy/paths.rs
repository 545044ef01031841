//! Paths that Rust code names: `crate::a::{b, c::d}` is `a::b` and `a::c::d`.

use super::source::Source;

/// A path from the root of the crate, where it is named, and whether `super` led there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub line: usize,
    pub path: Vec<String>,
    pub through_super: bool,
}

/// Every path from the root of the crate that the code of `source` names, outside comments and tests.
pub fn from_root(source: &Source) -> Vec<Named> {
    let depth = source.module().unwrap_or_default().len();
    let code = code_text(source);
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        found.extend(named(&code, at, at + "crate::".len(), false));
    }
    let mut rest = 0;
    while let Some(offset) = code[rest..].find("super::") {
        let at = rest + offset;
        let mut end = at;
        let mut ups = 0;
        while code[end..].starts_with("super::") {
            ups += 1;
            end += "super::".len();
        }
        rest = end;
        let before = code[..at].chars().next_back();
        if ups == depth && !before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            found.extend(named(&code, at, end, true));
        }
    }
    found
}

/// What `lib.rs` re-exports: public name and the path behind it.
pub fn reexports(lib: &Source) -> Vec<(String, Vec<String>)> {
    let code = code_text(lib);
    let mut exports = Vec::new();
    for (at, start) in code.match_indices("pub use ") {
        for path in expand(&code[at + start.len()..]) {
            if let Some(name) = path.last() {
                exports.push((name.clone(), path.clone()));
            }
        }
    }
    exports
}

fn named(code: &str, at: usize, tree: usize, through_super: bool) -> Vec<Named> {
    let line = code[..at].matches('\n').count() + 1;
    expand(&code[tree..]).into_iter().map(|path| Named { line, path, through_super }).collect()
}

/// The file's code with everything else blanked, so that line numbers stay.
fn code_text(source: &Source) -> String {
    let mut lines = vec![""; source.text.lines().count()];
    for (number, line) in source.code() {
        let comment = line.trim_start().starts_with("//");
        lines[number - 1] =
            if comment { "" } else { line.split_once(" // ").map_or(line, |(code, _)| code) };
    }
    lines.join("\n")
}

/// The paths of the use tree or the plain path that `text` begins with. A macro is no path into a module.
fn expand(text: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    tree(text, &[], &mut paths);
    paths
}

/// Reads one tree, adds its paths under `prefix`, and returns how many bytes it took.
fn tree(text: &str, prefix: &[String], paths: &mut Vec<Vec<String>>) -> usize {
    let start = text.len() - text.trim_start().len();
    let rest = &text[start..];
    if let Some(group) = rest.strip_prefix('{') {
        let mut at = 0;
        while at < group.len() && !group[at..].trim_start().starts_with('}') {
            at += tree(&group[at..], prefix, paths);
            match group[at..].find([',', '}']) {
                Some(next) if group[at + next..].starts_with(',') => at += next + 1,
                _ => break,
            }
        }
        return start + 1 + at + group[at..].find('}').map_or(0, |end| end + 1);
    }
    let length =
        rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '*').unwrap_or(rest.len());
    let mut path = prefix.to_vec();
    path.push(rest[..length].to_owned());
    let after = &rest[length..];
    if let Some(deeper) = after.strip_prefix("::") {
        return start + length + 2 + tree(deeper, &path, paths);
    }
    if !after.starts_with('!') && length > 0 {
        paths.push(path);
    }
    start + length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &str, text: &str) -> Vec<String> {
        let named = from_root(&Source::new(path, text));
        named.into_iter().map(|found| format!("{} {}", found.line, found.path.join("::"))).collect()
    }

    #[test]
    fn trees_are_expanded() {
        let text =
            "use crate::{\n    kernel::{self, map::Map},\n    math,\n};\nuse crate::ops::*;\n";
        assert_eq!(
            named("src/a.rs", text),
            ["1 kernel::self", "1 kernel::map::Map", "1 math", "5 ops::*"]
        );
    }

    #[test]
    fn plain_paths_are_found_and_comments_tests_and_macros_are_not() {
        let text = "\
/// [`crate::plan`]
fn f() -> crate::payload::Shape { g(1) } // crate::plan
pub(in crate::graph) fn h() {}
crate::card! {}
#[cfg(test)]
mod tests {
    use crate::engine;
}
macro_rules! m { () => { $crate::math::exp } }
";
        let expected = ["2 payload::Shape", "3 graph", "9 math::exp"];
        assert_eq!(named("src/a/b.rs", text), expected);
    }

    #[test]
    fn super_counts_where_it_reaches_the_root() {
        assert_eq!(named("src/kernel/map.rs", "use super::super::plan::Plan;"), ["1 plan::Plan"]);
        assert_eq!(named("src/kernel/mod.rs", "use super::plan;"), ["1 plan"]);
        assert!(named("src/kernel/map.rs", "use super::walk;").is_empty());
    }

    #[test]
    fn reexports_are_read_from_the_root() {
        let lib = Source::new(
            "src/lib.rs",
            "pub use kernel::reference;\npub use payload::{Shape, x::Tensor};\n",
        );
        let exports: Vec<String> = reexports(&lib)
            .into_iter()
            .map(|(name, path)| format!("{name}={}", path.join("::")))
            .collect();
        assert_eq!(
            exports,
            ["reference=kernel::reference", "Shape=payload::Shape", "Tensor=payload::x::Tensor"]
        );
    }
}
