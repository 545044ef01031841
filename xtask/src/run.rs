//! Starting other programs, and counting the tests they ran.
//!
//! Invariant: a program that cannot be started or that fails is an error; nothing is skipped in silence.

use std::{
    io::{BufRead, BufReader},
    ops::Add,
    path::PathBuf,
    process::{Command, Stdio},
    time::Instant,
};

/// What every chore returns: its failure is a message for the person at the terminal.
pub type Outcome<T = ()> = Result<T, String>;

/// The root of the repository.
///
/// Asked of cargo at run time, since two checkouts may share one folder of build results; the path of
/// the build serves a binary that is started by hand.
pub fn root() -> PathBuf {
    let built = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let run = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let mut here = run.filter(|folder| folder.ends_with("xtask")).unwrap_or(built);
    here.pop();
    here
}

/// The cargo that runs this tool, working in the root of the repository.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Lets a release build check its arithmetic: what must not wrap around is then a failure there too.
pub fn checked(command: &mut Command) -> &mut Command {
    command.env("CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS", "true")
}

/// A heading for what comes next.
pub fn heading(title: &str) {
    println!("\n== {title}");
}

/// Runs a command with its output on the terminal.
pub fn run(title: &str, command: &mut Command) -> Outcome {
    heading(title);
    let start = Instant::now();
    let status =
        command.stdin(Stdio::null()).status().map_err(|error| cannot_start(command, &error))?;
    println!("-- {title}: {:.0} s", start.elapsed().as_secs_f64());
    if status.success() { Ok(()) } else { Err(format!("xtask: {title} failed ({status})")) }
}

/// Runs a command and shows its output only if it fails.
pub fn quietly(title: &str, command: &mut Command) -> Outcome {
    let output =
        command.stdin(Stdio::null()).output().map_err(|error| cannot_start(command, &error))?;
    if output.status.success() {
        return Ok(());
    }
    let shown = [output.stdout, output.stderr].concat();
    Err(format!("{}\nxtask: {title} failed ({})", String::from_utf8_lossy(&shown), output.status))
}

/// Runs a command that runs tests, shows its output, and adds up the closing lines of its tests.
pub fn tests(title: &str, command: &mut Command) -> Outcome<Tally> {
    heading(title);
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| cannot_start(command, &error))?;
    let mut tally = Tally::default();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n') {
            let line = line.map_err(|error| format!("xtask: {title}: lost the output: {error}"))?;
            let line = String::from_utf8_lossy(&line);
            tally = tally + Tally::of(&line);
            println!("{line}");
        }
    }
    let status = child.wait().map_err(|error| format!("xtask: {title}: {error}"))?;
    println!("-- {title}: {:.0} s, {tally}", start.elapsed().as_secs_f64());
    if status.success() { Ok(tally) } else { Err(format!("xtask: {title} failed ({status})")) }
}

fn cannot_start(command: &Command, error: &std::io::Error) -> String {
    format!("xtask: `{}` can't be started: {error}", command.get_program().to_string_lossy())
}

/// How many tests passed, failed and were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
}

impl Tally {
    /// What a line of output adds: only the closing line of a test program counts.
    pub fn of(line: &str) -> Self {
        let Some((_, counts)) =
            line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return Self::default();
        };
        let count = |what: &str| {
            counts
                .split("; ")
                .find_map(|part| part.strip_suffix(what)?.trim().parse().ok())
                .unwrap_or_default()
        };
        Self { passed: count("passed"), failed: count("failed"), skipped: count("ignored") }
    }

    /// Refuses a run in which nothing ran: a filter that matches no test proves nothing.
    pub fn not_empty(self, title: &str) -> Outcome<Self> {
        if self.passed > 0 { Ok(self) } else { Err(format!("xtask: {title}: no test ran")) }
    }

    /// Prints the closing line of a whole run.
    pub fn report(self) {
        println!("\n{self}");
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_counted_and_other_lines_are_not() {
        let line = "test result: ok. 37 passed; 1 failed; 2 ignored; 0 measured; 4 filtered out; finished in 0.29s";
        assert_eq!(Tally::of(line), Tally { passed: 37, failed: 1, skipped: 2 });
        assert_eq!(Tally::of("test tests::result: ok. 3 passed; ... ok"), Tally::default());
        assert_eq!(Tally::of(""), Tally::default());
        assert_eq!(
            (Tally::of(line) + Tally::of(line)).to_string(),
            "74 passed, 2 failed, 4 skipped"
        );
    }

    #[test]
    fn an_empty_run_is_refused() {
        assert!(Tally::default().not_empty("goldens").is_err());
        assert!(Tally { passed: 1, ..Tally::default() }.not_empty("goldens").is_ok());
    }

    #[test]
    fn failures_are_errors_and_output_is_kept() {
        let error =
            quietly("probe", Command::new("sh").args(["-c", "echo said; exit 3"])).unwrap_err();
        assert!(error.contains("said") && error.contains("probe failed"), "{error}");
        assert!(
            quietly("probe", &mut Command::new("no-such-program"))
                .unwrap_err()
                .contains("no-such-program")
        );
        let script = "echo 'test result: ok. 2 passed; 0 failed; 1 ignored'; exit 0";
        let tally = tests("probe", Command::new("sh").args(["-c", script])).unwrap();
        assert_eq!(tally, Tally { passed: 2, failed: 0, skipped: 1 });
    }
}
