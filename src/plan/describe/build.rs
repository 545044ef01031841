//! A plan's description, made from its schedule and its program.

use super::{
    Description, MemoryDescription, ReadDescription, StepDescription, ValueDescription,
    WriteDescription,
};
use crate::graph::head::Expression;
use crate::graph::tape::Tape;
use crate::kernel::Elementary;
use crate::kernel::call::Call;
use crate::payload::layout::Layout;
use crate::payload::{Stored, Tensorial};
use crate::plan::item::{Definition, Id};
use crate::plan::program::Kernel;
use crate::plan::run::{Executor, Plan};
use crate::plan::schedule::{Access, Home, Schedule, Step, Work};

/// The description of a plan.
pub(crate) fn describe<P: Tensorial>(plan: &Plan<P>) -> Description {
    let Plan { tape, schedule, executor, .. } = plan;
    let writer = Writer { tape, schedule };
    let sources = (0..schedule.items.len() as Id).filter(|&id| schedule.is_source(id));
    let results = schedule.results.iter().map(|&id| writer.value(id));
    let (lines, flat) = match executor {
        Executor::Arena(arena) => (&arena.program.lines[..], None),
        Executor::Flat(flat) => (&[][..], Some(flat.sizes())),
        Executor::Opaque(_) => (&[][..], None),
    };
    let mut steps = writer.steps();
    for (step, line) in steps.iter_mut().zip(lines) {
        step.machine = match &line.kernel {
            Kernel::Chain(chain) => chain.machine(),
            Kernel::Followed(_, _, chain) => chain.machine(),
            Kernel::Call(_) => String::new(),
        };
    }
    let unit = writer.unit();
    let handed = schedule.results.iter().enumerate().filter(|(number, id)| {
        schedule.homes.get(**id as usize) == Some(&Home::Result(*number as u32))
    });
    let handed = handed.map(|(_, &id)| writer.bytes(id)).fold(0, |sum, bytes| sum + bytes);
    let scratch = lines.iter().map(|line| match &line.kernel {
        Kernel::Chain(chain) => chain.scratch::<P::Element>() as u64 * unit,
        Kernel::Followed(_, _, chain) => chain.scratch::<P::Element>() as u64 * unit,
        Kernel::Call(_) => 0,
    });
    // A band keeps sums on the way while its chains run.
    let on_the_way = match executor {
        Executor::Arena(arena) => arena.program.bands.iter().map(|band| band.scratch()).max(),
        _ => None,
    };
    let on_the_way = on_the_way.unwrap_or(0) as u64 * unit;
    let packed = match executor {
        Executor::Arena(arena) => arena.program.packed(),
        _ => 0,
    };
    let memory = MemoryDescription {
        arena: schedule.arena as u64 * unit,
        results: handed,
        peak: steps.iter().map(|step| step.live).max().unwrap_or(0),
        recorded: schedule.recorded as u64 * unit,
        packed: (packed as u64).saturating_mul(unit),
        scratch: scratch.max().unwrap_or(0) + on_the_way,
    };
    Description {
        element: P::Element::NAME.into(),
        executor: executor.name().into(),
        passes: schedule.reports.clone(),
        sources: sources.map(|id| writer.value(id)).collect(),
        results: results.collect(),
        flat,
        memory,
        operations: steps.iter().fold(0, |sum, step| sum + step.operations),
        bytes: steps.iter().fold(0, |sum, step| sum + step.bytes),
        steps,
    }
}

struct Writer<'p, P: Tensorial> {
    tape: &'p Tape<P>,
    schedule: &'p Schedule<P>,
}

