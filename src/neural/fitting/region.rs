//! The step of a trust region: least squares within a ball (Moré, "The Levenberg-Marquardt algorithm:
//! implementation and theory", 1978).

use super::factorisation::Factorisation;
use super::vector::{dot, norm};

/// How near to the radius a step must come.
const NEAR: f64 = 0.1;
/// Newton's iterations for the damping converge in two or three.
const ITERATIONS: usize = 10;

/// A step in the scaled parameters.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The step, in the order of the matrix.
    pub(super) along: Vec<f64>,
    /// Its length.
    pub(super) length: f64,
    /// The weight of the damping: 0 for a whole Gauss-Newton step.
    pub(super) damping: f64,
    /// How much the sum of squares falls by the linear model.
    pub(super) predicted: f64,
}

/// The step that lowers `|J z + r|` most where `z` is not longer than about `radius`: `factored` is that
/// of `J` with `r` rotated, and `damping` what the step before had.
pub(super) fn step(factored: &Factorisation, radius: f64, damping: f64) -> Step {
    let count = factored.count();
    let rotated = &factored.rotated[..count];
    let downhill: Vec<f64> = rotated.iter().map(|r| -r).collect();
    let rank = factored.rank();
    let whole = factored.solve(&downhill, rank);
    let length = norm(&whole);
    if length <= (1.0 + NEAR) * radius {
        return finished(factored, whole, 0.0);
    }
    // The damping is the zero of `length - radius`, which is convex: Newton's bound from below where
    // the Jacobian has full rank, and the gradient's from above.
    let mut lower = 0.0;
    if rank == count {
        let direction: Vec<f64> = whole.iter().map(|z| z / length).collect();
        let slope = norm(&factored.solve_transposed(&direction));
        lower = (length - radius) / radius / slope / slope;
    }
    let triangle = factored.triangle();
    let gradient: Vec<f64> = triangle.iter().map(|column| dot(column, rotated)).collect();
    let mut upper = norm(&gradient) / radius;
    let mut damping = if damping > lower { damping } else { lower };
    if damping > upper {
        damping = upper;
    }
    if damping == 0.0 {
        damping = norm(&gradient) / length;
    }
    let mut along = whole;
    for _ in 0..ITERATIONS {
        if damping == 0.0 {
            damping =
                if 1e-3 * upper > f64::MIN_POSITIVE { 1e-3 * upper } else { f64::MIN_POSITIVE };
        }
        let damped = damped(&triangle, &downhill, damping.sqrt());
        along = damped.solve(&damped.rotated[..count], count);
        let length = norm(&along);
        let excess = length - radius;
        if excess.abs() <= NEAR * radius {
            break;
        }
        let direction: Vec<f64> = along.iter().map(|z| z / length).collect();
        let slope = norm(&damped.solve_transposed(&direction));
        let correction = excess / radius / slope / slope;
        if excess > 0.0 && damping > lower {
            lower = damping;
        }
        if excess < 0.0 && damping < upper {
            upper = damping;
        }
        let next = damping + correction;
        damping = if next > lower { next } else { lower };
    }
    finished(factored, along, damping)
}

/// The factorisation of `R` over `root I`, whose least squares are the damped ones.
fn damped(triangle: &[Vec<f64>], downhill: &[f64], root: f64) -> Factorisation {
    let count = triangle.len();
    let mut columns = triangle.to_vec();
    for (at, column) in columns.iter_mut().enumerate() {
        column.resize(2 * count, 0.0);
        column[count + at] = root;
    }
    let mut right = downhill.to_vec();
    right.resize(2 * count, 0.0);
    Factorisation::new(columns, right, false)
}

fn finished(factored: &Factorisation, z: Vec<f64>, damping: f64) -> Step {
    let (length, fall) = (norm(&z), norm(&factored.product(&z)));
    let predicted = fall * fall + 2.0 * damping * length * length;
    Step { along: factored.restored(&z), length, damping, predicted }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factored() -> Factorisation {
        let columns = vec![vec![2.0, 0.0, 1.0], vec![1.0, 1.0, -1.0]];
        Factorisation::new(columns, vec![4.0, -3.0, 2.0], true)
    }

    #[test]
    fn a_wide_region_gives_the_least_squares_and_a_narrow_one_a_step_of_its_radius() {
        let whole = step(&factored(), 1e3, 0.0);
        assert_eq!(whole.damping, 0.0);
        // The normal equations of this small problem: [[5, 1], [1, 3]] z = [-10, 1].
        let expected = [-31.0 / 14.0, 15.0 / 14.0];
        assert!(whole.along.iter().zip(expected).all(|(z, e)| (z - e).abs() < 1e-14), "{whole:?}");
        for radius in [1.0, 1e-3, 1e-9] {
            let short = step(&factored(), radius, 0.0);
            assert!(short.damping > 0.0);
            assert!((short.length / radius - 1.0).abs() <= NEAR, "{radius}: {short:?}");
            assert!(short.predicted > 0.0 && short.predicted < whole.predicted);
        }
        // A very short step goes down the gradient, which is [10, -1].
        let short = step(&factored(), 1e-9, 0.0);
        assert!((short.along[0] / short.along[1] + 10.0).abs() < 1e-6, "{short:?}");
    }

    #[test]
    fn dependent_columns_have_a_step_too() {
        let columns = vec![vec![1.0, 2.0, 0.0], vec![2.0, 4.0, 0.0]];
        let factored = Factorisation::new(columns, vec![1.0, 1.0, 1.0], true);
        assert_eq!(factored.rank(), 1);
        for radius in [1e2, 0.1, 1e-6] {
            let step = step(&factored, radius, 0.0);
            assert!(step.length <= 1.1 * radius && step.predicted > 0.0, "{step:?}");
        }
    }
}
