//! `Banded`: a band as the executor runs it: each of its lines for a block of rows, and for the last
//! rows, which may be fewer.
//!
//! INVARIANT: what a band writes by rows, the band reads by the rows that are there; what is there when
//! all rows are, it does not read.

use super::band::{Band, Kind, Role, width};
use super::item::Id;
use super::program::{Builder, Kernel, Operand, Piece};
use super::schedule::{Schedule, Step};
use crate::kernel::call::Call;
use crate::kernel::order::{KB, SB};
use crate::payload::Tensorial;
use std::ops::Range;

/// What a piece of memory is to a band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Read,
    /// Rows of so many elements are written.
    Rows(usize),
    /// Written when all rows are done.
    Total,
}

/// A band.
#[derive(Clone, Debug)]
pub(super) struct Banded {
    pub(super) lines: Range<usize>,
    pub(super) rows: usize,
    pub(super) block: usize,
    /// Threads share the rows at multiples of so many.
    pub(super) unit: usize,
    /// Plain operations that all rows take.
    pub(super) cost: usize,
    pub(super) pieces: Vec<Piece>,
    pub(super) uses: Vec<Use>,
    /// The lines for a block, and for what is left behind the last one.
    pub(super) turns: [Vec<Turn>; 2],
    pub(super) totals: Vec<Total>,
}

/// A line for some rows.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub(super) kernel: Kernel,
    /// Each with the elements from a row to the next.
    pub(super) operands: Vec<(Operand, usize)>,
    /// The pieces that rows are written to; `None` of a total.
    pub(super) outputs: Vec<Option<usize>>,
    /// The totals that it adds to.
    pub(super) totals: Range<usize>,
    /// Of a product that is summed over the rows: what it reads of the rows behind whole blocks of `KB`.
    pub(super) rest: Option<Vec<Operand>>,
    pub(super) kind: Kind,
}

/// What is there when all rows are: the sum, in the order of the rows, of sums on the way.
#[derive(Clone, Debug)]
pub(super) struct Total {
    pub(super) piece: usize,
    /// The elements of a sum on the way.
    pub(super) count: usize,
    /// In so many rows there are so many sums on the way.
    pub(super) per: [usize; 2],
    /// The number of them in all rows.
    pub(super) number: usize,
    /// The turn that it is of.
    pub(super) turn: usize,
}

