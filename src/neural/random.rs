//! `Random`: the one generator of chance, seeded and splittable.
//!
//! BITS: every line here is load-bearing; golden tests pin it.

use super::init::draw::{GOLDEN, mix, standard_normal, unit};
use crate::{Shape, Stored, Tensorial};

/// Random numbers from a seed: the same on every platform, for ever.
///
/// This is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014)
/// run as a counter. With `mix` and `g` of [`init`](crate::init#the-generator) and arithmetic modulo
/// `2^64`, draw `r` (from 0) of a generator with the key `k` is `mix(k + (r + 1) g)`. [`Random::new`]
/// has its seed as the key; part `i` of a generator has the key `mix(mix(k + g) + (i + 1) g)`, which is
/// that of call `i` of an initialiser of the same seed.
///
/// A part depends on the key and its number alone, not on what was drawn. So an epoch, a step or a
/// layer has chance of its own, whatever happened before: that is what makes a run resumable.
///
/// # Example
///
/// ```
/// use poorgrad::Random;
///
/// let random = Random::new(42);
/// let mut shuffles = random.split(0);
/// let mut order: Vec<u32> = (0..5).collect();
/// shuffles.shuffle(&mut order);
/// assert_eq!(order, [2, 4, 0, 3, 1]);
/// assert_eq!(random.split(0).next_u64(), random.split(0).next_u64());
/// assert_ne!(random.split(0).next_u64(), random.split(1).next_u64());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    key: u64,
    position: u64,
}

