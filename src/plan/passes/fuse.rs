//! `fuse`: element-wise functions over one space become one step that runs tile by tile, and what
//! only the group reads is never laid out in memory.
//!
//! Every step gets a time: even for functions, odd for kernels. A function has the time of one whose
//! result it reads element for element, and a later one than whatever else it reads; a kernel runs
//! behind the functions that it reads. Functions of one time and one space, joined by what they hand
//! on or read together, are a group. No path can leave a group and come back, as every other step on
//! it has a later time.
//!
//! A function is put off to the time of its first reader where that keeps no more alive: a
//! derivative's factor runs beside the derivative, not beside the forward function.

use crate::payload::Tensorial;
use crate::plan::item::Id;
use crate::plan::options::Options;
use crate::plan::report::Report;
use crate::plan::schedule::{Access, Schedule, Step, Work};
use std::collections::BTreeMap;
use std::ops::Range;

pub(crate) fn run<P: Tensorial>(schedule: &mut Schedule<P>, _: &Options) -> Report {
    let edges = Edges::new(schedule);
    let mut times = earliest(schedule, &edges);
    put_off(schedule, &edges, &mut times);
    let mut groups = Groups::new(schedule.steps.len());
    join(schedule, &edges, &times, &mut groups);
    let before = schedule.steps.len();
    let interior = merge(schedule, &mut groups);
    let summary = format!(
        "{before} steps became {}; {interior} values stay inside one",
        schedule.steps.len()
    );
    Report::new("fuse", summary)
}

/// What a step reads of another one.
#[derive(Clone, Copy)]
struct Edge {
    producer: usize,
    consumer: usize,
    /// Whether both are functions, and the one reads the other's result element for element.
    direct: bool,
}

/// What steps read of one another, by consumer and by producer.
struct Edges {
    edges: Vec<Edge>,
    by_consumer: Vec<Range<usize>>,
    by_producer: Vec<Vec<usize>>,
    /// Whether each item is a result.
    handed: Vec<bool>,
}

impl Edges {
    fn new<P: Tensorial>(schedule: &Schedule<P>) -> Self {
        let step_of = schedule.step_of();
        let count = schedule.steps.len();
        let mut handed = vec![false; schedule.items.len()];
        schedule.results.iter().for_each(|&id| handed[id as usize] = true);
        let (by_consumer, by_producer) = (Vec::with_capacity(count), vec![Vec::new(); count]);
        let mut all = Self { edges: vec![], by_consumer, by_producer, handed };
        for (consumer, step) in schedule.steps.iter().enumerate() {
            let first = all.edges.len();
            for access in &step.operands {
                let Some(producer) = step_of[access.base as usize] else { continue };
                let chains = is_chain(step) && is_chain(&schedule.steps[producer]);
                let direct = chains && is_direct(schedule, step, access);
                all.by_producer[producer].push(all.edges.len());
                all.edges.push(Edge { producer, consumer, direct });
            }
            all.by_consumer.push(first..all.edges.len());
        }
        all
    }

    /// What a step reads.
    fn read_by(&self, consumer: usize) -> &[Edge] {
        &self.edges[self.by_consumer[consumer].clone()]
    }

    /// What reads a step.
    fn out_of(&self, producer: usize) -> impl Iterator<Item = Edge> {
        self.by_producer[producer].iter().map(|&edge| self.edges[edge])
    }
}

fn is_chain(step: &Step) -> bool {
    matches!(step.work, Work::Chain)
}

/// Whether a function reads an operand of its own shape element for element.
fn is_direct<P: Tensorial>(schedule: &Schedule<P>, step: &Step, access: &Access) -> bool {
    let space = &schedule.item(step.items[0]).shape;
    access.is_whole(&schedule.items) && schedule.item(access.base).shape == *space
}

