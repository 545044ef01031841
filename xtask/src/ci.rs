//! Everything that must hold before a change is merged, cheapest first; the first failure ends it.

use std::{fs, process::Command};

use crate::{
    cross,
    run::{Outcome, Tally, cargo, checked, heading, quietly, root, run, tests},
    stablehlo, tidy,
};

/// Runs all checks; with `and_cross` also the golden tests on other processors, with `emitted` those of
/// emitted modules for certain.
pub fn ci(and_cross: bool, emitted: bool) -> Outcome {
    if emitted {
        stablehlo::prepare()?;
    }
    run("format", &mut cargo(&["fmt", "--all", "--check"]))?;
    heading("tidy");
    tidy::tidy()?;
    run("lint", &mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    run("documentation", &mut denying("RUSTDOCFLAGS", &["doc", "--workspace", "--no-deps"]))?;
    features()?;

    // The README's own command; the members beside the crate are among its packages.
    // Emitted modules are checked once, by the release build.
    let mut tally = tests("tests", stablehlo::left_out(&mut cargo(&["test"])))?;
    // In release again, and with the tests that only release is fast enough for: the bits must not
    // depend on the build. With overflow checked; the goldens without features and those of AArch64 run
    // as a release is built.
    let release = ["test", "--release", "--lib", "--bins", "--tests", "--"];
    let mut release = cargo(&release);
    let release = checked(&mut release).args(["--include-ignored", "--skip", "deep_"]);
    let release = if emitted { stablehlo::counted(release) } else { release };
    tally = tally + tests("tests in release", release)?;
    if emitted {
        stablehlo::checked()?;
    }
    tally = tally + misuse()?;
    tally = tally + goldens_without_features()?;
    tally = tally + loom()?;
    examples()?;
    if and_cross {
        tally = tally + cross::x86()? + cross::arm()?;
    }
    tally.report();
    Ok(())
}

/// The tests that take minutes each: asked for by name, and before a release.
pub fn deep(filter: &str) -> Outcome<Tally> {
    let title = "deep tests";
    let mut command = cargo(&["test", "--release", "--lib", "--tests", "--"]);
    tests(title, command.args(["--ignored", "--nocapture", filter]))?.not_empty(title)
}

/// The golden tests of the crate, which pin results to the bit. Also run by [`cross`].
pub const GOLDENS: [&str; 8] =
    ["test", "--package", "poorgrad", "--release", "--lib", "--tests", "--", "golden"];

/// The programs that must not compile, where the compiler also compares the code of its error.
fn misuse() -> Outcome<Tally> {
    let title = "misuse does not compile";
    let mut command = cargo(&["test", "--package", "poorgrad", "--doc", "--", "misuse"]);
    // Its own folder: the variable changes every crate, and would throw the other builds away.
    let folder = target().join("misuse");
    tests(title, command.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", folder))?
        .not_empty(title)
}

fn goldens_without_features() -> Outcome<Tally> {
    let title = "goldens without features";
    let mut command = cargo(&GOLDENS[..6]);
    tests(title, command.args(["--no-default-features", "--", "golden"]))?.not_empty(title)
}

/// Lints the crate with no feature, with each one alone, and with all: no combination may warn.
fn features() -> Outcome {
    let manifest = tidy::manifest::read()?;
    let lint = |title: &str, selection: &[&str]| {
        let mut command = cargo(&["clippy", "--quiet", "--package", "poorgrad", "--lib"]);
        run(title, command.args(selection).args(["--", "-D", "warnings"]))
    };
    lint("no features", &["--no-default-features"])?;
    for feature in manifest.features() {
        lint(&format!("feature {feature}"), &["--no-default-features", "--features", feature])?;
    }
    lint("all features", &["--all-features"])?;
    // Downloads by TLS, which nothing else builds.
    let secure = ["clippy", "--quiet", "--package", "zoo", "--features", "https"];
    run("downloads by https", cargo(&secure).args(["--lib", "--", "-D", "warnings"]))
}

/// The model of the recording protocol, when the manifest brings the model checker.
fn loom() -> Outcome<Tally> {
    if !tidy::manifest::read()?.mentions("cfg(loom)") {
        return Ok(Tally::default());
    }
    let title = "model of recording";
    let mut command = cargo(&["test", "--package", "poorgrad", "--release", "--lib", "--", "loom"]);
    // Its own folder: the flag changes every crate, and would throw the other builds away.
    let folder = target().join("loom");
    tests(title, command.env("RUSTFLAGS", "--cfg loom").env("CARGO_TARGET_DIR", folder))?
        .not_empty(title)
}

/// Every example must answer `--help` and survive a few steps.
fn examples() -> Outcome {
    heading("examples");
    let Ok(folder) = fs::read_dir(root().join("examples")) else { return Ok(()) };
    let mut names: Vec<String> = folder
        .filter_map(|entry| {
            entry.ok()?.file_name().to_str()?.strip_suffix(".rs").map(str::to_owned)
        })
        .collect();
    names.sort_unstable();
    for name in &names {
        for arguments in [&["--help"][..], &["--smoke", "--seed", "1"]] {
            let title = format!("{name} {}", arguments.join(" "));
            println!("{title}");
            let mut command = cargo(&["run", "--quiet", "--release", "--example", name, "--"]);
            quietly(&title, checked(&mut command).args(arguments))?;
        }
    }
    Ok(())
}

/// The folder that cargo builds into.
pub fn target() -> std::path::PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

fn denying(variable: &str, arguments: &[&str]) -> Command {
    let mut command = cargo(arguments);
    command.env(variable, "-D warnings");
    command
}
