//! Images that are drawn and not photographed: data of any size where there is none.
//!
//! Each class is a pattern of stripes with an angle, a width and, where there are colours, a hue of its
//! own; each image shifts it, and adds noise. A model that learns anything learns these.

use crate::images::{CLASSES, Images};
use poorgrad::Random;

/// So many images of `[channels, rows, columns]`, a pure function of the seed.
///
/// ```
/// let images = zoo::synthetic::images([3, 32, 32], 20, 1);
/// assert_eq!((images.len(), images.extents()), (20, [3, 32, 32]));
/// assert_eq!(images, zoo::synthetic::images([3, 32, 32], 20, 1));
/// ```
pub fn images(extents: [usize; 3], count: usize, seed: u64) -> Images {
    let [channels, rows, columns] = extents;
    let mut random = Random::new(seed);
    let mut pixels = Vec::with_capacity(count * channels * rows * columns);
    let mut labels = Vec::with_capacity(count);
    for _ in 0..count {
        let class = random.below(CLASSES);
        labels.push(class as u8);
        // Whole steps along the rows and columns: no function of the platform draws a stripe.
        let (along, across) = [(0, 3), (3, 0), (2, 2), (3, 30), (1, 3)][class % 5];
        let (period, shift) = ([8, 14][class / 5], random.below(32));
        for channel in 0..channels {
            let strength = 80 + 60 * ((class + channel) % 3);
            for row in 0..rows {
                for column in 0..columns {
                    let phase = (row * along + column * across + shift) / 3 % period;
                    let stripe = if phase < period / 2 { strength } else { 20 };
                    pixels.push((stripe + random.below(48)) as u8);
                }
            }
        }
    }
    Images::new(extents, pixels, labels)
        .unwrap_or_else(|problem| unreachable!("invariant: {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_about_equal_and_another_seed_draws_others() {
        let drawn = images([1, 28, 28], 1000, 3);
        for class in 0..10 {
            let count = drawn.labels().iter().filter(|&&label| label == class).count();
            assert!((60..150).contains(&count), "{count} of class {class}");
        }
        assert_ne!(drawn, images([1, 28, 28], 1000, 4));
    }
}
