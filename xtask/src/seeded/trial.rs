//! Test programs run with one fault chosen, up to the first test that fails.

use std::{
    ffi::OsStr,
    fmt,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{RecvTimeoutError, channel},
    thread::{self, available_parallelism},
    time::{Duration, Instant},
};

use super::{copy::Copy, weave::VARIABLE};
use crate::run::{Outcome, Tally, heading};

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every test passed.
    Passed,
    /// There was no test.
    Empty,
    /// This test failed, the first one.
    Failed(String),
    /// The program ended by itself and without success.
    Ended(String),
    /// It ran longer than it may.
    Late(Duration),
}

impl Verdict {
    /// Whether a fault was noticed.
    pub fn caught(&self) -> bool {
        !matches!(self, Self::Passed | Self::Empty)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed | Self::Empty => write!(f, "no test"),
            Self::Failed(test) => write!(f, "{test}"),
            Self::Ended(how) => write!(f, "the end of the program ({how})"),
            Self::Late(limit) => write!(f, "its time ({} s)", limit.as_secs()),
        }
    }
}

/// Tests of one program, chosen by the arguments of its harness.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    pub program: &'a Path,
    pub folder: &'a Path,
    pub arguments: &'a [&'a str],
    /// Of the processors' time, which does not depend on what else the machine does.
    pub limit: Duration,
}

/// How much longer than the processors' time a run may take that others hold up, or that waits for ever.
const PATIENCE: u32 = 10;

/// Memory that a run may ask for, in KiB: a fault may make a list that never ends.
const MEMORY: &str = "12000000";

impl Trial<'_> {
    /// A run without a fault, which has to pass: others may take some times as long.
    pub fn measured(mut self, title: &str) -> Outcome<Self> {
        let (start, before) = (Instant::now(), processors());
        match self.run(0)? {
            Verdict::Passed => {}
            Verdict::Empty => return Err(format!("xtask: {title}: no test ran")),
            other => return Err(format!("xtask: {title} fail without any fault: {other}")),
        }
        let taken = match (before, processors()) {
            (Some(before), Some(after)) => after - before,
            // As if all processors had worked all the time.
            _ => start.elapsed() * available_parallelism().map_or(8, |all| all.get() as u32),
        };
        println!("-- {title} pass without a fault in {:.0} s", start.elapsed().as_secs_f64());
        self.limit = 3 * taken + Duration::from_secs(20);
        Ok(self)
    }

    /// Runs the tests with a fault, 0 for none.
    pub fn run(&self, number: usize) -> Outcome<Verdict> {
        let mut command = limited(self.program.as_os_str(), self.limit);
        command.args(self.arguments).current_dir(self.folder).env(VARIABLE, number.to_string());
        // Quick tests: what needs data, or rewrites its own expectations, is not among them.
        command.env_remove("POORGRAD_DATA").env_remove("POORGRAD_BLESS");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command
            .spawn()
            .map_err(|error| format!("xtask: {}: {error}", self.program.display()))?;
        let verdict = self.followed(&mut child);
        // It may have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
        verdict
    }

    fn followed(&self, child: &mut Child) -> Outcome<Verdict> {
        let output = child.stdout.take().expect("invariant: the output is piped");
        let (sender, lines) = channel();
        thread::spawn(move || {
            let lines = BufReader::new(output).split(b'\n').map_while(Result::ok);
            for line in lines {
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
            }
        });
        let start = Instant::now();
        let mut tally = Tally::default();
        let patience = PATIENCE * self.limit;
        loop {
            match lines.recv_timeout(patience.saturating_sub(start.elapsed())) {
                Ok(line) => {
                    if let Some(test) = failed(&line) {
                        return Ok(Verdict::Failed(test.to_owned()));
                    }
                    tally = tally + Tally::of(&line);
                }
                Err(RecvTimeoutError::Timeout) => return Ok(Verdict::Late(self.limit)),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let status = child.wait().map_err(|error| format!("xtask: lost a test run: {error}"))?;
        if status.to_string().contains("SIGXCPU") {
            return Ok(Verdict::Late(self.limit));
        }
        if !status.success() {
            return Ok(Verdict::Ended(status.to_string()));
        }
        Ok(if tally.passed > 0 { Verdict::Passed } else { Verdict::Empty })
    }
}

/// The test that a line of the harness says failed.
fn failed(line: &str) -> Option<&str> {
    line.strip_prefix("test ")?.strip_suffix(" ... FAILED")
}

/// A program with a bound on its time and on its memory, where the system has such.
fn limited(program: &OsStr, limit: Duration) -> Command {
    if !cfg!(unix) {
        return Command::new(program);
    }
    let mut command = Command::new("sh");
    let bounds = "ulimit -S -t \"$1\"; ulimit -S -v \"$2\"; shift 2; exec \"$@\"";
    command.args(["-c", bounds, "sh", &limit.as_secs().max(1).to_string(), MEMORY]).arg(program);
    command
}

/// The processors' time of the children that ended, where the system tells.
fn processors() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may hold anything; hundredths of a second.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(13);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (next()? + next()?)))
}

/// Builds the tests that `selection` names, and returns their programs.
pub fn programs(copy: &Copy, selection: &[&str]) -> Outcome<Vec<PathBuf>> {
    heading("one build for all faults");
    let start = Instant::now();
    let mut command = copy.cargo(&["test", "--no-run", "--package", "poorgrad"]);
    let output =
        command.args(selection).output().map_err(|error| format!("xtask: cargo: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{said}\nxtask: the tests with faults do not compile"));
    }
    println!("-- built in {:.0} s", start.elapsed().as_secs_f64());
    let programs = said.lines().filter_map(|line| {
        let (_, path) = line.trim_start().strip_prefix("Executable ")?.rsplit_once('(')?;
        Some(copy.folder.join(path.strip_suffix(')')?))
    });
    Ok(programs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str, limit: Duration) -> Verdict {
        let arguments = ["-c", script];
        let (program, folder) = (Path::new("sh"), Path::new("."));
        Trial { program, folder, arguments: &arguments, limit }.run(7).unwrap()
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_first_failure_ends_a_run() {
        let script = "echo 'test a::b ... ok'; echo 'test a::c ... FAILED'; exec sleep 60";
        assert_eq!(run(script, 9 * SECOND), Verdict::Failed("a::c".to_owned()));
    }

    #[test]
    fn a_run_passes_ends_or_is_late() {
        let line = "echo 'test result: ok. 2 passed; 0 failed; 1 ignored'";
        assert_eq!(run(&format!("test $SEEDED = 7 && {line}"), 9 * SECOND), Verdict::Passed);
        assert_eq!(run("true", 9 * SECOND), Verdict::Empty);
        assert!(matches!(run(&format!("{line}; exit 3"), 9 * SECOND), Verdict::Ended(_)));
        let moment = SECOND / 20;
        assert_eq!(run("exec sleep 60", moment), Verdict::Late(moment));
        if cfg!(target_os = "linux") {
            let start = processors().unwrap();
            assert_eq!(run("while true; do true; done", SECOND), Verdict::Late(SECOND));
            assert!(processors().unwrap() > start);
        }
    }
}
