//! Panels: the columns of the right operand that a tile reads, and how they are packed.
//!
//! Operands are packed block by block on the way, or once for many products (`packed`): then the rows of a panel
//! lie behind one another, and panels behind panels, so that any of them is found by its column alone.

use super::pack;
use crate::kernel::Packed;
use crate::kernel::order::KB;
use crate::kernel::simd::{Level, Native, Registers, Work};
use crate::kernel::task::Matrix;

/// The columns of the widest panel.
#[inline(always)]
pub(super) fn wide<R: Registers>() -> usize {
    if R::MANY { 4 * R::WIDTH } else { 2 * R::WIDTH }
}

/// Some columns of a right operand that was laid out before.
#[derive(Clone, Copy)]
pub(in crate::kernel::native) struct Held<'a, E: Native> {
    pub(super) packed: &'a Packed<E>,
    /// The first one, of a panel's first.
    pub(super) column: usize,
    /// The first term.
    pub(super) term: usize,
}

impl<'a, E: Native> Held<'a, E> {
    /// The rows of a panel from `start` on.
    #[inline(always)]
    pub(super) fn rows(&self, panel: Panel, start: usize, row: usize) -> &'a [E] {
        let [k, _] = self.packed.extents;
        &self.packed.elements()[(self.column + panel.column) * k + (self.term + start) * row..]
    }
}

/// The right operand `b`, `k` by `n`, laid out for products: see `Elementary::pack`.
pub(crate) fn packed<E: Native>(b: Matrix<'_, E>, extents: [usize; 2]) -> Packed<E> {
    packed_at(Level::best(), b, extents)
}

pub(super) fn packed_at<E: Native>(
    level: Level,
    b: Matrix<'_, E>,
    extents: [usize; 2],
) -> Packed<E> {
    E::at(level, All { b, extents })
}

struct All<'a, E> {
    b: Matrix<'a, E>,
    extents: [usize; 2],
}

impl<E: Native> Work<E> for All<'_, E> {
    type Output = Packed<E>;

    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, token: R) -> Packed<E> {
        let Self { b, extents: [k, n] } = self;
        let mut packed = Packed::stale([k, n], wide::<R>(), k * n.next_multiple_of(R::WIDTH));
        let out = packed.elements_mut();
        let mut panels =
            Panels { column: 0, end: n, in_place: false, roomy: false, packed: 0, depth: 0 };
        while let Some(panel) = panels.next::<R>() {
            let row = panel.registers * R::WIDTH;
            for start in (0..k).step_by(KB) {
                let out = &mut out[panel.column * k + start * row..];
                pack_panel(token, &b, [start, KB.min(k - start)], panel, out);
            }
        }
        packed
    }
}

/// A range of columns, to be packed or where it is.
#[derive(Clone, Copy)]
pub(super) struct Panel {
    /// Registers: 4, 2 or 1.
    pub(super) registers: usize,
    pub(super) column: usize,
    pub(super) width: usize,
    /// Where its packed elements start, unless it is read where it is.
    pub(super) packed: Option<usize>,
}

/// Packs the panels that are to be, of a block of rows.
#[inline(always)]
pub(super) fn pack<R: Registers>(
    token: R,
    b: &Matrix<'_, R::Element>,
    rows: [usize; 2],
    mut panels: Panels,
    out: &mut [R::Element],
) {
    while let Some(panel) = panels.next::<R>() {
        if let Some(at) = panel.packed {
            pack_panel(token, b, rows, panel, &mut out[at..]);
        }
    }
}

#[inline(always)]
fn pack_panel<R: Registers>(
    token: R,
    b: &Matrix<'_, R::Element>,
    [start, depth]: [usize; 2],
    panel: Panel,
    out: &mut [R::Element],
) {
    let extents = [panel.column, panel.width, panel.registers * R::WIDTH];
    if b.row == 1 && b.column >= start + depth {
        takes!("right operand turned");
        pack::turned(token, b, [start, depth], extents, out);
    } else if b.column == 1 {
        let rows = out.chunks_exact_mut(panel.registers * R::WIDTH).take(depth);
        for (t, row) in rows.enumerate() {
            let line = &b.elements[(start + t) * b.row + panel.column..][..panel.width];
            pack::line::<R>(line, row);
        }
    } else {
        pack::columns(b, [start, depth], extents, out);
    }
}

/// The panels of a block of columns, from left to right.
#[derive(Clone, Copy)]
pub(super) struct Panels {
    pub(super) column: usize,
    pub(super) end: usize,
    pub(super) in_place: bool,
    /// Whether a whole register may be read from the end of any row: there are elements behind it.
    pub(super) roomy: bool,
    /// Packed elements so far.
    pub(super) packed: usize,
    /// Rows of the deepest block.
    pub(super) depth: usize,
}

impl Panels {
    #[inline(always)]
    pub(super) fn next<R: Registers>(&mut self) -> Option<Panel> {
        let left = self.end - self.column;
        if left == 0 {
            return None;
        }
        let registers = match left.div_ceil(R::WIDTH) {
            4.. if R::MANY => 4,
            2.. => 2,
            _ => 1,
        };
        let (column, width) = (self.column, left.min(registers * R::WIDTH));
        // A panel that ends in a part of a register reads past its rows, and drops that; where
        // nothing is there to read it is packed.
        let whole = self.roomy || width == registers * R::WIDTH;
        let packed = (!(self.in_place && whole)).then_some(self.packed);
        if packed.is_some() {
            self.packed += self.depth * registers * R::WIDTH;
        }
        self.column += width;
        Some(Panel { registers, column, width, packed })
    }

    /// The elements of all packed panels.
    #[inline(always)]
    pub(super) fn packed_elements<R: Registers>(mut self) -> usize {
        while self.next::<R>().is_some() {}
        self.packed
    }
}
