//! Corruptions of schedules, each of which must be found.

mod named;

use super::verify;
use crate::graph::Network;
use crate::payload::Tensor;
use crate::payload::layout::Layout;
use crate::plan::Plan;
use crate::plan::band::Kind;
use crate::plan::compile::Compile;
use crate::plan::item::{Definition, Id};
use crate::plan::schedule::{Home, Schedule, Work};

type T = Tensor<f64>;

/// A generator of choices (SplitMix64).
struct Choices(u64);

impl Choices {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

fn numbers(shape: [usize; 2]) -> T {
    Tensor::from_fn(shape, |i| (i[0] * 3 + i[1]) as f64 * 0.1 - 0.4)
}

/// Schedules with every kind of step: products, chains, sums, views, selections, results inside.
fn plans() -> Vec<Plan<T>> {
    let network = Network::new();
    let x = network.input(numbers([4, 3]));
    let table = network.parameter(numbers([5, 3]));
    let rows = network.input(Tensor::selection(&[4, 0, 2, 2], 5));
    let [w, v] = [[3, 6], [6, 3]].map(|shape| network.parameter(numbers(shape)));
    let b = network.parameter(Tensor::from([0.1, -0.2, 0.3, 0.0, 0.5, -0.6]));
    let embedded = table.gather(rows) + x;
    let product = embedded.matmul(w);
    let hidden = (product + b.broadcast_like(product)).tanh();
    let out = hidden.matmul(v);
    let turned = (out * out.permute(&[1, 0]).permute(&[1, 0])).log_softmax(1);
    let loss = (turned.exp() * x).sum();
    let residual = (hidden.sum_along(&[0]) + b).sum() + loss;
    vec![
        network.compile([loss], [hidden.symbol()]),
        network.compile_training(loss, []),
        network.compile_training(residual, [out.symbol()]),
        Compile::new(&network).loss(residual).without(crate::Pass::Fuse).plan(),
        network.compile([turned, out.permute(&[1, 0])], []),
        Compile::new(&network).loss(residual).keep(hidden).cache(0).plan(),
        banded(),
    ]
}

/// A plan of little but a band: rows times a vector, functions of them, and the transposed rows times those.
fn banded() -> Plan<T> {
    let network = Network::new();
    let x = network.input(Tensor::from_fn([300, 4], |i| (i[0] * 3 + i[1]) as f64 * 0.01));
    let w = network.parameter(numbers([4, 1]));
    let z = x.matmul(w).reshape([300]);
    let loss = (z.tanh() * z).mean();
    let plan = Compile::new(&network).loss(loss).cache(0).plan();
    assert_eq!(plan.schedule.bands.len(), 1);
    plan
}

/// Changes a schedule at one place so that it means something else, and says how; `None` where the
/// place allows no such change.
fn corrupt(schedule: &mut Schedule<T>, choices: &mut Choices) -> Option<&'static str> {
    let step = choices.below(schedule.steps.len());
    let last = schedule.last_uses();
    let in_arena = |schedule: &Schedule<T>| {
        let homes = schedule.homes.iter().enumerate();
        let arena = homes
            .filter(|(id, home)| matches!(home, Home::Arena(_)) && schedule.items[*id].count() > 0);
        arena.map(|(id, _)| id as Id).collect::<Vec<_>>()
    };
    match choices.below(12) {
        0 => {
            // Freed early: what is read later is overwritten by a value that is alive beside it.
            let all = in_arena(schedule);
            let victim = all[choices.below(all.len())];
            let born = schedule.steps.iter().position(|step| step.outputs.contains(&victim))?;
            let end = last[victim as usize]?;
            let others = schedule.steps[born + 1..end].iter().flat_map(|step| &step.outputs);
            let others: Vec<Id> = others.copied().filter(|id| all.contains(id)).collect();
            let &thief = others.get(choices.below(others.len()))?;
            schedule.homes[thief as usize] = schedule.homes[victim as usize];
            Some("an early free")
        }
        1 => {
            let all = in_arena(schedule);
            let id = all[choices.below(all.len())];
            schedule.homes[id as usize] = Home::Arena(schedule.arena);
            Some("a place past the end")
        }
        2 => {
            let operands = &mut schedule.steps[step].operands;
            if operands.len() < 2 || !matches!(schedule.steps[step].work, Work::Call(_)) {
                return None;
            }
            schedule.steps[step].operands.swap(0, 1);
            Some("swapped operands")
        }
        3 => {
            schedule.steps[step].outputs.pop()?;
            Some("a value that is not written")
        }
        4 => {
            schedule.steps.remove(step);
            Some("a step left out")
        }
        5 => {
            let of = &schedule.steps[step];
            let ends = schedule.steps[step + 1..].iter().position(|later| {
                later.operands.iter().any(|access| of.outputs.contains(&access.base))
            })?;
            let moved = schedule.steps.remove(step);
            schedule.steps.insert(step + 1 + ends, moved);
            Some("a step behind its reader")
        }
        6 => {
            let at = choices.below(schedule.steps[step].operands.len());
            let access = schedule.steps[step].operands.get_mut(at)?;
            let (before, extents) = (access.clone(), access.layout.shape().clone());
            let turned = Layout::contiguous(extents.clone());
            if turned.strides() == access.layout.strides() && access.layout.offset() == 0 {
                access.layout = Layout::constant(extents.clone());
            } else {
                access.layout = turned;
            }
            // Where an axis is no longer than one, its stride says nothing.
            (!super::cover::same(&before, access)).then_some("an operand read by other strides")
        }
        7 => {
            let copy = schedule.steps[step].clone();
            schedule.steps.push(copy);
            Some("a step run twice")
        }
        11 => {
            if schedule.bands.is_empty() {
                return None;
            }
            let at = choices.below(schedule.bands.len());
            let band = &mut schedule.bands[at];
            let role = choices.below(band.roles.len());
            let role = &mut band.roles[role];
            match choices.below(5) {
                3 => {
                    // A product that is summed over the rows goes by whole blocks of its terms.
                    let summed = band.roles.iter().any(|role| role.kind == Kind::Summed);
                    band.block = if summed { band.block + 1 } else { band.rows };
                }
                0 => role.kind = if role.kind == Kind::Rows { Kind::Summed } else { Kind::Rows },
                1 => {
                    let operand = choices.below(role.axes.len());
                    let axis = role.axes.get_mut(operand)?;
                    *axis = axis.map_or(Some(0), |axis| (axis == 1).then_some(0));
                }
                2 => band.rows += 1,
                _ => {
                    // What one step writes lies where another reads.
                    let steps = &schedule.steps[band.steps.clone()];
                    let outputs = steps.iter().flat_map(|step| step.outputs.iter().copied());
                    let read = steps.iter().flat_map(|step| &step.operands);
                    let bases = outputs.clone().chain(read.map(|access| access.base));
                    let lies = |id: &Id| matches!(schedule.homes[*id as usize], Home::Arena(_));
                    let (outputs, bases): (Vec<Id>, Vec<Id>) =
                        (outputs.filter(lies).collect(), bases.filter(lies).collect());
                    let thief = *outputs.get(choices.below(outputs.len()))?;
                    let victim = *bases.get(choices.below(bases.len()))?;
                    if thief == victim {
                        return None;
                    }
                    schedule.homes[thief as usize] = schedule.homes[victim as usize];
                }
            }
            Some("a band that is none")
        }
        8 => {
            let id = choices.below(schedule.items.len());
            let item = &schedule.items[id];
            let computed = schedule.access[id].base as usize == id;
            if item.definition.is_source() || !computed || !item.is_computed() {
                return None;
            }
            let other = (0..id).find(|&other| {
                schedule.items[other].shape == item.shape
                    && schedule.access[other].base as usize == other
            })?;
            schedule.access[id].base = other as Id;
            Some("a value read through another")
        }
        9 => {
            let at = choices.below(schedule.steps[step].operands.len());
            if schedule.steps[step].operands.is_empty() {
                return None;
            }
            schedule.steps[step].operands.remove(at);
            Some("an operand left out")
        }
        _ => {
            let id = choices.below(schedule.items.len());
            let operands = schedule.items[id].operands.to_vec();
            let (&first, rest) = operands.split_first()?;
            let &other = rest.iter().find(|&&other| {
                let [a, b] = [first, other].map(|id| &schedule.access[id as usize]);
                other != first && !super::cover::same(a, b)
            })?;
            // The tape says another thing now than the steps.
            let swapped: Vec<Id> =
                operands.iter().map(|&id| if id == first { other } else { id }).collect();
            let is_call = matches!(
                schedule.items[id].definition,
                Definition::Operation(_, crate::ops::lower::Lowered::Call(_))
            );
            schedule.items[id].operands = crate::graph::node::Operands::new(&swapped);
            is_call.then_some("an operand of another value")
        }
    }
}

#[test]
fn every_corruption_is_found() {
    let (mut found, mut kinds) = (0, std::collections::BTreeMap::new());
    let mut choices = Choices(1);
    let plans = plans();
    plans.iter().for_each(|plan| assert_eq!(verify(&plan.schedule), Ok(())));
    while found < 1000 {
        let plan = &plans[choices.below(plans.len())];
        let mut schedule = plan.schedule.copied();
        let Some(kind) = corrupt(&mut schedule, &mut choices) else { continue };
        assert!(verify(&schedule).is_err(), "{kind} is not found");
        found += 1;
        *kinds.entry(kind).or_insert(0) += 1;
    }
    assert!(kinds.len() == 12 && kinds.values().all(|&count| count >= 10), "{kinds:?}");
}
