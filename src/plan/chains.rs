//! The chain of a step: instructions over slots for the functions of its items.

use super::item::Id;
use super::schedule::{Access, Schedule, Step, Work};
use crate::kernel::call::Call;
use crate::kernel::chain::{Chain, Instruction, Summed, folds};
use crate::ops::lower::{Argument, Lowered, Micro};
use crate::payload::Tensorial;
use crate::plan::item::Definition;
use std::collections::{BTreeMap, BTreeSet};

/// The chain that follows on a kernel of so many operands: its first operand is the kernel's result.
pub(super) fn following<P: Tensorial>(
    schedule: &Schedule<P>,
    step: &Step,
    kernel: usize,
    rows: Option<usize>,
) -> Chain {
    let result = schedule.access[step.items[0] as usize].clone();
    let others = step.operands[kernel..].iter().cloned();
    chain_of(
        schedule,
        &Step {
            work: Work::Chain,
            items: step.items[1..].to_vec(),
            operands: std::iter::once(result).chain(others).collect(),
            rows: None,
            outputs: step.outputs.clone(),
        },
        rows,
    )
}

/// A value of a chain before it has a slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Operand(u32),
    Output(u32),
    /// A value that only the chain reads, by the number of the instruction that writes it.
    Inside(u32),
}

/// The chain that computes the items of a step, or so many rows of them.
pub(super) fn chain_of<P: Tensorial>(
    schedule: &Schedule<P>,
    step: &Step,
    rows: Option<usize>,
) -> Chain {
    let mut extents = schedule.item(step.items[0]).shape.to_vec();
    rows.into_iter().for_each(|rows| extents[0] = rows);
    let (named, summed) = names(schedule, step);
    let named = ordered(named);
    let slots = Slots::new(step, &named, &summed);
    let instructions = named.into_iter().map(|(micro, arguments, to)| {
        let arguments = arguments.map(|name| name.map_or(0, |name| slots.of(name)));
        Instruction { function: micro.function, arguments, to: slots.of(to) }
    });
    let instructions: Vec<Instruction> = instructions.collect();
    let operands: Vec<(&[usize], usize)> = step
        .operands
        .iter()
        .map(|access| (access.layout.strides(), access.layout.offset()))
        .collect();
    let sizes = [step.outputs.len(), slots.registers];
    let sums = summed.into_iter().map(|(name, output)| Summed { from: slots.of(name), output });
    let sums: Vec<Summed> = sums.collect();
    Chain::new::<P::Element>(&extents, &operands, sizes, &instructions, &sums)
}

type Named = (Micro, [Option<Name>; 3], Name);

/// Every function of the step's items, with names of what it reads and writes; and what is summed, each
/// into the output of a number.
fn names<P: Tensorial>(schedule: &Schedule<P>, step: &Step) -> (Vec<Named>, Vec<(Name, usize)>) {
    let mut value_of: BTreeMap<Id, Name> = BTreeMap::new();
    let key = |access: &Access| {
        let pairs = access.layout.shape().iter().zip(access.layout.strides());
        // Where an axis has one position, its stride says nothing.
        let strides = pairs.map(|(&extent, &stride)| if extent == 1 { 0 } else { stride });
        (access.base, strides.collect::<Vec<_>>(), access.layout.offset())
    };
    let listed: BTreeMap<_, u32> = step.operands.iter().map(key).zip(0..).collect();
    let operand_of = |id: Id| {
        let position = listed.get(&key(&schedule.access[id as usize]));
        *position.expect("invariant: a step lists what it reads")
    };
    let (mut named, mut summed): (Vec<Named>, _) = (Vec::new(), Vec::new());
    for &id in &step.items {
        let item = schedule.item(id);
        let micros = match &item.definition {
            Definition::Operation(_, Lowered::Pointwise(micros)) => micros,
            Definition::Operation(_, Lowered::Call(Call::Sum(_))) => {
                let of = value_of[&schedule.access[item.operands[0] as usize].base];
                let output = step.outputs.binary_search(&id);
                summed.push((of, output.expect("invariant: a sum is an output")));
                continue;
            }
            _ => unreachable!("invariant: a chain covers element-wise functions and sums"),
        };
        let first = named.len();
        for (number, micro) in micros.iter().enumerate() {
            let name = |argument: Argument| match argument {
                Argument::Earlier(earlier) => Name::Inside((first + earlier) as u32),
                Argument::Operand(position) => {
                    let operand = item.operands[position];
                    match value_of.get(&schedule.access[operand as usize].base) {
                        Some(&name) => name,
                        None => Name::Operand(operand_of(operand)),
                    }
                }
            };
            let mut arguments = [None; 3];
            for (slot, &argument) in
                arguments.iter_mut().zip(&micro.arguments).take(micro.function.arity())
            {
                *slot = Some(name(argument));
            }
            let last = number + 1 == micros.len();
            let to = match step.outputs.binary_search(&id) {
                Ok(output) if last => Name::Output(output as u32),
                _ => Name::Inside(named.len() as u32),
            };
            named.push((*micro, arguments, to));
            if last {
                value_of.insert(id, to);
            }
        }
    }
    (named, summed)
}

