//! Sampling positions by weight, without hidden state.
//!
//! INVARIANT: a pure function of the weights and the seed. The generator is SplitMix64 used as a
//! counter: draw `r` of seed `s` is `mix(mix(s + g) + (r + 1) g)` with `g = 0x9e3779b97f4a7c15`,
//! its upper 53 bits divided by `2^53`.

use super::{Tensor, TensorError};
use crate::kernel::Elementary;
use crate::kernel::walk::product_of;
use crate::math::mix::{GOLDEN, mix};

/// Draw `counter` of `seed`, uniform in `[0, 1)`.
fn uniform(seed: u64, counter: u64) -> f64 {
    // The seed is mixed first, so that neighbouring seeds don't share draws.
    let start = mix(seed.wrapping_add(GOLDEN));
    let bits = mix(start.wrapping_add(counter.wrapping_add(1).wrapping_mul(GOLDEN)));
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

impl<E: Elementary> Tensor<E> {
    /// One position of the last axis for each row, drawn with probability proportional to its
    /// element. The weights need not sum to 1.
    ///
    /// The same weights and seed give the same positions on every platform: draw `r` of SplitMix64
    /// run as a counter from the seed serves row `r`, and weights accumulate in `f64` in ascending
    /// order after division by the largest.
    ///
    /// # Errors
    ///
    /// [`TensorError::Weights`] where a weight of a row is negative, NaN or infinite, or where all
    /// are zero; [`TensorError::Axis`] at rank 0.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Tensor;
    ///
    /// let weights = Tensor::from([[0.0, 1.0, 0.0], [0.0, 0.0, 3.0]]);
    /// assert_eq!(weights.categorical(7), Ok(vec![1, 2]));
    /// assert!(Tensor::from([0.0, 0.0]).categorical(7).is_err());
    /// ```
    pub fn categorical(&self, seed: u64) -> Result<Vec<usize>, TensorError> {
        let Some(&classes) = self.shape().last() else {
            let (op, request) = ("categorical", "a last axis".into());
            return Err(TensorError::Axis { op, request, shape: self.shape().clone() });
        };
        let leading = &self.shape()[..self.rank() - 1];
        if classes == 0 && !leading.contains(&0) {
            return Err(TensorError::Weights { row: 0, problem: "has no positive weight" });
        }
        let rows = product_of(leading);
        let mut elements = self.iter();
        let mut weights = Vec::with_capacity(classes.min(self.len()));
        let mut drawn = Vec::with_capacity(rows.min(self.len()));
        for row in 0..rows {
            weights.clear();
            weights.extend(elements.by_ref().take(classes).map(|x| x.to_f64()));
            let position = draw(&mut weights, uniform(seed, row as u64));
            drawn.push(position.map_err(|problem| TensorError::Weights { row, problem })?);
        }
        Ok(drawn)
    }
}

/// The first position at which the running sum of the weights exceeds `at` times their total.
fn draw(weights: &mut [f64], at: f64) -> Result<usize, &'static str> {
    let mut largest = 0.0;
    for &weight in weights.iter() {
        if weight.is_nan() {
            return Err("has a NaN weight");
        }
        if weight < 0.0 {
            return Err("has a negative weight");
        }
        if weight.is_infinite() {
            return Err("has an infinite weight");
        }
        if weight > largest {
            largest = weight;
        }
    }
    if largest == 0.0 {
        return Err("has no positive weight");
    }
    // Weights up to the largest number must not overflow in the total.
    let mut total = 0.0;
    for weight in weights.iter_mut() {
        *weight /= largest;
        total += *weight;
    }
    let (threshold, mut running) = (at * total, 0.0);
    let mut last = 0;
    for (position, &weight) in weights.iter().enumerate() {
        running += weight;
        if weight > 0.0 {
            if running > threshold {
                return Ok(position);
            }
            last = position;
        }
    }
    // `at < 1`, but the product may round up to the total.
    Ok(last)
}
