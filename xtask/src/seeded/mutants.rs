//! Mutants of the operations and of plans, a part of all that there are: nine of ten must make a test fail.
//!
//! Which part depends on the files and on a seed alone. One that does not compile is no mutant: another is in
//! its place.

use std::{collections::BTreeMap, time::Duration};

use super::{
    compile::compiling,
    copy::Seeds,
    faults::shown,
    mutate::mutants as mutants_of,
    trial::{Trial, Verdict, programs},
    weave::Seed,
};
use crate::{
    run::{Outcome, heading, root},
    tidy::source,
};

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    sample: usize,
    seed: u64,
    /// Folders or files below `src`.
    folders: Vec<&'a str>,
}

impl<'a> Wanted<'a> {
    /// `--sample N`, `--seed S` and folders, in any order.
    pub fn of(words: &[&'a str]) -> Option<Self> {
        let mut wanted = Self { sample: 100, seed: 1, folders: Vec::new() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--sample" => wanted.sample = words.next()?.parse().ok().filter(|&n| n > 0)?,
                "--seed" => wanted.seed = words.next()?.parse().ok()?,
                option if option.starts_with('-') => return None,
                folder => wanted.folders.push(folder.trim_matches('/')),
            }
        }
        if wanted.folders.is_empty() {
            wanted.folders = vec!["src/ops", "src/plan"];
        }
        Some(wanted)
    }
}

/// Runs the quick tests with each mutant of a sample, and fails where they notice less than nine of ten.
pub fn mutants(wanted: &Wanted) -> Outcome {
    let (all, texts) = candidates(&wanted.folders)?;
    let mut sample = chosen(all.len(), wanted.seed);
    // Some more than asked for, in the place of those that do not compile.
    sample.truncate(wanted.sample + wanted.sample / 4 + 10);
    let mut seeds = Seeds::new();
    for (number, &at) in (1..).zip(&sample) {
        let (file, seed) = &all[at];
        seeds.entry(file.clone()).or_default().push(Seed { number, ..seed.clone() });
    }
    heading("mutants that compile");
    let (copy, dropped) = compiling(&mut seeds)?;
    let woven = sample.len();
    println!("{} of {} places woven in, {dropped} of them do not compile", woven, all.len());

    let mut programs = programs(&copy, &["--lib", "--test", "suite"])?;
    // The unit tests are named after the library, beside the suite.
    programs.sort_by_key(|program| {
        program.file_name().is_some_and(|name| name.to_string_lossy().starts_with("suite"))
    });
    let [units, suite] = programs.as_slice() else {
        return Err("xtask: unit tests and suite are two programs".to_string());
    };
    let limit = Duration::from_secs(3600);
    // Those beside the code first: they are quick, and catch most.
    let near = ["ops::", "plan::"];
    let far = ["--skip", "ops::", "--skip", "plan::"];
    let trial = |title, program, arguments| {
        Trial { program, folder: &copy.folder, arguments, limit }.measured(title)
    };
    let trials = [
        trial("unit tests of operations and plans", units, &near[..])?,
        trial("the suite", suite, &[])?,
        trial("other unit tests", units, &far[..])?,
    ];
    let mut remaining: BTreeMap<usize, (&str, &Seed)> = BTreeMap::new();
    for (file, seeds) in &seeds {
        remaining.extend(seeds.iter().map(|seed| (seed.number, (file.as_str(), seed))));
    }
    heading(&format!("tests with each mutant, {} and {}", units.display(), suite.display()));
    let (mut count, mut survivors) = (0, Vec::new());
    for (number, (file, seed)) in remaining.into_iter().take(wanted.sample) {
        let mut verdict = Verdict::Passed;
        for trial in &trials {
            verdict = trial.run(number)?;
            if verdict.caught() {
                break;
            }
        }
        let mutant = format!("{file}:{}", shown(&texts[file], seed));
        count += 1;
        if !verdict.caught() {
            println!("SURVIVES {number} {mutant}");
            survivors.push(mutant);
        } else {
            println!("caught {number} {mutant}\n       by {verdict}");
        }
    }
    report(wanted, count, &survivors)
}

fn report(wanted: &Wanted, count: usize, survivors: &[String]) -> Outcome {
    let caught = count - survivors.len();
    println!("\nsurvivors:");
    survivors.iter().for_each(|survivor| println!("  {survivor}"));
    let share = 100.0 * caught as f64 / count.max(1) as f64;
    let folders = wanted.folders.join(", ");
    println!(
        "{caught} of {count} mutants of {folders} caught ({share:.1} %), seed {}",
        wanted.seed
    );
    if count > 0 && 10 * caught >= 9 * count {
        Ok(())
    } else {
        Err("xtask: less than nine of ten mutants are caught".to_string())
    }
}

/// Mutants with their files, and the files' texts.
type Candidates = (Vec<(String, Seed)>, BTreeMap<String, String>);

/// All mutants of the Rust files in some folders.
fn candidates(folders: &[&str]) -> Outcome<Candidates> {
    let (mut all, mut texts) = (Vec::new(), BTreeMap::new());
    for source in source::read(&root())? {
        let within = |folder: &&str| {
            source
                .path
                .strip_prefix(*folder)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if !source.is_rust() || source.is_test() || !folders.iter().any(within) {
            continue;
        }
        let found =
            mutants_of(&source.text).map_err(|error| format!("xtask: {}: {error}", source.path))?;
        let seeds = found.into_iter().map(|m| Seed { number: 0, place: m.place, to: m.to });
        all.extend(seeds.map(|seed| (source.path.clone(), seed)));
        texts.insert(source.path, source.text);
    }
    Ok((all, texts))
}

/// The numbers below `count` in an order that the seed decides, the same on every machine.
fn chosen(count: usize, seed: u64) -> Vec<usize> {
    // SplitMix64 (Steele, Lea and Flood, 2014).
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let mut order: Vec<usize> = (0..count).collect();
    for i in 0..count {
        let left = (count - i) as u64;
        order.swap(i, i + (next() % left) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_read() {
        let wanted = Wanted::of(&["--seed", "7", "src/ops/", "--sample", "12"]).unwrap();
        assert_eq!(wanted, Wanted { sample: 12, seed: 7, folders: vec!["src/ops"] });
        assert_eq!(Wanted::of(&[]).unwrap().folders, ["src/ops", "src/plan"]);
        for wrong in [&["--sample", "0"][..], &["--seed"], &["--seed", "x"], &["--all"]] {
            assert_eq!(Wanted::of(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn an_order_holds_each_number_once_and_depends_on_the_seed() {
        let mut order = chosen(50, 3);
        assert_ne!(order, chosen(50, 4));
        assert_eq!(order, chosen(50, 3));
        order.sort_unstable();
        assert!(order.into_iter().eq(0..50));
    }

    #[test]
    fn operations_and_plans_have_mutants_and_each_is_a_change() {
        let (all, texts) = candidates(&["src/ops", "src/plan"]).unwrap();
        assert!(all.len() > 1000, "{} mutants", all.len());
        for (file, seed) in &all {
            assert_ne!(texts[file][seed.place.clone()].trim(), seed.to, "{file}");
        }
    }
}
