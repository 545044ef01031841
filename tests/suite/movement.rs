//! Data movement is exact: over integers modulo a prime, two ways of moving data agree or one of
//! them is wrong.

use poorgrad::{Network, Tensor, Value};
use testkit::decisions::mixed;
use testkit::{Decisions, Modular, seeded};

type Payload = Tensor<Modular>;

fn residues(shape: impl Into<poorgrad::Shape>, seed: u64) -> Payload {
    let mut at = mixed(seed);
    Tensor::from_fn(shape, |_| {
        at = at.wrapping_add(1);
        Modular::new(mixed(at))
    })
}

/// The exact inner product of two payloads of one shape.
fn inner(left: &Payload, right: &Payload) -> Modular {
    use poorgrad::Elementary;
    assert_eq!(left.shape(), right.shape());
    left.iter().zip(right.iter()).fold(Modular::new(0), |sum, (a, b)| sum.add(&a.mul(&b)))
}

fn equal(left: &Payload, right: &Payload) -> bool {
    left.is_identical(right)
}

/// The geometry of a convolution.
#[derive(Debug)]
struct Geometry {
    batch: usize,
    channels: usize,
    filters: usize,
    extent: [usize; 2],
    size: [usize; 2],
    step: [usize; 2],
    dilation: [usize; 2],
    before: [usize; 2],
    after: [usize; 2],
}

impl Geometry {
    fn draw(decisions: &mut Decisions<'_>) -> Self {
        let mut pair = |count: usize, first: usize| {
            [first + decisions.below(count), first + decisions.below(count)]
        };
        let (size, step, dilation) = (pair(3, 1), pair(3, 1), pair(2, 1));
        let (before, after, slack) = (pair(3, 0), pair(3, 0), pair(5, 0));
        // Wide enough for one window at least, with its padding or without.
        let extent = [0, 1].map(|axis| {
            let reach = (size[axis] - 1) * dilation[axis] + 1;
            (reach + slack[axis]).saturating_sub(before[axis] + after[axis]).max(1)
        });
        let [batch, channels] = pair(3, 1);
        let [filters, _] = pair(3, 1);
        Self { batch, channels, filters, extent, size, step, dilation, before, after }
    }

    fn windows(&self, axis: usize) -> usize {
        let padded = self.extent[axis] + self.before[axis] + self.after[axis];
        let reach = (self.size[axis] - 1) * self.dilation[axis] + 1;
        if padded < reach { 0 } else { (padded - reach) / self.step[axis] + 1 }
    }

    /// The pixel of the image under a tap of a window, `None` in the padding.
    fn pixel(&self, axis: usize, window: usize, tap: usize) -> Option<usize> {
        let at = window * self.step[axis] + tap * self.dilation[axis];
        at.checked_sub(self.before[axis]).filter(|at| *at < self.extent[axis])
    }

    fn padded_windows<'n>(&self, x: Value<'n, Payload>) -> Value<'n, Payload> {
        let padded = x.pad(2, self.before[0], self.after[0], 0.0);
        let padded = padded.pad(3, self.before[1], self.after[1], 0.0);
        let rows = padded.unfold(2, self.size[0], self.step[0], self.dilation[0]);
        rows.unfold(3, self.size[1], self.step[1], self.dilation[1])
    }

    fn chain<'n>(&self, x: Value<'n, Payload>, w: Value<'n, Payload>) -> Value<'n, Payload> {
        let taps = self.channels * self.size[0] * self.size[1];
        let (oh, ow) = (self.windows(0), self.windows(1));
        let ordered = self.padded_windows(x).permute(&[0, 2, 3, 1, 4, 5]);
        let columns = ordered.reshape([self.batch * oh * ow, taps]);
        let product = columns.matmul(w.reshape([self.filters, taps]).transpose());
        product.reshape([self.batch, oh, ow, self.filters]).permute(&[0, 3, 1, 2])
    }

    /// The seven loops: what a convolution is. `visit` gets the positions in output, image and
    /// filters of each product.
    fn each_product(&self, mut visit: impl FnMut([usize; 4], [usize; 4], [usize; 4])) {
        for n in 0..self.batch {
            for f in 0..self.filters {
                for (oh, ow) in pairs(self.windows(0), self.windows(1)) {
                    for c in 0..self.channels {
                        for (kh, kw) in pairs(self.size[0], self.size[1]) {
                            let row = self.pixel(0, oh, kh);
                            let column = self.pixel(1, ow, kw);
                            if let (Some(row), Some(column)) = (row, column) {
                                visit([n, f, oh, ow], [n, c, row, column], [f, c, kh, kw]);
                            }
                        }
                    }
                }
            }
        }
    }
}

