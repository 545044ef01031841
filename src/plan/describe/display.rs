//! A description as a table.

use super::{Description, StepDescription, ValueDescription, bytes, operations};
use crate::payload::Shape;
use std::fmt;

/// Notes of a pass that are printed: a deep network has one for every layer.
const NOTES: usize = 8;

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { element, executor, passes, steps, memory, .. } = self;
        write!(f, "plan over {element}, {executor}: ")?;
        match self.flat {
            Some([functions, slots]) => writeln!(f, "{functions} functions, {slots} slots")?,
            None => writeln!(
                f,
                "{} steps, {}, {} read and written",
                steps.len(),
                operations(self.operations),
                bytes(self.bytes)
            )?,
        }
        writeln!(f, "passes")?;
        for report in passes {
            writeln!(f, "  {:<14} {}", report.pass, report.summary)?;
            let shown = if f.alternate() { report.notes.len() } else { NOTES };
            for note in report.notes.iter().take(shown) {
                writeln!(f, "  {:<14}   {note}", "")?;
            }
            if let Some(rest @ 1..) = report.notes.len().checked_sub(shown) {
                writeln!(f, "  {:<14}   and {rest} more, which `{{:#}}` prints", "")?;
            }
        }
        if !steps.is_empty() {
            writeln!(
                f,
                "memory\n  arena {}, of which at most {} alive; results {}; every value kept would \
                 take {}",
                bytes(memory.arena),
                bytes(memory.peak),
                bytes(memory.results),
                bytes(memory.recorded)
            )?;
            if memory.packed > 0 {
                let packed = bytes(memory.packed);
                writeln!(
                    f,
                    "  parameters laid out for products at most {packed}, from a generation's third run on"
                )?;
            }
            if f.alternate() {
                writeln!(f, "  scratch {} a thread", bytes(memory.scratch))?;
            }
        }
        writeln!(f, "sources")?;
        for source in &self.sources {
            write!(f, "  ")?;
            value(f, source, 0)?;
        }
        if !steps.is_empty() {
            writeln!(f, "steps")?;
        }
        let most = steps.iter().map(|step| step.live).max().unwrap_or(0);
        for (number, step) in steps.iter().enumerate() {
            self.step(f, number, step, most)?;
        }
        writeln!(f, "results")?;
        for result in &self.results {
            write!(f, "  ")?;
            value(f, result, 0)?;
        }
        Ok(())
    }
}

impl Description {
    fn step(
        &self,
        f: &mut fmt::Formatter<'_>,
        number: usize,
        step: &StepDescription,
        most: u64,
    ) -> fmt::Result {
        let shape = Shape::new(&step.shape).to_string();
        let kernel = step.title();
        let work = operations(step.operations);
        write!(
            f,
            "  {number:>3} {kernel:<14} {shape:<16} {work:>11}  alive {:>8} ",
            bytes(step.live)
        )?;
        writeln!(f, "{}", bar(step.live, most))?;
        if f.alternate() && !step.machine.is_empty() {
            writeln!(f, "      {}", step.machine)?;
        }
        for node in &step.nodes {
            write!(f, "      ")?;
            value(f, node, 34)?;
        }
        write!(f, "      reads")?;
        for (at, read) in step.reads.iter().enumerate() {
            write!(f, "{}%{}", if at == 0 { " " } else { ", " }, read.node)?;
            if let Some(label) = &read.label {
                write!(f, " \"{label}\"")?;
            }
            if let Some(how) = &read.how {
                write!(f, " {how}")?;
            }
        }
        writeln!(f)?;
        write!(f, "      writes")?;
        for (at, write) in step.writes.iter().enumerate() {
            write!(f, "{}%{} ", if at == 0 { " " } else { ", " }, write.node)?;
            match (write.offset, write.in_place_of) {
                (None, _) => write!(f, "result")?,
                (Some(offset), None) => write!(f, "at {offset}")?,
                (Some(offset), Some(of)) => write!(f, "at {offset} in place of %{of}")?,
            }
            write!(f, " ({})", bytes(write.bytes))?;
        }
        let kept: Vec<String> = step.frees.iter().map(|node| format!("%{node}")).collect();
        if !kept.is_empty() {
            write!(f, "; frees {}", kept.join(", "))?;
        }
        writeln!(f)
    }
}

impl StepDescription {
    /// The kernel with the number of nodes that it covers: `sum`, `chain of 3`, `product + 2`.
    pub(crate) fn title(&self) -> String {
        titled(&self.kernel, self.nodes.len())
    }
}

/// A kernel's name with the number of nodes that it covers.
pub(in crate::plan) fn titled(kernel: &str, nodes: usize) -> String {
    match nodes {
        1 => kernel.into(),
        _ if kernel.ends_with('+') => format!("{kernel} {}", nodes - 1),
        _ => format!("{kernel} of {nodes}"),
    }
}

/// The live volume as a bar of at most twenty marks.
fn bar(live: u64, most: u64) -> String {
    let marks = (live * 20).checked_div(most).unwrap_or(0);
    "#".repeat(marks as usize)
}

/// A node's line: its text, filled up to a width, its name and its place.
fn value(f: &mut fmt::Formatter<'_>, value: &ValueDescription, width: usize) -> fmt::Result {
    let ValueDescription { node, text, label, shape, place, .. } = value;
    let mut line = format!("%{node} = {text} : {}", Shape::new(shape));
    if let Some(label) = label {
        line += &format!(" \"{label}\"");
    }
    if value.recomputed {
        line += " (again)";
    }
    let origin = if value.gradient { "gradient, " } else { "" };
    writeln!(f, "{line:<width$}  {origin}{place}")
}