impl Banded {
    pub(super) fn new<P: Tensorial>(builder: &mut Builder<'_, P>, band: &Band) -> Self {
        let schedule = builder.schedule;
        let steps = &schedule.steps[band.steps.clone()];
        let outputs = steps.iter().flat_map(|step| step.outputs.iter().copied());
        let read = steps.iter().flat_map(|step| &step.operands).map(|access| access.base);
        let mut pieces: Vec<Piece> =
            outputs.chain(read).filter_map(|base| builder.piece(base)).collect();
        pieces.sort_unstable();
        pieces.dedup();
        let mut uses = vec![Use::Read; pieces.len()];
        let (mut totals, mut unit): (Vec<Total>, usize) = (Vec::new(), band.block);
        let mut written = Vec::with_capacity(steps.len());
        for (turn, (step, role)) in steps.iter().zip(&band.roles).enumerate() {
            let before = totals.len();
            let mut outputs = Vec::with_capacity(step.outputs.len());
            for &id in &step.outputs {
                let piece = place(builder, &pieces, id);
                let width = width(schedule, step, role.kind, id);
                uses[piece] = width.map_or(Use::Total, Use::Rows);
                outputs.push(width.map(|_| piece));
                if width.is_none() {
                    let total = total(schedule, band, step, role, id);
                    unit = unit / gcd(unit, total.per[0]) * total.per[0];
                    totals.push(Total { piece, turn, ..total });
                }
            }
            written.push((outputs, before..totals.len()));
        }
        let mut turns = |rows: usize| {
            let lines = steps.iter().zip(&band.roles).zip(&written);
            let turn =
                |((step, role), (outputs, totals)): ((&Step, &Role), &(Vec<_>, Range<_>))| {
                    let operands = |builder: &mut Builder<'_, P>, rows| {
                        let space = (role.kind == Kind::Rows).then_some(rows);
                        let line = builder.line(step, space);
                        let place = |at: usize| {
                            let found = pieces.binary_search(&line.pieces[at]);
                            found.expect("invariant: a band has the pieces of its lines")
                        };
                        let operands = line.operands.iter().zip(&role.axes);
                        let operands = operands.map(|(operand, axis)| {
                            let Operand { from, layout } = operand.placed(place);
                            let layout = match *axis {
                                Some(axis) => layout.narrow(axis, 0, rows),
                                None => layout,
                            };
                            Operand { from, layout }
                        });
                        (operands.collect::<Vec<_>>(), line.kernel)
                    };
                    let summed = role.kind == Kind::Summed;
                    let deep = if summed { rows.min(KB) } else { rows };
                    let rest = Some(rows % KB).filter(|&rest| summed && rows > KB && rest > 0);
                    let rest = rest.map(|rest| operands(builder, rest).0);
                    let (operands, kernel) = operands(builder, deep);
                    let strides =
                        step.operands.iter().zip(&role.axes).map(|(access, axis)| {
                            axis.map_or(0, |axis| access.layout.strides()[axis])
                        });
                    Turn {
                        kernel,
                        operands: operands.into_iter().zip(strides).collect(),
                        outputs: outputs.clone(),
                        totals: totals.clone(),
                        rest,
                        kind: role.kind,
                    }
                };
            if rows == 0 { Vec::new() } else { lines.map(turn).collect() }
        };
        let turns = [turns(band.block), turns(band.rows % band.block)];
        let block: usize = turns[0].iter().zip(steps).fold(0, |sum, (turn, step)| {
            let count = schedule.item(step.items[0]).count();
            sum.saturating_add(turn.work(band, count))
        });
        Self {
            lines: band.steps.clone(),
            rows: band.rows,
            block: band.block,
            unit,
            cost: block.saturating_mul(band.rows.div_ceil(band.block)),
            pieces,
            uses,
            turns,
            totals,
        }
    }

    /// The elements that sums on the way take.
    pub(super) fn scratch(&self) -> usize {
        self.totals.iter().fold(0, |sum, total| sum + total.count * total.number)
    }
}

impl Turn {
    /// Plain operations that it takes for a block; `count` is the number of elements of its space.
    fn work(&self, band: &Band, count: usize) -> usize {
        let extents: Vec<&[usize]> =
            self.operands.iter().map(|(operand, _)| operand.layout.shape().extents()).collect();
        let (count, times) = match self.kind {
            Kind::Rows => (count / band.rows * band.block, 1),
            // The operands are those of one block of terms.
            Kind::Summed => (count, (band.block / KB).max(1)),
        };
        let of = |call: &Call| {
            let operations = call.operations(&extents, count);
            usize::try_from(operations).unwrap_or(usize::MAX).saturating_mul(times)
        };
        match &self.kernel {
            Kernel::Call(call) => of(call),
            Kernel::Chain(chain) => chain.work(),
            Kernel::Followed(call, _, chain) => of(call).saturating_add(chain.work()),
        }
    }
}

fn place<P: Tensorial>(builder: &Builder<'_, P>, pieces: &[Piece], id: Id) -> usize {
    let piece = builder.piece(id).expect("invariant: what a step writes has a place");
    pieces.binary_search(&piece).expect("invariant: a band has the pieces of its lines")
}

fn total<P: Tensorial>(
    schedule: &Schedule<P>,
    band: &Band,
    step: &Step,
    role: &Role,
    output: Id,
) -> Total {
    let count = schedule.item(output).count();
    let (per, number) = match role.kind {
        Kind::Summed => ([KB, 1], band.rows.div_ceil(KB)),
        Kind::Rows => {
            let all = schedule.item(step.items[0]).count();
            let row = all / band.rows;
            let common = gcd(SB, row);
            ([SB / common, row / common], all.div_ceil(SB))
        }
    };
    Total { piece: 0, count, per, number, turn: 0 }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