/// The first time at which each step can run.
fn earliest<P: Tensorial>(schedule: &Schedule<P>, edges: &Edges) -> Vec<usize> {
    let mut times = vec![0; schedule.steps.len()];
    for (index, step) in schedule.steps.iter().enumerate() {
        let chain = is_chain(step);
        let mut time = usize::from(!chain);
        for edge in edges.read_by(index) {
            let produced = times[edge.producer];
            let producer_is_chain = is_chain(&schedule.steps[edge.producer]);
            time = time.max(match (chain, producer_is_chain) {
                (true, true) if edge.direct => produced,
                (true, true) => produced + 2,
                (true, false) | (false, true) => produced + 1,
                (false, false) => produced,
            });
        }
        times[index] = time;
    }
    times
}

/// The two latest readers of a base, each with its time.
#[derive(Clone, Copy)]
struct Latest([(usize, usize); 2]);

impl Latest {
    const NOBODY: Self = Self([(0, usize::MAX); 2]);

    fn see(&mut self, time: usize, reader: usize) {
        let [first, second] = self.0;
        self.0 = match (time, reader) {
            new if first.1 == reader => [(new.0.max(first.0), reader), second],
            new if new.0 >= first.0 => [new, first],
            new if new.0 >= second.0 => [first, new],
            _ => return,
        };
    }

    /// The time up to which the base is alive without some of its readers.
    fn without(&self, readers: &[usize]) -> usize {
        let other = self.0.iter().find(|(_, reader)| !readers.contains(reader));
        other.map_or(0, |(time, _)| *time)
    }
}

/// COST: a function takes at most so many others along when it is put off.
const CONE: usize = 24;

fn put_off<P: Tensorial>(schedule: &Schedule<P>, edges: &Edges, times: &mut [usize]) {
    let mut latest = vec![Latest::NOBODY; schedule.items.len()];
    for (index, step) in schedule.steps.iter().enumerate() {
        step.operands
            .iter()
            .for_each(|access| latest[access.base as usize].see(times[index], index));
    }
    for (index, step) in schedule.steps.iter().enumerate().rev() {
        if !is_chain(step) || edges.by_producer[index].is_empty() {
            continue;
        }
        let due = due(schedule, edges, times, index);
        if due <= times[index] {
            continue;
        }
        let cone = cone(schedule, edges, index);
        for moved in [&cone[..], &cone[..1]] {
            // What would live longer than it does, against what would live shorter.
            let mut kept = 0;
            let mut seen: Vec<Id> = Vec::new();
            for access in moved.iter().flat_map(|&step| &schedule.steps[step].operands) {
                let base = access.base;
                let inside = moved.iter().any(|&step| schedule.steps[step].items.contains(&base));
                if inside || schedule.is_source(base) || seen.contains(&base) {
                    continue;
                }
                seen.push(base);
                if latest[base as usize].without(moved) < due {
                    kept += schedule.item(base).count();
                }
            }
            if kept <= schedule.item(step.items[0]).count() {
                for &step in moved {
                    times[step] = due;
                    let operands = schedule.steps[step].operands.iter();
                    operands.for_each(|access| latest[access.base as usize].see(due, step));
                }
                break;
            }
        }
    }
}

/// The last time at which a function can run: that of its first reader.
fn due<P: Tensorial>(
    schedule: &Schedule<P>,
    edges: &Edges,
    times: &[usize],
    index: usize,
) -> usize {
    let due = edges.out_of(index).map(|edge| {
        let reader = times[edge.consumer];
        match is_chain(&schedule.steps[edge.consumer]) {
            true if edge.direct => reader,
            true => reader - 2,
            false => reader - 1,
        }
    });
    due.min().unwrap_or(times[index])
}

/// A function, first, and those in front of it that it alone reads, element for element.
fn cone<P: Tensorial>(schedule: &Schedule<P>, edges: &Edges, index: usize) -> Vec<usize> {
    let mut cone = vec![index];
    let mut at = 0;
    while at < cone.len() && cone.len() < CONE {
        for edge in edges.read_by(cone[at]) {
            let handed = edges.handed[schedule.steps[edge.producer].items[0] as usize];
            let alone = edges
                .out_of(edge.producer)
                .all(|edge| edge.direct && cone.contains(&edge.consumer));
            if alone && !handed && !cone.contains(&edge.producer) {
                cone.push(edge.producer);
            }
        }
        at += 1;
    }
    cone
}

