//! Small networks in training: what golden trajectories and leak tests run.
//!
//! INVARIANT: data and initial values are made of integers by [`mixed`], so that a trajectory
//! depends on nothing but the arithmetic under test.

use crate::decisions::mixed;
use poorgrad::{
    Binary, Elementary, Kernels, Network, Shape, Stored, Symbol, Tensor, Tensorial, Value,
};

/// A network with a loss, and data to feed.
#[derive(Debug)]
pub struct Training<P: Tensorial> {
    /// The current generation.
    pub network: Network<P>,
    /// The value that training lowers.
    pub loss: Symbol,
    /// Each input's batches, of which step `i` feeds number `i` modulo their count.
    pub batches: Vec<(Symbol, Vec<P>)>,
    /// The learning rate.
    pub rate: f64,
}

impl<P: Tensorial> Training<P> {
    /// The feeds of a step.
    #[must_use]
    pub fn feeds(&self, step: usize) -> Vec<(Symbol, P)> {
        let feed =
            |(symbol, batches): &(Symbol, Vec<P>)| (*symbol, batches[step % batches.len()].clone());
        self.batches.iter().map(feed).collect()
    }

    /// One step of gradient descent into the next generation; the loss before it.
    pub fn step(&mut self, step: usize) -> P {
        let evaluation = self.network.forward_with(self.feeds(step));
        let gradients = evaluation.backward(self.loss);
        let rate = P::Element::from_f64(self.rate);
        self.network = self.network.update(&gradients, |w, g| descended(w, g, &rate));
        evaluation.of(self.loss)
    }

    /// The same by the consuming twin, which reuses buffers.
    #[must_use]
    pub fn stepped(self, step: usize) -> Self {
        let evaluation = self.network.forward_with(self.feeds(step));
        let gradients = evaluation.backward(self.loss);
        drop(evaluation);
        let rate = P::Element::from_f64(self.rate);
        let network = self.network.step(&gradients, |w, g| descended(&w, g, &rate));
        Self { network, ..self }
    }
}

/// `w - rate * g`.
fn descended<P: Tensorial>(w: &P, g: &P, rate: &P::Element) -> P {
    let rate = P::full(&g.shape(), rate.clone());
    let change = g.zip(Binary::Mul, &rate, Kernels::Native);
    w.zip(Binary::Sub, &change, Kernels::Native)
}

/// Numbers between `-scale` and `scale` in a shape.
pub fn numbers<P: Tensorial>(shape: impl Into<Shape>, seed: u64, scale: f64) -> P {
    let shape = shape.into();
    let number = |index: usize| {
        let bits = mixed(mixed(seed).wrapping_add(index as u64)) >> 40;
        P::Element::from_f64((bits as f64 / (1_u64 << 23) as f64 - 1.0) * scale)
    };
    let volume = shape.volume().expect("a small shape");
    if shape.rank() == 0 {
        return P::full(&shape, number(0));
    }
    let stored = Stored::Dense((0..volume).map(number).collect());
    P::from_stored(&shape, stored).expect("one element per index")
}

/// Classes for the rows of a batch.
fn labels<E: Elementary>(rows: usize, classes: usize, seed: u64) -> Tensor<E> {
    let class = |row| mixed(mixed(seed).wrapping_add(row)) as usize % classes;
    Tensor::selection(&(0..rows as u64).map(class).collect::<Vec<_>>(), classes)
}

fn batches<T>(make: impl FnMut(u64) -> T) -> Vec<T> {
    (0..4).map(make).collect()
}

/// `-mean(log_softmax(logits)[label])`.
fn cross_entropy<'n, P: Tensorial>(logits: Value<'n, P>, labels: Value<'n, P>) -> Value<'n, P> {
    let picked = labels.absorb(logits.log_softmax(1)).sum();
    -(picked / picked.literal(logits.shape()[0] as f64))
}

fn affine<'n, P: Tensorial>(x: Value<'n, P>, w: Value<'n, P>, b: Value<'n, P>) -> Value<'n, P> {
    let product = x.matmul(w);
    product + b.broadcast_like(product)
}

