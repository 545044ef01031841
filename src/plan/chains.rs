//! The chain of a step: instructions over slots for the functions of its items.

use super::item::Id;
use super::schedule::{Access, Schedule, Step, Work};
use crate::kernel::call::Call;
use crate::kernel::chain::{Chain, Instruction, Summed, folds};
use crate::ops::lower::{Argument, Lowered, Micro};
use crate::payload::Tensorial;
use crate::plan::item::Definition;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

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
    let mut listed: Vec<(&Access, u32)> = step.operands.iter().zip(0..).collect();
    listed.sort_by(|(a, _), (b, _)| read_order(a, b));
    // A list may name the same elements by other strides.
    listed.dedup_by(|later, first| read_order(later.0, first.0).is_eq());
    let operand_of = |id: Id| {
        let access = &schedule.access[id as usize];
        let found = listed.binary_search_by(|(other, _)| read_order(other, access));
        listed[found.expect("invariant: a step lists what it reads")].1
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

/// An order of what is read in which only what has the same elements is equal.
fn read_order(a: &Access, b: &Access) -> Ordering {
    // Where an axis has one position, its stride says nothing.
    fn strides(access: &Access) -> impl Iterator<Item = usize> {
        let pairs = access.layout.shape().iter().zip(access.layout.strides());
        pairs.map(|(&extent, &stride)| if extent == 1 { 0 } else { stride })
    }
    let places = (a.base, a.layout.offset()).cmp(&(b.base, b.layout.offset()));
    places.then_with(|| strides(a).cmp(strides(b)))
}

/// The functions in an order in which one that reads what the last computed comes next, where it may, and
/// plain ones come before those that take a loop of their own: neighbours that are plain make one pass.
fn ordered(named: Vec<Named>) -> Vec<Named> {
    let readers = readers(&named);
    let mut missing = vec![0; named.len()];
    readers.iter().flatten().for_each(|&reader| missing[reader] += 1);
    let rank = |at: usize| (!folds(named[at].0.function), at);
    let mut ready: BinaryHeap<_> =
        (0..named.len()).filter(|&at| missing[at] == 0).map(|at| Reverse(rank(at))).collect();
    let mut taken = vec![false; named.len()];
    let mut ordered = Vec::with_capacity(named.len());
    let mut held: &[usize] = &[];
    while let Some(&Reverse((long, first))) = ready.peek() {
        // What the last one handed on was taken out of its turn.
        if taken[first] {
            ready.pop();
            continue;
        }
        let is_next = |at: &&usize| missing[**at] == 0 && !taken[**at] && rank(**at).0 == long;
        let next = *held.iter().find(is_next).unwrap_or(&first);
        taken[next] = true;
        held = &readers[next];
        for &reader in held {
            missing[reader] -= 1;
            if missing[reader] == 0 {
                ready.push(Reverse(rank(reader)));
            }
        }
        ordered.push(named[next]);
    }
    ordered
}

/// The functions that read what each one writes, in their order.
fn readers(named: &[Named]) -> Vec<Vec<usize>> {
    let mut readers = vec![Vec::new(); named.len()];
    let outputs = named.iter().enumerate().filter_map(|(at, (_, _, to))| match to {
        Name::Output(output) => Some((*output, at)),
        _ => None,
    });
    let mut writer_of_output: Vec<(u32, usize)> = outputs.collect();
    writer_of_output.sort_unstable();
    for (at, (_, arguments, _)) in named.iter().enumerate() {
        for name in arguments.iter().flatten() {
            let from: &mut Vec<usize> = match name {
                Name::Operand(_) => continue,
                Name::Inside(number) => &mut readers[*number as usize],
                Name::Output(output) => {
                    let found = writer_of_output.binary_search_by_key(output, |(of, _)| *of);
                    let found = found.expect("invariant: an output is written where it is read");
                    &mut readers[writer_of_output[found].1]
                }
            };
            // It may read one value twice.
            if from.last() != Some(&at) {
                from.push(at);
            }
        }
    }
    readers
}

/// The slot of every value: registers are used again once nothing reads what they hold.
struct Slots {
    operands: u32,
    outputs: u32,
    /// By the number of the function that writes the value.
    inside: Vec<u32>,
    registers: usize,
}

impl Slots {
    fn new(step: &Step, named: &[Named], summed: &[(Name, usize)]) -> Self {
        let mut last = vec![0; named.len()];
        for (at, (_, arguments, to)) in named.iter().enumerate() {
            for name in arguments.iter().flatten().chain([to]) {
                if let Name::Inside(number) = name {
                    last[*number as usize] = at;
                }
            }
        }
        // Sums are taken once a tile is done.
        for (name, _) in summed {
            if let Name::Inside(number) = name {
                last[*number as usize] = usize::MAX;
            }
        }
        let (mut inside, mut free, mut registers) = (vec![0; named.len()], Vec::new(), 0);
        for (at, (_, arguments, to)) in named.iter().enumerate() {
            if let Name::Inside(number) = to {
                let register = free.pop().unwrap_or_else(|| {
                    registers += 1;
                    registers as u32 - 1
                });
                inside[*number as usize] = register;
            }
            // Freed behind the result's: an instruction reads no slot that it writes.
            let start = free.len();
            for name in arguments.iter().flatten().chain([to]) {
                if let Name::Inside(number) = name
                    && last[*number as usize] == at
                    && !free[start..].contains(&inside[*number as usize])
                {
                    free.push(inside[*number as usize]);
                }
            }
        }
        let (operands, outputs) = (step.operands.len() as u32, step.outputs.len() as u32);
        Self { operands, outputs, inside, registers }
    }

    fn of(&self, name: Name) -> u32 {
        match name {
            Name::Operand(number) => number,
            Name::Output(number) => self.operands + number,
            Name::Inside(number) => self.operands + self.outputs + self.inside[number as usize],
        }
    }
}
