//! Raw bits, and the numbers that they become.
//!
//! BITS: every line here is load-bearing. The generator is written down in the documentation of
//! [`init`](crate::init); golden tests pin it.

use crate::{Elementary, Lowering};

pub(in crate::neural) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

// A copy, as this module is written with what the crate exports; the same goldens pin both.
pub(in crate::neural) fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The raw draws of one call of an initialiser.
#[derive(Clone, Copy)]
pub(in crate::neural) struct Stream {
    key: u64,
}

impl Stream {
    /// The stream of call `call` under `seed`.
    pub(in crate::neural) fn new(seed: u64, call: u64) -> Self {
        // The seed is mixed first, so that neighbouring seeds share no stream.
        let start = mix(seed.wrapping_add(GOLDEN));
        Self { key: mix(start.wrapping_add(call.wrapping_add(1).wrapping_mul(GOLDEN))) }
    }

    /// Raw draw `index`.
    pub(in crate::neural) fn bits(self, index: u64) -> u64 {
        mix(self.key.wrapping_add(index.wrapping_add(1).wrapping_mul(GOLDEN)))
    }
}

/// How many of the raw bits an element takes: as many as its significand holds.
pub(super) fn precision<E: Elementary>() -> u32 {
    match E::lowering() {
        Lowering::F32 => f32::MANTISSA_DIGITS,
        _ => f64::MANTISSA_DIGITS,
    }
}

/// The number of `[0, 1)` that the upper `precision` bits stand for: exact, never 1.
pub(in crate::neural) fn unit(bits: u64, precision: u32) -> f64 {
    (bits >> (u64::BITS - precision)) as f64 / (1_u64 << precision) as f64
}

/// `low + u (high - low)`, rounded to the element, and below `high` whatever the rounding.
///
/// INVARIANT: `low < high`, both exact in the element.
pub(super) fn uniform<E: Elementary>(bits: u64, low: f64, high: f64) -> E {
    let value = low + unit(bits, precision::<E>()) * (high - low);
    // A value next to `high` may round up to it: the largest element below stands for it.
    let value = match E::lowering() {
        Lowering::F32 if value as f32 >= high as f32 => f64::from((high as f32).next_down()),
        _ if value >= high => high.next_down(),
        _ => value,
    };
    E::from_f64(value)
}

/// A standard normal number from two raw draws: finite whatever the bits.
pub(in crate::neural) fn standard_normal(radius: u64, angle: u64, precision: u32) -> f64 {
    // 1 - u, of (0, 1]: its logarithm is finite.
    let logarithm = Elementary::ln(&(1.0 - unit(radius, precision)));
    let cosine = Elementary::cos(&(std::f64::consts::TAU * unit(angle, precision)));
    Elementary::sqrt(&(-2.0 * logarithm)) * cosine
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDS: [u64; 2] = [0, u64::MAX];

    /// The ends of the range of raw bits, and both neighbours of each.
    fn corners() -> Vec<u64> {
        ENDS.iter().flat_map(|&end| [end.wrapping_sub(1), end, end.wrapping_add(1)]).collect()
    }

    #[test]
    fn b60_all_ones_stay_below_one() {
        assert_eq!(uniform::<f32>(u64::MAX, 0.0, 1.0).to_bits(), 0x3f7f_ffff);
        assert_eq!(uniform::<f64>(u64::MAX, 0.0, 1.0), 1.0 - f64::EPSILON / 2.0);
        assert_eq!(uniform::<f32>(0, 0.0, 1.0).to_bits(), 0);
        assert_eq!(uniform::<f64>(0, 0.0, 1.0).to_bits(), 0);
    }

    #[test]
    fn b60_high_is_never_returned_after_scaling() {
        let ranges =
            [(0.0, 1.0), (-1.0, 1.0), (1.0, 2.0), (-3.0, -2.5), (1e30, 3e30), (0.0, 1e-40)];
        for (low, high) in ranges {
            for bits in corners() {
                let value = uniform::<f64>(bits, low, high);
                assert!(low <= value && value < high, "{value} of [{low}, {high})");
                let (low, high) = (low as f32, high as f32);
                let value = uniform::<f32>(bits, f64::from(low), f64::from(high));
                assert!(low <= value && value < high, "{value} of [{low}, {high})");
            }
        }
        // Two neighbours: only the lower one is in the range.
        let (low, high) = (1.0, 1.0_f64.next_up());
        assert!(corners().iter().all(|&bits| uniform::<f64>(bits, low, high) == low));
        let high = 1.0_f32.next_up();
        assert!(corners().iter().all(|&bits| uniform::<f32>(bits, 1.0, f64::from(high)) == 1.0));
    }

    #[test]
    fn b60_normals_are_finite_at_the_ends() {
        for (precision, bound) in [(53, 8.571_674_348_652_905), (24, 5.768_107_546_403_532)] {
            for radius in corners() {
                for angle in corners() {
                    let z = standard_normal(radius, angle, precision);
                    assert!(
                        z.is_finite() && z >= -bound && z <= bound,
                        "{radius:x} {angle:x}: {z}"
                    );
                }
            }
            assert_eq!(standard_normal(u64::MAX, 0, precision), bound);
        }
    }

    #[test]
    fn golden_raw_bits() {
        let stream = Stream::new(42, 0);
        let expected = [0x6310_bf04_d820_7f46, 0xebdb_7216_a4ff_ed50, 0x1547_1cce_9858_769b];
        assert_eq!([0, 1, 2].map(|index| stream.bits(index)), expected);
        assert_eq!(Stream::new(42, 1).bits(0), 0x08a4_2655_afd5_6572);
        assert_eq!(Stream::new(43, 0).bits(2), 0x1ba3_c1e7_69a2_6877);
    }
}
