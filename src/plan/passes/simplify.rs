//! `simplify`: only rewrites that keep the bits. What is computed twice is computed once, what
//! depends on constants alone is computed now, and what nothing needs any more is dropped.

use crate::graph::node::Operands;
use crate::kernel::map::Pointwise;
use crate::kernel::{Elementary, Kernels};
use crate::ops::lower::{Argument, Lowered, Rearrangement};
use crate::payload::{Shape, Stored, Tensorial};
use crate::plan::item::{Definition, Id, Item};
use crate::plan::options::Options;
use crate::plan::report::Report;
use crate::plan::schedule::Schedule;
use rustc_hash::FxHasher;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// COST: constants of more elements are computed in each run: a plan holds what it folds.
const LARGEST: usize = 4096;

pub(crate) fn run<P: Tensorial>(schedule: &mut Schedule<P>, _: &Options) -> Report {
    let before = schedule.items.len();
    let mut simplifier = Simplifier { items: Vec::with_capacity(before), ..Simplifier::default() };
    let mut numbers: Vec<Id> = Vec::with_capacity(before);
    for mut item in std::mem::take(&mut schedule.items) {
        renumber(&mut item, &numbers);
        numbers.push(simplifier.add(item));
    }
    schedule.items = simplifier.items;
    for result in &mut schedule.results {
        *result = numbers[*result as usize];
    }
    let dropped = drop_unused(schedule);
    Report::new(
        "simplify",
        format!(
            "{before} items became {}: {} equal to earlier ones, {} constant, {dropped} unused",
            schedule.items.len(),
            simplifier.equal,
            simplifier.constant,
        ),
    )
}

/// Lets an item read operands by other numbers.
fn renumber<P>(item: &mut Item<P>, numbers: &[Id]) {
    if item.operands.iter().any(|&id| numbers[id as usize] != id) {
        let operands: Vec<Id> = item.operands.iter().map(|&id| numbers[id as usize]).collect();
        item.operands = Operands::new(&operands);
    }
}

/// Items by digest, in a table of which at most half is in use.
///
/// COST: a tape of a million nodes asks a million times, at a cache miss each.
#[derive(Default)]
struct Known {
    places: Vec<Option<(u64, Id)>>,
    count: usize,
}

impl Known {
    /// The first that was inserted of those with a digest that are the `same`.
    fn find(&self, digest: u64, same: impl Fn(Id) -> bool) -> Option<Id> {
        let found = self.from(digest).map_while(|at| self.places[at]);
        let mut found = found.filter(|&(other, id)| other == digest && same(id));
        found.next().map(|(_, id)| id)
    }

    fn insert(&mut self, digest: u64, id: Id) {
        if 2 * self.count >= self.places.len() {
            let size = (2 * self.places.len()).max(64);
            let before = std::mem::replace(&mut self.places, vec![None; size]);
            before.into_iter().flatten().for_each(|(digest, id)| self.put(digest, id));
        }
        self.put(digest, id);
        self.count += 1;
    }

    fn put(&mut self, digest: u64, id: Id) {
        let free = self.from(digest).find(|&at| self.places[at].is_none());
        if let Some(at) = free {
            self.places[at] = Some((digest, id));
        }
    }

    /// The places where a digest may stand, one behind the other and round.
    fn from(&self, digest: u64) -> impl Iterator<Item = usize> + use<> {
        let size = self.places.len();
        (0..size).map(move |step| (digest as usize).wrapping_add(step) & (size - 1))
    }
}

struct Simplifier<P> {
    items: Vec<Item<P>>,
    /// Operations by the digest of what computes them; equal digests are compared.
    known: Known,
    /// Constants of one element, stored once for all of a shape, by shape and bits.
    constants: BTreeMap<(Vec<usize>, Vec<u8>), Id>,
    equal: usize,
    constant: usize,
}

impl<P> Default for Simplifier<P> {
    fn default() -> Self {
        let (known, constants) = (Known::default(), BTreeMap::new());
        Self { items: Vec::new(), known, constants, equal: 0, constant: 0 }
    }
}

impl<P: Tensorial> Simplifier<P> {
    /// The number of an item with the bits of `item`, which is added where there is none yet.
    fn add(&mut self, mut item: Item<P>) -> Id {
        if let Definition::Operation(_, lowered) = &item.definition {
            let Some(payload) = self.folded(lowered, &item) else { return self.operation(item) };
            self.constant += 1;
            item.definition = Definition::Constant(payload);
            item.operands = Operands::new(&[]);
        }
        let Definition::Constant(payload) = &item.definition else { return self.push(item) };
        let Some(bits) = bits_of_one(payload) else { return self.push(item) };
        let key = (item.shape.extents().to_vec(), bits);
        if let Some(&equal) = self.constants.get(&key) {
            self.equal += 1;
            return equal;
        }
        let id = self.push(item);
        self.constants.insert(key, id);
        id
    }