impl Random {
    /// The generator of this seed; every seed is as good as another.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { key: seed, position: 0 }
    }

    /// Part `index`: a generator of its own.
    #[must_use]
    pub fn split(&self, index: u64) -> Self {
        let start = mix(self.key.wrapping_add(GOLDEN));
        Self::new(mix(start.wrapping_add(index.wrapping_add(1).wrapping_mul(GOLDEN))))
    }

    /// The number of draws so far.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// The same generator after this many draws.
    #[must_use]
    pub const fn at(&self, position: u64) -> Self {
        Self { key: self.key, position }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.position = self.position.wrapping_add(1);
        mix(self.key.wrapping_add(self.position.wrapping_mul(GOLDEN)))
    }

    /// A number of `[0, 1)`: the upper 53 bits of one draw, divided by `2^53`; never 1.
    pub fn unit(&mut self) -> f64 {
        unit(self.next_u64(), f64::MANTISSA_DIGITS)
    }

    /// A standard normal number from two draws: finite, and at most 8.58 from 0.
    pub fn normal(&mut self) -> f64 {
        let (radius, angle) = (self.next_u64(), self.next_u64());
        standard_normal(radius, angle, f64::MANTISSA_DIGITS)
    }

    /// A number below `bound`: the high half of the product of one draw with it, uneven by at most
    /// `bound / 2^64`.
    ///
    /// # Panics
    ///
    /// Where `bound` is 0.
    #[track_caller]
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "below: no number is below 0");
        let product = u128::from(self.next_u64()) * bound as u128;
        (product >> 64) as usize
    }

    /// Puts `items` in a random order, by one draw for each but the first (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// An index with a chance in proportion to its weight, by one draw; `None` where a weight is
    /// negative or no number, or they add up to nothing or to more than a number can say.
    ///
    /// An index of weight 0 never comes.
    pub fn choose(&mut self, weights: &[f64]) -> Option<usize> {
        let mut left = self.unit();
        let total = weights.iter().fold(0.0, |total, weight| total + weight);
        // NaN fails both.
        let possible = total > 0.0 && total.is_finite() && weights.iter().all(|&w| w >= 0.0);
        if !possible {
            return None;
        }
        left *= total;
        let mut chosen = None;
        for (index, &weight) in weights.iter().enumerate() {
            if weight > 0.0 {
                chosen = Some(index);
                if left < weight {
                    break;
                }
                left -= weight;
            }
        }
        // Rounding can leave a little over after the last weight: the last possible index takes it.
        chosen
    }

    /// A payload of ones, each with the chance `keep` by one draw in row-major order, and zeros: what
    /// dropout takes.
    ///
    /// # Panics
    ///
    /// Where `keep` is not of `[0, 1]`, or the payload type cannot hold the shape.
    #[track_caller]
    pub fn mask<P: Tensorial>(&mut self, shape: &Shape, keep: f64) -> P {
        use crate::Elementary;
        assert!((0.0..=1.0).contains(&keep), "mask: no chance is {keep}");
        let Some(count) = shape.volume() else { panic!("mask: the volume of {shape} overflows") };
        let mut element = |_| P::Element::from_f64(if self.unit() < keep { 1.0 } else { 0.0 });
        let elements = (0..count).map(&mut element).collect();
        match P::from_stored(shape, Stored::Dense(elements)) {
            Some(payload) => payload,
            None => panic!("mask: the payload type cannot hold the shape {shape}; use a tensor"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::init::draw::Stream;
    use super::*;
    use crate::Tensor;

    #[test]
    fn golden_numbers_are_those_of_the_published_generator() {
        let mut random = Random::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!([(); 5].map(|()| random.next_u64()), expected);
        assert_eq!(random.position(), 5);
        assert_eq!(random.at(3).next_u64(), expected[3]);
    }

    #[test]
    fn golden_parts_are_the_streams_of_initialisers() {
        for (seed, part) in [(42, 0), (42, 7), (0, 1), (u64::MAX, u64::MAX)] {
            let mut random = Random::new(seed).split(part);
            let stream = Stream::new(seed, part);
            assert_eq!([0, 1, 2].map(|_| random.next_u64()), [0, 1, 2].map(|i| stream.bits(i)));
        }
        // Whatever was drawn before.
        let mut random = Random::new(42);
        let _ = random.next_u64();
        assert_eq!(random.split(3), Random::new(42).split(3));
        assert_eq!(Random::new(42).split(0).next_u64(), 0x6310_bf04_d820_7f46);
    }

    #[test]
    fn b60_the_ends_of_the_range_are_safe() {
        assert_eq!(unit(u64::MAX, 53), 1.0 - f64::EPSILON / 2.0);
        let mut random = Random::new(2);
        assert!((0..10_000).map(|_| random.unit()).all(|u| (0.0..1.0).contains(&u)));
        assert!((0..10_000).map(|_| random.normal()).all(|z| z.abs() < 8.58));
        assert_eq!(random.below(1), 0);
        assert!(random.below(usize::MAX) < usize::MAX);
        random.shuffle::<u8>(&mut []);
        // All or nothing is certain.
        let shape = Shape::from([1000]);
        assert_eq!(random.mask::<Tensor>(&shape, 1.0), Tensor::ones([1000]));
        assert_eq!(random.mask::<Tensor>(&shape, 0.0), Tensor::zeros([1000]));
    }

    #[test]
    fn below_reaches_every_value_as_often() {
        let mut random = Random::new(1);
        let mut seen = [0; 7];
        (0..7_000).for_each(|_| seen[random.below(7)] += 1);
        assert!(seen.iter().all(|&count| (850..1_150).contains(&count)), "{seen:?}");
    }

    #[test]
    fn normal_numbers_have_mean_0_and_variance_1() {
        let mut random = Random::new(3);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..100_000 {
            let z = random.normal();
            (sum, squares) = (sum + z, squares + z * z);
        }
        assert!((sum / 1e5).abs() < 0.01 && (squares / 1e5 - 1.0).abs() < 0.02);
    }

    #[test]
    fn shuffle_is_a_permutation_fixed_by_the_seed() {
        let shuffled = |seed| {
            let mut items: Vec<u32> = (0..100).collect();
            Random::new(seed).shuffle(&mut items);
            items
        };
        assert_eq!(shuffled(3), shuffled(3));
        assert_ne!(shuffled(3), shuffled(4));
        let mut sorted = shuffled(3);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn choose_follows_the_weights_and_never_takes_a_zero() {
        let mut random = Random::new(5);
        let mut seen = [0; 4];
        for _ in 0..10_000 {
            seen[random.choose(&[0.0, 3.0, 1.0, 0.0]).unwrap()] += 1;
        }
        assert_eq!((seen[0], seen[3]), (0, 0));
        assert!((7_200..7_800).contains(&seen[1]), "{seen:?}");
        let impossible: [&[f64]; 5] =
            [&[], &[0.0, -0.0], &[1.0, f64::NAN], &[2.0, -1.0], &[f64::INFINITY]];
        assert!(impossible.iter().all(|weights| random.choose(weights).is_none()));
        assert_eq!(random.choose(&[0.0, 5e-324]), Some(1));
    }

    #[test]
    fn a_mask_keeps_what_it_is_told_to() {
        let mask: Tensor<f64> = Random::new(6).mask(&Shape::from([100, 100]), 0.8);
        assert!(mask.iter().all(|x| x == 0.0 || x == 1.0));
        assert!((mask.sum() / 1e4 - 0.8).abs() < 0.02);
    }
}
