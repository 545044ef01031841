//! The checks of emitted modules by toolchains from outside: asked for, they must run.
//!
//! The tests find the tools in the environment and skip where there are none; here that is a failure,
//! and so is a run in which fewer modules were checked than there are to check.

use crate::{ci, run::Outcome};
use std::{env, fs, path::PathBuf, process::Command};

/// Where the tests write how many modules each tool has checked.
const COUNTS: &str = "POORGRAD_STABLEHLO_COUNTS";

/// The variables that name the tools, the tools as the tests name them, and the least number of
/// modules that each must have checked.
const TOOLS: [(&str, &str, usize); 3] = [
    ("POORGRAD_STABLEHLO_VALIDATOR", "Validator", 1500),
    ("POORGRAD_STABLEHLO_EVALUATOR", "Evaluator", 1500),
    ("POORGRAD_STABLEHLO_RUNNER", "Runner", 300),
];

fn folder() -> PathBuf {
    ci::target().join("stablehlo-counts")
}

/// Makes sure that the tools are named, and that nothing is counted yet.
pub fn prepare() -> Outcome {
    for (variable, _, _) in TOOLS {
        if env::var_os(variable).is_none() {
            return Err(format!(
                "xtask: `--stablehlo` needs {variable} to name a tool of tools/stablehlo; .ci/run sets it"
            ));
        }
    }
    let folder = folder();
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("xtask: {}: {error}", folder.display()))
}

/// Lets the tests that a command runs count.
pub fn counted(command: &mut Command) -> &mut Command {
    command.env(COUNTS, folder())
}

/// Leaves the checks to another command.
pub fn left_out(command: &mut Command) -> &mut Command {
    for (variable, _, _) in TOOLS {
        command.env_remove(variable);
    }
    command
}

/// Refuses a run in which a tool has checked too little.
pub fn checked() -> Outcome {
    for (_, tool, least) in TOOLS {
        let text = fs::read_to_string(folder().join(tool)).unwrap_or_default();
        let count = sum(&text);
        println!("-- StableHLO: {tool} checked {count} modules");
        if count < least {
            return Err(format!("xtask: {tool} checked {count} modules, and must have {least}"));
        }
    }
    Ok(())
}

fn sum(text: &str) -> usize {
    text.lines().filter_map(|line| line.parse::<usize>().ok()).fold(0, |sum, count| sum + count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_added_and_nothing_is_none() {
        assert_eq!(sum("3\n40\n\nnone\n"), 43);
        assert_eq!(sum(""), 0);
    }
}
