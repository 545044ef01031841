//! `windows`: convolutions and maximum pools, as the tape records them, become direct walks over
//! images, forward and both gradients: no window is laid out in memory.
//!
//! What matches is the structure: pads of zero (of `-inf`), two unfolds, and a product of the
//! windows as rows with the weights as columns (a maximum over each window); and what the chain
//! rule makes of them. A composition written by hand matches as the library's own does.
//!
//! BITS: the direct kernels are tested to have the bits of the chain that they stand for.

use crate::graph::node::Operands;
use crate::kernel::call::{Call, Geometry};
use crate::kernel::map::Pointwise;
use crate::kernel::task::WindowForm;
use crate::kernel::{Elementary, Lowering, Window};
use crate::ops::lower::{Lowered, Rearrangement};
use crate::payload::{Stored, Tensorial};
use crate::plan::item::{Definition, Id};
use crate::plan::options::Options;
use crate::plan::passes::drop_unused;
use crate::plan::report::Report;
use crate::plan::schedule::Schedule;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn run<P: Tensorial>(schedule: &mut Schedule<P>, _: &Options) -> Report {
    const NAME: &str = "windows";
    if P::Element::lowering() == Lowering::Generic {
        return Report::new(NAME, format!("no kernels for {}", P::Element::NAME));
    }
    let Replaced { counts, dropped, notes } = replace(schedule, |matcher, id| matcher.matched(id));
    let names = ["convolutions", "of images", "of weights", "maximum pools", "of pools"];
    // In the order in which a reader thinks of them.
    let told = [0, 2, 1, 3, 4].into_iter().filter(|&form| counts[form] > 0);
    let told: Vec<String> = told
        .map(|form| match form {
            1 | 2 | 4 => format!("{} gradients {}", counts[form], names[form]),
            _ => format!("{} {}", counts[form], names[form]),
        })
        .collect();
    let summary = match told.is_empty() {
        true => String::from("nothing to walk over"),
        false => format!("{}; {dropped} items are not needed any more", told.join(", ")),
    };
    Report { notes, ..Report::new(NAME, summary) }
}

/// What was replaced: how often each form, how many items nothing needs any more, what nearly matched.
struct Replaced {
    counts: [usize; 5],
    dropped: usize,
    notes: Vec<String>,
}

/// Lets the item that stands for a match be computed directly.
fn replace<P: Tensorial>(
    schedule: &mut Schedule<P>,
    matched: impl Fn(&Matcher<'_, P>, Id) -> Option<Result<Matched, String>>,
) -> Replaced {
    let matcher = Matcher::new(schedule);
    let (mut found, mut notes) = (Vec::new(), Vec::new());
    let mut covered = BTreeSet::new();
    // The last item of a match stands for all: what is inside one is no match of its own.
    for id in (0..schedule.items.len() as Id).rev() {
        if covered.contains(&id) {
            continue;
        }
        match matched(&matcher, id) {
            Some(Ok(matched)) => {
                covered.extend(matched.inside.iter().copied());
                found.push(matched);
            }
            Some(Err(note)) => notes.push(note),
            None => {}
        }
    }
    let mut counts = [0; 5];
    for Matched { id, call, operands, .. } in found {
        if let Call::Window { form, .. } = &call {
            counts[*form as usize] += 1;
        }
        let item = &mut schedule.items[id as usize];
        item.operands = Operands::new(&operands);
        if let Definition::Operation(_, lowered) = &mut item.definition {
            *lowered = Lowered::Call(call);
        }
    }
    let dropped = drop_unused(schedule);
    Replaced { counts, dropped, notes }
}

/// The same for whoever lays out no memory: windows of several groups too, which no kernel walks over.
pub(crate) fn raise<P: Tensorial>(schedule: &mut Schedule<P>) {
    replace(schedule, |matcher, id| matcher.matched(id).or_else(|| matcher.grouped(id)));
}

/// The sums over the windows of images: of each the images, and how the windows lie.
pub(crate) fn summed_windows<P: Tensorial>(schedule: &Schedule<P>) -> BTreeMap<Id, (Id, Geometry)> {
    let matcher = Matcher::new(schedule);
    let summed = |id: Id| {
        let Lowered::Call(Call::Sum(axes)) = matcher.lowered(id)? else { return None };
        let windowed = matcher.windowed(matcher.operand(id, 0)?, 0.0)?;
        let ([_, c, ..], [kh, kw]) = (windowed.extents, windowed.size);
        let (extents, filters, window) = (windowed.extents, [c, 1, kh, kw], windowed.window);
        let geometry = Geometry { extents, filters, window };
        (**axes == [4, 5]).then_some((id, (windowed.images, geometry)))
    };
    (0..schedule.items.len() as Id).filter_map(summed).collect()
}

/// An item that a direct kernel computes from these operands.
pub(super) struct Matched {
    pub(super) id: Id,
    pub(super) call: Call,
    pub(super) operands: Vec<Id>,
    /// The items that it leaves out.
    pub(super) inside: Vec<Id>,
}

/// Images seen as windows.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Windowed {
    pub(super) images: Id,
    pub(super) extents: [usize; 4],
    /// Windows down and across.
    pub(super) grid: [usize; 2],
    pub(super) size: [usize; 2],
    pub(super) window: Window,
}

