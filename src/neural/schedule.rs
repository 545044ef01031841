//! `Schedule`: the learning rate as a plain function of the step.

use crate::Elementary;
use std::f64::consts::PI;

/// A learning rate for each step, counted from 0: a function of the number alone, so that a run goes on
/// at any step as if it had never stopped.
///
/// # Example
///
/// ```
/// use poorgrad::Schedule;
///
/// let schedule = Schedule::cosine(1e-3, 1e-5, 100).warmed_up(10);
/// assert_eq!(schedule.at(0), 1e-4);
/// assert_eq!(schedule.at(10), 1e-3);
/// assert_eq!(schedule.at(1_000), 1e-5);
/// // Written down, such as a note of a checkpoint, it reads back as the same.
/// assert_eq!(schedule.to_string(), "cosine 0.001 1e-5 100 warmed_up 10");
/// assert_eq!(schedule.to_string().parse(), Ok(schedule));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    pub(super) warm_up: usize,
    pub(super) form: Form,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form {
    Constant(f64),
    Cosine { highest: f64, lowest: f64, steps: usize },
    OneCycle { highest: f64, steps: usize },
    Step { first: f64, factor: f64, every: usize },
}

/// Where [`Schedule::one_cycle`] has its peak, and how far below it begins and ends.
const PEAK: f64 = 0.3;
const BEGIN: f64 = 25.0;
const END: f64 = 1e4;

/// From `from` at 0 to `to` at 1, along half a period of a cosine.
fn half_cosine(from: f64, to: f64, part: f64) -> f64 {
    to + (from - to) * 0.5 * (1.0 + Elementary::cos(&(PI * part)))
}

impl Schedule {
    const fn of(form: Form) -> Self {
        Self { warm_up: 0, form }
    }

    /// The same rate at every step.
    #[must_use]
    pub const fn constant(rate: f64) -> Self {
        Self::of(Form::Constant(rate))
    }

    /// From `highest` at step 0 to `lowest` at step `steps` and after it, along half a period of a
    /// cosine (Loshchilov and Hutter, "SGDR", 2017).
    #[must_use]
    pub const fn cosine(highest: f64, lowest: f64, steps: usize) -> Self {
        Self::of(Form::Cosine { highest, lowest, steps })
    }

    /// Up and down again (Smith and Topin, "Super-convergence", 2018): from `highest / 25` along half a
    /// period of a cosine to `highest` at 3/10 of the steps, then to `highest / 250,000` at the last of
    /// `steps` steps and after it.
    #[must_use]
    pub const fn one_cycle(highest: f64, steps: usize) -> Self {
        Self::of(Form::OneCycle { highest, steps })
    }

    /// `first`, times `factor` after every `every` steps.
    ///
    /// # Panics
    ///
    /// Where `every` is 0.
    #[must_use]
    #[track_caller]
    pub const fn step(first: f64, factor: f64, every: usize) -> Self {
        assert!(every > 0, "Schedule::step: the rate must last for at least one step");
        Self::of(Form::Step { first, factor, every })
    }

    /// With `steps` steps in front that climb to the first rate in equal parts: step 0 has a part
    /// already, so that none is wasted. Without steps, nothing changes.
    #[must_use]
    pub const fn warmed_up(mut self, steps: usize) -> Self {
        self.warm_up = steps;
        self
    }

    /// The learning rate of a step.
    #[must_use]
    pub fn at(&self, step: usize) -> f64 {
        if step < self.warm_up {
            return self.after_warm_up(0) * (step + 1) as f64 / self.warm_up as f64;
        }
        self.after_warm_up(step - self.warm_up)
    }

    fn after_warm_up(&self, step: usize) -> f64 {
        match self.form {
            Form::Constant(rate) => rate,
            Form::Cosine { lowest, steps, .. } if step >= steps => lowest,
            Form::Cosine { highest, lowest, steps } => {
                half_cosine(highest, lowest, step as f64 / steps as f64)
            }
            Form::OneCycle { highest, steps } => {
                let (begin, end) = (highest / BEGIN, highest / BEGIN / END);
                let (peak, last) = (PEAK * steps as f64 - 1.0, steps as f64 - 1.0);
                let at = step as f64;
                if at >= last {
                    end
                } else if at <= peak {
                    half_cosine(begin, highest, at / peak)
                } else {
                    // Of few steps the peak lies in front of the first.
                    half_cosine(highest, end, (at - peak) / (last - peak))
                }
            }
            Form::Step { first, factor, every } => {
                let times = i32::try_from(step / every).unwrap_or(i32::MAX);
                first * Elementary::powi(&factor, times)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-12, "{found} for {expected}");
    }

    #[test]
    fn b62_cosine_meets_its_ends() {
        let schedule = Schedule::cosine(1e-3, 1e-5, 100);
        for (step, rate) in [(0, 1e-3), (25, 8.550_178_566_873_41e-4), (50, 5.05e-4), (100, 1e-5)] {
            close(schedule.at(step), rate);
        }
        assert_eq!([101, 1_000, usize::MAX].map(|step| schedule.at(step)), [1e-5; 3]);
        assert_eq!(Schedule::cosine(1e-3, 1e-5, 0).at(0), 1e-5);
    }

    #[test]
    fn b62_a_warm_up_of_no_steps_divides_by_nothing() {
        let cosine = Schedule::cosine(1e-3, 1e-5, 100);
        assert_eq!(cosine.clone().warmed_up(0).at(0), 1e-3);
        let warm = cosine.warmed_up(10);
        close(warm.at(0), 1e-4);
        close(warm.at(8), 9e-4);
        assert_eq!([9, 10].map(|step| warm.at(step)), [1e-3; 2]);
        close(warm.at(60), 5.05e-4);
        assert_eq!(Schedule::constant(0.5).warmed_up(1).at(0), 0.5);
    }

    #[test]
    fn one_cycle_climbs_to_its_peak_and_falls_below_its_start() {
        let schedule = Schedule::one_cycle(0.1, 100);
        close(schedule.at(0), 0.004);
        close(schedule.at(29), 0.1);
        close(schedule.at(99), 4e-7);
        assert!((0..29).all(|step| schedule.at(step) < schedule.at(step + 1)));
        assert!((29..99).all(|step| schedule.at(step) > schedule.at(step + 1)));
        assert_eq!(schedule.at(usize::MAX), schedule.at(99));
        for steps in 0..6 {
            let rates = (0..8).map(|step| Schedule::one_cycle(0.1, steps).at(step));
            assert!({ rates }.all(|rate| rate > 0.0 && rate <= 0.1), "{steps} steps");
        }
    }

    #[test]
    fn a_step_multiplies_after_every_so_many_steps() {
        let schedule = Schedule::step(0.8, 0.5, 3);
        assert_eq!([0, 2, 3, 5, 6].map(|step| schedule.at(step)), [0.8, 0.8, 0.4, 0.4, 0.2]);
        assert_eq!(schedule.at(usize::MAX), 0.0);
        assert_eq!(Schedule::step(0.8, 1.0, 1).at(usize::MAX), 0.8);
    }
}
