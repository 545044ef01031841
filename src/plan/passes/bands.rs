//! `bands`: steps over the rows of what is too large for a cache take turns, block of rows by block of
//! rows, so that what several of them read is read from memory once, and what one hands to the next
//! while it is near.
//!
//! What matches are steps that compute rows of rows: products with a matrix that all share, batches of
//! products, functions of elements, reductions within a row; and products of few elements that are summed over the rows. So a matrix times a
//! vector, a function of it, and the transposed matrix times that read the matrix once, whoever wrote them.

use crate::kernel::order::KB;
use crate::payload::Tensorial;
use crate::plan::band::{Band, Kind, Role, roles, stays_in_row, width};
use crate::plan::describe::bytes;
use crate::plan::item::Id;
use crate::plan::options::{Options, Rematerialise};
use crate::plan::report::Report;
use crate::plan::schedule::{Schedule, Step};
use std::collections::{BTreeMap, BTreeSet};

/// COST: how many steps behind its first one a band is looked for.
const WINDOW: usize = 48;

/// COST: elements of a product that is summed over the rows: it stays in the first-level cache.
const SUMMED: usize = 2048;

pub(crate) fn run<P: Tensorial>(schedule: &mut Schedule<P>, options: &Options) -> Report {
    if options.rematerialise != Rematerialise::Nothing {
        // What takes turns does nothing in place, and has its memory until the last one is done.
        return Report::new("bands", String::from("none, as memory is to be saved"));
    }
    let (mut start, mut steps) = (0, 0);
    let mut notes = Vec::new();
    let touched = touched(schedule);
    while start < schedule.steps.len() {
        // COST: most plans have nothing so large, whatever their number of steps.
        let end = (start + WINDOW).min(touched.len() - 1);
        if touched[end] - touched[start] < worth(options.cache) {
            start += 1;
            continue;
        }
        let Some(Found { members, roles, block, saved, rows }) =
            found(schedule, start, options.cache)
        else {
            start += 1;
            continue;
        };
        let end = members.last().expect("invariant: a band has steps") + 1;
        let mut together = Vec::with_capacity(members.len());
        let mut behind = Vec::new();
        for (at, step) in schedule.steps.drain(start..end).enumerate() {
            let joins = members.binary_search(&(start + at)).is_ok();
            if joins { together.push(step) } else { behind.push(step) }
        }
        let range = start..start + together.len();
        notes.push(format!(
            "steps {} to {} go by blocks of {block} of {rows} rows: {} stay in a cache",
            range.start,
            range.end - 1,
            bytes(saved as u64)
        ));
        schedule.steps.splice(start..start, together.into_iter().chain(behind));
        (start, steps) = (range.end, steps + range.len());
        schedule.bands.push(Band { steps: range, rows, block, roles });
    }
    let summary = format!("{steps} steps take turns in {} bands", schedule.bands.len());
    Report { notes, ..Report::new("bands", summary) }
}

/// Bytes that must be read again, and that all that is read again has.
///
/// COST: so many that they come from memory otherwise. Attention over 256 positions, whose bands go over 5 MiB, took 1.02
/// of the time with them.
fn worth(cache: usize) -> usize {
    cache.saturating_mul(16)
}

/// The bytes that the steps in front of each touch.
fn touched<P: Tensorial>(schedule: &Schedule<P>) -> Vec<usize> {
    let unit = size_of::<P::Element>();
    let of = |step: &Step| {
        let read = step.operands.iter().map(|access| access.base);
        let bases = read.chain(step.outputs.iter().copied());
        bases.fold(0_usize, |sum, id| sum.saturating_add(schedule.item(id).count()))
    };
    let mut touched = vec![0_usize];
    for step in &schedule.steps {
        let before: usize = touched.last().copied().unwrap_or(0);
        touched.push(before.saturating_add(of(step).saturating_mul(unit)));
    }
    touched
}

struct Found {
    members: Vec<usize>,
    roles: Vec<Role>,
    rows: usize,
    block: usize,
    /// Bytes that are read from a cache.
    saved: usize,
}

/// A band on its way: what its steps touch.
struct Growing<'s, P: Tensorial> {
    schedule: &'s Schedule<P>,
    rows: usize,
    /// What the steps write: the elements of a row, or `None` where it is there only when all rows are.
    written: BTreeMap<Id, Option<usize>>,
    /// How many steps touch a base's rows, by the elements from one row to the next.
    touched: BTreeMap<(Id, usize), usize>,
    roles: Vec<Role>,
}

