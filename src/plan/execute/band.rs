//! A band: its lines take turns over blocks of rows, and threads share the rows.
//!
//! INVARIANT: a thread writes rows of its own, and the sums on the way of its rows; what is there when
//! all rows are is put together at the end, in the order of the rows.

use super::tensor::{Bound, view};
use crate::kernel::far::from_memory;
use crate::kernel::native::chain::{Outputs, Place, Sums, prepared, run_next, total};
use crate::kernel::order::KB;
use crate::kernel::reference::View;
use crate::kernel::{Elementary, Numerics, scratch, threads};
use crate::plan::band::Kind;
use crate::plan::banded::{Banded, Total, Turn, Use};
use crate::plan::program::{From, Kernel, Operand};
use smallvec::SmallVec;
use std::mem::take;
use std::ops::Range;

/// The slices of a band's memory, by the number of the piece.
type Slices<'a, E> = SmallVec<[&'a mut [E]; 8]>;
type Shared<'a, E> = SmallVec<[&'a [E]; 8]>;

/// The rows of one thread.
struct Part<'a, 's, E> {
    rows: Range<usize>,
    /// Of what is written by rows, these rows.
    written: Slices<'a, E>,
    /// Of each total the sums on the way of these rows.
    sums: Outputs<'s, E>,
}

/// What all threads read.
struct Read<'r, E: Elementary> {
    banded: &'r Banded,
    numerics: Numerics,
    bound: &'r [Bound<'r, E>],
    shared: Shared<'r, E>,
}

