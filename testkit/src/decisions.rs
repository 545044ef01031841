//! `Decisions`: a byte string read as a list of decisions.
//!
//! INVARIANT: every byte string is a valid list. Where it ends, zeros go on, and zero is always
//! the plainest choice: cutting a string or zeroing a byte makes what it generates simpler, which
//! is what lets a failure shrink. A loop over seeds and a coverage-guided fuzzer share it.

/// A byte string read as decisions.
///
/// # Example
///
/// ```
/// use testkit::Decisions;
///
/// let mut decisions = Decisions::new(&[7, 255]);
/// assert_eq!(decisions.below(5), 2);
/// assert!(decisions.one_in(4));
/// assert!(decisions.is_done());
/// assert_eq!(decisions.below(5), 0);
/// ```
#[derive(Clone, Debug)]
pub struct Decisions<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Decisions<'b> {
    /// The decisions of a byte string.
    #[must_use]
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Whether all bytes were read.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// The next byte, 0 behind the end.
    pub fn byte(&mut self) -> u8 {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte
    }

    /// A number below `count`: one byte where 256 suffice, else two.
    ///
    /// # Panics
    ///
    /// Where `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        assert!(count > 0, "a choice needs something to choose from");
        let mut number = usize::from(self.byte());
        if count > 256 {
            number = number << 8 | usize::from(self.byte());
        }
        number % count
    }

    /// True once in `count` times, false behind the end.
    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }
}

/// One step of SplitMix64: the next state's well mixed form.
#[must_use]
pub fn mixed(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// `count` bytes that depend on the seed alone.
#[must_use]
pub fn seeded(seed: u64, count: usize) -> Vec<u8> {
    let start = mixed(seed);
    let words = (0..count.div_ceil(8) as u64).map(|word| mixed(start.wrapping_add(word)));
    let mut bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
    bytes.truncate(count);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_determines_its_bytes() {
        assert_eq!(seeded(3, 20), seeded(3, 20));
        assert_eq!(seeded(3, 20)[..13], seeded(3, 13)[..]);
        assert_ne!(seeded(3, 20), seeded(4, 20));
    }

    #[test]
    fn wide_choices_take_two_bytes() {
        let mut decisions = Decisions::new(&[1, 2, 3]);
        assert_eq!(decisions.below(1000), 258);
        assert_eq!(decisions.byte(), 3);
        assert!(!decisions.one_in(2));
    }
}
