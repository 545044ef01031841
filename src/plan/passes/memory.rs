//! `memory`: every base gets a place: a result in a block that is handed back, anything else an
//! offset in one arena, by who is alive when. A chain's output takes the place of an operand that
//! ends there.
//!
//! COST: best fit over the free gaps, step by step: near-linear in the number of steps.

use super::super::schedule::{Home, Schedule, Step, Work};
use crate::payload::Tensorial;
use crate::plan::describe::bytes;
use crate::plan::item::Id;
use crate::plan::options::Options;
use crate::plan::report::Report;
use std::collections::{BTreeMap, BTreeSet};

/// Places begin at multiples of so many bytes: of a cache line and the widest register.
const ALIGNMENT: usize = 64;

pub(crate) fn run<P: Tensorial>(schedule: &mut Schedule<P>, _: &Options) -> Report {
    let unit = size_of::<P::Element>().max(1);
    let align = (ALIGNMENT / unit).max(1);
    let mut homes = vec![Home::None; schedule.items.len()];
    for (id, item) in schedule.items.iter().enumerate() {
        if item.definition.is_source() {
            homes[id] = Home::Source;
        }
    }
    for (number, &id) in schedule.results.iter().enumerate().rev() {
        if !schedule.is_source(id) {
            homes[id as usize] = Home::Result(number as u32);
        }
    }
    let last = schedule.last_uses();
    let mut ends: Vec<Vec<Id>> = vec![Vec::new(); schedule.steps.len()];
    for (id, last) in last.iter().enumerate() {
        if let Some(step) = last {
            ends[*step].push(id as Id);
        }
    }
    let mut gaps = Gaps::default();
    let mut in_place = 0;
    for (index, step) in schedule.steps.iter().enumerate() {
        let mut inherited = BTreeSet::new();
        // What a band's step overwrites, another would read in the next block.
        let alone = schedule.band_of(index).is_none();
        let mut estates = estates(schedule, step, |base| {
            let lies = matches!(homes[base as usize], Home::Arena(_));
            alone && lies && last[base as usize] == Some(index)
        });
        for &output in &step.outputs {
            if homes[output as usize] != Home::None {
                continue;
            }
            let estate = estates.get_mut(&schedule.item(output).count());
            let base = estate.and_then(Vec::pop);
            let place = match base {
                Some(base) => {
                    inherited.insert(base);
                    in_place += 1;
                    homes[base as usize]
                }
                None => Home::Arena(gaps.take(padded(schedule.item(output).count(), align))),
            };
            homes[output as usize] = place;
        }
        for &id in ends[index].iter().filter(|id| !inherited.contains(id)) {
            if let Home::Arena(offset) = homes[id as usize] {
                gaps.give(offset, padded(schedule.item(id).count(), align));
            }
        }
    }
    schedule.homes = homes;
    schedule.arena = gaps.end;
    let arena = bytes((gaps.end * unit) as u64);
    let summary = format!("an arena of {arena}, {in_place} outputs in place");
    Report::new("memory", summary)
}

fn padded(count: usize, align: usize) -> usize {
    count.next_multiple_of(align)
}

/// The operands whose places a chain's outputs may take, by volume, the first operand last: read
/// element for element and in no other way, lying in the arena, and read by nobody later (`ends`).
fn estates<P: Tensorial>(
    schedule: &Schedule<P>,
    step: &Step,
    ends: impl Fn(Id) -> bool,
) -> BTreeMap<usize, Vec<Id>> {
    let mut estates: BTreeMap<usize, Vec<Id>> = BTreeMap::new();
    if !matches!(step.work, Work::Chain) {
        return estates;
    }
    let mut whole: BTreeMap<Id, bool> = BTreeMap::new();
    for access in &step.operands {
        *whole.entry(access.base).or_insert(true) &= access.is_whole(&schedule.items);
    }
    for base in step.operands.iter().map(|access| access.base) {
        if whole.remove(&base) == Some(true) && ends(base) {
            estates.entry(schedule.item(base).count()).or_default().push(base);
        }
    }
    estates.values_mut().for_each(|bases| bases.reverse());
    estates
}

/// The free places of an arena that grows where none fits.
#[derive(Default)]
struct Gaps {
    /// Length by offset: no two touch.
    by_offset: BTreeMap<usize, usize>,
    /// The same, the shortest first.
    by_length: BTreeSet<(usize, usize)>,
    end: usize,
}

impl Gaps {
    fn take(&mut self, length: usize) -> usize {
        if length == 0 {
            return 0;
        }
        let found = self.by_length.range((length, 0)..).next().copied();
        // The last gap may grow.
        let found = found.or_else(|| {
            let (&offset, &gap) = self.by_offset.last_key_value()?;
            (offset + gap == self.end).then_some((gap, offset))
        });
        let Some((gap, offset)) = found else {
            self.end += length;
            return self.end - length;
        };
        self.remove(offset, gap);
        if gap > length {
            self.insert(offset + length, gap - length);
        }
        self.end = self.end.max(offset + length);
        offset
    }

    fn give(&mut self, mut offset: usize, mut length: usize) {
        if length == 0 {
            return;
        }
        if let Some((&before, &gap)) = self.by_offset.range(..offset).next_back()
            && before + gap == offset
        {
            self.remove(before, gap);
            (offset, length) = (before, length + gap);
        }
        if let Some(&gap) = self.by_offset.get(&(offset + length)) {
            self.remove(offset + length, gap);
            length += gap;
        }
        self.insert(offset, length);
    }

    fn insert(&mut self, offset: usize, length: usize) {
        self.by_offset.insert(offset, length);
        self.by_length.insert((length, offset));
    }

    fn remove(&mut self, offset: usize, length: usize) {
        self.by_offset.remove(&offset);
        self.by_length.remove(&(length, offset));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_is_taken_again_and_neighbours_join() {
        let mut gaps = Gaps::default();
        let [a, b, c] = [16, 32, 16].map(|length| gaps.take(length));
        assert_eq!([a, b, c, gaps.end], [0, 16, 48, 64]);
        gaps.give(a, 16);
        gaps.give(b, 32);
        assert_eq!(gaps.by_offset, BTreeMap::from([(0, 48)]));
        assert_eq!(gaps.take(40), 0);
        assert_eq!(gaps.take(8), 40);
        gaps.give(c, 16);
        // The gap at the end grows instead of a place behind it.
        assert_eq!(gaps.take(20), 48);
        assert_eq!(gaps.end, 68);
    }
}
