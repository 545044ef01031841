//! The numbers that random tapes are made of.
//!
//! INVARIANT: the numbers of a payload depend on its seed and its profile alone, never on the
//! element type, so that a tape recorded twice with two element types is the same tape.

use crate::decisions::{Decisions, mixed};

/// Which numbers a payload holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Small multiples of a quarter: sums and products are exact and ties are frequent.
    Grid,
    /// Any fraction between -2 and 2.
    Plain,
    /// Fractions with zeros of both signs among them.
    Zeros,
    /// One number in eight is a zero, subnormal, infinite, NaN, huge or tiny.
    Wild,
    /// Between 1/2 and 3/2, where nothing is steep.
    Smooth,
}

impl Profile {
    /// Draws the profile of a tape; the plainest first.
    pub(crate) fn draw(decisions: &mut Decisions<'_>) -> Self {
        const DRAWN: [Profile; 8] = [
            Profile::Grid,
            Profile::Plain,
            Profile::Plain,
            Profile::Plain,
            Profile::Zeros,
            Profile::Zeros,
            Profile::Wild,
            Profile::Wild,
        ];
        DRAWN[decisions.below(DRAWN.len())]
    }

    /// Number `index` of the payload with this seed.
    pub(crate) fn number(self, seed: u64, index: usize) -> f64 {
        let bits = mixed(seed.wrapping_mul(0x1_0000_01b3).wrapping_add(index as u64));
        // 24 bits fit both element types, so that the number is the same in each.
        let fraction = (bits >> 40) as f64 / (1_u64 << 24) as f64;
        let special = bits & 7 == 7;
        match self {
            Self::Grid => ((bits >> 8) % 17) as f64 / 4.0 - 2.0,
            Self::Plain => 4.0 * fraction - 2.0,
            Self::Zeros if special => [0.0, -0.0][(bits >> 3) as usize % 2],
            Self::Wild if special => EXTREMES[(bits >> 3) as usize % EXTREMES.len()],
            Self::Zeros | Self::Wild => 4.0 * fraction - 2.0,
            Self::Smooth => 0.5 + fraction,
        }
    }
}

/// What breaks arithmetic, in either element type.
const EXTREMES: [f64; 24] = [
    0.0,
    -0.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1e-40,
    -1e-40,
    1e-45,
    f64::MIN_POSITIVE,
    5e-324,
    -2.5e-310,
    3.0e38,
    -3.4e38,
    1e300,
    f64::MAX,
    f64::MIN,
    1e-30,
    -1e-200,
    88.8,
    -104.0,
    710.0,
    -745.5,
    16_777_217.0,
    0.1,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_keep_their_ranges() {
        for index in 0..1000 {
            let smooth = Profile::Smooth.number(5, index);
            assert!((0.5..1.5).contains(&smooth));
            assert!(Profile::Plain.number(5, index).abs() <= 2.0);
            let grid = 4.0 * Profile::Grid.number(5, index);
            assert_eq!(grid, grid.round());
        }
        let wild: Vec<f64> = (0..2000).map(|index| Profile::Wild.number(9, index)).collect();
        for extreme in EXTREMES {
            assert!(wild.iter().any(|number| number.to_bits() == extreme.to_bits()), "{extreme}");
        }
    }
}
