//! A small seeded generator: the same numbers on every platform, for ever.
//!
//! It serves what surrounds a model (the order of a corpus, a split, a draw from a distribution).
//! Initial weights come from `poorgrad`'s own `init`.

/// SplitMix64: a counter in steps of the golden ratio, scrambled.
///
/// ```
/// use zoo::random::SplitMix64;
///
/// assert_eq!(SplitMix64::new(0).next_u64(), 0xE220_A839_7B1D_CDAF);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The generator that starts at `seed`; every seed is as good as another.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which must not be zero.
    ///
    /// The high half of a 128-bit product: uneven by at most `bound / 2^64`, and free of a
    /// retry loop, so that one call always takes one step of the generator.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "below: the bound must be positive");
        let product = u128::from(self.next_u64()) * bound as u128;
        (product >> 64) as usize
    }

    /// A number in `0.0 .. 1.0`, a multiple of `2^-53`.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Puts `items` in a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// An index drawn with a chance in proportion to its weight; weights are finite and not negative,
    /// and at least one of them is positive.
    pub fn choose(&mut self, weights: &[f64]) -> usize {
        let total = weights.iter().fold(0.0, |total, weight| total + weight);
        assert!(total.is_finite() && total > 0.0, "choose: the weights add up to {total}");
        let mut left = self.unit() * total;
        let mut chosen = 0;
        for (index, &weight) in weights.iter().enumerate() {
            if weight > 0.0 {
                chosen = index;
                if left < weight {
                    break;
                }
                left -= weight;
            }
        }
        // Rounding can leave a little over after the last weight: the last possible index takes it.
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_published_generator() {
        let mut random = SplitMix64::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!([(); 5].map(|()| random.next_u64()), expected);
    }

    #[test]
    fn below_stays_below_and_reaches_every_value() {
        let mut random = SplitMix64::new(1);
        let mut seen = [0; 7];
        for _ in 0..7_000 {
            seen[random.below(7)] += 1;
        }
        assert!(seen.iter().all(|&count| (850..1_150).contains(&count)), "{seen:?}");
        assert_eq!(random.below(1), 0);
    }

    #[test]
    fn unit_is_half_open() {
        let mut random = SplitMix64::new(2);
        assert!((0..10_000).map(|_| random.unit()).all(|u| (0.0..1.0).contains(&u)));
    }

    #[test]
    fn shuffle_is_a_permutation_fixed_by_the_seed() {
        let shuffled = |seed| {
            let mut items: Vec<u32> = (0..100).collect();
            SplitMix64::new(seed).shuffle(&mut items);
            items
        };
        assert_eq!(shuffled(3), shuffled(3));
        assert_ne!(shuffled(3), shuffled(4));
        let mut sorted = shuffled(3);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
        SplitMix64::new(0).shuffle::<u8>(&mut []);
    }

    #[test]
    fn choose_follows_the_weights_and_never_takes_a_zero() {
        let mut random = SplitMix64::new(5);
        let mut seen = [0; 4];
        for _ in 0..10_000 {
            seen[random.choose(&[0.0, 3.0, 1.0, 0.0])] += 1;
        }
        assert_eq!((seen[0], seen[3]), (0, 0));
        assert!((7_200..7_800).contains(&seen[1]), "{seen:?}");
    }

    #[test]
    #[should_panic(expected = "add up to 0")]
    fn choose_refuses_weights_without_mass() {
        SplitMix64::new(0).choose(&[0.0, 0.0]);
    }
}
