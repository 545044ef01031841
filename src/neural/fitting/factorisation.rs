//! Orthogonal factorisations of tall matrices (Householder, "Unitary triangularization of a nonsymmetric
//! matrix", 1958; with column pivoting: Businger and Golub, "Linear least squares solutions by
//! Householder transformations", 1965).
//!
//! Least squares are solved from these and never from the normal equations, whose condition is the
//! square of the problem's.

use super::vector::{dot, norm};

/// `Q^T A P = R` with what `Q^T` makes of a right-hand side.
#[derive(Clone, Debug)]
pub(super) struct Factorisation {
    /// The columns of the matrix, each with the elements of `R` above and on the diagonal in front.
    columns: Vec<Vec<f64>>,
    /// Which column of the matrix each column of `R` is.
    pub(super) order: Vec<usize>,
    /// `Q^T b`: as many elements in front as there are columns belong to `R`, the others are what no
    /// combination of the columns reaches.
    pub(super) rotated: Vec<f64>,
}

impl Factorisation {
    /// Factors a matrix of at least as many rows as columns; with `pivots` the column that is furthest
    /// from those before it comes next, so that the diagonal of `R` falls.
    pub(super) fn new(mut columns: Vec<Vec<f64>>, right: Vec<f64>, pivots: bool) -> Self {
        let (count, mut rotated) = (columns.len(), right);
        let mut order: Vec<usize> = (0..count).collect();
        for step in 0..count {
            if pivots {
                let mut furthest = (step, norm(&columns[step][step..]));
                for (at, column) in columns.iter().enumerate().skip(step + 1) {
                    let length = norm(&column[step..]);
                    if length > furthest.1 {
                        furthest = (at, length);
                    }
                }
                columns.swap(step, furthest.0);
                order.swap(step, furthest.0);
            }
            let (done, rest) = columns.split_at_mut(step + 1);
            let column = &mut done[step];
            let length = norm(&column[step..]);
            if length == 0.0 {
                continue;
            }
            // The reflection takes the column to `diagonal` times a unit vector, of the sign that
            // cancels nothing.
            let diagonal = if column[step] > 0.0 { -length } else { length };
            let mut mirror: Vec<f64> = column[step..].iter().map(|a| a / length).collect();
            mirror[0] -= diagonal / length;
            let weight = 2.0 / dot(&mirror, &mirror);
            let reflect = |other: &mut [f64]| {
                let along = weight * dot(&mirror, other);
                other.iter_mut().zip(&mirror).for_each(|(a, m)| *a -= along * m);
            };
            rest.iter_mut().for_each(|other| reflect(&mut other[step..]));
            reflect(&mut rotated[step..]);
            column[step] = diagonal;
            column[step + 1..].fill(0.0);
        }
        Self { columns, order, rotated }
    }

    /// The number of columns.
    pub(super) fn count(&self) -> usize {
        self.columns.len()
    }

    /// How many of the columns are independent, to within rounding: diagonal elements of `R` that are
    /// not negligible beside the first.
    pub(super) fn rank(&self) -> usize {
        let rows = self.rotated.len() as f64;
        let first = self.columns.first().map_or(0.0, |column| column[0].abs());
        let bound = rows * f64::EPSILON * first;
        let dependent = self.columns.iter().enumerate().position(|(at, c)| c[at].abs() <= bound);
        dependent.unwrap_or(self.count())
    }

    /// The columns of `R`, of as many elements as there are columns.
    pub(super) fn triangle(&self) -> Vec<Vec<f64>> {
        self.columns.iter().map(|column| column[..self.count()].to_vec()).collect()
    }

