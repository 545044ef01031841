//! The executor of scalars: a flat program over a list of slots, a few nanoseconds a node.

use super::bind::Given;
use crate::graph::node::Operands;
use crate::kernel::Kernels;
use crate::kernel::map::Pointwise;
use crate::ops::Function;
use crate::ops::lower::{Argument, Lowered};
use crate::payload::Tensorial;
use crate::plan::item::{Definition, Id};
use crate::plan::schedule::Schedule;
use std::sync::{Mutex, PoisonError};

/// One function of slots.
#[derive(Clone, Debug)]
struct Line {
    function: Pointwise,
    arguments: [u32; 3],
    to: u32,
}

/// What is rare: an operation that is no element-wise function.
struct Other {
    /// It runs in front of this line.
    before: usize,
    function: Function,
    operands: Operands,
    to: u32,
}

/// A flat program. Sources have the first slots.
pub(in crate::plan) struct Flat<P: Tensorial> {
    sources: Vec<(u32, Definition<P>)>,
    lines: Vec<Line>,
    others: Vec<Other>,
    slots: usize,
    results: Vec<u32>,
    /// The slots of runs that ended; the lock is not held during a run.
    idle: Mutex<Vec<Vec<P>>>,
}

impl<P: Tensorial> Flat<P> {
    pub(in crate::plan) fn new(schedule: &Schedule<P>) -> Self {
        let numbering = Numbering::new(schedule);
        let slot = |id: Id| numbering.slots[numbering.roots[id as usize] as usize];
        let (mut sources, mut lines, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for (id, item) in schedule.items.iter().enumerate() {
            let to = numbering.slots[id];
            match &item.definition {
                Definition::Operation(_, Lowered::Pointwise(micros)) => {
                    let first = lines.len();
                    for micro in micros {
                        let argument = |argument| match argument {
                            Argument::Operand(position) => {
                                item.operands.get(position).map_or(to, |&id| slot(id))
                            }
                            Argument::Earlier(earlier) => {
                                let line: &Line = &lines[first + earlier];
                                line.to
                            }
                        };
                        let arguments = micro.arguments.map(argument);
                        let to = if lines.len() + 1 == first + micros.len() {
                            to
                        } else {
                            numbering.temporary + (lines.len() - first) as u32
                        };
                        lines.push(Line { function: micro.function, arguments, to });
                    }
                }
                Definition::Operation(_, Lowered::View(_) | Lowered::Reshape) => {}
                Definition::Operation(function, _) => {
                    let operands: Vec<u32> = item.operands.iter().map(|&id| slot(id)).collect();
                    let (before, function) = (lines.len(), function.clone());
                    others.push(Other { before, function, operands: Operands::new(&operands), to });
                }
                source => sources.push((item.origin, source.clone())),
            }
        }
        let results = schedule.results.iter().map(|&id| slot(id)).collect();
        let slots = numbering.count;
        Self { sources, lines, others, slots, results, idle: Mutex::new(Vec::new()) }
    }

    /// The number of functions, and of slots.
    pub(in crate::plan) fn sizes(&self) -> [usize; 2] {
        [self.lines.len() + self.others.len(), self.slots]
    }

    /// The results of a run.
    pub(in crate::plan) fn run(&self, given: &Given<'_, P>) -> Vec<P> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let zero = || P::full(&crate::payload::Shape::scalar(), crate::kernel::Elementary::zero());
        let mut slots = taken.unwrap_or_else(|| vec![zero(); self.slots]);
        for (slot, (origin, definition)) in slots.iter_mut().zip(&self.sources) {
            *slot = given.payload(*origin, definition).clone();
        }
        let mut start = 0;
        for other in &self.others {
            evaluate(&self.lines[start..other.before], &mut slots);
            start = other.before;
            let operands: Vec<&P> =
                other.operands.iter().map(|&slot| &slots[slot as usize]).collect();
            slots[other.to as usize] = other.function.eval(&operands, Kernels::Native);
        }
        evaluate(&self.lines[start..], &mut slots);
        let results = self.results.iter().map(|&slot| slots[slot as usize].clone()).collect();
        idle().push(slots);
        results
    }
}

fn evaluate<P: Tensorial>(lines: &[Line], slots: &mut [P]) {
    for Line { function, arguments: [a, b, c], to } in lines {
        let slot = |number: &u32| &slots[*number as usize];
        slots[*to as usize] = match *function {
            Pointwise::Unary(op) => slot(a).map(op, Kernels::Native),
            Pointwise::Binary(op) => slot(a).zip(op, slot(b), Kernels::Native),
            Pointwise::Select => slot(a).select(slot(b), slot(c), Kernels::Native),
        };
    }
}

/// Slots by liveness: a slot is used again behind the last reader of what it holds.
struct Numbering {
    /// The item whose value each has: views of a scalar are that scalar.
    roots: Vec<Id>,
    slots: Vec<u32>,
    /// The first of the slots for what only one operation's functions hand on.
    temporary: u32,
    count: usize,
}

impl Numbering {
    fn new<P: Tensorial>(schedule: &Schedule<P>) -> Self {
        let items = &schedule.items;
        let mut roots: Vec<Id> = (0..items.len() as Id).collect();
        for (id, item) in items.iter().enumerate() {
            if let Definition::Operation(_, Lowered::View(_) | Lowered::Reshape) = item.definition {
                roots[id] = roots[item.operands[0] as usize];
            }
        }
        let mut last = vec![0; items.len()];
        for (id, item) in items.iter().enumerate() {
            item.operands.iter().for_each(|&of| last[roots[of as usize] as usize] = id);
        }
        // Results live on; sources are set anew by the next run alone.
        schedule.results.iter().for_each(|&id| last[roots[id as usize] as usize] = usize::MAX);
        let mut slots = vec![0; items.len()];
        let mut count = 0;
        for (id, _) in items.iter().enumerate().filter(|(_, item)| item.definition.is_source()) {
            slots[id] = count;
            last[id] = usize::MAX;
            count += 1;
        }
        let (mut free, mut widest) = (Vec::new(), 0);
        for (id, item) in items.iter().enumerate() {
            if item.definition.is_source() || roots[id] != id as Id {
                continue;
            }
            if let Definition::Operation(_, Lowered::Pointwise(micros)) = &item.definition {
                widest = widest.max(micros.len() as u32 - 1);
            }
            // The last operands' slots first: an element is read before one is written, but what an
            // operation computes on the way must not be in its result's slot.
            slots[id] = free.pop().unwrap_or_else(|| {
                count += 1;
                count - 1
            });
            let mut ended: Vec<Id> = item.operands.iter().map(|&of| roots[of as usize]).collect();
            ended.sort_unstable();
            ended.dedup();
            let ended = ended.into_iter().filter(|&of| last[of as usize] == id);
            free.extend(ended.map(|of| slots[of as usize]));
        }
        let temporary = count;
        Self { roots, slots, temporary, count: (count + widest) as usize }
    }
}
