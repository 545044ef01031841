//! Many faults in one text, each behind its number: a program in which one is chosen when it starts.
//!
//! INVARIANT: with no number chosen the woven text means what the text means. A fault within the text that
//! another one replaces is woven into what stands there without that other: of two, one alone is ever chosen.

use std::{cmp::Reverse, ops::Range};

/// A fault in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    /// What chooses it, from 1.
    pub number: usize,
    /// The bytes of an expression, or of whole statements.
    pub place: Range<usize>,
    /// What is put in their place.
    pub to: String,
}

/// Where a fault went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Woven {
    pub number: usize,
    /// The bytes of the choice as a whole.
    pub choice: Range<usize>,
    /// The bytes of what was put in.
    pub to: Range<usize>,
}

/// The text with a choice at the place of each fault. Two places are one in the other, or apart.
pub fn weave(text: &str, seeds: &[Seed]) -> (String, Vec<Woven>) {
    let mut seeds: Vec<&Seed> = seeds.iter().collect();
    seeds.sort_by_key(|seed| (seed.place.start, Reverse(seed.place.end), seed.number));
    let mut weaver = Weaver { text, out: String::with_capacity(2 * text.len()), woven: Vec::new() };
    weaver.part(0..text.len(), &seeds);
    (weaver.out, weaver.woven)
}

struct Weaver<'a> {
    text: &'a str,
    out: String,
    woven: Vec<Woven>,
}

impl Weaver<'_> {
    /// A part of the text with the faults that are in it.
    fn part(&mut self, part: Range<usize>, mut seeds: &[&Seed]) {
        let mut at = part.start;
        while let [first, ..] = seeds {
            let place = first.place.clone();
            self.out.push_str(&self.text[at..place.start]);
            let count = seeds.iter().take_while(|seed| seed.place == place).count();
            let (here, rest) = seeds.split_at(count);
            let inside = rest.iter().take_while(|seed| seed.place.start < place.end).count();
            let (inside, rest) = rest.split_at(inside);
            self.choice(&place, here, inside);
            (at, seeds) = (place.end, rest);
        }
        self.out.push_str(&self.text[at..part.end]);
    }

    fn choice(&mut self, place: &Range<usize>, here: &[&Seed], inside: &[&Seed]) {
        // Statements stand as they are, an expression may be an operand.
        let kept = self.text[place.clone()].trim_end();
        let whole = kept.is_empty() || kept.ends_with([';', '}']);
        let (open, close) = if whole { ("", "") } else { ("(", ")") };
        let start = self.out.len();
        self.out.push_str(open);
        let first = self.woven.len();
        for seed in here {
            self.out.push_str(&format!("if crate::seeded::is({}) {{ ", seed.number));
            let to = self.out.len()..self.out.len() + seed.to.len();
            self.woven.push(Woven { number: seed.number, choice: 0..0, to });
            self.out.push_str(&seed.to);
            self.out.push_str(" } else ");
        }
        self.out.push_str("{ ");
        self.part(place.clone(), inside);
        self.out.push_str(" }");
        self.out.push_str(close);
        for woven in &mut self.woven[first..first + here.len()] {
            woven.choice = start..self.out.len();
        }
    }
}

/// What answers whether a fault was chosen, for the end of a crate's root: the environment is read once.
pub const CHOSEN: &str = r#"
mod seeded {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    static CHOSEN: AtomicUsize = AtomicUsize::new(usize::MAX);
    #[inline(always)]
    pub(crate) fn is(number: usize) -> bool {
        let chosen = CHOSEN.load(Relaxed);
        number == if chosen == usize::MAX { read() } else { chosen }
    }
    #[cold]
    #[inline(never)]
    fn read() -> usize {
        let chosen = std::env::var("SEEDED").map_or(0, |number| number.parse().expect("a number"));
        CHOSEN.store(chosen, Relaxed);
        chosen
    }
}
"#;

/// What carries the number to it.
pub const VARIABLE: &str = "SEEDED";

#[cfg(test)]
mod tests {
    use super::*;

    fn seed(text: &str, number: usize, from: &str, to: &str) -> Seed {
        let start = text.find(from).unwrap();
        Seed { number, place: start..start + from.len(), to: to.to_owned() }
    }

    #[test]
    fn expressions_are_operands_and_statements_stand_alone() {
        let text = "f(a); x = b * c;";
        let seeds = [seed(text, 1, "f(a);", ""), seed(text, 2, "b", "0")];
        let expected = "if crate::seeded::is(1) {  } else { f(a); } \
                        x = (if crate::seeded::is(2) { 0 } else { b }) * c;";
        assert_eq!(weave(text, &seeds).0, expected);
        assert_eq!(weave(text, &[]).0, text);
    }

    #[test]
    fn a_fault_within_another_is_in_what_the_other_leaves() {
        let text = "if a < b && c {}";
        let seeds = [
            seed(text, 1, "a < b", "a <= b"),
            seed(text, 2, "a < b && c", "a < b || c"),
            seed(text, 3, "a < b", "true"),
        ];
        let (out, woven) = weave(text, &seeds);
        let inner = "(if crate::seeded::is(1) { a <= b } else if crate::seeded::is(3) { true } else { a < b })";
        let expected =
            format!("if (if crate::seeded::is(2) {{ a < b || c }} else {{ {inner} && c }}) {{}}");
        assert_eq!(out, expected);
        for Woven { number, choice, to } in woven {
            assert_eq!(out[to.clone()], seeds[number - 1].to);
            assert!(choice.start < to.start && to.end < choice.end);
            assert!(out[choice].starts_with("(if"));
        }
    }
}