impl<P: Tensorial> Writer<'_, P> {
    fn unit(&self) -> u64 {
        size_of::<P::Element>() as u64
    }

    fn bytes(&self, id: Id) -> u64 {
        self.schedule.item(id).count() as u64 * self.unit()
    }

    fn value(&self, id: Id) -> ValueDescription {
        let item = self.schedule.item(id);
        let node = self.tape.node(item.origin as usize);
        ValueDescription {
            node: item.origin,
            text: self.text(id),
            label: node.label(),
            shape: item.shape.to_vec(),
            place: node.location.to_string(),
            gradient: item.origin >= self.schedule.gradients_from,
            recomputed: item.recomputed,
        }
    }

    /// What an item is: its node's expression, or the constant that it was found to be.
    fn text(&self, id: Id) -> String {
        let item = self.schedule.item(id);
        let Definition::Constant(payload) = &item.definition else {
            return Expression(self.tape.node(item.origin as usize)).to_string();
        };
        match payload.stored() {
            Stored::Constant(value) => format!("constant {}", value.to_text()),
            Stored::Dense(elements) if elements.len() == 1 => {
                format!("constant {}", elements[0].to_text())
            }
            _ => String::from("constant"),
        }
    }

    fn read(&self, access: &Access) -> ReadDescription {
        let item = self.schedule.item(access.base);
        let label = self.tape.node(item.origin as usize).label();
        let whole = access.is_whole(&self.schedule.items)
            || matches!(item.definition, Definition::Constant(_)) && item.count() == 1;
        let how = (!whole).then(|| how(&access.layout));
        ReadDescription { node: item.origin, label, how }
    }

    fn steps(&self) -> Vec<StepDescription> {
        let Schedule { steps, homes, .. } = self.schedule;
        let last = self.schedule.last_uses();
        let mut ends: Vec<Vec<Id>> = vec![Vec::new(); steps.len()];
        for (id, last) in last.iter().enumerate() {
            last.iter().for_each(|&step| ends[step].push(id as Id));
        }
        let mut live = 0;
        let mut descriptions = Vec::with_capacity(steps.len());
        let mut owners: std::collections::BTreeMap<usize, Id> = std::collections::BTreeMap::new();
        for (index, step) in steps.iter().enumerate() {
            let mut writes = Vec::new();
            for &id in &step.outputs {
                let (mut offset, mut in_place_of) = (None, None);
                if let Home::Arena(start) = homes[id as usize] {
                    offset = Some(start as u64 * self.unit());
                    let before = owners.insert(start, id);
                    let inherited =
                        before.filter(|&of| last[of as usize] == Some(index) && self.bytes(of) > 0);
                    in_place_of = inherited.map(|of| self.schedule.item(of).origin);
                    live += self.bytes(id);
                    live -= inherited.map_or(0, |of| self.bytes(of));
                }
                let node = self.schedule.item(id).origin;
                writes.push(WriteDescription { node, offset, bytes: self.bytes(id), in_place_of });
            }
            let alive = live;
            let mut frees = Vec::new();
            for &id in &ends[index] {
                let Home::Arena(start) = homes[id as usize] else { continue };
                frees.push(self.schedule.item(id).origin);
                if owners.get(&start) == Some(&id) {
                    live -= self.bytes(id);
                    owners.remove(&start);
                }
            }
            descriptions.push(self.step(step, writes, frees, alive));
        }
        descriptions
    }

    fn step(
        &self,
        step: &Step,
        writes: Vec<WriteDescription>,
        frees: Vec<u32>,
        live: u64,
    ) -> StepDescription {
        let shape = &self.schedule.item(step.items[0]).shape;
        let extents: Vec<&[usize]> =
            step.operands.iter().map(|access| access.layout.shape().extents()).collect();
        let functions = step.items.iter().map(|&id| self.functions(id));
        let functions: u64 = functions.fold(0, |sum, functions| sum + functions);
        let (kernel, operations) = match &step.work {
            Work::Call(call) => (call.name().into(), call.operations(&extents, shape.count())),
            Work::Chain => ("chain".into(), functions * shape.count() as u64),
            Work::Followed(call) => {
                let kernel = call.operations(&extents, shape.count());
                (format!("{} +", call.name()), kernel + functions * shape.count() as u64)
            }
        };
        let read = step.operands.iter().map(|access| {
            let count = access.layout.count().min(self.schedule.item(access.base).count());
            count as u64 * self.unit()
        });
        let read = read.fold(0, |sum, bytes| sum + bytes);
        let written = writes.iter().fold(0, |sum, write| sum + write.bytes);
        StepDescription {
            kernel,
            shape: shape.to_vec(),
            nodes: step.items.iter().map(|&id| self.value(id)).collect(),
            reads: step.operands.iter().map(|access| self.read(access)).collect(),
            writes,
            frees,
            operations,
            bytes: read + written,
            live,
            machine: String::new(),
        }
    }

    /// How many functions of elements an item takes.
    fn functions(&self, id: Id) -> u64 {
        use crate::ops::lower::Lowered;
        match &self.schedule.item(id).definition {
            Definition::Operation(_, Lowered::Pointwise(micros)) => micros.len() as u64,
            // Taken on the way.
            Definition::Operation(_, Lowered::Call(Call::Sum(_))) => 1,
            _ => 0,
        }
    }
}

/// How a layout reads its base, in a word where there is one.
fn how(layout: &Layout) -> String {
    let (extents, strides) = (layout.shape(), layout.strides());
    let repeats = extents.iter().zip(strides).any(|(&extent, &stride)| extent > 1 && stride == 0);
    if repeats {
        return format!("broadcast to {extents}");
    }
    let mut sorted: Vec<usize> = strides.to_vec();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    if layout.offset() == 0 && sorted != strides {
        return format!("transposed to {extents}");
    }
    if layout.offset() == 0 && layout.is_contiguous() {
        return format!("as {extents}");
    }
    format!("{extents} by strides {strides:?} from {}", layout.offset())
}