/// The functions in an order in which one that reads what the last computed comes next, where it may, and
/// plain ones come before those that take a loop of their own: neighbours that are plain make one pass.
fn ordered(named: Vec<Named>) -> Vec<Named> {
    let writer: BTreeMap<Name, usize> = named.iter().map(|(_, _, to)| *to).zip(0..).collect();
    let mut readers = vec![BTreeSet::new(); named.len()];
    let mut missing = vec![0; named.len()];
    for (at, (_, arguments, _)) in named.iter().enumerate() {
        for &from in arguments.iter().flatten().filter_map(|name| writer.get(name)) {
            missing[at] += usize::from(readers[from].insert(at));
        }
    }
    let is_long = |at: usize| !folds(named[at].0.function);
    let mut ready: BTreeSet<(bool, usize)> =
        (0..named.len()).filter(|&at| missing[at] == 0).map(|at| (is_long(at), at)).collect();
    let mut ordered = Vec::with_capacity(named.len());
    let mut last: Option<usize> = None;
    while let Some(&first) = ready.first() {
        let held = last.into_iter().flat_map(|last| &readers[last]).map(|&at| (is_long(at), at));
        let held = held.filter(|of| ready.contains(of)).min();
        let next = held.filter(|held| held.0 == first.0).unwrap_or(first);
        ready.remove(&next);
        for &reader in &readers[next.1] {
            missing[reader] -= 1;
            if missing[reader] == 0 {
                ready.insert((is_long(reader), reader));
            }
        }
        ordered.push(named[next.1]);
        last = Some(next.1);
    }
    ordered
}

/// The slot of every value: registers are used again once nothing reads what they hold.
struct Slots {
    operands: u32,
    outputs: u32,
    inside: BTreeMap<u32, u32>,
    registers: usize,
}

impl Slots {
    fn new(step: &Step, named: &[Named], summed: &[(Name, usize)]) -> Self {
        let mut last: BTreeMap<u32, usize> = BTreeMap::new();
        for (at, (_, arguments, to)) in named.iter().enumerate() {
            for name in arguments.iter().flatten().chain([to]) {
                if let Name::Inside(number) = name {
                    last.insert(*number, at);
                }
            }
        }
        // Sums are taken once a tile is done.
        for (name, _) in summed {
            if let Name::Inside(number) = name {
                last.insert(*number, usize::MAX);
            }
        }
        let (mut inside, mut free, mut registers) = (BTreeMap::new(), Vec::new(), 0);
        for (at, (_, arguments, to)) in named.iter().enumerate() {
            if let Name::Inside(number) = to {
                let register = free.pop().unwrap_or_else(|| {
                    registers += 1;
                    registers as u32 - 1
                });
                inside.insert(*number, register);
            }
            // Freed behind the result's: an instruction reads no slot that it writes.
            let mut ended: Vec<u32> = Vec::new();
            for name in arguments.iter().flatten().chain([to]) {
                if let Name::Inside(number) = name
                    && last[number] == at
                    && !ended.contains(number)
                {
                    ended.push(*number);
                }
            }
            free.extend(ended.iter().map(|number| inside[number]));
        }
        let (operands, outputs) = (step.operands.len() as u32, step.outputs.len() as u32);
        Self { operands, outputs, inside, registers }
    }

    fn of(&self, name: Name) -> u32 {
        match name {
            Name::Operand(number) => number,
            Name::Output(number) => self.operands + number,
            Name::Inside(number) => self.operands + self.outputs + self.inside[&number],
        }
    }
}
