//! Two moons: half circles that reach into each other, so that no line parts them.

use poorgrad::{Elementary, Random, Tensor, init};

use std::path::Path;

use crate::table;

/// Points of the plane, and which moon each is of.
///
/// ```
/// let moons = zoo::moons::Moons::new(100, 0.1, 42);
/// assert_eq!((moons.points.len(), moons.labels.len()), (100, 100));
/// assert_eq!(moons, zoo::moons::Moons::new(100, 0.1, 42));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Moons {
    /// The points, in an order that tells nothing.
    pub points: Vec<[f64; 2]>,
    /// 0 for the upper moon, 1 for the lower one.
    pub labels: Vec<usize>,
}

impl Moons {
    /// `count` points, half of them of each moon (the upper one has the odd one), off the half circles of
    /// radius 1 by normal noise of standard deviation `noise` in either direction.
    pub fn new(count: usize, noise: f64, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let off: Tensor<f64> = init::normal(0.0, noise, seed)(&[count, 2].into());
        let off = off.to_vec();
        let mut order: Vec<usize> = (0..count).collect();
        random.shuffle(&mut order);
        let (mut points, mut labels) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for place in order {
            let angle = std::f64::consts::PI * random.unit();
            // By the crate's own functions: the points are the same on every platform.
            let (x, y) = (Elementary::cos(&angle), Elementary::sin(&angle));
            let label = place % 2;
            let [x, y] = if label == 0 { [x, y] } else { [1.0 - x, 0.5 - y] };
            let at = 2 * points.len();
            points.push([x + off[at], y + off[at + 1]]);
            labels.push(label);
        }
        Self { points, labels }
    }

    /// The points of a file of `x,y,moon` a line, below these words, with 0 or 1 for the moon; the parts
    /// to learn from and to be judged by, which is one point of four.
    pub fn read(path: &Path) -> Result<[Self; 2], String> {
        let rows = table::read(path, &["x", "y", "moon"])?;
        let mut parts = [(); 2].map(|()| Self { points: Vec::new(), labels: Vec::new() });
        for (at, row) in rows.iter().enumerate() {
            let &[x, y, moon] = &row[..] else { unreachable!("a row has its columns") };
            if moon != 0.0 && moon != 1.0 {
                return Err(format!("{}: {moon} is no moon, 0 or 1", path.display()));
            }
            let part = &mut parts[usize::from(at % 4 == 3)];
            part.points.push([x, y]);
            part.labels.push(usize::from(moon == 1.0));
        }
        match parts[1].points.is_empty() {
            true => Err(format!("{}: at least four points are needed", path.display())),
            false => Ok(parts),
        }
    }

    /// The points as a tensor `[count, 2]`.
    pub fn inputs(&self) -> Tensor<f64> {
        Tensor::new([self.points.len(), 2], self.points.concat())
    }

    /// The labels as one-hot rows `[count, 2]`.
    pub fn targets(&self) -> Tensor<f64> {
        Tensor::selection(&self.labels, 2)
    }

    /// The points of one moon.
    pub fn of(&self, label: usize) -> impl Iterator<Item = [f64; 2]> {
        let pairs = self.points.iter().zip(&self.labels);
        pairs.filter(move |(_, of)| **of == label).map(|(point, _)| *point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_noise_the_points_lie_on_two_half_circles() {
        let moons = Moons::new(501, 0.0, 7);
        for [x, y] in moons.of(0) {
            assert!((x * x + y * y - 1.0).abs() < 1e-12 && y >= 0.0, "{x} {y}");
        }
        for [x, y] in moons.of(1) {
            let (x, y) = (x - 1.0, y - 0.5);
            assert!((x * x + y * y - 1.0).abs() < 1e-12 && y <= 0.0, "{x} {y}");
        }
        assert_eq!((moons.of(0).count(), moons.of(1).count()), (251, 250));
        // No line parts them: the moons reach over each other.
        let lowest = moons.of(0).map(|[_, y]| y).fold(1.0, f64::min);
        let highest = moons.of(1).map(|[_, y]| y).fold(-1.0, f64::max);
        assert!(lowest < highest);
    }

    #[test]
    fn the_seed_decides() {
        assert_eq!(Moons::new(20, 0.2, 1), Moons::new(20, 0.2, 1));
        assert_ne!(Moons::new(20, 0.2, 1), Moons::new(20, 0.2, 2));
        let labels = Moons::new(40, 0.2, 1).labels;
        assert_ne!(labels[..20], [[0, 1]; 10].concat()[..]);
        assert!(Moons::new(0, 0.2, 1).points.is_empty());
    }
}
