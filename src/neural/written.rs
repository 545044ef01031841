//! The written forms of what a run follows: its schedule and its batches, as a note of a checkpoint holds
//! them.
//!
//! INVARIANT: what is written reads back as an equal value, numbers to the bit; NaN is written but equals
//! nothing.

use super::Batches;
use super::schedule::{Form, Schedule};
use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// A text that is not the written form of what it was read as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenError {
    text: String,
    kind: &'static str,
    forms: &'static str,
}

impl fmt::Display for WrittenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, kind, forms } = self;
        write!(f, "{text:?} is no {kind}; the written form is {forms}")
    }
}

impl Error for WrittenError {}

/// The word before the numbers, and the numbers, such as `cosine 0.001 1e-5 100`; behind it
/// `warmed_up 10` where there is a warm-up.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.form {
            Form::Constant(rate) => write!(f, "constant {rate:?}"),
            Form::Cosine { highest, lowest, steps } => {
                write!(f, "cosine {highest:?} {lowest:?} {steps}")
            }
            Form::OneCycle { highest, steps } => write!(f, "one_cycle {highest:?} {steps}"),
            Form::Step { first, factor, every } => write!(f, "step {first:?} {factor:?} {every}"),
        }?;
        match self.warm_up {
            0 => Ok(()),
            steps => write!(f, " warmed_up {steps}"),
        }
    }
}

impl FromStr for Schedule {
    type Err = WrittenError;

    fn from_str(text: &str) -> Result<Self, WrittenError> {
        let words = Vec::from_iter(text.split_ascii_whitespace());
        schedule(&words).ok_or_else(|| WrittenError {
            text: text.to_owned(),
            kind: "schedule",
            forms: "`constant RATE`, `cosine HIGHEST LOWEST STEPS`, `one_cycle HIGHEST STEPS` or `step FIRST \
                    FACTOR EVERY`, and `warmed_up STEPS` behind it",
        })
    }
}

fn schedule(words: &[&str]) -> Option<Schedule> {
    if let [before @ .., "warmed_up", steps] = words {
        let schedule = schedule(before).filter(|schedule| schedule.warm_up == 0);
        return Some(schedule?.warmed_up(steps.parse().ok()?));
    }
    let rate = |word: &str| word.parse::<f64>().ok();
    let count = |word: &str| word.parse::<usize>().ok();
    Some(match *words {
        ["constant", of] => Schedule::constant(rate(of)?),
        ["cosine", highest, lowest, steps] => {
            Schedule::cosine(rate(highest)?, rate(lowest)?, count(steps)?)
        }
        ["one_cycle", highest, steps] => Schedule::one_cycle(rate(highest)?, count(steps)?),
        ["step", first, factor, every] => {
            let every = count(every).filter(|&every| every > 0)?;
            Schedule::step(rate(first)?, rate(factor)?, every)
        }
        _ => return None,
    })
}

/// The samples, the size of a batch and the seed, such as `9000 in 64 by 42`; behind it `with_rest` where
/// the last batch of an epoch may be smaller.
impl fmt::Display for Batches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {} by {}", self.count(), self.size(), self.seed())?;
        f.write_str(if self.has_rest() { " with_rest" } else { "" })
    }
}

impl FromStr for Batches {
    type Err = WrittenError;

    fn from_str(text: &str) -> Result<Self, WrittenError> {
        let words = Vec::from_iter(text.split_ascii_whitespace());
        batches(&words).ok_or_else(|| WrittenError {
            text: text.to_owned(),
            kind: "batches",
            forms: "`SAMPLES in SIZE by SEED`, and `with_rest` behind it",
        })
    }
}

fn batches(words: &[&str]) -> Option<Batches> {
    if let [before @ .., "with_rest"] = words {
        return batches(before).filter(|batches| !batches.has_rest()).map(Batches::with_rest);
    }
    let [samples, "in", size, "by", seed] = *words else { return None };
    Batches::try_new(samples.parse().ok()?, size.parse().ok()?, seed.parse().ok()?).ok()
}

/// The same samples at every step.
impl PartialEq for Batches {
    fn eq(&self, other: &Self) -> bool {
        let parts = |of: &Self| (of.count(), of.size(), of.seed(), of.has_rest());
        parts(self) == parts(other)
    }
}

impl Eq for Batches {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_read_back_as_they_were() {
        let tiny = f64::from_bits(1);
        for (schedule, text) in [
            (Schedule::constant(0.1), "constant 0.1"),
            (Schedule::constant(-0.0), "constant -0.0"),
            (Schedule::cosine(1e-3, 1e-5, 100), "cosine 0.001 1e-5 100"),
            (Schedule::cosine(1e-3, tiny, usize::MAX), "cosine 0.001 5e-324 18446744073709551615"),
            (Schedule::one_cycle(1.0 / 3.0, 7), "one_cycle 0.3333333333333333 7"),
            (Schedule::step(0.8, 0.5, 3), "step 0.8 0.5 3"),
            (Schedule::step(0.8, 0.5, 3).warmed_up(10), "step 0.8 0.5 3 warmed_up 10"),
        ] {
            assert_eq!(schedule.to_string(), text);
            let read: Schedule = text.parse().unwrap();
            assert_eq!(read, schedule);
            for step in [0, 1, 9, 10, 11, 99, usize::MAX] {
                assert_eq!(read.at(step).to_bits(), schedule.at(step).to_bits(), "{text}, {step}");
            }
        }
    }

    #[test]
    fn other_texts_are_no_schedules() {
        for text in [
            "",
            "cosine",
            "cosine 1 2",
            "cosine 1 2 -3",
            "step 0.8 0.5 0",
            "linear 1",
            "constant 0.1 warmed_up",
            "constant 0.1 warmed_up 1 warmed_up 2",
            "warmed_up 3",
            "constant x",
        ] {
            let message = text.parse::<Schedule>().unwrap_err().to_string();
            assert!(message.starts_with(&format!("{text:?} is no schedule; ")), "{message}");
        }
    }

    #[test]
    fn batches_read_back_as_they_were_wherever_they_stand() {
        let mut batches = Batches::new(10, 4, u64::MAX).with_rest();
        assert_eq!(batches.to_string(), "10 in 4 by 18446744073709551615 with_rest");
        let order = batches.at(5).to_vec();
        let mut read: Batches = batches.to_string().parse().unwrap();
        assert_eq!(read, batches);
        assert_eq!(read.at(5), order);
        assert_eq!("10 in 4 by 7".parse(), Ok(Batches::new(10, 4, 7)));
        for other in [Batches::new(11, 4, 7), Batches::new(10, 5, 7), Batches::new(10, 4, 8)] {
            assert_ne!(other, Batches::new(10, 4, 7));
        }
        assert_ne!(Batches::new(10, 4, 7), Batches::new(10, 4, 7).with_rest());
        for text in
            ["", "10 in 4", "3 in 4 by 7", "10 in 0 by 7", "10 in 4 by 7 with_rest with_rest"]
        {
            let message = text.parse::<Batches>().unwrap_err().to_string();
            assert!(message.starts_with(&format!("{text:?} is no batches; ")), "{message}");
        }
    }
}
