//! The crate's Cargo.toml, as far as the checks need it: its features and what it is built from.

use std::{collections::BTreeSet, fs};

use crate::run::{Outcome, root};

/// The text of a manifest.
#[derive(Clone, Debug)]
pub struct Manifest {
    text: String,
}

/// The manifest of the published crate.
pub fn read() -> Outcome<Manifest> {
    let path = root().join("Cargo.toml");
    let text = fs::read_to_string(path)
        .map_err(|error| format!("xtask: can't read Cargo.toml: {error}"))?;
    Ok(Manifest { text })
}

impl Manifest {
    #[cfg(test)]
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned() }
    }

    /// Whether the manifest holds these words.
    pub fn mentions(&self, words: &str) -> bool {
        self.text.contains(words)
    }

    /// The features that can be turned on alone.
    pub fn features(&self) -> BTreeSet<&str> {
        let features = self.entries().filter(|(table, _)| *table == "features").map(|(_, key)| key);
        features.filter(|key| *key != "default").collect()
    }

    /// The packages that a user's build of the crate takes in, on any platform and with any feature.
    pub fn runtime(&self) -> BTreeSet<&str> {
        let mut packages = BTreeSet::new();
        for (table, key) in self.entries() {
            // The model checker is built under a flag that only its tests set.
            if table.contains("cfg(loom)") {
                continue;
            }
            if table == "dependencies"
                || (table.starts_with("target.") && table.ends_with(".dependencies"))
            {
                packages.insert(key);
            }
        }
        let own_table = |table: &'_ str| table.starts_with("dependencies.");
        packages.extend(
            self.tables()
                .filter(|table| own_table(table))
                .filter_map(|table| table.rsplit('.').next()),
        );
        packages
    }

    fn tables(&self) -> impl Iterator<Item = &str> {
        self.text.lines().filter_map(table)
    }

    /// Each `key = ..` with the table it stands in.
    fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut current = "";
        self.text.lines().filter_map(move |line| {
            if let Some(table) = table(line) {
                current = table;
                return None;
            }
            let (key, _) = line.split_once('=')?;
            let key = key.trim_end().trim_end_matches(".workspace");
            let plain =
                !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
            plain.then_some((current, key))
        })
    }
}

fn table(line: &str) -> Option<&str> {
    line.trim().strip_prefix('[')?.strip_suffix(']')
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
[package]
name = \"a\"
[features]
default = [\"x\"]
# comment = 1
x = []
y = [
  \"dep:z\",
]
[dependencies]
b = \"1\"
c = { version = \"1\", features = [\"d\"] }
[dependencies.e]
version = \"1\"
[target.'cfg(unix)'.dependencies]
f = \"1\"
[target.'cfg(loom)'.dependencies]
loom = \"0.7\"
[dev-dependencies]
g = \"1\"
";

    #[test]
    fn features_and_packages_are_read() {
        let manifest = Manifest::new(TEXT);
        assert_eq!(manifest.features().into_iter().collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(manifest.runtime().into_iter().collect::<Vec<_>>(), ["b", "c", "e", "f"]);
        assert!(manifest.mentions("cfg(loom)"));
    }
}