/// A network of single numbers: two neurons into one.
#[must_use]
pub fn scalars<P: Tensorial>() -> Training<P> {
    let network = Network::new();
    let number = |seed| numbers::<P>(Shape::scalar(), seed, 1.0);
    let (x, y) = (network.input(number(1)), network.input(number(2)));
    let w: Vec<_> = (10..19).map(|seed| network.parameter(number(seed))).collect();
    let left = (w[0] * x + w[1] * y + w[2]).tanh();
    let right = (w[3] * x + w[4] * y + w[5]).sigmoid();
    let error = w[6] * left + w[7] * right + w[8] - x * y;
    let loss = error * error;
    let (x, y, loss) = (x.symbol(), y.symbol(), loss.symbol());
    let of = |first: u64| batches(|step| number(first + step));
    Training { network, loss, batches: vec![(x, of(100)), (y, of(200))], rate: 0.05 }
}

/// All the networks of tensors, by name.
#[must_use]
pub fn tensors<E: Elementary>() -> Vec<(&'static str, Training<Tensor<E>>)> {
    vec![
        ("classifier", classifier()),
        ("regression", regression()),
        ("convolution", convolution()),
        ("attention", attention()),
        ("embedding", embedding()),
    ]
}

/// Two layers, `tanh`, cross-entropy.
fn classifier<E: Elementary>() -> Training<Tensor<E>> {
    let network = Network::new();
    let x = network.input(Tensor::zeros([16, 12]));
    let t = network.input(labels(16, 5, 1));
    let (w1, b1) = (numbers([12, 20], 1, 0.4), numbers([20], 2, 0.1));
    let (w2, b2) = (numbers([20, 5], 3, 0.4), numbers([5], 4, 0.1));
    let [w1, b1, w2, b2] = [w1, b1, w2, b2].map(|payload| network.parameter(payload));
    let loss = cross_entropy(affine(affine(x, w1, b1).tanh(), w2, b2), t);
    let (x, t, loss) = (x.symbol(), t.symbol(), loss.symbol());
    let images = batches(|step| numbers([16, 12], 100 + step, 1.0));
    let classes = batches(|step| labels(16, 5, 200 + step));
    Training { network, loss, batches: vec![(x, images), (t, classes)], rate: 0.2 }
}

/// Three layers, `gelu` and `relu`, squared error.
fn regression<E: Elementary>() -> Training<Tensor<E>> {
    let network = Network::new();
    let (x, y) = (network.input(Tensor::zeros([7, 3])), network.input(Tensor::zeros([7, 2])));
    let weights = [([3, 9], 1), ([9, 300], 2), ([300, 2], 3)];
    let [w1, w2, w3] = weights.map(|(shape, seed)| network.parameter(numbers(shape, seed, 0.2)));
    let hidden = x.matmul(w1).gelu().matmul(w2).relu();
    let error = hidden.matmul(w3) - y;
    let loss = (error * error).mean();
    let (x, y, loss) = (x.symbol(), y.symbol(), loss.symbol());
    let of = |shape: [usize; 2], first: u64| batches(|step| numbers(shape, first + step, 1.0));
    Training { network, loss, batches: vec![(x, of([7, 3], 100)), (y, of([7, 2], 200))], rate: 0.1 }
}

/// A convolution, the maximum of windows, a layer.
fn convolution<E: Elementary>() -> Training<Tensor<E>> {
    let network = Network::new();
    let x = network.input(Tensor::zeros([4, 2, 6, 6]));
    let t = network.input(labels(4, 3, 1));
    let filters = network.parameter(numbers([2 * 3 * 3, 4], 1, 0.3));
    let (w, b) =
        (network.parameter(numbers([36, 3], 2, 0.3)), network.parameter(numbers([3], 3, 0.1)));
    let padded = x.pad(2, 1, 1, 0.0).pad(3, 1, 1, 0.0);
    let windows = padded.unfold(2, 3, 1, 1).unfold(3, 3, 1, 1).permute(&[0, 2, 3, 1, 4, 5]);
    let product = windows.reshape([4 * 36, 18]).matmul(filters);
    let maps = product.reshape([4, 6, 6, 4]).permute(&[0, 3, 1, 2]).relu();
    let pooled = maps.unfold(2, 2, 2, 1).unfold(3, 2, 2, 1).max_along(&[4, 5]);
    let loss = cross_entropy(affine(pooled.reshape([4, 36]), w, b), t);
    let (x, t, loss) = (x.symbol(), t.symbol(), loss.symbol());
    let images = batches(|step| numbers([4, 2, 6, 6], 100 + step, 1.0));
    let classes = batches(|step| labels(4, 3, 200 + step));
    Training { network, loss, batches: vec![(x, images), (t, classes)], rate: 0.1 }
}

