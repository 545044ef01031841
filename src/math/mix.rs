//! The finaliser of SplitMix64, by which counters become random bits.
//!
//! BITS: what is drawn is specified (F9, F11); golden tests pin it.

/// The step of the counter: the golden ratio, in 64 bits.
pub(crate) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Bits of which each depends on all of `z`.
pub(crate) fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
