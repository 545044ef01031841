//! Instruction counts of `benches/instructions.rs` against a table in the repository.
//!
//! valgrind shows the program a processor with AVX2 and without AVX-512, whatever the machine has (and a
//! machine without AVX2 is refused), and the program is built for one thread: the counts are those of
//! one level of instructions. They still depend on the compiler, whose version the table names: where it
//! is another, the table has to be renewed on a state that is known to be good.
//!
//! INVARIANT: a count is a difference of two runs of one program, so that what happens once (start-up,
//! preparation) is not in it.

use std::{fs, path::PathBuf, process::Command};

use crate::run::{Outcome, cargo, heading, root};

/// More instructions than this, beside the table, are a slow-down.
const BOUND: f64 = 1.02;
/// How often each workload runs in the two runs of it.
const TIMES: [u32; 2] = [2, 6];
const TABLE: &str = "benches/instructions.txt";
const PREFIX: &str = "compiler ";

/// Compares the counts with the table or, with `renew`, writes the table.
pub fn callgrind(renew: bool) -> Outcome {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err("xtask: `callgrind` needs x86-64 Linux".to_owned());
    }
    let cpu = fs::read_to_string("/proc/cpuinfo").map_err(|error| format!("xtask: {error}"))?;
    if !cpu.split_whitespace().any(|flag| flag == "avx2") {
        return Err("xtask: the table is of AVX2, which this processor has not".to_owned());
    }
    let program = build()?;
    let compiler = compiler()?;
    let table = root().join(TABLE);
    let known = if renew { String::new() } else { read(&table)? };
    if !renew && !known.starts_with(&format!("{PREFIX}{compiler}\n")) {
        let of = known.lines().next().unwrap_or_default();
        return Err(format!(
            "xtask: {TABLE} is of {of}, and this is {compiler}; renew it on a state that is known to \
             be good, with `cargo xtask callgrind --renew`"
        ));
    }
    heading("instructions a run");
    let names = text(Command::new(&program))?;
    let (mut lines, mut slow) = (format!("{PREFIX}{compiler}\n"), Vec::new());
    for name in names.lines() {
        let [few, many] = TIMES.map(|times| count(&program, name, times));
        let count = (many? - few?) / u64::from(TIMES[1] - TIMES[0]);
        lines += &format!("{name} {count}\n");
        let before = known.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        match before {
            Some(before) => {
                let before: u64 = before;
                let ratio = count as f64 / before as f64;
                println!("{name:20} {count:12} {before:12} {:+6.2} %", 100.0 * (ratio - 1.0));
                if ratio > BOUND {
                    slow.push(name);
                }
            }
            None => {
                println!("{name:20} {count:12}");
                if !renew {
                    slow.push(name);
                }
            }
        }
    }
    if renew {
        return fs::write(&table, lines).map_err(|error| format!("xtask: {TABLE}: {error}"));
    }
    match slow[..] {
        [] => Ok(()),
        _ => Err(format!(
            "xtask: more than 2 % above the table, or not in it: {}; if this is meant, renew the \
             table with `cargo xtask callgrind --renew`",
            slow.join(", ")
        )),
    }
}

/// Builds the program for one thread and finds it.
fn build() -> Outcome<PathBuf> {
    heading("build");
    let mut command = cargo(&["bench", "--package", "poorgrad", "--bench", "instructions"]);
    command.args(["--no-default-features", "--features", "simd", "--no-run"]);
    let output = command.output().map_err(|error| format!("xtask: cargo: {error}"))?;
    let shown = String::from_utf8_lossy(&output.stderr).into_owned();
    // The last line: `  Executable benches/instructions.rs (path)`.
    let path = shown.rsplit_once('(').and_then(|(_, rest)| rest.split_once(')'));
    match path {
        Some((path, _)) if output.status.success() => Ok(root().join(path)),
        _ => Err(format!("{shown}\nxtask: the workloads were not built")),
    }
}

fn compiler() -> Outcome<String> {
    let mut command = Command::new("rustc");
    command.arg("--version").current_dir(root());
    Ok(text(command)?.trim().to_owned())
}

/// The instructions that the program executes in a run.
fn count(program: &PathBuf, name: &str, times: u32) -> Outcome<u64> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command.arg(program).args([name, &times.to_string()]);
    let output = command.output().map_err(|error| format!("xtask: valgrind: {error}"))?;
    let shown = String::from_utf8_lossy(&output.stderr);
    // `==1234== Collected : 5678`.
    let collected = shown.lines().find_map(|line| line.split_once("Collected : "));
    match collected.and_then(|(_, number)| number.trim().parse().ok()) {
        Some(count) if output.status.success() => Ok(count),
        _ => Err(format!("{shown}\nxtask: no count of {name} under valgrind")),
    }
}

/// What a program prints.
fn text(mut command: Command) -> Outcome<String> {
    let output = command.output().map_err(|error| format!("xtask: {command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("xtask: {command:?} failed ({})", output.status));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("xtask: {command:?}: {error}"))
}

fn read(path: &PathBuf) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| {
        format!("xtask: {TABLE}: {error}; write it with `cargo xtask callgrind --renew`")
    })
}
