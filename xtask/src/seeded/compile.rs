//! Which mutants compile: the compiler says where it minds one, and the rest is tried again.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    copy::{Copy, Seeds},
    weave::Woven,
};
use crate::run::Outcome;

/// How often the rest is tried: types, then moves and borrows, then what these hid.
const TIMES: usize = 12;

/// Leaves those of `seeds` that compile together; the copy has them. Also how many were dropped.
pub fn compiling(seeds: &mut Seeds) -> Outcome<(Copy, usize)> {
    let mut dropped = 0;
    for _ in 0..TIMES {
        let (copy, woven) = Copy::new(seeds)?;
        let check = ["check", "--quiet", "--package", "poorgrad", "--lib", "--message-format"];
        let mut command = copy.cargo(&check);
        let output =
            command.arg("short").output().map_err(|error| format!("xtask: cargo: {error}"))?;
        if output.status.success() {
            return Ok((copy, dropped));
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let mut minded = BTreeSet::new();
        for (file, line, column) in said.lines().filter_map(error) {
            let Some(woven) = woven.get(file) else { continue };
            if let Some(at) = offset(&copy.text(file)?, line, column) {
                minded.extend(at_fault(woven, &at));
            }
        }
        if minded.is_empty() {
            return Err(format!("{said}\nxtask: no mutant is where the compiler minds something"));
        }
        dropped += minded.len();
        seeds.values_mut().for_each(|seeds| seeds.retain(|seed| !minded.contains(&seed.number)));
    }
    Err(format!("xtask: mutants do not compile after {TIMES} times"))
}

/// The file, line and column of an error in the compiler's short form.
fn error(line: &str) -> Option<(&str, usize, usize)> {
    let (place, what) = line.split_once(": ")?;
    if !what.starts_with("error") {
        return None;
    }
    let mut parts = place.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    Some((parts.next()?, line, column))
}

/// A place in a text, and the bytes of its line. Lines and characters count from 1.
fn offset(text: &str, line: usize, column: usize) -> Option<(usize, std::ops::Range<usize>)> {
    let start = match line {
        1 => 0,
        _ => text.match_indices('\n').nth(line - 2)?.0 + 1,
    };
    let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
    let before: usize = text[start..end].chars().take(column - 1).map(char::len_utf8).sum();
    Some((start + before, start..end))
}

/// The mutants that an error may be about: that which it is in, else the choice round it, else those of its line.
fn at_fault(woven: &[Woven], (at, line): &(usize, std::ops::Range<usize>)) -> Vec<usize> {
    let number = |woven: &Woven| woven.number;
    if let Some(woven) = woven.iter().find(|woven| woven.to.contains(at)) {
        return vec![woven.number];
    }
    let round = woven.iter().filter(|woven| woven.choice.contains(at));
    let mut by_length: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for woven in round {
        by_length.entry(woven.choice.len()).or_default().push(woven.number);
    }
    if let Some((_, numbers)) = by_length.pop_first() {
        return numbers;
    }
    let beside = |woven: &&Woven| woven.choice.start < line.end && line.start < woven.choice.end;
    woven.iter().filter(beside).map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_read_in_their_short_form() {
        let line = "src/plan/a.rs:12:5: error[E0308]: mismatched types: expected `x`, found `y`";
        assert_eq!(error(line), Some(("src/plan/a.rs", 12, 5)));
        assert_eq!(error("src/plan/a.rs:12:5: warning: unused variable: `x`"), None);
        assert_eq!(error("error: could not compile `poorgrad` (lib) due to 1 error"), None);
    }

    #[test]
    fn an_error_is_about_what_it_stands_in() {
        let text = "é\nab (if x { yy } else { zz })\nc";
        let (at, line) = offset(text, 2, 12).unwrap();
        assert_eq!(
            (&text[at..at + 2], &text[line.clone()]),
            ("yy", "ab (if x { yy } else { zz })")
        );
        let start = line.start;
        let woven = [
            Woven { number: 3, choice: start + 3..line.end, to: at..at + 2 },
            Woven { number: 4, choice: start + 3..line.end, to: 0..0 },
        ];
        assert_eq!(at_fault(&woven, &(at, line.clone())), [3]);
        assert_eq!(at_fault(&woven, &(start + 4, line.clone())), [3, 4]);
        assert_eq!(at_fault(&woven, &(start, line.clone())), [3, 4]);
        assert_eq!(at_fault(&woven, &(text.len(), line.end + 1..text.len())), [0; 0]);
    }
}
