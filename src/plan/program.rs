//! `Program`: a schedule as the executor runs it, with every kernel, stride and slice decided.
//!
//! INVARIANT: the pieces of a step are disjoint, ascend, and are each written by it or read.

use super::banded::Banded;
use super::chains::{chain_of, following};
use super::item::{Definition, Id};
use super::passes::is_splat;
use super::schedule::{Access, Home, Schedule, Step, Work};
use crate::kernel::call::Call;
use crate::kernel::chain::Chain;
use crate::kernel::native::gemm::TINY;
use crate::kernel::{Elementary, Matrix, Numerics};
use crate::payload::layout::Layout;
use crate::payload::{Shape, Stored, Tensorial};
use std::sync::Arc;

/// Where a piece of memory is: region 0 is the arena, region `k + 1` the block of result `k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Piece {
    pub(super) region: usize,
    pub(super) start: usize,
    pub(super) length: usize,
}

/// What an operand's layout is over.
#[derive(Clone, Copy, Debug)]
pub(super) enum From {
    Source(usize),
    /// A piece that the step reads.
    Piece(usize),
    /// In place: the elements of an output, before they are overwritten.
    Output(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) from: From,
    pub(super) layout: Layout,
}

impl Operand {
    /// The operand, of a piece by another number.
    pub(super) fn placed(&self, place: impl Fn(usize) -> usize) -> Self {
        let from = match self.from {
            From::Piece(number) => From::Piece(place(number)),
            from => from,
        };
        Self { from, layout: self.layout.clone() }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Kernel {
    Call(Call),
    Chain(Chain),
    /// A kernel of the first so many operands, and a chain on its result, of the others.
    Followed(Call, usize, Chain),
}

/// A step as it runs.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) kernel: Kernel,
    pub(super) pieces: Vec<Piece>,
    pub(super) operands: Vec<Operand>,
    /// The pieces that are written, in the order of the kernel's outputs.
    pub(super) outputs: Vec<usize>,
    /// The source of the rows that a selection names.
    pub(super) rows: Option<usize>,
    /// The source that is the right operand of a product, and may be laid out for it before.
    pub(super) packed: Option<usize>,
}

/// A source that steps read.
pub(super) struct Source<P: Tensorial> {
    pub(super) origin: u32,
    pub(super) definition: Definition<P>,
    /// Whether a step reads its elements.
    pub(super) dense: bool,
    /// Whether a step reads the rows that it names.
    pub(super) rows: bool,
    /// The element that stands for all, where it is read as one.
    pub(super) one: Option<P::Element>,
    /// How it is laid out for products.
    pub(super) right: Option<Right>,
    count: usize,
}

/// A result as it is handed back.
#[derive(Clone, Debug)]
pub(super) enum Handed {
    /// The block of the first result of the same item.
    Block(usize, Arc<Shape>),
    /// The payload of a source.
    Source(usize),
}

/// A parameter that products read as their right operand, `k` by `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Right {
    pub(super) extents: [usize; 2],
    /// Whether its elements are those of the operand's columns.
    pub(super) turned: bool,
}

impl Right {
    /// The right operand of these two, where it is worth while that it is laid out before.
    fn of([left, right]: [&Layout; 2], count: usize) -> Option<Self> {
        let (&[m, _], &[k, n]) = (&left.shape()[..], &right.shape()[..]) else { return None };
        let turned = match right.strides() {
            _ if right.offset() > 0 || k * n != count => return None,
            [row, 1] if *row == n => false,
            [1, column] if *column == k => true,
            _ => return None,
        };
        let [least, most] = if turned { TURNED } else { ROWS };
        let tiny = m.saturating_mul(k * n) <= TINY;
        let pays = n >= COLUMNS && !tiny && (least..=most).contains(&m);
        pays.then_some(Self { extents: [k, n], turned })
    }
}

/// Rows of a left operand for which the right one is laid out before.
///
/// COST: of 32 rows a product is 1.0 to 1.5 times as fast, of fewer up to 2.9 times, of 64 1.0 to 1.3 times; where
/// columns lie in one piece 1.2 to 1.5, up to 5.1, and of 64 rows 1.2 to 1.4 times (`cargo bench --bench products`, AMD
/// Zen 5). It takes the memory of the parameter once more: 8 MiB of 32 layers of 256, whose forward values take 0.4.
const ROWS: [usize; 2] = [2, 32];

/// Columns of a right operand that fill a register at least: fewer are better for lanes over rows.
const COLUMNS: usize = 16;

/// As `ROWS`, where its columns lie in one piece.
const TURNED: [usize; 2] = [2, 32];

pub(super) struct Program<P: Tensorial> {
    pub(super) sources: Vec<Source<P>>,
    pub(super) lines: Vec<Line>,
    /// The lines that take turns, by ranges that ascend.
    pub(super) bands: Vec<Banded>,
    /// How products round.
    pub(super) numerics: Numerics,
    /// The number of elements of the arena.
    pub(super) arena: usize,
    /// The number of elements of each result's block; of none that is handed back otherwise.
    pub(super) blocks: Vec<usize>,
    pub(super) results: Vec<Handed>,
}

