//! `profile`: what each step takes, measured.

use super::describe::{bytes, operations, titled};
use super::error::planned;
use super::execute::Given;
use super::run::{Executor, Plan};
use crate::engine::feeds::bind;
use crate::graph::{Network, Symbol};
use crate::payload::{Shape, Tensorial};
use std::fmt::{self, Write};
use std::time::Instant;

/// What the steps of a plan take. It prints as a table; [`Profile::to_chrome_trace`] gives a file for
/// trace viewers.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Profile {
    /// The number of runs, of which each number is the median.
    pub runs: usize,
    /// Nanoseconds of a whole run, binding and handing out included.
    pub nanoseconds: f64,
    /// The steps in their order; none where the plan is a flat program.
    pub steps: Vec<StepProfile>,
}

/// What one step takes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct StepProfile {
    /// The kernel's name.
    pub kernel: String,
    /// The extents of what it computes.
    pub shape: Vec<usize>,
    /// The nodes that it covers.
    pub nodes: Vec<u32>,
    /// The source line that recorded the last of them.
    pub place: String,
    /// Nanoseconds. Steps that take turns are measured together: the first has the time of all.
    pub nanoseconds: f64,
    /// Of a step that takes turns with others: the number of their first, which has the time of all.
    pub with: Option<usize>,
    /// Plain floating-point operations.
    pub operations: u64,
    /// Bytes read and written.
    pub bytes: u64,
}

impl<P: Tensorial> Plan<P> {
    /// Runs the plan so many times, at least once, and measures each step.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let w = network.parameter(Tensor::<f32>::zeros([8, 8]));
    /// let y = w.matmul(w).tanh();
    /// let profile = network.compile([y], []).profile(&network, [], 3);
    /// assert_eq!(profile.steps.len(), 1);
    /// println!("{profile}");
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Plan::try_forward`] errs.
    #[must_use]
    #[track_caller]
    #[expect(clippy::disallowed_methods, reason = "it measures time")]
    pub fn profile(
        &self,
        network: &Network<P>,
        feeds: impl IntoIterator<Item = (Symbol, P)>,
        runs: usize,
    ) -> Profile {
        let tape = planned(self.checked(network));
        let feeds = planned(bind(&tape, feeds).map_err(Into::into));
        let given = Given { network, feeds: &feeds };
        let runs = runs.max(1);
        let mut steps: Vec<Vec<f64>> = vec![Vec::with_capacity(runs); self.schedule.steps.len()];
        let mut whole = Vec::with_capacity(runs);
        for _ in 0..runs {
            let start = Instant::now();
            let mut last = start;
            match &self.executor {
                Executor::Arena(arena) => drop(arena.run_observed(
                    &given,
                    Some(&mut |number, _| {
                        let now = Instant::now();
                        steps[number].push((now - last).as_nanos() as f64);
                        last = now;
                    }),
                )),
                Executor::Flat(flat) => drop(flat.run(&given)),
                Executor::Opaque(opaque) => drop(opaque.run(&given)),
            }
            whole.push(start.elapsed().as_nanos() as f64);
        }
        let described = self.describe().steps.into_iter().enumerate();
        let steps = described.zip(steps).filter(|(_, times)| !times.is_empty());
        let first = |number| self.schedule.band_of(number).map(|band| band.steps.start);
        let steps = steps.map(|((number, step), times)| StepProfile {
            nodes: step.nodes.iter().map(|node| node.node).collect(),
            place: step.nodes.last().map_or_else(String::new, |node| node.place.clone()),
            kernel: step.kernel,
            shape: step.shape,
            with: first(number),
            nanoseconds: match first(number) {
                Some(first) if first < number => 0.0,
                _ => median(times),
            },
            operations: step.operations,
            bytes: step.bytes,
        });
        Profile { runs, nanoseconds: median(whole), steps: steps.collect() }
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(0.0)
}

/// What is divided by: a clock may not have moved.
fn at_least_one(nanoseconds: f64) -> f64 {
    if nanoseconds < 1.0 { 1.0 } else { nanoseconds }
}

/// A time: `850 ns`, `12.3 us`, `4.56 ms`.
fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        t if t < 1e3 => format!("{t:.0} ns"),
        t if t < 1e6 => format!("{:.1} us", t / 1e3),
        t if t < 1e9 => format!("{:.2} ms", t / 1e6),
        t => format!("{:.2} s", t / 1e9),
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, nanoseconds, steps } = self;
        writeln!(f, "{} a run, median of {runs}", time(*nanoseconds))?;
        if steps.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "step kernel         shape                time  share      FLOP/s     bytes/s"
        )?;
        for (number, step) in steps.iter().enumerate() {
            let kernel = titled(&step.kernel, step.nodes.len());
            if let Some(first) = step.with.filter(|&first| first < number) {
                let (shape, with) = (Shape::new(&step.shape).to_string(), format!("with {first}"));
                writeln!(
                    f,
                    "{number:>4} {kernel:<14} {shape:<16} {with:>9} {:>32}  {}",
                    "", step.place
                )?;
                continue;
            }
            // The work of all that are measured together.
            let together = steps.iter().filter(|other| other.with == Some(number));
            let all = |of: fn(&StepProfile) -> u64| match step.with {
                Some(_) => together.clone().fold(0, |sum, step| sum + of(step)),
                None => of(step),
            };
            let rate = |count: u64| (count as f64 / at_least_one(step.nanoseconds) * 1e9) as u64;
            writeln!(
                f,
                "{number:>4} {kernel:<14} {:<16} {:>9} {:>5.1}% {:>11} {:>11}  {}",
                Shape::new(&step.shape).to_string(),
                time(step.nanoseconds),
                100.0 * step.nanoseconds / at_least_one(*nanoseconds),
                operations(rate(all(|step| step.operations))),
                bytes(rate(all(|step| step.bytes))),
                step.place
            )?;
        }
        Ok(())
    }
}

impl Profile {
    /// The profile as a Chrome trace: JSON that `chrome://tracing` and Perfetto show, one step behind
    /// the other.
    #[must_use]
    pub fn to_chrome_trace(&self) -> String {
        let mut json = String::from("{\"traceEvents\":[");
        let mut start = 0.0;
        for (number, step) in self.steps.iter().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            let place = escaped(&step.place);
            // Microseconds, as the format has them.
            let (at, duration) = (start / 1e3, step.nanoseconds / 1e3);
            let _ = write!(
                json,
                "{comma}\n{{\"name\":\"{} {:?}\",\"cat\":\"step\",\"ph\":\"X\",\"pid\":0,\"tid\":0,\
                 \"ts\":{at:.3},\"dur\":{duration:.3},\"args\":{{\"step\":{number},\"nodes\":{:?},\
                 \"place\":\"{place}\",\"operations\":{},\"bytes\":{}}}}}",
                step.kernel, step.shape, step.nodes, step.operations, step.bytes
            );
            start += step.nanoseconds;
        }
        json += "\n]}\n";
        json
    }
}

/// Text inside a JSON string.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            control if control < ' ' => {
                let _ = write!(out, "\\u{:04x}", control as u32);
            }
            other => out.push(other),
        }
    }
    out
}