/// Runs a band over its pieces.
pub(super) fn run<E: Elementary>(
    banded: &Banded,
    numerics: Numerics,
    bound: &[Bound<'_, E>],
    pieces: SmallVec<[&mut [E]; 8]>,
) {
    let count = pieces.len();
    let mut written: Slices<'_, E> = (0..count).map(|_| <&mut [E]>::default()).collect();
    let mut ends: Slices<'_, E> = (0..count).map(|_| <&mut [E]>::default()).collect();
    let mut shared: Shared<'_, E> = (0..count).map(|_| <&[E]>::default()).collect();
    for (at, (piece, used)) in pieces.into_iter().zip(&banded.uses).enumerate() {
        match used {
            Use::Read => shared[at] = piece,
            Use::Rows(_) => written[at] = piece,
            Use::Total => ends[at] = piece,
        }
    }
    let read = Read { banded, numerics, bound, shared };
    scratch::with(banded.scratch(), |sums| {
        read.all_rows(written, sums);
        let mut sums = &*sums;
        for total in &banded.totals {
            let (of, rest) = sums.split_at(total.count * total.number);
            read.close(total, of, take(&mut ends[total.piece]));
            sums = rest;
        }
    });
}

impl<E: Elementary> Read<'_, E> {
    /// Runs all rows, split over threads where that is worth it.
    fn all_rows<'s>(&self, mut written: Slices<'_, E>, mut sums: &'s mut [E]) {
        let banded = self.banded;
        let mut totals: Outputs<'s, E> = banded
            .totals
            .iter()
            .map(|total| {
                let (of, rest) = take(&mut sums).split_at_mut(total.count * total.number);
                sums = rest;
                of
            })
            .collect();
        let parts = threads::parts_here(banded.cost, banded.rows / banded.unit);
        if parts == 1 {
            return self.part(Part { rows: 0..banded.rows, written, sums: totals });
        }
        #[cfg(test)]
        crate::kernel::testing::note("a band over threads");
        let mut work = Vec::with_capacity(parts);
        for rows in threads::bounds(banded.rows, parts, banded.unit) {
            let mut mine = Slices::new();
            for (rest, used) in written.iter_mut().zip(&banded.uses) {
                let length = if let Use::Rows(width) = used { width * rows.len() } else { 0 };
                mine.push(cut(rest, length));
            }
            let pairs = totals.iter_mut().zip(&banded.totals);
            let last = rows.end == banded.rows;
            let sums = pairs.map(|(rest, total)| {
                let of = rows.len() / total.per[0] * total.per[1] * total.count;
                let length = if last { rest.len() } else { of };
                cut(rest, length)
            });
            work.push(Part { sums: sums.collect(), written: mine, rows });
        }
        threads::each(work, |part| threads::limited(Some(1), || self.part(part)));
    }

    /// Runs some rows, block by block.
    fn part(&self, part: Part<'_, '_, E>) {
        let banded = self.banded;
        let Part { rows, mut written, sums } = part;
        let mut products: Outputs<'_, E> = Outputs::new();
        let mut running: SmallVec<[Sums<'_, E>; 4]> = SmallVec::new();
        let mut sums = sums.into_iter();
        for turn in &banded.turns[0] {
            let mut of: Outputs<'_, E> = sums.by_ref().take(turn.totals.len()).collect();
            match turn.kind {
                Kind::Summed => products.extend(of.pop()),
                Kind::Rows => products.push(&mut []),
            }
            running.push(Sums::new(of));
        }
        let mut start = rows.start;
        while start < rows.end {
            let length = banded.block.min(rows.end - start);
            let turns = &banded.turns[usize::from(length < banded.block)];
            let before = start - rows.start;
            let block = Block { start, length, before };
            for ((turn, product), running) in turns.iter().zip(&mut products).zip(&mut running) {
                match turn.kind {
                    Kind::Summed => self.add(turn, &block, &written, product),
                    Kind::Rows => self.rows(turn, &block, &mut written, running),
                }
            }
            start += length;
        }
        running.into_iter().for_each(Sums::close);
    }

    /// What an operand has from row `start` on, of which the thread's are from `before` behind.
    fn slice<'s>(
        &'s self,
        (operand, stride): &(Operand, usize),
        block: &Block,
        written: &'s [&mut [E]],
    ) -> &'s [E] {
        match operand.from {
            From::Source(number) => &self.bound[number].elements.as_slice()[stride * block.start..],
            From::Piece(number) => match self.banded.uses[number] {
                Use::Rows(_) => &written[number][stride * block.before..],
                _ => &self.shared[number][stride * block.start..],
            },
            From::Output(_) => unreachable!("invariant: a band does nothing in place"),
        }
    }

    /// A block of the rows that a line writes.
    fn rows<'w>(
        &self,
        turn: &Turn,
        block: &Block,
        written: &mut Slices<'w, E>,
        sums: &mut Sums<'_, E>,
    ) {
        // Apart while they are written: nothing else of the line lies there.
        let own = turn.outputs.iter().map(|output| output.map(|piece| take(&mut written[piece])));
        let mut own: SmallVec<[&'w mut [E]; 4]> = own.map(Option::unwrap_or_default).collect();
        let uses = turn.outputs.iter().map(|output| output.map(|at| self.banded.uses[at]));
        let outputs = own.iter_mut().zip(uses).map(|(rows, used)| match used {
            Some(Use::Rows(width)) => &mut rows[width * block.before..][..width * block.length],
            _ => &mut rows[..0],
        });
        self.compute(turn, block, written, outputs.collect(), sums);
        for (output, own) in turn.outputs.iter().zip(own) {
            if let Some(piece) = *output {
                written[piece] = own;
            }
        }
    }

    fn compute(
        &self,
        turn: &Turn,
        block: &Block,
        written: &[&mut [E]],
        mut outputs: Outputs<'_, E>,
        sums: &mut Sums<'_, E>,
    ) {
        let slice = |pair: &(Operand, usize)| self.slice(pair, block, written);
        match &turn.kernel {
            Kernel::Chain(chain) => {
                let places: SmallVec<[Place<'_, E>; 8]> =
                    turn.operands.iter().map(|pair| Place::Slice(slice(pair))).collect();
                run_next(chain, &places, outputs, sums);
            }
            Kernel::Call(_) | Kernel::Followed(..) if outputs[0].is_empty() => {}
            Kernel::Call(call) => {
                let views: SmallVec<[View<'_, E>; 2]> =
                    turn.operands.iter().map(|pair| view(&pair.0, slice(pair))).collect();
                from_memory(|| call.run(&views, &[], self.numerics, outputs[0]));
            }
            Kernel::Followed(call, kernel, chain) => {
                let (read, others) = turn.operands.split_at(*kernel);
                let others = others.iter().map(|pair| Place::Slice(slice(pair)));
                let places: SmallVec<[Place<'_, E>; 8]> =
                    std::iter::once(Place::Output(0)).chain(others).collect();
                let views: SmallVec<[View<'_, E>; 2]> =
                    read.iter().map(|pair| view(&pair.0, slice(pair))).collect();
                prepared(chain, &places, |ready| {
                    let finish = |start: usize, run: &mut [E]| ready.finish(start, run);
                    let out = &mut *outputs[0];
                    from_memory(|| call.run_followed(&views, self.numerics, out, &finish));
                });
            }
        }
    }

    /// The sums of a product over the blocks of `KB` rows of a block, each into its own place.
    fn add(&self, turn: &Turn, block: &Block, written: &[&mut [E]], sums: &mut &mut [E]) {
        let (Kernel::Call(call) | Kernel::Followed(call, ..)) = &turn.kernel else {
            unreachable!("invariant: what is summed is a product")
        };
        let (count, mut done) = (self.banded.totals[turn.totals.start].count, 0);
        while done < block.length {
            let length = KB.min(block.length - done);
            let here = Block { start: block.start + done, length, before: block.before + done };
            let rest = turn.rest.as_ref().filter(|_| length < KB);
            let views: SmallVec<[View<'_, E>; 2]> = turn.operands[..2]
                .iter()
                .enumerate()
                .map(|(at, pair)| {
                    view(rest.map_or(&pair.0, |rest| &rest[at]), self.slice(pair, &here, written))
                })
                .collect();
            let out = cut(sums, count);
            if !out.is_empty() {
                call.run(&views, &[], self.numerics, out);
            }
            done += length;
        }
    }

    /// Writes a total, of its sums on the way.
    fn close(&self, of: &Total, sums: &[E], out: &mut [E]) {
        let turn = &self.banded.turns[0][of.turn];
        if turn.kind == Kind::Rows {
            out[0] = total(sums);
            return;
        }
        let (first, rest) = sums.split_at(of.count);
        out.clone_from_slice(first);
        for block in rest.chunks_exact(of.count.max(1)) {
            out.iter_mut().zip(block).for_each(|(sum, block)| *sum = sum.add(block));
        }
        if let Kernel::Followed(_, kernel, chain) = &turn.kernel {
            let none = Block { start: 0, length: 0, before: 0 };
            let others = turn.operands[*kernel..].iter();
            let others = others.map(|pair| Place::Slice(self.slice(pair, &none, &[])));
            let places: SmallVec<[Place<'_, E>; 8]> =
                std::iter::once(Place::Output(0)).chain(others).collect();
            prepared(chain, &places, |ready| ready.finish(0, out));
        }
    }
}

/// Some rows: where they begin in all, how many, and where in those of the thread.
struct Block {
    start: usize,
    length: usize,
    before: usize,
}

/// The first elements of the rest of a slice.
fn cut<'a, E>(rest: &mut &'a mut [E], length: usize) -> &'a mut [E] {
    let (part, after) = take(rest).split_at_mut(length);
    *rest = after;
    part
}