/// Windows folded back onto images.
pub(super) struct Folded {
    /// `[n, c, oh, ow, kh, kw]`.
    pub(super) windows: Id,
    pub(super) window: Window,
    /// The windows, and what is between them and the images.
    pub(super) inside: Vec<Id>,
}

/// Weights seen as columns.
struct Weights {
    weights: Id,
    filters: [usize; 4],
}

pub(super) struct Matcher<'s, P: Tensorial> {
    pub(super) schedule: &'s Schedule<P>,
    /// How many items read each, results once more.
    pub(super) readers: Vec<usize>,
}

impl<'s, P: Tensorial> Matcher<'s, P> {
    fn new(schedule: &'s Schedule<P>) -> Self {
        let mut readers = vec![0; schedule.items.len()];
        let read = schedule.items.iter().flat_map(|item| item.operands.iter());
        read.chain(&schedule.results).for_each(|&id| readers[id as usize] += 1);
        Self { schedule, readers }
    }

    /// What an item is, where a direct kernel computes it; why it is none where it nearly is.
    fn matched(&self, id: Id) -> Option<Result<Matched, String>> {
        match self.lowered(id)? {
            Lowered::View(Rearrangement::Permute(_)) => self.convolution(id),
            Lowered::Reshape => self.weights_gradient(id),
            Lowered::Call(Call::Max(_)) => self.pool(id),
            Lowered::Call(Call::Fold { .. }) | Lowered::View(Rearrangement::Narrow { .. }) => self
                .images_gradient(id, self.folded(id)?)
                .or_else(|| self.unpool(id, self.folded(id)?)),
            _ => None,
        }
    }

