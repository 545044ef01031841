//! `diff`: what two schedules of one tape do differently, and what it costs or gains.

use super::describe::{Description, StepDescription, bytes, operations};
use super::run::Plan;
use crate::payload::{Shape, Tensorial};
use std::collections::BTreeMap;
use std::fmt;

/// What two plans do differently. It prints steps that only one has, the first plan's with `-`, the
/// second's with `+`, and the sums.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PlanDiff {
    /// Steps that only the first has.
    pub removed: Vec<StepDescription>,
    /// Steps that only the second has.
    pub added: Vec<StepDescription>,
    /// How many steps both have.
    pub common: usize,
    /// The number of steps, the operations, the bytes read and written, of the arena, and of what is
    /// alive at the peak, of both.
    pub totals: [[u64; 5]; 2],
}

impl<P: Tensorial> Plan<P> {
    /// What another plan of the same tape does differently.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Compile, Network, Pass, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.input(Tensor::from([1.0_f32, 2.0]));
    /// let y = (x + 1.0).tanh();
    /// let single = Compile::new(&network).target(y).without(Pass::Fuse).plan();
    /// let diff = single.diff(&network.compile([y], []));
    /// assert_eq!((diff.removed.len(), diff.added.len()), (2, 1));
    /// println!("{diff}");
    /// ```
    #[must_use]
    pub fn diff(&self, other: &Self) -> PlanDiff {
        let (first, second) = (self.describe(), other.describe());
        let totals = [&first, &second].map(totals);
        let mut left: BTreeMap<String, usize> = BTreeMap::new();
        for step in &second.steps {
            *left.entry(key(step)).or_default() += 1;
        }
        let mut common = BTreeMap::new();
        let removed = first.steps.into_iter().filter(|step| {
            let key = key(step);
            match left.get_mut(&key) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    *common.entry(key).or_insert(0_usize) += 1;
                    false
                }
                _ => true,
            }
        });
        let removed = removed.collect();
        let shared = common.values().fold(0, |sum, count| sum + count);
        let added = second.steps.into_iter().filter(|step| match common.get_mut(&key(step)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
        PlanDiff { removed, added: added.collect(), common: shared, totals }
    }
}

fn totals(of: &Description) -> [u64; 5] {
    [of.steps.len() as u64, of.operations, of.bytes, of.memory.arena, of.memory.peak]
}

/// What makes two steps the same: kernel, nodes and how they are read, not where things lie.
fn key(step: &StepDescription) -> String {
    let nodes: Vec<u32> = step.nodes.iter().map(|node| node.node).collect();
    let writes: Vec<u32> = step.writes.iter().map(|write| write.node).collect();
    let reads: Vec<String> =
        step.reads.iter().map(|read| format!("{} {:?}", read.node, read.how)).collect();
    format!("{} {nodes:?} {writes:?} {reads:?}", step.kernel)
}

impl fmt::Display for PlanDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { removed, added, common, totals } = self;
        writeln!(
            f,
            "{common} steps in common, {} only here, {} only there",
            removed.len(),
            added.len()
        )?;
        for (sign, steps) in [('-', removed), ('+', added)] {
            for step in steps {
                let shape = Shape::new(&step.shape).to_string();
                let nodes: Vec<String> =
                    step.nodes.iter().map(|node| format!("%{}", node.node)).collect();
                writeln!(
                    f,
                    "{sign} {:<14} {shape:<16} {:>11} {:>9}  {}",
                    step.kernel,
                    operations(step.operations),
                    bytes(step.bytes),
                    nodes.join(" ")
                )?;
            }
        }
        let names = ["steps", "operations", "read and written", "arena", "alive at the peak"];
        for (number, name) in names.into_iter().enumerate() {
            let [before, after] = [totals[0][number], totals[1][number]];
            let text = |value: u64| match number {
                0 => value.to_string(),
                1 => operations(value),
                _ => bytes(value),
            };
            let change = match before {
                0 => String::new(),
                _ => format!(" ({:+.1}%)", 100.0 * (after as f64 / before as f64 - 1.0)),
            };
            writeln!(f, "  {name:<18} {:>11} -> {:>11}{change}", text(before), text(after))?;
        }
        Ok(())
    }
}
