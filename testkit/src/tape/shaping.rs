//! Movement, windows and indexing on random tapes.

use super::Builder;
use poorgrad::{Extent, Shape, Tensorial, Value};

impl<'n, P: Tensorial> Builder<'n, '_, '_, P> {
    /// An axis of the value, 0 where it has none: that request is refused.
    pub(super) fn axis(&mut self, value: Value<'n, P>) -> usize {
        match value.shape().rank() {
            0 => 0,
            rank => self.decisions.below(rank),
        }
    }

    pub(super) fn movement(&mut self) {
        let x = self.pick();
        let axis = self.axis(x);
        let shape = x.shape().clone();
        match self.decisions.below(14) {
            0 => self.reshaped(x),
            1 => {
                let axes = self.order(shape.rank());
                self.keep(x.try_permute(&axes));
            }
            2 if shape.rank() >= 2 => self.push(x.transpose()),
            3 => {
                let at = self.decisions.below(shape.rank() + 1);
                self.keep(x.try_unsqueeze(at));
            }
            4 => self.keep(x.try_squeeze(axis)),
            5 => {
                let extent = shape.get(axis).copied().unwrap_or(0);
                let start = self.decisions.below(extent + 1);
                let length = self.decisions.below(extent - start + 1);
                let length = if length == 0 && !self.hollow { extent - start } else { length };
                if length > 0 || self.hollow {
                    self.keep(x.try_narrow(axis, start, length));
                }
            }
            6 => {
                let (before, after) = (self.decisions.below(3), self.decisions.below(3));
                let value = if self.decisions.one_in(2) { self.number() } else { 0.0 };
                self.keep(x.try_pad(axis, before, after, value));
            }
            7 => {
                let mut parts = vec![x];
                for _ in 0..1 + self.decisions.below(3) {
                    let mut extents = shape.to_vec();
                    if let Some(extent) = extents.get_mut(axis) {
                        *extent = self.extent();
                    }
                    let part = if self.decisions.one_in(3) {
                        self.source(&Shape::from(extents))
                    } else {
                        self.partner(x)
                    };
                    parts.push(part);
                }
                self.keep(Value::try_concat(&parts, axis));
            }
            8 => {
                let other = self.partner(x);
                let at = self.decisions.below(shape.rank() + 1);
                self.keep(Value::try_stack(&[x, other, x], at));
            }
            9 => {
                let mut extents = shape.to_vec();
                extents.insert(0, self.extent());
                let like = self.constant(&Shape::from(extents));
                self.keep(x.try_broadcast_like(like));
            }
            10 => {
                let mut extents = shape.to_vec();
                let at = self.decisions.below(shape.rank() + 1);
                extents.insert(at, self.extent());
                let like = self.source(&Shape::from(extents));
                self.keep(x.try_broadcast_along(&[at], like));
            }
            11 => {
                let narrow = shape.iter().map(|extent| extent.min(&1)).copied().collect::<Vec<_>>();
                let like = self.source(&Shape::from(narrow));
                if let Ok((left, right)) = x.try_broadcast_pair(like) {
                    self.push(left * right);
                }
            }
            12 => {
                let mut extents = shape.to_vec();
                if self.decisions.one_in(2) && !extents.is_empty() {
                    extents.remove(0);
                }
                if let Some(extent) = extents.last_mut() {
                    *extent = 1;
                }
                let like = self.source(&Shape::from(extents));
                self.keep(x.try_sum_like(like));
            }
            _ => {
                let mut extents = vec![self.extent()];
                extents.extend(shape.iter());
                self.keep(x.try_broadcast_to(Shape::from(extents)));
            }
        }
    }

    /// A permutation of the axes.
    fn order(&mut self, rank: usize) -> Vec<usize> {
        let mut axes: Vec<usize> = (0..rank).collect();
        for at in (1..rank).rev() {
            let other = self.decisions.below(at + 1);
            axes.swap(at, at - other);
        }
        axes
    }

    fn reshaped(&mut self, x: Value<'n, P>) {
        let (rank, volume) = (x.shape().rank(), x.shape().volume().unwrap_or(0));
        match self.decisions.below(4) {
            0 => self.keep(x.try_reshape([Extent::Infer])),
            1 if rank >= 2 => self.keep(x.try_reshape([Extent::Keep(0), Extent::Infer])),
            2 => {
                let rows = (1..=5).rev().find(|rows| volume % rows == 0).unwrap_or(1);
                self.keep(x.try_reshape([rows, volume / rows]));
            }
            _ => {
                let flat: Vec<usize> = x.shape().iter().rev().copied().collect();
                let like = self.constant(&Shape::from(flat));
                self.keep(x.try_reshape_like(like));
            }
        }
    }

    pub(super) fn window(&mut self) {
        let x = self.pick();
        let axis = self.axis(x);
        let extent = x.shape().get(axis).copied().unwrap_or(0);
        let (step, dilation) = (1 + self.decisions.below(3), 1 + self.decisions.below(2));
        if self.decisions.one_in(2) && x.shape().rank() >= 2 {
            // The last axis as positions in windows on another.
            let (windows, size) = (extent, x.shape()[x.shape().rank() - 1]);
            if windows > 0 && size > 0 {
                let reach = (windows - 1) * step + (size - 1) * dilation + 1;
                let slack = self.decisions.below(step);
                self.keep(x.try_fold(axis, reach + slack, step, dilation));
            }
            return;
        }
        let size = 1 + self.decisions.below(3);
        let windows = x.try_unfold(axis, size, step, dilation);
        if let (Ok(windows), true) = (&windows, self.decisions.one_in(3)) {
            self.keep(windows.try_fold(axis, extent, step, dilation));
        }
        self.keep(windows);
    }

    pub(super) fn indexing(&mut self) {
        let table = self.pick();
        let Some(&rows) = table.shape().first() else { return };
        let count = 1 + self.decisions.below(4);
        match self.decisions.below(3) {
            0 => {
                let leading = if self.decisions.one_in(3) { vec![2, count] } else { vec![count] };
                if let Some(selection) = self.selection(&leading, rows) {
                    self.keep(table.try_gather(selection));
                    if self.decisions.one_in(3) {
                        self.push(selection);
                    }
                }
            }
            1 => {
                let rows_after = self.extent();
                if let Some(selection) = self.selection(&[rows], rows_after) {
                    self.keep(table.try_scatter(selection));
                }
            }
            _ => {
                let shape = Shape::from([&[count], &table.shape()[1..]].concat());
                if let Some(selection) = self.selection(&[count], rows) {
                    let source = self.source(&shape);
                    self.keep(table.try_row_update(source, selection));
                }
            }
        }
    }
}