impl<P: Tensorial> Program<P> {
    pub(super) fn new(schedule: &Schedule<P>, numerics: Numerics) -> Self {
        let mut builder =
            Builder { schedule, numbers: vec![None; schedule.items.len()], sources: vec![] };
        let mut lines: Vec<Line> =
            schedule.steps.iter().map(|step| builder.line(step, None)).collect();
        for (number, line) in lines.iter_mut().enumerate() {
            // A step that takes turns with others reads what lies near.
            if schedule.band_of(number).is_none() {
                line.packed = builder.packed(line);
            }
        }
        let bands = schedule.bands.iter().map(|band| Banded::new(&mut builder, band)).collect();
        let mut blocks = vec![0; schedule.results.len()];
        let results = schedule.results.iter().map(|&id| match schedule.homes[id as usize] {
            Home::Result(number) => {
                blocks[number as usize] = schedule.item(id).count();
                Handed::Block(number as usize, schedule.item(id).shape.clone())
            }
            _ => Handed::Source(builder.source(id)),
        });
        let results = results.collect();
        let (sources, arena) = (builder.sources, schedule.arena);
        Self { sources, lines, bands, numerics, arena, blocks, results }
    }
}

impl<P: Tensorial> Program<P> {
    /// The elements of the sources that are laid out for products.
    pub(super) fn packed(&self) -> usize {
        let laid_out = self.sources.iter().filter(|source| source.right.is_some());
        // Elements that are all one number lie nowhere, and may be any number.
        laid_out.fold(0, |sum, source| sum.saturating_add(source.count))
    }
}

pub(super) struct Builder<'s, P: Tensorial> {
    pub(super) schedule: &'s Schedule<P>,
    numbers: Vec<Option<usize>>,
    sources: Vec<Source<P>>,
}

impl<P: Tensorial> Builder<'_, P> {
    fn source(&mut self, id: Id) -> usize {
        if let Some(number) = self.numbers[id as usize] {
            return number;
        }
        let item = self.schedule.item(id);
        let number = self.sources.len();
        let definition = item.definition.clone();
        let one = match &definition {
            Definition::Constant(payload) if is_splat(payload) => match payload.stored() {
                Stored::Constant(value) => Some(value),
                _ => None,
            },
            _ => None,
        };
        let origin = item.origin;
        let (dense, rows, right, count) = (false, false, None, item.count());
        self.sources.push(Source { origin, definition, dense, rows, one, right, count });
        self.numbers[id as usize] = Some(number);
        number
    }

    /// The source that a product's right operand is, where it may be laid out before.
    fn packed(&mut self, line: &Line) -> Option<usize> {
        let (Kernel::Call(Call::Product) | Kernel::Followed(Call::Product, ..)) = line.kernel
        else {
            return None;
        };
        let [a, Operand { from: From::Source(number), layout: b }, ..] = &line.operands[..] else {
            return None;
        };
        let number = *number;
        let source = &mut self.sources[number];
        if matches!(source.definition, Definition::Input(_)) || source.one.is_some() {
            return None;
        }
        // An element without a kernel of its own lays nothing out.
        let zero = [P::Element::zero()];
        P::Element::pack(Matrix::new(&zero, 1, 1), [1, 1])?;
        let right = Right::of([&a.layout, b], source.count)?;
        // Two products that read it in two ways take turns no more than the first has its own.
        (*source.right.get_or_insert(right) == right).then_some(number)
    }

    pub(super) fn piece(&self, id: Id) -> Option<Piece> {
        let length = self.schedule.item(id).count();
        match self.schedule.homes[id as usize] {
            Home::Arena(start) => Some(Piece { region: 0, start, length }),
            Home::Result(number) => Some(Piece { region: number as usize + 1, start: 0, length }),
            Home::Source | Home::None => None,
        }
    }

    /// The line of a step; of a step of a band, for so many rows of its space.
    pub(super) fn line(&mut self, step: &Step, space: Option<usize>) -> Line {
        let place = |id| self.piece(id).expect("invariant: what a step writes has a place");
        let outputs: Vec<Piece> = step.outputs.iter().map(|&id| place(id)).collect();
        let read = step.operands.iter().filter_map(|access| self.piece(access.base));
        let mut pieces: Vec<Piece> = outputs.iter().copied().chain(read).collect();
        pieces.sort_unstable();
        pieces.dedup();
        let at = |piece: &Piece| {
            pieces.binary_search(piece).expect("invariant: every place is among the pieces")
        };
        let mut by_piece: Vec<(Piece, usize)> = outputs.iter().copied().zip(0..).collect();
        by_piece.sort_unstable();
        let output_at = |piece: Piece| {
            let found = by_piece.binary_search_by_key(&piece, |(piece, _)| *piece);
            found.ok().map(|at| by_piece[at].1)
        };
        let operand = |this: &mut Self, Access { base, layout }: &Access| {
            let from = match this.piece(*base) {
                None => {
                    let number = this.source(*base);
                    this.sources[number].dense = true;
                    From::Source(number)
                }
                Some(piece) => match output_at(piece) {
                    Some(output) => From::Output(output),
                    None => From::Piece(at(&piece)),
                },
            };
            Operand { from, layout: layout.clone() }
        };
        let operands = step.operands.iter().map(|access| operand(self, access)).collect();
        let outputs = outputs.iter().map(at).collect();
        let rows = step.rows.map(|id| self.source(id));
        rows.iter().for_each(|&number| self.sources[number].rows = true);
        let kernel = match &step.work {
            Work::Call(call) => Kernel::Call(call.clone()),
            Work::Chain => Kernel::Chain(chain_of(self.schedule, step, space)),
            Work::Followed(call) => {
                let kernel = self.schedule.item(step.items[0]).operands.len();
                let chain = following(self.schedule, step, kernel, space);
                Kernel::Followed(call.clone(), kernel, chain)
            }
        };
        Line { kernel, pieces, operands, outputs, rows, packed: None }
    }
}