/// The band that begins with a step, if it is worth it.
fn found<P: Tensorial>(schedule: &Schedule<P>, start: usize, cache: usize) -> Option<Found> {
    let first = &schedule.steps[start];
    let &rows = schedule.item(first.items[0]).shape.first()?;
    let (written, touched) = (BTreeMap::new(), BTreeMap::new());
    let mut band = Growing { schedule, rows, roles: Vec::new(), written, touched };
    if rows < 2 || !band.takes(first, true) {
        return None;
    }
    let mut members = vec![start];
    // What is written by steps that stay behind the band.
    let mut behind: Vec<Id> = Vec::new();
    let steps = schedule.steps.iter().enumerate().skip(start + 1);
    for (at, step) in steps.take(WINDOW).take_while(|(at, _)| schedule.band_of(*at).is_none()) {
        let read = step.operands.iter().map(|access| access.base).chain(step.rows);
        let waits = read.into_iter().any(|base| behind.contains(&base));
        if !waits && band.takes(step, false) {
            members.push(at);
        } else {
            behind.extend(&step.outputs);
        }
    }
    if members.len() < 2 {
        return None;
    }
    let (row, saved) = band.bytes();
    // COST: a block takes half of the cache.
    //
    // A power of two, as a block of a sum is one: threads part the rows where both begin.
    let block = (cache / 2 / row.max(1)).max(1);
    let block = 1 << block.ilog2();
    let summed = band.roles.iter().any(|role| role.kind == Kind::Summed);
    let block = if summed { (block / KB).max(1) * KB } else { block };
    let worth = saved.min(row.saturating_mul(rows)) >= worth(cache) && block < rows;
    worth.then_some(Found { members, roles: band.roles, rows, block, saved })
}

impl<P: Tensorial> Growing<'_, P> {
    /// Takes a step into the band, where it can be of it, and shares rows with it or is its `first`.
    fn takes(&mut self, step: &Step, first: bool) -> bool {
        let possible = roles(self.schedule, step, self.rows);
        let Some(role) = possible.into_iter().find(|role| self.fits(step, role, first)) else {
            return false;
        };
        let kind = role.kind;
        for &output in &step.outputs {
            let width = width(self.schedule, step, kind, output);
            self.written.insert(output, width);
            width.iter().for_each(|&width| {
                self.touched.insert((output, width), 1);
            });
        }
        let keys: BTreeSet<(Id, usize)> = self.rows_read(step, &role).collect();
        keys.into_iter().for_each(|key| *self.touched.entry(key).or_insert(0) += 1);
        self.roles.push(role);
        true
    }

    /// What a step reads row by row, with the elements from one row to the next.
    fn rows_read(&self, step: &Step, role: &Role) -> impl Iterator<Item = (Id, usize)> {
        let pairs = step.operands.iter().zip(&role.axes);
        pairs.filter_map(|(access, axis)| {
            let stride = access.layout.strides()[(*axis)?];
            (stride > 0).then_some((access.base, stride))
        })
    }

    fn fits(&self, step: &Step, role: &Role, first: bool) -> bool {
        let summed = role.kind == Kind::Summed;
        if summed && (first || self.schedule.item(step.items[0]).count() > SUMMED) {
            return false;
        }
        let stays = step.operands.iter().zip(&role.axes).all(|(access, axis)| {
            match (self.written.get(&access.base), axis) {
                (None, _) => true,
                (Some(Some(width)), Some(axis)) => stays_in_row(access, *axis, *width),
                _ => false,
            }
        });
        stays && (first || self.rows_read(step, role).any(|key| self.touched.contains_key(&key)))
    }

    /// The bytes of a row of all that is touched by rows, and how many bytes all rows have of what is
    /// touched again.
    fn bytes(&self) -> (usize, usize) {
        let unit = size_of::<P::Element>();
        self.touched.iter().fold((0, 0), |(row, saved), (&(_, width), &times)| {
            let bytes = width.saturating_mul(unit);
            let again = bytes.saturating_mul(self.rows).saturating_mul(times - 1);
            (row + bytes, saved + again)
        })
    }
}

#[cfg(test)]
mod tests;
