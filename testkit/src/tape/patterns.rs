//! Groups of operations that a compiler would fuse, each mostly with one deviation that must stop
//! it or change what it runs: another axis, a second consumer, a step, a pad that is no zero.

use super::Builder;
use poorgrad::{Extent, Shape, Tensorial, Value};

impl<'n, P: Tensorial> Builder<'n, '_, '_, P> {
    pub(super) fn pattern(&mut self) {
        match self.decisions.below(if self.smooth() { 5 } else { 7 }) {
            0 => self.layer(),
            1 => self.hand_softmax(),
            2 => self.convolution(),
            3 => self.normalisation(),
            4 => self.cross_entropy(),
            5 => self.pooling(),
            _ => self.attention(),
        }
    }

    /// `activation(x w + b)`.
    fn layer(&mut self) {
        let (m, k, n) = (self.extent(), self.extent(), self.extent());
        let (x, w) = (self.source(&Shape::from([m, k])), self.source(&Shape::from([k, n])));
        let twist = self.decisions.below(8);
        let product = if twist == 1 { x.matmul(w).transpose().transpose() } else { x.matmul(w) };
        let bias = match twist {
            // A bias for each row, and one that is a whole matrix.
            2 => self.source(&Shape::from([m, 1])),
            3 => self.source(&Shape::from([m, n])),
            _ => self.source(&Shape::from([n])),
        };
        let bias = bias.broadcast_like(product);
        let sum = match twist {
            4 => product - bias,
            5 => bias + product,
            _ => product + bias,
        };
        let y = match self.decisions.below(if self.smooth() { 3 } else { 4 }) {
            0 => sum.tanh(),
            1 => sum.gelu(),
            2 => sum.sigmoid(),
            _ => sum.relu(),
        };
        match twist {
            // The intermediate has a second consumer.
            6 => self.push(product),
            7 => self.push(sum),
            _ => {}
        }
        self.push(y);
    }

    /// `exp(x - max) / sum`, written out.
    fn hand_softmax(&mut self) {
        let (rows, columns) = (self.extent(), self.extent());
        let x = self.source(&Shape::from([rows, columns]));
        let twist = self.decisions.below(6);
        let axes = [usize::from(twist != 1)];
        // Smooth tapes have no maximum: any shift gives the same function.
        let shift =
            if self.smooth() || twist == 2 { x.mean_along(&axes) } else { x.max_along(&axes) };
        let shifted = x - shift.broadcast_along(&axes, x);
        let e = if twist == 3 { x.exp() } else { shifted.exp() };
        let along = if twist == 4 { [1 - axes[0]] } else { axes };
        let total = e.sum_along(&along).broadcast_along(&along, e);
        if twist == 5 {
            self.push(total);
        }
        self.push(e / total);
    }

    /// Padding, windows on both axes, and a product with the filters.
    fn convolution(&mut self) {
        let (batch, channels, filters) =
            (1 + self.decisions.below(2), 1 + self.decisions.below(3), 1 + self.decisions.below(3));
        let (height, width) = (3 + self.decisions.below(3), 3 + self.decisions.below(3));
        let (kh, kw) = (1 + self.decisions.below(3), 1 + self.decisions.below(3));
        let x = self.source(&Shape::from([batch, channels, height, width]));
        let twist = self.decisions.below(10);
        let fill = if twist == 1 { self.number() } else { 0.0 };
        let padded = match twist {
            2 => x.pad(2, 0, 1, fill).pad(3, 1, 0, fill),
            3 => x,
            _ => x.pad(2, 1, 1, fill).pad(3, 1, 1, fill),
        };
        let (step, dilation) = (1 + usize::from(twist == 4), 1 + usize::from(twist == 5));
        let Ok(rows) = padded.try_unfold(2, kh, step, dilation) else { return };
        let Ok(windows) = rows.try_unfold(3, kw, 1, 1) else { return };
        // [n, c, oh, ow, kh, kw] with channels and positions turned in front of the filters.
        let order = if twist == 6 { [0, 2, 3, 4, 5, 1] } else { [0, 2, 3, 1, 4, 5] };
        let ordered = windows.permute(&order);
        let (oh, ow) = (windows.shape()[2], windows.shape()[3]);
        let columns = ordered.reshape([batch * oh * ow, channels * kh * kw]);
        let weights = self.source(&Shape::from([channels * kh * kw, filters]));
        let product = columns.matmul(weights);
        let product = self.scaled(product, channels * kh * kw);
        let shaped = product.reshape([batch, oh, ow, filters]);
        let y = if twist == 7 { shaped } else { shaped.permute(&[0, 3, 1, 2]) };
        match twist {
            8 => self.push(columns),
            9 => self.push(padded),
            _ => {}
        }
        self.push(y);
    }

