//! Products and reductions on random tapes, those at the blocks of the arithmetic included.

use super::Builder;
use poorgrad::reference::{KB, SB};
use poorgrad::{Shape, Tensorial, Value};

impl<'n, P: Tensorial> Builder<'n, '_, '_, P> {
    /// In smooth tapes: a sum of `count` terms brought back to the size of one.
    pub(super) fn scaled(&mut self, value: Value<'n, P>, count: usize) -> Value<'n, P> {
        if !self.smooth() || count < 2 {
            return value;
        }
        value * value.literal(1.0 / count as f64)
    }

    pub(super) fn product(&mut self) {
        let a = self.pick();
        let shape = a.shape();
        let Some(&inner) = shape.last() else {
            let b = self.partner(a);
            self.push(a * b);
            return;
        };
        if shape.rank() == 1 {
            let b = self.partner(a);
            let y = a.dot(b);
            let y = self.scaled(y, inner);
            self.push(y);
            return;
        }
        let mut extents = shape.to_vec();
        let rank = extents.len();
        extents[rank - 2] = inner;
        extents[rank - 1] = self.extent();
        let like = Shape::from(extents);
        let b = match self.decisions.below(5) {
            // The same value on both sides, one of them turned.
            0 => a.transpose(),
            1 => match self.selection(&like[..rank - 1], like[rank - 1]) {
                Some(selection) => selection,
                None => self.source(&like),
            },
            _ => self.source(&like),
        };
        let y = a.matmul(b);
        let y = self.scaled(y, inner);
        self.push(y);
    }

    /// Ascending axes of the value, at least one where it has any.
    fn axes(&mut self, value: Value<'n, P>) -> Vec<usize> {
        let rank = value.shape().rank();
        let first = self.axis(value);
        (0..rank).filter(|axis| *axis == first || self.decisions.one_in(4)).collect()
    }

    pub(super) fn reduction(&mut self) {
        let x = self.pick();
        let axis = self.axis(x);
        let axes = self.axes(x);
        let shape = x.shape();
        let count = axes.iter().fold(1, |count, axis| count * shape[*axis]);
        match self.decisions.below(if self.smooth() { 9 } else { 11 }) {
            0 => {
                if let Ok(sum) = x.try_sum_along(&axes) {
                    let sum = self.scaled(sum, count);
                    self.push(sum);
                }
            }
            1 => {
                let sum = self.scaled(x.sum(), shape.volume().unwrap_or(0));
                self.push(sum);
            }
            2 => self.keep(x.try_softmax(axis)),
            3 => self.keep(x.try_log_softmax(axis)),
            4 => self.keep(x.try_log_sum_exp(axis)),
            5 if count > 0 => self.keep(x.try_mean_along(&axes)),
            6 if count > 0 => self.keep(x.try_variance_along(&axes)),
            7 => self.push(x.mean()),
            8 => {
                let w = self.partner(x);
                if let Ok(sum) = (x * w).try_sum_along(&axes) {
                    let sum = self.scaled(sum, count);
                    self.push(sum);
                }
            }
            9 => self.keep(x.try_max_along(&axes)),
            _ => self.keep(x.try_first_max_along(&axes)),
        }
    }

    /// An extent beside a block boundary: a product over `k`, or a sum or a row of that length.
    pub(super) fn boundary(&mut self) {
        let beside = |block: usize, at: usize| block - 1 + at;
        if self.decisions.one_in(2) {
            // KB - 1 ..= 2 KB + 3, mostly right beside a block's end.
            let ends = [KB - 1, KB, KB + 1, KB + 2, 2 * KB - 1, 2 * KB, 2 * KB + 1, 2 * KB + 3];
            let k = if self.decisions.one_in(4) {
                beside(KB, self.decisions.below(KB + 5))
            } else {
                ends[self.decisions.below(ends.len())]
            };
            // Below, at and above the tiles of a register and the lanes of a vector.
            let m = [1, 2, 3, 4, 5, 9][self.decisions.below(6)];
            let n = [1, 2, 3, 8, 17, 70][self.decisions.below(6)];
            let (a, b) = (self.source(&Shape::from([m, k])), self.source(&Shape::from([k, n])));
            let y = a.matmul(b);
            let y = self.scaled(y, k);
            self.push(y);
            return;
        }
        // SB - 1 ..= 3 SB + 5, seldom the largest.
        let room = if self.decisions.one_in(3) { 2 * SB + 7 } else { 8 };
        let count = beside(SB, self.decisions.below(room));
        if self.decisions.one_in(4) {
            // Down columns, or along rows that are stored as columns.
            let columns = 1 + self.decisions.below(3);
            let x = self.source(&Shape::from([count, columns]));
            let turned = self.decisions.one_in(2);
            let y = if turned { x.transpose().sum_along(&[1]) } else { x.sum_along(&[0]) };
            let y = self.scaled(y, count);
            self.push(y);
            return;
        }
        let x = self.source(&Shape::from([count]));
        let y = match self.decisions.below(4) {
            0 => x.sum(),
            1 => x.mean(),
            2 => x.log_sum_exp(0),
            _ => {
                let w = self.constant(&Shape::from([count]));
                (x.log_softmax(0) * w).sum()
            }
        };
        let y = self.scaled(y, count);
        self.push(y);
    }
}
