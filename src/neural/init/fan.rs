//! Fans: how many numbers meet in one.

use crate::Shape;

/// The fan-in and the fan-out of a weight, by its shape.
///
/// | shape | weight of | fan-in | fan-out |
/// | --- | --- | --- | --- |
/// | `[inputs, outputs]` | a layer, `x.matmul(w)` | `inputs` | `outputs` |
/// | `[outputs, inputs, kernel..]` | a convolution | `inputs * kernel` | `outputs * kernel` |
/// | `[]` | a scalar | 1 | 1 |
/// | `[n]` | a bias: none | | |
///
/// # Example
///
/// ```
/// use poorgrad::{Shape, init};
///
/// assert_eq!(init::fans(&Shape::from([784, 128])), Some((784, 128)));
/// assert_eq!(init::fans(&Shape::from([16, 3, 5, 5])), Some((75, 400)));
/// assert_eq!(init::fans(&Shape::from([128])), None);
/// ```
#[must_use]
pub fn fans(shape: &Shape) -> Option<(usize, usize)> {
    match **shape {
        [] => Some((1, 1)),
        [_] => None,
        [inputs, outputs] => Some((inputs, outputs)),
        [outputs, inputs, ref kernel @ ..] => {
            let taps = kernel.iter().fold(1, |taps: usize, &extent| taps.saturating_mul(extent));
            Some((inputs.saturating_mul(taps), outputs.saturating_mul(taps)))
        }
    }
}
