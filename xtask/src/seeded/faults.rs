//! The faults of the kernels: each must make one of the kernels' tests fail.
//!
//! What a comparison with the definitions is worth shows in what it catches.

use std::{fs, time::Duration};

use super::{
    copy::{Copy, Seeds},
    table::FAULTS,
    trial::{Trial, Verdict, programs},
    weave::Seed,
};
use crate::run::{Outcome, heading, root};

/// Runs the kernels' tests with each fault in the files whose names contain one of `only`, all where that is
/// empty, and fails if they pass with one.
pub fn faults(only: &[&str]) -> Outcome {
    let faults = stand()?;
    if !faults
        .iter()
        .any(|(file, _)| only.is_empty() || only.iter().any(|word| file.contains(word)))
    {
        return Err(format!("xtask: no fault is in a file named like {only:?}"));
    }
    let wanted = |file: &str| only.is_empty() || only.iter().any(|word| file.contains(word));
    let mut seeds = Seeds::new();
    for (file, seed) in &faults {
        seeds.entry(file.clone()).or_default().push(seed.clone());
    }
    let (copy, _) = Copy::new(&seeds)?;
    let programs = programs(&copy, &["--lib"])?;
    let [program] = programs.as_slice() else {
        return Err("xtask: the unit tests are one program".to_string());
    };
    heading(&format!("the kernels' tests with each fault, {}", program.display()));
    let (folder, arguments) = (&*copy.folder, &["kernel"]);
    let limit = Duration::from_secs(3600);
    let trial = Trial { program, folder, arguments, limit }.measured("the kernels' tests")?;
    let (mut count, mut missed) = (0, Vec::new());
    for (file, seed) in faults.iter().filter(|(file, _)| wanted(file)) {
        // Those of its own part first: they are quick, and catch most.
        let near = Trial { arguments: &[&near(file)], ..trial }.run(seed.number)?;
        let verdict = if near.caught() { near } else { trial.run(seed.number)? };
        let text = fs::read_to_string(root().join(file)).map_err(|error| error.to_string())?;
        let number = seed.number;
        let fault = format!("{file}:{}", shown(&text, seed));
        count += 1;
        match verdict {
            Verdict::Failed(_) => println!("caught {number} {fault}\n       by {verdict}"),
            // Time that runs out, or a program that dies, is no comparison.
            _ => {
                println!("MISSED {number} {fault}: {verdict}");
                missed.push(fault);
            }
        }
    }
    println!("{} of {count} faults caught", count - missed.len());
    if missed.is_empty() { Ok(()) } else { Err(format!("xtask: not caught: {missed:#?}")) }
}

/// The module of the folder that a file is in, by which tests are chosen.
fn near(file: &str) -> String {
    let folders = file.strip_prefix("src/").and_then(|path| path.rsplit_once('/'));
    folders.map_or_else(String::new, |(folders, _)| folders.replace('/', "::"))
}

/// A fault in a line or two: its place, what stands there and what is put there.
pub fn shown(text: &str, seed: &Seed) -> String {
    let line = text[..seed.place.start].matches('\n').count() + 1;
    let short = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        let line = words.join(" ");
        match line.char_indices().nth(90) {
            Some((end, _)) => format!("{} ..", &line[..end]),
            None => line,
        }
    };
    format!("{line}: `{}` -> `{}`", short(&text[seed.place.clone()]), short(&seed.to))
}

/// The faults of the table, each of which has to stand once in its file.
fn stand() -> Outcome<Vec<(String, Seed)>> {
    let mut faults = Vec::with_capacity(FAULTS.len());
    for (number, (file, context, to)) in (1..).zip(FAULTS) {
        let file = format!("src/kernel/{file}");
        let text = fs::read_to_string(root().join(&file))
            .map_err(|error| format!("xtask: {file}: {error}"))?;
        let wrong = |what| format!("xtask: {file}: `{context}` {what}; mend the table");
        let (before, rest) = context.split_once('«').ok_or_else(|| wrong("has no «"))?;
        let (from, after) = rest.split_once('»').ok_or_else(|| wrong("has no »"))?;
        let found: Vec<_> = text.match_indices(&[before, from, after].concat()).collect();
        let [(at, _)] = found[..] else { return Err(wrong("does not stand there once")) };
        let start = at + before.len();
        let seed = Seed { number, place: start..start + from.len(), to: (*to).to_owned() };
        faults.push((file, seed));
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_near_by_their_folder() {
        assert_eq!(near("src/kernel/native/gemm/tile.rs"), "kernel::native::gemm");
        assert_eq!(near("src/kernel/walk.rs"), "kernel");
    }

    #[test]
    fn every_fault_stands_in_its_file_once() {
        let faults = stand().unwrap();
        assert!(faults.len() >= 20, "{} faults", faults.len());
        for (file, seed) in faults {
            let text = fs::read_to_string(root().join(&file)).unwrap();
            assert_ne!(text[seed.place.clone()], seed.to, "{file}: no fault");
        }
    }
}
