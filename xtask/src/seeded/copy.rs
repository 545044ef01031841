//! A copy of the repository with faults in it. The repository's own files stay as they are.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::weave::{CHOSEN, Seed, Woven, weave};
use crate::{
    ci::target,
    run::{Outcome, root},
};

/// Faults by the file that they are in, named from the root.
pub type Seeds = BTreeMap<String, Vec<Seed>>;

/// The copy, and what was built from it.
pub struct Copy {
    pub folder: PathBuf,
    built: PathBuf,
}

/// Optimised enough for tests that loop over numbers, checked as the quick tests are, without what only a
/// debugger reads.
const PROFILE: [(&str, &str); 4] = [
    ("OPT_LEVEL", "1"),
    ("DEBUG", "false"),
    ("DEBUG_ASSERTIONS", "true"),
    ("OVERFLOW_CHECKS", "true"),
];

impl Copy {
    /// A copy with these faults, and with what chooses one of them.
    ///
    /// COST: files that are as they were are not written: what was built of them is built.
    pub fn new(seeds: &Seeds) -> Outcome<(Self, BTreeMap<String, Vec<Woven>>)> {
        let here = target().join("seeded");
        let copy = Self { folder: here.join("copy"), built: here.join("built") };
        let mut all = BTreeMap::new();
        replicate(&root(), &copy.folder, "", &mut |file, bytes| {
            let text =
                |bytes| String::from_utf8(bytes).map_err(|error| format!("xtask: {file}: {error}"));
            let bytes = match seeds.get(file) {
                Some(seeds) => {
                    let (out, woven) = weave(&text(bytes)?, seeds);
                    all.insert(file.to_owned(), woven);
                    out.into_bytes()
                }
                None => bytes,
            };
            Ok(if file == "src/lib.rs" { (text(bytes)? + CHOSEN).into_bytes() } else { bytes })
        })?;
        Ok((copy, all))
    }

    /// A cargo that works in the copy.
    pub fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(arguments).current_dir(&self.folder).env("CARGO_TARGET_DIR", &self.built);
        for profile in ["DEV", "TEST"] {
            for (setting, value) in PROFILE {
                command.env(format!("CARGO_PROFILE_{profile}_{setting}"), value);
            }
        }
        command.stdin(Stdio::null());
        command
    }

    /// The text of a file of the copy.
    pub fn text(&self, file: &str) -> Outcome<String> {
        fs::read_to_string(self.folder.join(file))
            .map_err(|error| format!("xtask: {file}: {error}"))
    }
}

/// Copies what cargo needs, each file as `change` makes it, and removes what is no longer there.
fn replicate(
    from: &Path,
    to: &Path,
    prefix: &str,
    change: &mut impl FnMut(&str, Vec<u8>) -> Outcome<Vec<u8>>,
) -> Outcome {
    let failed = |path: &Path, error: std::io::Error| format!("xtask: {}: {error}", path.display());
    fs::create_dir_all(to).map_err(|error| failed(to, error))?;
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(from).map_err(|error| failed(from, error))? {
        let entry = entry.map_err(|error| failed(from, error))?;
        let (path, name) = (entry.path(), entry.file_name());
        // What is built, wherever that is, holds the copy itself.
        if [".git", "target"].iter().any(|skipped| name == *skipped) || path == target() {
            continue;
        }
        let (copy, file) = (to.join(&name), format!("{prefix}{}", name.to_string_lossy()));
        names.insert(name);
        if path.is_dir() {
            replicate(&path, &copy, &format!("{file}/"), change)?;
            continue;
        }
        let bytes = change(&file, fs::read(&path).map_err(|error| failed(&path, error))?)?;
        if fs::read(&copy).ok().as_ref() != Some(&bytes) {
            fs::write(&copy, bytes).map_err(|error| failed(&copy, error))?;
        }
    }
    for entry in fs::read_dir(to).map_err(|error| failed(to, error))?.flatten() {
        if !names.contains(&entry.file_name()) {
            let path = entry.path();
            let gone =
                if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            gone.map_err(|error| failed(&path, error))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_what_is_there_as_it_is_changed() {
        let here = std::env::temp_dir().join(format!("poorgrad-copy-{}", std::process::id()));
        let (from, to) = (here.join("from"), here.join("to"));
        fs::create_dir_all(from.join("src")).unwrap();
        fs::create_dir_all(to.join("gone")).unwrap();
        fs::write(from.join("src/a.rs"), "a").unwrap();
        fs::write(from.join("target"), "built").unwrap();
        let mut times = Vec::new();
        for change in ["b", "b", "c"] {
            replicate(&from, &to, "", &mut |file, _| Ok([file, change].concat().into())).unwrap();
            let copied = to.join("src/a.rs");
            assert_eq!(fs::read_to_string(&copied).unwrap(), format!("src/a.rs{change}"));
            times.push(fs::metadata(copied).unwrap().modified().unwrap());
        }
        // What is the same is not written again.
        assert_eq!(times[0], times[1]);
        assert!(!to.join("gone").exists() && !to.join("target").exists());
        fs::remove_dir_all(&here).unwrap();
    }
}
