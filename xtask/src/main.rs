//! The repository's chores as one command: `cargo xtask ci|tidy|bless|replay|cross|deep|faults|mutants|callgrind|ops`.
//!
//! `ci` is what decides whether a change is good; everything it does can be run alone as well. The
//! tool does not link the crate, so that it still runs when the crate does not build; of other packages it
//! uses a parser of Rust alone.

mod callgrind;
mod ci;
mod cross;
mod regenerate;
mod replay;
mod run;
mod seeded;
mod stablehlo;
mod tidy;

use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo xtask COMMAND

  ci [--cross] [--stablehlo]
                   everything that must hold before a change is merged; --cross adds `cross`,
                   --stablehlo fails where the checks of emitted modules do not run
  tidy             the rules of the house: strata, file sizes, words, constraints, dependencies
  bless [FILTER]   rewrites the golden files and filetests from what the code does now
  replay OLD [NEW] the plans of the example networks at two commits, and what differs; without NEW,
                   those of the files at hand
  cross [x86|arm]  the golden tests on other processors, under QEMU
  cross native     the golden tests compiled for this processor (`-C target-cpu=native`)
  deep [FILTER]    the tests that take too long for `ci`, in release
  faults [FILE..]  seeds faults into the kernels, each of which a test must catch
  mutants [--sample N] [--seed S] [FOLDER..]
                   changes places of the operations and of plans, nine of ten of which a test must
                   catch: 100 of them, or N; S chooses which
  callgrind [--renew]
                   instruction counts under valgrind against benches/instructions.txt
  ops              rewrites docs/OPERATIONS.md from the operations' own tables
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["ci", options @ ..] if options.iter().all(|o| ["--cross", "--stablehlo"].contains(o)) => {
            ci::ci(options.contains(&"--cross"), options.contains(&"--stablehlo"))
        }
        ["tidy"] => tidy::tidy(),
        ["bless"] => regenerate::bless(None),
        ["bless", filter] => regenerate::bless(Some(filter)),
        ["replay", old] => replay::replay(old, None),
        ["replay", old, new] => replay::replay(old, Some(new)),
        ["cross"] => cross::x86().and_then(|x86| Ok(x86 + cross::arm()?)).map(run::Tally::report),
        ["cross", "x86"] => cross::x86().map(run::Tally::report),
        ["cross", "native"] => cross::native().map(run::Tally::report),
        ["cross", "arm"] => cross::arm().map(run::Tally::report),
        ["deep"] => ci::deep("deep_").map(run::Tally::report),
        ["deep", filter] => ci::deep(filter).map(run::Tally::report),
        ["faults", only @ ..] => seeded::faults(only),
        ["mutants", words @ ..] => match seeded::Wanted::of(words) {
            Some(wanted) => seeded::mutants(&wanted),
            None => Err(format!("xtask: mutants: `{}`?\n\n{HELP}", words.join(" "))),
        },
        ["callgrind"] => callgrind::callgrind(false),
        ["callgrind", "--renew"] => callgrind::callgrind(true),
        ["ops"] => regenerate::operations(),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => Err(format!("xtask: unknown command `{}`\n\n{HELP}", words.join(" "))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
