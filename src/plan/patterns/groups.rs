//! Convolutions of several groups, forward and both gradients: what the tape records group by group
//! becomes one call, whose window says how many groups there are. For emission: no kernel walks over
//! several groups.
//!
//! What matches is the structure, as in `windows`: the products of the groups read ranges of
//! channels and of filters that lie side by side, and what they give is joined by a concatenation, or
//! by a sum of pads.

use super::windows::{Matched, Matcher, Windowed};
use crate::kernel::call::Call;
use crate::kernel::map::{Binary, Pointwise};
use crate::kernel::task::WindowForm;
use crate::ops::lower::{Lowered, Rearrangement};
use crate::payload::Tensorial;
use crate::plan::item::Id;

/// A range of positions of an axis.
#[derive(Clone, Copy)]
struct Range {
    of: Id,
    start: usize,
    length: usize,
}

/// The product of one group.
struct Part {
    /// What it reads of either operand.
    reads: [Range; 2],
    /// The images and how the windows lie, where it reads windows.
    windowed: Option<Windowed>,
    /// From where on its result is the result of all, and how far.
    place: [usize; 2],
    /// The items from the product to where the parts are joined.
    inside: Vec<Id>,
}

/// The products of all groups.
struct Joined {
    groups: usize,
    operands: [Id; 2],
    /// The positions of each operand and of the result that belong to one group.
    lengths: [usize; 3],
    windowed: Option<Windowed>,
    inside: Vec<Id>,
}

/// Parts that lie side by side: the first group's first.
fn joined(mut parts: Vec<Part>) -> Option<Joined> {
    parts.sort_by_key(|part| part.place[0]);
    let first = parts.first()?;
    let lengths = [first.reads[0].length, first.reads[1].length, first.place[1]];
    let operands = first.reads.map(|range| range.of);
    let fits = parts.iter().enumerate().all(|(group, part)| {
        let [a, b] = part.reads;
        let starts = [a.start, b.start, part.place[0]];
        part.reads.map(|range| range.of) == operands
            && [a.length, b.length, part.place[1]] == lengths
            && starts == lengths.map(|length| group * length)
            && part.windowed == first.windowed
    });
    if !fits || parts.len() < 2 {
        return None;
    }
    let (groups, windowed) = (parts.len(), parts[0].windowed);
    let inside = parts.into_iter().flat_map(|part| part.inside).collect();
    Some(Joined { groups, operands, lengths, windowed, inside })
}

