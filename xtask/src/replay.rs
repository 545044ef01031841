//! The plans of the example networks at two commits, side by side: a refactoring shows no difference.
//!
//! Each commit is checked out into a folder of its own, where its own program prints what its own crate
//! makes of its own networks (`zoo/src/bin/describe.rs`); the folders are gone afterwards. A commit that
//! is older than the program cannot be compared.
//!
//! INVARIANT: the repository is as it was, but for a folder of build results.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    ci::target,
    run::{Outcome, heading, root},
};

/// What prints the plans.
const PROGRAM: &str = "zoo/src/bin/describe.rs";

/// Compares the plans of the commit `old` with those of `new`, or of the files at hand.
pub fn replay(old: &str, new: Option<&str>) -> Outcome {
    let folder = std::env::temp_dir().join(format!("poorgrad-replay-{}", std::process::id()));
    // Commits that cannot be compared are named before anything is built.
    let old = (old, commit(old)?);
    let new = new.map(|name| Ok::<_, String>((name, commit(name)?))).transpose()?;
    fs::create_dir_all(&folder).map_err(|error| format!("xtask: {}: {error}", folder.display()))?;
    let guard = Folder(folder);
    let before = printed_at(&guard.0.join("old"), &old)?;
    let after = match &new {
        Some(new) => printed_at(&guard.0.join("new"), new)?,
        None => printed(&root(), "the files at hand")?,
    };
    let same = before == after;
    let name = new.map_or("the files at hand", |(name, _)| name);
    heading(&format!("plans at {} and of {name}", old.0));
    if same {
        println!("no difference in {} lines", after.lines().count());
        return Ok(());
    }
    let files = [("old", before), ("new", after)].map(|(side, text)| {
        let file = guard.0.join(format!("{side}.txt"));
        fs::write(&file, text).map(|()| file).map_err(|error| format!("xtask: {error}"))
    });
    let [before, after] = files;
    // Its exit says that they differ, which is known.
    let mut diff = git();
    diff.args(["--no-pager", "diff", "--no-index", "--unified=2"]).args([before?, after?]);
    diff.status().map_err(|error| format!("xtask: git: {error}"))?;
    Err(format!("xtask: the plans at {} and of {name} differ", old.0))
}

/// The commit of a name, which must have the program.
fn commit(name: &str) -> Outcome<String> {
    let parsed = asked(
        git()
            .args(["rev-parse", "--verify", "--quiet", "--end-of-options"])
            .arg(format!("{name}^{{commit}}")),
    );
    let Some(id) = parsed else {
        return Err(format!("xtask: `{name}` names no commit of this repository"));
    };
    if has_program(&id) {
        return Ok(id);
    }
    Err(format!(
        "xtask: `{name}` has no {PROGRAM}, which prints the plans: `replay` compares commits from the \
         one on that brought it"
    ))
}

/// Whether a commit has the program.
fn has_program(id: &str) -> bool {
    asked(git().args(["cat-file", "-e"]).arg(format!("{id}:{PROGRAM}"))).is_some()
}

/// What the program of a commit prints.
fn printed_at(folder: &Path, (name, id): &(&str, String)) -> Outcome<String> {
    let added = git().args(["worktree", "add", "--quiet", "--detach"]).arg(folder).arg(id).status();
    if !added.is_ok_and(|status| status.success()) {
        return Err(format!("xtask: `{name}` cannot be checked out into {}", folder.display()));
    }
    printed(folder, name)
}

/// What the program in a checkout prints, without the numbers of source lines: code moves.
fn printed(folder: &Path, name: &str) -> Outcome<String> {
    heading(&format!("plans of {name}"));
    let cargo = || {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        // One folder for both: what they depend on is built once.
        command.current_dir(folder).env("CARGO_TARGET_DIR", target().join("replay"));
        command
    };
    // A checkout is told from another by the times of its files alone: the other's results would be
    // taken for its own.
    let forgotten =
        cargo().args(["clean", "--quiet", "--package", "zoo", "--package", "poorgrad"]).status();
    if !forgotten.is_ok_and(|status| status.success()) {
        return Err(format!("xtask: what was built before {name} is in the way"));
    }
    let mut command = cargo();
    command.args([
        "run",
        "--quiet",
        "--package",
        "zoo",
        "--no-default-features",
        "--bin",
        "describe",
    ]);
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("xtask: cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("xtask: the plans of {name} were not printed ({})", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(placeless).collect())
}

/// A line with the files of source lines alone: `src/main.rs:7:13` is `src/main.rs`.
fn placeless(line: &str) -> String {
    let mut text = String::with_capacity(line.len() + 1);
    let mut rest = line;
    while let Some(at) = rest.find(".rs:") {
        let (front, back) = rest.split_at(at + 3);
        let numbers = back.find(|c: char| c != ':' && !c.is_ascii_digit()).unwrap_or(back.len());
        text.push_str(front);
        rest = &back[numbers..];
    }
    text.push_str(rest);
    text.push('\n');
    text
}

fn git() -> Command {
    let mut command = Command::new("git");
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// What git answers, where it has an answer.
fn asked(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A folder of checkouts, gone when it is dropped.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
        let _ = asked(git().args(["worktree", "prune"]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_source_lines_are_left_out() {
        let line = "  %3 = add %1, %2 : [2]  zoo/src/models.rs:43:17 and src/neural/loss.rs:9:5";
        let bare = "  %3 = add %1, %2 : [2]  zoo/src/models.rs and src/neural/loss.rs\n";
        assert_eq!(placeless(line), bare);
        assert_eq!(placeless("no place: 1:2"), "no place: 1:2\n");
    }

    #[test]
    fn what_cannot_be_compared_is_named() {
        let error = replay("no-such-commit", None).unwrap_err();
        assert!(error.contains("`no-such-commit` names no commit"), "{error}");
        assert!(commit("--help").is_err());
        // The empty tree, which git knows without being told, has no program.
        assert!(!has_program("4b825dc642cb6eb9a060e54bf8d69288fbee4904"));
    }
}