    pub(super) fn lowered(&self, id: Id) -> Option<&'s Lowered> {
        match &self.schedule.item(id).definition {
            Definition::Operation(_, lowered) => Some(lowered),
            _ => None,
        }
    }

    pub(super) fn operand(&self, id: Id, position: usize) -> Option<Id> {
        self.schedule.item(id).operands.get(position).copied()
    }

    pub(super) fn extents<const N: usize>(&self, id: Id) -> Option<[usize; N]> {
        self.schedule.item(id).shape.extents().try_into().ok()
    }

    /// What a permutation of these axes reads.
    pub(super) fn permuted(&self, id: Id, axes: &[usize]) -> Option<Id> {
        match self.lowered(id)? {
            Lowered::View(Rearrangement::Permute(found)) if **found == *axes => self.operand(id, 0),
            _ => None,
        }
    }

    /// What a reshape reads.
    pub(super) fn reshaped(&self, id: Id) -> Option<Id> {
        matches!(self.lowered(id)?, Lowered::Reshape).then(|| self.operand(id, 0))?
    }

    /// The two factors of a product.
    pub(super) fn factors(&self, id: Id) -> Option<[Id; 2]> {
        match self.lowered(id)? {
            Lowered::Call(Call::Product) => Some([self.operand(id, 0)?, self.operand(id, 1)?]),
            _ => None,
        }
    }

    /// Images padded with `value` behind two unfolds `[n, c, oh, ow, kh, kw]`.
    pub(super) fn windowed(&self, id: Id, value: f64) -> Option<Windowed> {
        let unfolded = |id: Id, wanted: usize| match *self.lowered(id)? {
            Lowered::View(Rearrangement::Unfold { axis, size, step, dilation })
                if axis == wanted =>
            {
                Some((self.operand(id, 0)?, [size, step, dilation]))
            }
            _ => None,
        };
        let padded = |id: Id, wanted: usize| match self.lowered(id) {
            Some(&Lowered::Call(Call::Pad { axis, before, after, bits }))
                if axis == wanted && bits == value.to_bits() =>
            {
                (self.operand(id, 0).unwrap_or(id), [before, after])
            }
            _ => (id, [0, 0]),
        };
        let [_, _, oh, ow, ..] = self.extents::<6>(id)?;
        let (id, [kw, across, right]) = unfolded(id, 3)?;
        let (id, [kh, down, below]) = unfolded(id, 2)?;
        let (id, columns) = padded(id, 3);
        let (images, rows) = padded(id, 2);
        let window =
            Window::new().step([down, across]).dilation([below, right]).padding([rows, columns]);
        let (extents, grid) = (self.extents(images)?, [oh, ow]);
        Some(Windowed { images, extents, grid, size: [kh, kw], window })
    }

    /// The windows of images as rows `[n * oh * ow, c * kh * kw]`.
    fn rows(&self, id: Id) -> Option<Windowed> {
        let windows = self.permuted(self.reshaped(id)?, &[0, 2, 3, 1, 4, 5])?;
        let windowed = self.windowed(windows, 0.0)?;
        let [n, _, oh, ow, ..] = self.extents::<6>(windows)?;
        let [rows, _] = self.extents(id)?;
        (rows == n * oh * ow).then_some(windowed)
    }

    /// Weights as columns `[c * kh * kw, f]`.
    fn columns(&self, id: Id) -> Option<Weights> {
        let lines = self.permuted(id, &[1, 0])?;
        let weights = self.reshaped(lines)?;
        let filters: [usize; 4] = self.extents(weights)?;
        let [f, _] = self.extents(lines)?;
        (filters[0] == f).then_some(Weights { weights, filters })
    }

    /// A cotangent `[n, f, oh, ow]` as rows `[n * oh * ow, f]`.
    fn cotangent(&self, id: Id) -> Option<(Id, [usize; 4])> {
        let cotangent = self.permuted(self.reshaped(id)?, &[0, 2, 3, 1])?;
        let extents: [usize; 4] = self.extents(cotangent)?;
        let [_, f] = self.extents(id)?;
        (extents[1] == f).then_some((cotangent, extents))
    }

    /// The match, if nothing else reads what it leaves out.
    pub(super) fn alone(&self, what: &str, matched: Matched) -> Result<Matched, String> {
        match matched.inside.iter().find(|&&id| self.readers[id as usize] != 1) {
            None => Ok(matched),
            Some(&id) => {
                let (node, count) = (self.schedule.item(id).origin, self.readers[id as usize]);
                Err(format!("{what}: {count} others read %{node} inside it"))
            }
        }
    }

    pub(super) fn call(&self, form: WindowForm, of: &Windowed, filters: [usize; 4]) -> Call {
        let geometry = Geometry { extents: of.extents, filters, window: of.window };
        Call::Window { form, geometry: Box::new(geometry) }
    }

    fn convolution(&self, id: Id) -> Option<Result<Matched, String>> {
        let images = self.permuted(id, &[0, 3, 1, 2])?;
        let product = self.reshaped(images)?;
        let [rows, columns] = self.factors(product)?;
        let windowed = self.rows(rows)?;
        let Weights { weights, filters } = self.columns(columns)?;
        let [n, oh, ow, f] = self.extents(images)?;
        let fits = [n, f] == [windowed.extents[0], filters[0]]
            && [oh, ow] == windowed.grid
            && filters[1..] == [windowed.extents[1], windowed.size[0], windowed.size[1]]
            && self.extents(product)? == [n * oh * ow, f];
        if !fits {
            return None;
        }
        let call = self.call(WindowForm::Product, &windowed, filters);
        let (operands, inside) = (vec![windowed.images, weights], vec![product, images]);
        Some(self.alone("convolution", Matched { id, call, operands, inside }))
    }

    fn weights_gradient(&self, id: Id) -> Option<Result<Matched, String>> {
        let filters: [usize; 4] = self.extents(id)?;
        let lines = self.reshaped(id)?;
        let product = self.permuted(lines, &[1, 0])?;
        let [left, right] = self.factors(product)?;
        let windowed = self.rows(self.permuted(left, &[1, 0])?)?;
        let (cotangent, extents) = self.cotangent(right)?;
        let [oh, ow] = windowed.grid;
        let fits = extents == [windowed.extents[0], filters[0], oh, ow]
            && filters[1..] == [windowed.extents[1], windowed.size[0], windowed.size[1]];
        if !fits {
            return None;
        }
        let call = self.call(WindowForm::WeightsGradient, &windowed, filters);
        let (operands, inside) = (vec![windowed.images, cotangent], vec![product, lines]);
        Some(self.alone("gradient of weights", Matched { id, call, operands, inside }))
    }

    /// What a fold over columns in front of one over rows reads, narrowed to images without their
    /// padding: with how the windows lie.
    pub(super) fn folded(&self, id: Id) -> Option<Folded> {
        let images: [usize; 4] = self.extents(id)?;
        let narrowed = |id: Id, wanted: usize| match self.lowered(id) {
            Some(&Lowered::View(Rearrangement::Narrow { axis, start, length }))
                if axis == wanted =>
            {
                let from = self.operand(id, 0)?;
                let extent = *self.schedule.item(from).shape.get(axis)?;
                Some((from, [start, extent - start - length]))
            }
            _ => Some((id, [0, 0])),
        };
        let fold = |id: Id, wanted: usize| match *self.lowered(id)? {
            Lowered::Call(Call::Fold { axis, step, dilation, .. }) if axis == wanted => {
                Some((self.operand(id, 0)?, [step, dilation]))
            }
            _ => None,
        };
        let (narrow, rows) = narrowed(id, 2)?;
        let (padded, columns) = narrowed(narrow, 3)?;
        let (inner, [down, below]) = fold(padded, 2)?;
        let (windows, [across, right]) = fold(inner, 3)?;
        let window =
            Window::new().step([down, across]).dilation([below, right]).padding([rows, columns]);
        let [n, c, ..] = images;
        let [windows_n, windows_c, ..] = self.extents::<6>(windows)?;
        // The outermost of the items is the one that stands for all.
        let inside = [windows, inner, padded, narrow];
        let inside = inside.into_iter().filter(|&of| of != id).collect::<BTreeSet<_>>();
        let inside = inside.into_iter().collect();
        ([n, c] == [windows_n, windows_c]).then_some(Folded { windows, window, inside })
    }

    fn images_gradient(&self, id: Id, folded: Folded) -> Option<Result<Matched, String>> {
        let Folded { windows, window, .. } = folded;
        let lines = self.permuted(windows, &[0, 3, 1, 2, 4, 5])?;
        let product = self.reshaped(lines)?;
        let [left, right] = self.factors(product)?;
        let (cotangent, extents) = self.cotangent(left)?;
        let Weights { weights, filters } = self.columns(self.permuted(right, &[1, 0])?)?;
        let images: [usize; 4] = self.extents(id)?;
        let [_, c, oh, ow, kh, kw] = self.extents(windows)?;
        let fits = filters[1..] == [c, kh, kw] && extents == [images[0], filters[0], oh, ow];
        if !fits {
            return None;
        }
        let (grid, size) = ([oh, ow], [kh, kw]);
        let of = Windowed { images: cotangent, extents: images, grid, size, window };
        let call = self.call(WindowForm::ImagesGradient, &of, filters);
        let operands = vec![cotangent, weights];
        let inside = [&folded.inside[..], &[lines, product]].concat();
        Some(self.alone("gradient of images", Matched { id, call, operands, inside }))
    }

    fn pool(&self, id: Id) -> Option<Result<Matched, String>> {
        let Lowered::Call(Call::Max(axes)) = self.lowered(id)? else { return None };
        let windowed = self.windowed(self.operand(id, 0)?, f64::NEG_INFINITY)?;
        if **axes != [4, 5] {
            return None;
        }
        let [kh, kw] = windowed.size;
        let call = self.call(WindowForm::MaxPool, &windowed, [windowed.extents[1], 1, kh, kw]);
        let (operands, inside) = (vec![windowed.images], vec![]);
        Some(Ok(Matched { id, call, operands, inside }))
    }

    fn unpool(&self, id: Id, folded: Folded) -> Option<Result<Matched, String>> {
        let Folded { windows, window, .. } = folded;
        let Lowered::Pointwise(micros) = self.lowered(windows)? else { return None };
        if !matches!(micros[..], [micro] if micro.function == Pointwise::Select) {
            return None;
        }
        let [first, cotangent, zero] = [0, 1, 2].map(|position| self.operand(windows, position));
        let (first, broadcast, zero) = (first?, cotangent?, zero?);
        let Lowered::Call(Call::FirstMax(axes)) = self.lowered(first)? else { return None };
        let Lowered::View(Rearrangement::Broadcast(kept)) = self.lowered(broadcast)? else {
            return None;
        };
        let windowed = self.windowed(self.operand(first, 0)?, f64::NEG_INFINITY)?;
        let (cotangent, images) = (self.operand(broadcast, 0)?, self.extents::<4>(id)?);
        let fits = **axes == [4, 5]
            && **kept == [0, 1, 2, 3]
            && self.is_zero(zero)
            && windowed.extents == images
            && windowed.window == window;
        if !fits {
            return None;
        }
        let [kh, kw] = windowed.size;
        let call =
            self.call(WindowForm::MaxPoolGradient, &windowed, [windowed.extents[1], 1, kh, kw]);
        let (operands, inside) = (vec![windowed.images, cotangent], folded.inside);
        Some(self.alone("gradient of a pool", Matched { id, call, operands, inside }))
    }

    /// Whether an item is `+0` everywhere.
    fn is_zero(&self, id: Id) -> bool {
        let Definition::Constant(payload) = &self.schedule.item(id).definition else {
            return false;
        };
        match payload.stored() {
            Stored::Constant(value) => value.is_zero() && value.to_f64().is_sign_positive(),
            _ => false,
        }
    }
}