impl<P: Tensorial> Matcher<'_, P> {
    /// What an item is, where it is work on the windows of several groups.
    pub(super) fn grouped(&self, id: Id) -> Option<Result<Matched, String>> {
        match self.lowered(id)? {
            Lowered::View(Rearrangement::Permute(_)) => self.grouped_convolution(id),
            Lowered::Pointwise(_) => self.grouped_weights_gradient(id),
            Lowered::Call(Call::Fold { .. }) | Lowered::View(Rearrangement::Narrow { .. }) => {
                self.grouped_images_gradient(id)
            }
            _ => None,
        }
    }

    /// What a range of positions of an axis is of.
    fn range(&self, id: Id, wanted: usize) -> Option<Range> {
        match *self.lowered(id)? {
            Lowered::View(Rearrangement::Narrow { axis, start, length }) if axis == wanted => {
                Some(Range { of: self.operand(id, 0)?, start, length })
            }
            _ => None,
        }
    }

    /// The windows of a group's channels as rows `[n * oh * ow, c * kh * kw]`.
    fn rows_of_group(&self, id: Id) -> Option<(Windowed, Range)> {
        let windows = self.permuted(self.reshaped(id)?, &[0, 2, 3, 1, 4, 5])?;
        let channels = self.range(windows, 1)?;
        let windowed = self.windowed(channels.of, 0.0)?;
        let [n, _, oh, ow, ..] = self.extents::<6>(windows)?;
        let [rows, _] = self.extents(id)?;
        (rows == n * oh * ow).then_some((windowed, Range { of: windowed.images, ..channels }))
    }

    /// A group's filters as columns `[c * kh * kw, f]`.
    fn columns_of_group(&self, id: Id) -> Option<Range> {
        let lines = self.permuted(id, &[1, 0])?;
        let filters = self.range(self.reshaped(lines)?, 0)?;
        let [f, _] = self.extents(lines)?;
        (f == filters.length).then_some(filters)
    }

    /// A group's range of a cotangent `[n, f, oh, ow]` as rows `[n * oh * ow, f]`.
    fn cotangent_of_group(&self, id: Id) -> Option<Range> {
        let filters = self.range(self.reshaped(id)?, 3)?;
        let cotangent = self.permuted(filters.of, &[0, 2, 3, 1])?;
        let [_, f] = self.extents(id)?;
        (f == filters.length).then_some(Range { of: cotangent, ..filters })
    }

    /// The parts that are padded with zeros along an axis and added up, and the items that do it.
    fn summed(&self, id: Id, wanted: usize, part: &dyn Fn(Id) -> Option<Part>) -> Option<Joined> {
        let (mut parts, mut additions, mut open) = (Vec::new(), Vec::new(), vec![id]);
        while let Some(id) = open.pop() {
            match self.lowered(id)? {
                Lowered::Pointwise(micros) => {
                    let adds = |of: Pointwise| of == Pointwise::Binary(Binary::Add);
                    if !matches!(&micros[..], [micro] if adds(micro.function)) {
                        return None;
                    }
                    let read = [self.operand(id, 0)?, self.operand(id, 1)?];
                    // COST: a long sum of other things is left at its first addition.
                    if read.iter().any(|&id| !self.is_padded_or_sum(id)) {
                        return None;
                    }
                    // Read twice, it would be walked through twice, and no match has such a part.
                    if !additions.is_empty() && self.readers[id as usize] != 1 {
                        return None;
                    }
                    additions.push(id);
                    open.extend(read);
                }
                &Lowered::Call(Call::Pad { axis, before, bits: 0, .. }) if axis == wanted => {
                    let padded = self.operand(id, 0)?;
                    let mut part = part(padded)?;
                    let length = *self.schedule.item(padded).shape.get(axis)?;
                    part.place = [before, length];
                    part.inside.push(id);
                    parts.push(part);
                }
                _ => return None,
            }
        }
        let mut joined = joined(parts)?;
        joined.inside.extend(additions);
        Some(joined)
    }

    fn is_padded_or_sum(&self, id: Id) -> bool {
        matches!(
            self.lowered(id),
            Some(Lowered::Pointwise(_) | Lowered::Call(Call::Pad { bits: 0, .. }))
        )
    }

    /// The call of all groups, which computes `id`.
    fn call_of_groups(
        &self,
        form: WindowForm,
        id: Id,
        of: Windowed,
        filters: [usize; 4],
        joined: Joined,
    ) -> Result<Matched, String> {
        let window = of.window.groups(joined.groups);
        let call = self.call(form, &Windowed { window, ..of }, filters);
        let inside = joined.inside.into_iter().filter(|&inside| inside != id).collect();
        let operands = joined.operands.to_vec();
        let what = match form {
            WindowForm::Product => "convolution of groups",
            WindowForm::WeightsGradient => "gradient of weights of groups",
            _ => "gradient of images of groups",
        };
        self.alone(what, Matched { id, call, operands, inside })
    }

    fn grouped_convolution(&self, id: Id) -> Option<Result<Matched, String>> {
        let joint = self.permuted(id, &[0, 3, 1, 2])?;
        let Lowered::Call(Call::Concat(3)) = self.lowered(joint)? else { return None };
        let [n, oh, ow, f] = self.extents(joint)?;
        let (mut parts, mut start) = (Vec::new(), 0);
        for &group in self.schedule.item(joint).operands.iter() {
            let product = self.reshaped(group)?;
            let [rows, columns] = self.factors(product)?;
            let (windowed, channels) = self.rows_of_group(rows)?;
            let filters = self.columns_of_group(columns)?;
            let [.., length] = self.extents::<4>(group)?;
            if self.extents(product)? != [n * oh * ow, length] {
                return None;
            }
            let (reads, place) = ([channels, filters], [start, length]);
            start += length;
            let (windowed, inside) = (Some(windowed), vec![group, product]);
            parts.push(Part { reads, windowed, place, inside });
        }
        let mut joined = joined(parts)?;
        joined.inside.push(joint);
        let windowed = joined.windowed?;
        let filters: [usize; 4] = self.extents(joined.operands[1])?;
        let [channels, part, _] = joined.lengths;
        let fits = filters == [f, channels, windowed.size[0], windowed.size[1]]
            && [f, windowed.extents[1]] == [part, channels].map(|length| length * joined.groups)
            && windowed.extents[0] == n
            && windowed.grid == [oh, ow];
        fits.then(|| self.call_of_groups(WindowForm::Product, id, windowed, filters, joined))
    }

    fn grouped_weights_gradient(&self, id: Id) -> Option<Result<Matched, String>> {
        let filters: [usize; 4] = self.extents(id)?;
        let joined = self.summed(id, 0, &|group| {
            let lines = self.reshaped(group)?;
            let product = self.permuted(lines, &[1, 0])?;
            let [left, right] = self.factors(product)?;
            let (windowed, channels) = self.rows_of_group(self.permuted(left, &[1, 0])?)?;
            let reads = [channels, self.cotangent_of_group(right)?];
            let (windowed, inside) = (Some(windowed), vec![group, lines, product]);
            Some(Part { reads, windowed, place: [0; 2], inside })
        })?;
        let windowed = joined.windowed?;
        let cotangent: [usize; 4] = self.extents(joined.operands[1])?;
        let [oh, ow] = windowed.grid;
        let [channels, part, _] = joined.lengths;
        let fits = filters[1..] == [channels, windowed.size[0], windowed.size[1]]
            && joined.lengths[2] == part
            && [filters[0], windowed.extents[1]]
                == [part, channels].map(|length| length * joined.groups)
            && cotangent == [windowed.extents[0], filters[0], oh, ow];
        fits.then(|| {
            self.call_of_groups(WindowForm::WeightsGradient, id, windowed, filters, joined)
        })
    }

    fn grouped_images_gradient(&self, id: Id) -> Option<Result<Matched, String>> {
        let folded = self.folded(id)?;
        let mut joined = self.summed(folded.windows, 1, &|group| {
            let lines = self.permuted(group, &[0, 3, 1, 2, 4, 5])?;
            let product = self.reshaped(lines)?;
            let [left, right] = self.factors(product)?;
            let filters = self.columns_of_group(self.permuted(right, &[1, 0])?)?;
            let reads = [self.cotangent_of_group(left)?, filters];
            let inside = vec![group, lines, product];
            Some(Part { reads, windowed: None, place: [0; 2], inside })
        })?;
        let [cotangent, weights] = joined.operands;
        let (cotangent, filters) = (self.extents::<4>(cotangent)?, self.extents::<4>(weights)?);
        let images: [usize; 4] = self.extents(id)?;
        let [_, c, oh, ow, kh, kw] = self.extents(folded.windows)?;
        let [part, other, channels] = joined.lengths;
        let fits = filters[1..] == [channels, kh, kw]
            && part == other
            && [filters[0], c] == [part, channels].map(|length| length * joined.groups)
            && cotangent == [images[0], filters[0], oh, ow];
        if !fits {
            return None;
        }
        joined.inside.extend(folded.inside.iter().filter(|&&inside| inside != folded.windows));
        let of = Windowed {
            images: joined.operands[0],
            extents: images,
            grid: [oh, ow],
            size: [kh, kw],
            window: folded.window,
        };
        Some(self.call_of_groups(WindowForm::ImagesGradient, id, of, filters, joined))
    }
}
