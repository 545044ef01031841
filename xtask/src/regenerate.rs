//! Files in the repository that are written by the code: goldens, filetests, the table of operations.
//!
//! The tests that read such a file also write it, when `POORGRAD_BLESS` is set: what is compared and
//! what is written can't drift apart, and this tool needs to know none of their formats.

use crate::run::{Outcome, cargo, tests};

/// The variable that turns comparing tests into writing ones.
const BLESS: &str = "POORGRAD_BLESS";

/// The test that compares docs/OPERATIONS.md with the operations' own tables.
const OPERATIONS: &str = "operations_document_is_fresh";

/// Rewrites what the tests compare with: all of it, or what the tests with `filter` in their names read.
pub fn bless(filter: Option<&str>) -> Outcome {
    let mut command = cargo(&["test", "--package", "poorgrad", "--lib", "--tests", "--"]);
    command.args(filter).env(BLESS, "1");
    tests("bless", &mut command)?.not_empty("bless")?;
    println!("Now read the difference: `git diff`. A changed golden is a changed promise.");
    Ok(())
}

/// Rewrites docs/OPERATIONS.md.
pub fn operations() -> Outcome {
    let mut command =
        cargo(&["test", "--package", "poorgrad", "--lib", "--tests", "--", OPERATIONS]);
    tests("operations", command.env(BLESS, "1"))?.not_empty("operations").map(|_| ())
}