fn pairs(rows: usize, columns: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).flat_map(move |row| (0..columns).map(move |column| (row, column)))
}

/// A dense array that loops write into.
struct Loops {
    shape: [usize; 4],
    elements: Vec<Modular>,
}

impl Loops {
    fn zeros(shape: [usize; 4]) -> Self {
        Self { shape, elements: vec![Modular::new(0); shape.iter().product()] }
    }
    fn add(&mut self, at: [usize; 4], product: Modular) {
        use poorgrad::Elementary;
        let position =
            at.iter().zip(self.shape).fold(0, |position, (at, extent)| position * extent + at);
        self.elements[position] = self.elements[position].add(&product);
    }
    fn payload(self) -> Payload {
        Tensor::new(self.shape, self.elements)
    }
}

fn convolution(geometry: &Geometry, seed: u64) {
    use poorgrad::Elementary;
    let Geometry { batch, channels, filters, extent, size, .. } = *geometry;
    let (shape, taps) =
        ([batch, channels, extent[0], extent[1]], [filters, channels, size[0], size[1]]);
    let network = Network::new();
    let x = network.input(residues(shape, seed));
    let w = network.input(residues(taps, seed + 1));
    let y = geometry.chain(x, w);
    let g = network.leaf(residues(y.shape(), seed + 2));
    let loss = (y * g).sum();
    let run = network.forward();
    let gradients = run.backward(loss);

    let (image, filter, upstream) = (run.of(x), run.of(w), run.of(g));
    let at = |tensor: &Payload, index: [usize; 4]| tensor.get(&index).expect("in range");
    let output = [batch, filters, geometry.windows(0), geometry.windows(1)];
    let (mut value, mut dx, mut dw) =
        (Loops::zeros(output), Loops::zeros(shape), Loops::zeros(taps));
    geometry.each_product(|out, pixel, tap| {
        value.add(out, at(&image, pixel).mul(&at(&filter, tap)));
        dx.add(pixel, at(&upstream, out).mul(&at(&filter, tap)));
        dw.add(tap, at(&upstream, out).mul(&at(&image, pixel)));
    });
    assert!(equal(&run.of(y), &value.payload()), "value of {geometry:?}");
    assert!(equal(&gradients.of(x), &dx.payload()), "input gradient of {geometry:?}");
    assert!(equal(&gradients.of(w), &dw.payload()), "filter gradient of {geometry:?}");

    // Fold is the adjoint of unfold, padding and narrowing of each other.
    let windows = geometry.padded_windows(x);
    let u = network.leaf(residues(windows.shape(), seed + 3));
    let [height, width] =
        [0, 1].map(|axis| extent[axis] + geometry.before[axis] + geometry.after[axis]);
    let folded = u
        .fold(3, width, geometry.step[1], geometry.dilation[1])
        .fold(2, height, geometry.step[0], geometry.dilation[0])
        .narrow(3, geometry.before[1], extent[1])
        .narrow(2, geometry.before[0], extent[0]);
    let paired = (windows * u).sum();
    let run = network.forward();
    let (left, right) = (inner(&run.of(windows), &run.of(u)), inner(&run.of(x), &run.of(folded)));
    assert_eq!(left, right, "adjoint of {geometry:?}");
    let transposed = run.backward(paired).of(x);
    assert!(equal(&transposed, &run.of(folded)), "gradient of windows of {geometry:?}");
}

/// Convolutions of many geometries.
fn convolutions(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let bytes = seeded(seed, 40);
        convolution(&Geometry::draw(&mut Decisions::new(&bytes)), seed);
    }
}

#[test]
fn a_convolution_is_its_loops() {
    convolutions(0..2_000);
}

/// Rows and parts of many shapes.
fn rows_and_parts(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let bytes = seeded(seed, 40);
        let mut decisions = Decisions::new(&bytes);
        rows(&mut decisions, seed);
        parts(&mut decisions, seed);
    }
}