/// Sets of steps.
struct Groups {
    parent: Vec<usize>,
}

impl Groups {
    fn new(count: usize) -> Self {
        Self { parent: (0..count).collect() }
    }

    fn root(&mut self, mut of: usize) -> usize {
        while self.parent[of] != of {
            self.parent[of] = self.parent[self.parent[of]];
            of = self.parent[of];
        }
        of
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        // The first step is the root, so that groups come in the order of their first step.
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high] = low;
    }
}

fn join<P: Tensorial>(schedule: &Schedule<P>, edges: &Edges, times: &[usize], groups: &mut Groups) {
    for edge in &edges.edges {
        if edge.direct && times[edge.producer] == times[edge.consumer] {
            groups.join(edge.producer, edge.consumer);
        }
    }
    // Functions that read the same elements at the same time read them once.
    let mut readers: BTreeMap<(usize, Id), usize> = BTreeMap::new();
    for (index, step) in schedule.steps.iter().enumerate().filter(|(_, step)| is_chain(step)) {
        for access in &step.operands {
            let direct = is_direct(schedule, step, access);
            if direct && schedule.item(access.base).count() > 1 {
                let first = *readers.entry((times[index], access.base)).or_insert(index);
                groups.join(first, index);
            }
        }
    }
}

/// Makes every group one step; gives the number of items that no step needs in memory.
fn merge<P: Tensorial>(schedule: &mut Schedule<P>, groups: &mut Groups) -> usize {
    let steps = std::mem::take(&mut schedule.steps);
    let roots: Vec<usize> = (0..steps.len()).map(|step| groups.root(step)).collect();
    let mut root_of_item = vec![usize::MAX; schedule.items.len()];
    for (step, &root) in steps.iter().zip(&roots) {
        step.items.iter().for_each(|&item| root_of_item[item as usize] = root);
    }
    let mut needed = vec![false; schedule.items.len()];
    schedule.results.iter().for_each(|&id| needed[id as usize] = true);
    for (step, &root) in steps.iter().zip(&roots) {
        for access in &step.operands {
            if root_of_item[access.base as usize] != root {
                needed[access.base as usize] = true;
            }
        }
    }
    let mut merged: BTreeMap<usize, Step> = BTreeMap::new();
    let mut interior = 0;
    for (step, root) in steps.into_iter().zip(roots) {
        let outputs = step.outputs.iter().copied();
        let outputs: Vec<Id> = outputs.filter(|&id| needed[id as usize]).collect();
        interior += step.outputs.len() - outputs.len();
        let inside = |access: &Access| root_of_item[access.base as usize] == root;
        let operands = step.operands.into_iter().filter(|access| !inside(access)).collect();
        match merged.entry(root) {
            std::collections::btree_map::Entry::Vacant(vacant) => {
                vacant.insert(Step { operands, outputs, ..step });
            }
            std::collections::btree_map::Entry::Occupied(mut occupied) => {
                let group = occupied.get_mut();
                group.items.extend(step.items);
                group.outputs.extend(outputs);
                group.operands.extend(operands);
            }
        }
    }
    schedule.steps = merged.into_values().map(tidy).collect();
    interior
}

/// Items in order, operands once.
fn tidy(mut step: Step) -> Step {
    if !is_chain(&step) {
        return step;
    }
    step.items.sort_unstable();
    step.outputs.sort_unstable();
    let read = |at: usize| {
        let Access { base, layout } = &step.operands[at];
        (*base, layout.strides(), layout.offset())
    };
    let mut sorted: Vec<usize> = (0..step.operands.len()).collect();
    sorted.sort_by_key(|&at| read(at));
    sorted.dedup_by(|later, first| read(*later) == read(*first));
    if sorted.len() < step.operands.len() {
        sorted.sort_unstable();
        step.operands = sorted.into_iter().map(|at| step.operands[at].clone()).collect();
    }
    step
}