    /// `R z`.
    pub(super) fn product(&self, z: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; self.count()];
        for (column, z) in self.columns.iter().zip(z) {
            product.iter_mut().zip(column).for_each(|(sum, r)| *sum += r * z);
        }
        product
    }

    /// `R^-1 y`, with zeros where columns are dependent on those before.
    pub(super) fn solve(&self, y: &[f64], rank: usize) -> Vec<f64> {
        let mut z = y.to_vec();
        z[rank..].fill(0.0);
        for at in (0..rank).rev() {
            z[at] /= self.columns[at][at];
            let value = z[at];
            z[..at].iter_mut().zip(&self.columns[at]).for_each(|(y, r)| *y -= value * r);
        }
        z
    }

    /// `R^-T y`, of independent columns.
    pub(super) fn solve_transposed(&self, y: &[f64]) -> Vec<f64> {
        let mut z: Vec<f64> = Vec::with_capacity(y.len());
        for (at, column) in self.columns.iter().enumerate() {
            z.push((y[at] - dot(&z, column)) / column[at]);
        }
        z
    }

    /// A vector over the columns of `R` in the order of the matrix.
    pub(super) fn restored(&self, z: &[f64]) -> Vec<f64> {
        let mut restored = vec![0.0; z.len()];
        self.order.iter().zip(z).for_each(|(&at, z)| restored[at] = *z);
        restored
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Vec<Vec<f64>> {
        vec![vec![1.0, 2.0, 3.0, 4.0], vec![0.5, -1.0, 2.0, 0.25], vec![8.0, 0.0, 1.0, -2.0]]
    }

    #[test]
    fn a_least_squares_solution_leaves_a_residual_orthogonal_to_the_columns() {
        let right = vec![1.0, -2.0, 0.5, 3.0];
        for pivots in [false, true] {
            let factored = Factorisation::new(matrix(), right.clone(), pivots);
            assert_eq!(factored.rank(), 3);
            let z = factored.restored(&factored.solve(&factored.rotated[..3], 3));
            let mut residual = right.clone();
            for (column, z) in matrix().iter().zip(&z) {
                residual.iter_mut().zip(column).for_each(|(r, a)| *r -= z * a);
            }
            for column in matrix() {
                assert!(dot(&column, &residual).abs() < 1e-13);
            }
            assert!((norm(&residual) - factored.rotated[3].abs()).abs() < 1e-14);
        }
    }

    #[test]
    fn pivots_order_the_diagonal_and_show_what_is_dependent() {
        let mut columns = matrix();
        columns.push(columns[0].iter().zip(&columns[1]).map(|(a, b)| a - 3.0 * b).collect());
        columns.iter_mut().for_each(|column| column.push(0.0));
        let factored = Factorisation::new(columns, vec![0.0; 5], true);
        let diagonal: Vec<f64> =
            factored.triangle().iter().enumerate().map(|(at, c)| c[at].abs()).collect();
        assert!(diagonal.windows(2).all(|pair| pair[0] >= pair[1]), "{diagonal:?}");
        assert_eq!((factored.rank(), factored.order[0]), (3, 2));
        assert_eq!(factored.solve(&[1.0; 4], 3)[3], 0.0);
    }

    #[test]
    fn solving_undoes_the_product() {
        let factored = Factorisation::new(matrix(), vec![0.0; 4], true);
        let z = [0.5, -2.0, 3.0];
        let again = factored.solve(&factored.product(&z), 3);
        assert!(z.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-14));
        let transposed = factored.solve_transposed(&z);
        // `R^T (R^-T z)` is `z`.
        for (column, z) in factored.triangle().iter().zip(&z) {
            assert!((dot(column, &transposed) - z).abs() < 1e-14);
        }
    }

    #[test]
    fn nothing_and_zeros_are_factored_too() {
        assert_eq!(Factorisation::new(Vec::new(), vec![1.0], true).rank(), 0);
        let zeros = Factorisation::new(vec![vec![0.0; 3]; 2], vec![1.0; 3], true);
        assert_eq!((zeros.rank(), zeros.solve(&[1.0, 1.0], 0)), (0, vec![0.0, 0.0]));
    }
}