/// Gather and scatter are adjoint, and equal to products with the dense selection.
fn rows(decisions: &mut Decisions<'_>, seed: u64) {
    let (count, rows, width) = (decisions.below(5), 1 + decisions.below(5), 1 + decisions.below(3));
    let columns: Vec<usize> = (0..count).map(|_| decisions.below(rows)).collect();
    let network = Network::new();
    let table = network.input(residues([rows, width], seed));
    let source = network.input(residues([count, width], seed + 1));
    let at = network.input(Tensor::selection(&columns, rows));
    let dense = network.leaf(Tensor::from_fn([count, rows], |index| {
        Modular::new(u64::from(columns[index[0]] == index[1]))
    }));
    let (gathered, scattered) = (table.gather(at), source.scatter(at));
    let (product, adjoint) = (dense.matmul(table), dense.transpose().matmul(source));
    let updated = table.row_update(source, at);
    let g = network.leaf(residues([rows, width], seed + 2));
    let loss = (updated * g).sum();
    let gathered_loss = (gathered * source).sum();
    let run = network.forward();
    assert!(equal(&run.of(gathered), &run.of(product)));
    assert!(equal(&run.of(scattered), &run.of(adjoint)));
    let (left, right) =
        (inner(&run.of(gathered), &run.of(source)), inner(&run.of(table), &run.of(scattered)));
    assert_eq!(left, right);
    assert!(equal(&run.backward(gathered_loss).of(table), &run.of(scattered)));

    // The row that stays is the last of its name, and only it has a gradient.
    let last = |row: usize| columns.iter().rposition(|column| *column == row);
    let (old, new) = (run.of(table), run.of(source));
    let expected = Tensor::from_fn([rows, width], |index| match last(index[0]) {
        Some(from) => new.get(&[from, index[1]]).expect("in range"),
        None => old.get(index).expect("in range"),
    });
    assert!(equal(&run.of(updated), &expected));
    let (gradients, upstream) = (run.backward(loss), run.of(g));
    let zero_unless = |keep: bool, index: &[usize]| {
        if keep { upstream.get(index).expect("in range") } else { Modular::new(0) }
    };
    let kept = Tensor::from_fn([rows, width], |i| zero_unless(last(i[0]).is_none(), i));
    assert!(equal(&gradients.of(table), &kept));
    let wins = Tensor::from_fn([count, width], |i| {
        let row = columns[i[0]];
        zero_unless(last(row) == Some(i[0]), &[row, i[1]])
    });
    assert!(equal(&gradients.of(source), &wins));
}

/// Concatenation and narrowing, permutation and reshaping undo one another.
fn parts(decisions: &mut Decisions<'_>, seed: u64) {
    let rank = 1 + decisions.below(4);
    let axis = decisions.below(rank);
    let extents: Vec<usize> = (0..rank).map(|_| decisions.below(4)).collect();
    let network = Network::new();
    let values: Vec<_> = (0..1 + decisions.below(4) as u64)
        .map(|part| {
            let mut extents = extents.clone();
            extents[axis] = decisions.below(4);
            network.input(residues(extents, seed + part))
        })
        .collect();
    let whole = Value::concat(&values, axis);
    let g = network.leaf(residues(whole.shape(), seed + 9));
    let loss = (whole * g).sum();
    let mut start = 0;
    let cut: Vec<_> = values
        .iter()
        .map(|value| {
            let length = value.shape()[axis];
            start += length;
            (whole.narrow(axis, start - length, length), g.narrow(axis, start - length, length))
        })
        .collect();
    let mut order: Vec<usize> = (0..rank).collect();
    for at in (1..rank).rev() {
        order.swap(at, decisions.below(at + 1));
    }
    let mut inverse = vec![0; rank];
    order.iter().enumerate().for_each(|(to, from)| inverse[*from] = to);
    let turned = whole.permute(&order);
    let back = turned.permute(&inverse);
    let flat = turned.reshape([turned.shape().volume().expect("small")]);
    let again = flat.reshape(turned.shape().to_vec()).permute(&inverse);
    let run = network.forward();
    let gradients = run.backward(loss);
    for (value, (part, slope)) in values.iter().zip(&cut) {
        assert!(equal(&run.of(*value), &run.of(*part)));
        assert!(equal(&gradients.of(*value), &run.of(*slope)));
    }
    assert!(equal(&run.of(back), &run.of(whole)));
    assert!(equal(&run.of(again), &run.of(whole)));
}

#[test]
fn rows_and_parts_come_back() {
    rows_and_parts(0..2_000);
}

#[test]
fn sums_of_broadcasts_count() {
    let network = Network::new();
    let x = network.input(residues([3, 1, 2], 5));
    let like = network.leaf(residues([4, 3, 5, 2], 6));
    let (wide, along) = (x.broadcast_like(like), x.squeeze(1).broadcast_along(&[0, 2], like));
    let back = like.sum_like(x);
    let twenty = x * x.literal(20.0);
    let narrow = wide.sum_like(x);
    let run = network.forward();
    assert!(equal(&run.of(wide), &run.of(along)));
    assert!(equal(&run.of(narrow), &run.of(twenty)));
    assert_eq!(inner(&run.of(wide), &run.of(like)), inner(&run.of(x), &run.of(back)));
}
