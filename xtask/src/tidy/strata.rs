//! Strata: a module of the crate uses its own stratum and those below it, never one above.

use super::{Violation, paths, source::Source};

/// The strata from the bottom up; the modules of one stratum may use each other.
const STRATA: [&[&str]; 9] = [
    &["math"],
    &["kernel", "backend"],
    &["payload"],
    &["graph", "ops"],
    &["engine"],
    &["plan"],
    &["text", "emit", "draw"],
    &["neural"],
    // The last two are documentation and its tests, in no build of the library.
    &["notebook", "documents", "misuse"],
];

/// Modules written with nothing but what every user of the crate has.
const PUBLIC_ALONE: [&str; 2] = ["neural", "notebook"];

/// Parts of `ops` that hold single operations, which a plan must not name outside its patterns.
const CARDS: [&str; 7] =
    ["contract", "elementwise", "index", "movement", "reduce", "source", "window"];

/// Uses against the rule that are right all the same: file, module used, and why.
const EXCEPTIONS: [(&str, &str, &str); 0] = [];

/// Every use of a higher stratum, and every module without a place in the table.
pub fn check(sources: &[Source]) -> Vec<Violation> {
    let lib = sources.iter().find(|source| source.path == "src/lib.rs");
    let exports = lib.map(paths::reexports).unwrap_or_default();
    let mut violations = Vec::new();
    let mut used = vec![false; EXCEPTIONS.len()];
    for source in sources.iter().filter(|source| source.is_rust() && !source.is_test()) {
        let Some(&module) = source.module().as_deref().and_then(<[&str]>::first) else { continue };
        let Some(own) = stratum(module) else {
            let message = format!(
                "module `{module}` has no place in the table of strata (xtask/src/tidy/strata.rs)"
            );
            violations.push(Violation::new(&source.path, 1, message));
            continue;
        };
        for named in paths::from_root(source) {
            let Some(first) = named.path.first() else { continue };
            let behind = exports.iter().find(|(name, _)| name == first).map(|(_, path)| path);
            let target = behind.and_then(|path| path.first()).unwrap_or(first);
            let message = match stratum(target) {
                Some(other) if other > own => {
                    format!("`{module}` uses `{target}`, which stands above it")
                }
                Some(_)
                    if PUBLIC_ALONE.contains(&module) && target != module && behind.is_none() =>
                {
                    format!(
                        "`{module}` uses `crate::{target}`; it may use only what the crate exports"
                    )
                }
                Some(_) if names_a_card(source, &named.path) => {
                    format!(
                        "a plan names the operation `{}` outside `patterns/`",
                        named.path.join("::")
                    )
                }
                Some(_) => continue,
                None if named.through_super || behind.is_some() || !is_module(target) => continue,
                None => format!("`crate::{target}` has no place in the table of strata"),
            };
            match EXCEPTIONS
                .iter()
                .position(|(path, to, _)| *path == source.path && *to == target.as_str())
            {
                Some(index) => used[index] = true,
                None => violations.push(Violation::new(&source.path, named.line, message)),
            }
        }
    }
    for ((path, target, why), _) in EXCEPTIONS.iter().zip(used).filter(|(_, used)| !used) {
        let message = format!("the exception for `{target}` ({why}) is needed no more");
        violations.push(Violation::new(path, 1, message));
    }
    violations
}

fn stratum(module: &str) -> Option<usize> {
    STRATA.iter().position(|modules| modules.contains(&module))
}

fn names_a_card(source: &Source, path: &[String]) -> bool {
    let plan =
        source.path.starts_with("src/plan/") && !source.path.starts_with("src/plan/patterns");
    let card = |part: &String| CARDS.contains(&part.as_str());
    plan && path.first().is_some_and(|part| part == "ops") && path.get(1).is_some_and(card)
}

/// Modules are in lower case; types and traits, which the compiler resolves, are not.
fn is_module(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, text: &str) -> Vec<String> {
        let lib = Source::new("src/lib.rs", "pub use plan::Plan;\npub use graph::Network;\n");
        check(&[lib, Source::new(path, text)]).iter().map(Violation::to_string).collect()
    }

    #[test]
    fn a_use_upwards_is_refused_and_downwards_is_not() {
        let messages_of = |text| messages("src/engine/forward.rs", text);
        assert_eq!(
            messages_of("\nuse crate::plan::Plan;"),
            ["src/engine/forward.rs:2: `engine` uses `plan`, which stands above it"]
        );
        assert!(messages_of("use crate::{graph, kernel, math::exp, engine::field};").is_empty());
        assert!(messages("src/graph/value.rs", "use crate::ops::Operation;").is_empty());
    }

    #[test]
    fn a_use_through_the_root_or_through_super_is_seen() {
        assert_eq!(messages("src/engine/forward.rs", "use crate::Plan;").len(), 1);
        assert_eq!(messages("src/engine/mod.rs", "use super::plan::Plan;").len(), 1);
        assert!(messages("src/plan/mod.rs", "use crate::{Network, Plan};").is_empty());
    }

    #[test]
    fn neural_uses_what_the_crate_exports() {
        assert!(messages("src/neural/layer.rs", "use crate::{Network, neural::init};").is_empty());
        assert_eq!(messages("src/neural/layer.rs", "use crate::graph::Network;").len(), 1);
    }

    #[test]
    fn a_plan_names_operations_in_its_patterns_alone() {
        assert_eq!(messages("src/plan/schedule.rs", "use crate::ops::reduce::Sum;").len(), 1);
        assert!(messages("src/plan/schedule.rs", "use crate::ops::Operation;").is_empty());
        assert!(messages("src/plan/patterns/row.rs", "use crate::ops::reduce::Sum;").is_empty());
    }

    #[test]
    fn a_module_must_have_a_place() {
        assert_eq!(messages("src/misc/a.rs", "").len(), 1);
        assert_eq!(messages("src/plan/a.rs", "use crate::misc::b;").len(), 1);
    }
}
