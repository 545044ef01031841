//! The documents link to each other in the repository and in the crate's documentation alike.

use std::fs;
use std::path::{Path, PathBuf};

/// Documents, and the source that shows each.
fn documents() -> Vec<(PathBuf, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = ["lib.rs", "documents.rs"].map(|file| root.join("src").join(file));
    let included = |source: PathBuf| {
        let text = fs::read_to_string(&source).expect("a source of the crate");
        let paths = text.split("include_str!(\"../").skip(1).map(|rest| {
            let path = rest.split('"').next().expect("a path in quotes");
            (root.join(path), source.clone())
        });
        paths.collect::<Vec<_>>()
    };
    sources.into_iter().flat_map(included).collect()
}

/// The definitions of links in a text, `[label]: target`.
fn definitions(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let line = |line| str::strip_prefix(line, "[")?.split_once("]: ");
    text.lines().filter_map(line)
}

#[test]
fn every_link_of_a_document_leads_somewhere_in_both_places() {
    let documents = documents();
    assert!(documents.len() > 20, "{documents:?}");
    for (document, source) in documents {
        let text = fs::read_to_string(&document).expect("an included document");
        let shown = fs::read_to_string(&source).expect("a source of the crate");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let elsewhere = target.starts_with("http") || target.starts_with('#');
            assert!(elsewhere, "{}: `{target}` is dead in rustdoc", document.display());
        }
        for (label, target) in definitions(&text).filter(|(_, path)| !path.starts_with("http")) {
            let path = document.parent().expect("a folder").join(target);
            assert!(path.exists(), "{}: no {target}", document.display());
            // The definition that wins in rustdoc stands beside the include.
            assert!(shown.contains(&format!("[{label}]: ")), "{}: {label}", source.display());
        }
    }
}
