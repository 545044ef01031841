//! What kernel tests share: a tally of the fast paths taken, a small generator, a palette of values, random strided operands, and
//! the comparison of bits.
//!
//! INVARIANT: a buffer's elements that a view does not show are NaN, so that reading one shows.

use super::Elementary;
use super::reference::View;
use crate::math::mix::{GOLDEN, mix};

thread_local! {
    static TAKEN: std::cell::RefCell<Vec<&'static str>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// Notes that a fast path was taken: see [`taken`].
pub(crate) fn note(path: &'static str) {
    TAKEN.with_borrow_mut(|taken| {
        if !taken.contains(&path) {
            taken.push(path);
        }
    });
}

/// The fast paths that `run` takes on this thread, in the order of their first use.
pub(crate) fn taken(run: impl FnOnce()) -> Vec<&'static str> {
    TAKEN.take();
    run();
    TAKEN.take()
}

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    /// Mostly numbers of mixed size, so that every other order of additions shows.
    pub(crate) fn value<E: Elementary>(&mut self, specials: bool) -> E {
        if specials && self.below(40) == 0 {
            return E::from_f64(self.pick(&[
                0.0,
                -0.0,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
                1e-40,
                -1e-310,
                f64::MAX,
            ]));
        }
        let size = self.pick(&[1.0, 1.0, 1e-3, 1e5]);
        E::from_f64((self.unit() - 0.5) * size)
    }

    pub(crate) fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut order = (0..count).collect::<Vec<_>>();
        for i in (1..count).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }
}

/// A buffer and how a view reads it.
pub(crate) struct Strided<E> {
    pub(crate) elements: Vec<E>,
    pub(crate) extents: Vec<usize>,
    pub(crate) strides: Vec<usize>,
    pub(crate) offset: usize,
}

impl<E: Elementary> Strided<E> {
    /// Row-major elements.
    pub(crate) fn contiguous(random: &mut Random, extents: &[usize], specials: bool) -> Self {
        let strides = crate::payload::Shape::new(extents).strides().to_vec();
        let count = extents.iter().product::<usize>();
        let elements = (0..count).map(|_| random.value(specials)).collect();
        Self { elements, extents: extents.to_vec(), strides, offset: 0 }
    }

    /// Axes in any order in the buffer, some inside longer ones, some repeated.
    pub(crate) fn random(random: &mut Random, extents: &[usize], specials: bool) -> Self {
        if random.below(3) == 0 {
            return Self::contiguous(random, extents, specials);
        }
        let mut strides = vec![0; extents.len()];
        let (mut stride, mut offset) = (1, 0);
        for axis in random.shuffled(extents.len()) {
            if random.below(8) == 0 {
                continue;
            }
            let (before, after) = (random.below(2), random.below(2));
            strides[axis] = stride;
            offset += before * stride;
            stride *= extents[axis] + before + after;
        }
        let mut elements = vec![E::from_f64(f64::NAN); stride.max(1)];
        let walk = super::walk::Walk::new(extents, [&strides]);
        walk.elements([offset], |[at]| elements[at] = random.value(specials));
        Self { elements, extents: extents.to_vec(), strides, offset }
    }

    pub(crate) fn view(&self) -> View<'_, E> {
        if self.extents.contains(&0) {
            return View {
                elements: &[],
                extents: &self.extents,
                strides: &self.strides,
                offset: 0,
            };
        }
        View::new(&self.elements, &self.extents, &self.strides, self.offset)
    }
}

/// The bytes of elements, every NaN the same.
pub(crate) fn bits<E: Elementary>(elements: &[E]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for x in elements {
        if x.is_nan() {
            bytes.extend(std::iter::repeat_n(0xff, E::BYTES));
        } else {
            x.write_bytes(&mut bytes);
        }
    }
    bytes
}

#[track_caller]
pub(crate) fn assert_same<E: Elementary>(left: &[E], right: &[E], what: &str) {
    assert_eq!(left.len(), right.len(), "{what}: lengths");
    if bits(left) != bits(right) {
        let at = (0..left.len()).find(|&i| bits(&left[i..=i]) != bits(&right[i..=i]));
        let at = at.expect("some element differs");
        panic!("{what}: element {at} differs: {:?} and {:?}", left[at], right[at]);
    }
}