    /// `(x - mean) / sqrt(variance + epsilon)`.
    fn normalisation(&mut self) {
        let x = self.source_matrix();
        let twist = self.decisions.below(4);
        let axes: &[usize] = if twist == 1 { &[0] } else { &[1] };
        let mean = x.mean_along(axes).broadcast_along(axes, x);
        let variance = x.variance_along(axes);
        let epsilon = if self.smooth() { 0.5 } else { 1e-5 };
        let deviation = (variance + variance.literal(epsilon)).sqrt();
        let y = match twist {
            2 => (x - mean) * (x.literal(1.0) / deviation.broadcast_along(axes, x)),
            _ => (x - mean) / deviation.broadcast_along(axes, x),
        };
        if twist == 3 {
            self.push(deviation);
        }
        self.push(y);
    }

    /// `-sum t log_softmax(x)`, with hard or soft targets.
    fn cross_entropy(&mut self) {
        let x = self.source_matrix();
        let (rows, columns) = (x.shape()[0], x.shape()[1]);
        let soft = self.decisions.one_in(2);
        let target = if soft { None } else { self.selection(&[rows], columns) };
        let target = match target {
            Some(target) => target,
            None => {
                let logits = self.constant(x.shape());
                logits.softmax(1)
            }
        };
        let log_probability = x.log_softmax(1);
        let product = match self.decisions.below(3) {
            0 => target.absorb(log_probability),
            1 => target * log_probability,
            _ => log_probability * target,
        };
        self.push(-(product.sum()));
    }

    /// The maximum of windows, the padding below everything.
    fn pooling(&mut self) {
        let x = self.source_matrix();
        let x = x.reshape([1, 1, x.shape()[0], x.shape()[1]]);
        let fill = if self.decisions.one_in(3) { 0.0 } else { f64::NEG_INFINITY };
        let padded = x.pad(2, 0, 1, fill).pad(3, 0, 1, fill);
        let step = 1 + self.decisions.below(2);
        let Ok(rows) = padded.try_unfold(2, 2, step, 1) else { return };
        let Ok(windows) = rows.try_unfold(3, 2, step, 1) else { return };
        let y = if self.decisions.one_in(3) {
            windows.max_along(&[4]).max_along(&[4])
        } else {
            windows.max_along(&[4, 5])
        };
        self.push(y.reshape([Extent::Infer]));
    }

    /// `softmax(q k' + mask) v` over a batch.
    fn attention(&mut self) {
        let (batch, length, width) = (2, self.extent(), self.extent());
        let shape = Shape::from([batch, length, width]);
        let (q, k, v) = (self.source(&shape), self.source(&shape), self.source(&shape));
        let scores = q.matmul(k.transpose());
        let twist = self.decisions.below(4);
        let scores = if twist == 1 { scores } else { scores * scores.literal(0.5) };
        let open = self.constant(&Shape::from([length, length])).broadcast_like(scores);
        let closed = scores.literal(f64::NEG_INFINITY);
        let masked = if twist == 2 { scores + open } else { open.step(0.0).select(scores, closed) };
        let weights = masked.softmax(if twist == 3 { 1 } else { 2 });
        self.push(weights.matmul(v));
    }

    /// A matrix without an empty axis: one at hand or a new source.
    fn source_matrix(&mut self) -> Value<'n, P> {
        let at_hand = self.pool.iter().rev().copied().find(|value| {
            value.shape().rank() == 2 && value.shape().iter().all(|extent| (1..9).contains(extent))
        });
        match at_hand {
            Some(value) if !self.decisions.one_in(2) => value,
            _ => {
                let (rows, columns) = (self.extent(), self.extent());
                self.source(&Shape::from([rows, columns]))
            }
        }
    }
}