    fn operation(&mut self, item: Item<P>) -> Id {
        let Definition::Operation(_, lowered) = &item.definition else { return self.push(item) };
        // COST: a tape that was made to collide is compiled slowly, and not wrongly.
        let mut hasher = FxHasher::default();
        (lowered, &*item.operands, item.shape.extents()).hash(&mut hasher);
        let digest = hasher.finish();
        let same = |id: Id| {
            let Item { definition, shape, operands, .. } = &self.items[id as usize];
            matches!(definition, Definition::Operation(_, other) if other == lowered)
                && *operands == item.operands
                && *shape == item.shape
        };
        if let Some(equal) = self.known.find(digest, same) {
            self.equal += 1;
            return equal;
        }
        let id = self.push(item);
        self.known.insert(digest, id);
        id
    }

    fn push(&mut self, item: Item<P>) -> Id {
        self.items.push(item);
        (self.items.len() - 1) as Id
    }

    /// The payload of a function or a view of constants, where it takes no storage or is small.
    fn folded(&self, lowered: &Lowered, item: &Item<P>) -> Option<P> {
        let operands = item.operands.iter().map(|&id| &self.items[id as usize].definition);
        let payloads = operands.map(|definition| match definition {
            Definition::Constant(payload) => Some(payload),
            _ => None,
        });
        let payloads: Vec<&P> = payloads.collect::<Option<_>>()?;
        let splats = payloads.iter().all(|payload| payload.bytes() == 0);
        let small = item.count() <= LARGEST
            && item.operands.iter().all(|&id| self.items[id as usize].count() <= LARGEST);
        (splats || small).then(|| evaluated(lowered, &payloads, &item.shape).map(gathered))?
    }
}

/// The payload with its elements in their order, where they lie apart: else each run would gather them.
fn gathered<P: Tensorial>(payload: P) -> P {
    if payload.as_elements().is_some() || payload.bytes() == 0 {
        return payload;
    }
    match payload.stored() {
        stored @ Stored::Dense(_) => P::from_stored(&payload.shape(), stored).unwrap_or(payload),
        _ => payload,
    }
}

/// What a function or a view makes of payloads; `None` for any other operation.
fn evaluated<P: Tensorial>(lowered: &Lowered, payloads: &[&P], shape: &Shape) -> Option<P> {
    const NATIVE: Kernels = Kernels::Native;
    Some(match lowered {
        Lowered::Reshape => payloads[0].reshape(shape, NATIVE),
        Lowered::View(Rearrangement::Permute(axes)) => payloads[0].permute(axes),
        Lowered::View(Rearrangement::Narrow { axis, start, length }) => {
            payloads[0].narrow(*axis, *start, *length)
        }
        Lowered::View(Rearrangement::Broadcast(axes)) => payloads[0].broadcast(shape, axes),
        Lowered::View(Rearrangement::Unfold { axis, size, step, dilation }) => {
            payloads[0].unfold(*axis, *size, *step, *dilation)
        }
        Lowered::Pointwise(micros) => {
            let mut values: Vec<P> = Vec::with_capacity(micros.len());
            for micro in micros {
                let argument = |i: usize| match micro.arguments[i] {
                    Argument::Operand(position) => payloads[position],
                    Argument::Earlier(earlier) => &values[earlier],
                };
                values.push(match micro.function {
                    Pointwise::Unary(op) => argument(0).map(op, NATIVE),
                    Pointwise::Binary(op) => argument(0).zip(op, argument(1), NATIVE),
                    Pointwise::Select => argument(0).select(argument(1), argument(2), NATIVE),
                });
            }
            values.pop()?
        }
        _ => return None,
    })
}

/// The bits of the element that a payload consists of, where it takes no storage or is one element.
fn bits_of_one<P: Tensorial>(payload: &P) -> Option<Vec<u8>> {
    let mut bits = Vec::with_capacity(P::Element::BYTES);
    if payload.bytes() > P::Element::BYTES || payload.is_selection() {
        return None;
    }
    match payload.stored() {
        Stored::Constant(value) => value.write_bytes(&mut bits),
        Stored::Dense(elements) => match &elements[..] {
            [value] => value.write_bytes(&mut bits),
            _ => return None,
        },
        _ => return None,
    }
    Some(bits)
}

/// Drops the items that no result depends on; gives their number.
pub(crate) fn drop_unused<P: Tensorial>(schedule: &mut Schedule<P>) -> usize {
    let mut used = vec![false; schedule.items.len()];
    schedule.results.iter().for_each(|&id| used[id as usize] = true);
    for (id, item) in schedule.items.iter().enumerate().rev() {
        if used[id] {
            item.operands.iter().for_each(|&operand| used[operand as usize] = true);
        }
    }
    let before = used.len();
    let mut numbers: Vec<Id> = Vec::with_capacity(before);
    let mut kept = 0;
    schedule.items.retain_mut(|item| {
        let is_used = used[numbers.len()];
        numbers.push(kept);
        if is_used {
            kept += 1;
            renumber(item, &numbers);
        }
        is_used
    });
    schedule.results.iter_mut().for_each(|id| *id = numbers[*id as usize]);
    before - schedule.items.len()
}