/// One head of causal attention and a normalisation.
fn attention<E: Elementary>() -> Training<Tensor<E>> {
    let network = Network::new();
    let x = network.input(Tensor::zeros([2, 5, 4]));
    let weight = |seed| network.parameter(numbers([4, 4], seed, 0.5));
    let flat = x.reshape([10, 4]);
    let [q, k, v] = [1, 2, 3].map(|seed| flat.matmul(weight(seed)).reshape([2, 5, 4]));
    let scores = q.matmul(k.transpose());
    let scores = scores * scores.literal(0.5);
    let open = Tensor::from_fn([5, 5], |at| E::from_f64(f64::from(u8::from(at[1] <= at[0]))));
    let open = network.leaf(open).broadcast_like(scores);
    let masked = open.select(scores, scores.literal(f64::NEG_INFINITY));
    let mixed = masked.softmax(2).matmul(v) + x;
    let centred = mixed - mixed.mean_along(&[2]).broadcast_along(&[2], mixed);
    let variance = mixed.variance_along(&[2]);
    let deviation = (variance + variance.literal(1e-5)).sqrt().broadcast_along(&[2], mixed);
    let error = centred / deviation - x.sin();
    let loss = (error * error).mean();
    let (x, loss) = (x.symbol(), loss.symbol());
    let data = batches(|step| numbers([2, 5, 4], 100 + step, 1.0));
    Training { network, loss, batches: vec![(x, data)], rate: 0.1 }
}

/// Rows of a table, a layer, cross-entropy.
fn embedding<E: Elementary>() -> Training<Tensor<E>> {
    let network = Network::new();
    let (at, t) = (network.input(labels(12, 9, 1)), network.input(labels(4, 9, 2)));
    let table = network.parameter(numbers([9, 5], 1, 0.5));
    let (w, b) =
        (network.parameter(numbers([15, 9], 2, 0.3)), network.parameter(numbers([9], 3, 0.1)));
    let rows = table.gather(at).reshape([4, 15]);
    let loss = cross_entropy(affine(rows.silu(), w, b), t);
    let (at, t, loss) = (at.symbol(), t.symbol(), loss.symbol());
    let contexts = batches(|step| labels(12, 9, 100 + step));
    let classes = batches(|step| labels(4, 9, 200 + step));
    Training { network, loss, batches: vec![(at, contexts), (t, classes)], rate: 0.3 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last_loss<P: Tensorial>(mut training: Training<P>) -> (f64, f64) {
        let number = |loss: P| {
            let mut number = f64::NAN;
            loss.for_each(&mut |element| number = element.to_f64());
            number
        };
        let round = |training: &mut Training<P>, first: usize| {
            (first..first + 4).fold(0.0, |sum, step| sum + number(training.step(step)))
        };
        let before = round(&mut training, 0);
        (1..20).for_each(|turn| {
            round(&mut training, 4 * turn);
        });
        (before, round(&mut training, 80))
    }

    #[test]
    fn all_of_them_learn() {
        for (name, training) in tensors::<f64>() {
            let (before, after) = last_loss(training);
            assert!(after < 0.95 * before, "{name}: {before} {after}");
        }
        let (before, after) = last_loss(scalars::<f32>());
        assert!(after < before, "{before} {after}");
    }

    #[test]
    fn both_ways_to_step_give_the_same_bits() {
        for ((name, mut left), (_, mut right)) in tensors::<f32>().into_iter().zip(tensors()) {
            for step in 0..5 {
                left.step(step);
                right = right.stepped(step);
            }
            for ((_, left), (_, right)) in left.network.parameters().zip(right.network.parameters())
            {
                let (left, right) = (left.payload().unwrap(), right.payload().unwrap());
                assert!(crate::bits::identical(&left, &right), "{name}");
            }
        }
    }
}
