//! Clipping: gradients that are not to be too large.

use super::algebra::{Algebra, Now, element, scalar};
use crate::{Binary, Elementary, Field, Gradients, Kernels, Network, Tensorial, Unary};
use std::error::Error;
use std::fmt;

/// The gradients of the parameters, each element kept in `[-limit, limit]`.
///
/// Where no element is beyond, the gradients come back as they are, to the bit. An infinity becomes the
/// limit.
///
/// # Example
///
/// ```
/// use poorgrad::{Network, Tensor, clip_by_value};
///
/// let network = Network::new();
/// let w = network.parameter(Tensor::from([1.0_f64, -3.0, 0.25]));
/// let loss = (w * w).sum();
/// let gradients = network.forward().backward(loss);
/// let clipped = clip_by_value(&network, &gradients, 1.0).unwrap();
/// assert_eq!(clipped.of(w).to_vec(), [1.0, -1.0, 0.5]);
/// ```
///
/// # Errors
///
/// Where an element is NaN.
///
/// # Panics
///
/// Where `limit` is not a number above 0, or the gradients are not of this network.
#[track_caller]
pub fn clip_by_value<P: Tensorial>(
    network: &Network<P>,
    gradients: &Gradients<P>,
    limit: f64,
) -> Result<Gradients<P>, ClipError> {
    assert!(limit > 0.0, "clip_by_value: the limit must be above 0, not {limit}");
    let restricted = of_parameters(network, gradients);
    let largest = largest(network, &restricted, |x| x.is_nan())?;
    if largest <= limit {
        return Ok(restricted);
    }
    let now = Now::<P>::new();
    Ok(restricted.map(|g| {
        let limit = now.spread(&scalar(limit), g);
        let least = limit.map(Unary::Neg, Kernels::Native);
        let above = g.zip(Binary::Maximum, &least, Kernels::Native);
        // min(a, b) = -max(-a, -b)
        let below = above.map(Unary::Neg, Kernels::Native);
        below.zip(Binary::Maximum, &least, Kernels::Native).map(Unary::Neg, Kernels::Native)
    }))
}

/// The gradients of the parameters, divided so that their norm over all parameters together is at most
/// `limit` (Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent neural networks",
/// 2013), and the norm that they had.
///
/// Where the norm is not larger, the gradients come back as they are, to the bit. The norm that is
/// returned is infinite where it leaves the range of `f64`; the gradients are clipped all the same.
///
/// # Example
///
/// ```
/// use poorgrad::{Network, Tensor, clip_by_norm};
///
/// let network = Network::new();
/// let (a, b) = (network.parameter(Tensor::from([1.5_f64])), network.parameter(Tensor::from([2.0])));
/// let loss = (a * a).sum() + (b * b).sum();
/// let gradients = network.forward().backward(loss);
/// let (clipped, norm) = clip_by_norm(&network, &gradients, 1.0).unwrap();
/// assert_eq!((norm, clipped.of(a).item(), clipped.of(b).item()), (5.0, 0.6, 0.8));
/// ```
///
/// # Errors
///
/// Where an element is NaN or infinite: no factor makes such gradients small.
///
/// # Panics
///
/// Where `limit` is not a number above 0, or the gradients are not of this network.
#[track_caller]
pub fn clip_by_norm<P: Tensorial>(
    network: &Network<P>,
    gradients: &Gradients<P>,
    limit: f64,
) -> Result<(Gradients<P>, f64), ClipError> {
    assert!(limit > 0.0, "clip_by_norm: the limit must be above 0, not {limit}");
    let restricted = of_parameters(network, gradients);
    let largest = largest(network, &restricted, |x| !x.is_finite())?;
    let [root, unit] = norm(&restricted, largest);
    let norm = root * unit;
    if norm <= limit {
        return Ok((restricted, norm));
    }
    let now = Now::<P>::new();
    let ratio: P = scalar(norm / limit);
    if element(&ratio).to_f64().is_finite() {
        return Ok((restricted.map(|g| now.div(g, &now.spread(&ratio, g))), norm));
    }
    // A ratio that the element cannot hold would make zeros of everything. Of gradients whose largest
    // element is 1, the norm is not above the root of their number.
    let (largest, factor) = (scalar(largest), limit / (root * (unit / largest)));
    let clipped = |g: &P| now.scaled(factor, &now.div(g, &now.spread(&largest, g)));
    Ok((restricted.map(clipped), norm))
}

/// What a gradient of everything holds of the parameters: other cotangents have no say in a norm.
#[track_caller]
fn of_parameters<P: Tensorial>(network: &Network<P>, gradients: &Gradients<P>) -> Gradients<P> {
    gradients.restricted(network.parameters().map(|(_, parameter)| parameter))
}

/// The size of the largest element, or the parameter that has a bad one.
fn largest<P: Tensorial>(
    network: &Network<P>,
    gradients: &Field<P>,
    bad: fn(f64) -> bool,
) -> Result<f64, ClipError> {
    let mut largest = 0.0_f64;
    for (symbol, payload) in gradients.iter() {
        let mut first = None;
        payload.for_each(&mut |element| {
            let element = element.to_f64();
            if bad(element) {
                first = first.or(Some(element));
            } else if element.abs() > largest {
                largest = element.abs();
            }
        });
        if let Some(element) = first {
            let mut paths = network.parameters().filter(|(_, w)| w.symbol() == symbol);
            let parameter = paths.next().map(|(path, _)| path).unwrap_or_default();
            return Err(ClipError { parameter, element });
        }
    }
    Ok(largest)
}

/// The root of the sum of squares over all elements, in the order of the parameters, and the unit that
/// it is counted in: their product, which may overflow, is the norm.
fn norm<P: Tensorial>(gradients: &Field<P>, largest: f64) -> [f64; 2] {
    if largest == 0.0 {
        return [0.0, 1.0];
    }
    // Squares of what is very large or very small leave the range: those are counted in a unit of
    // their own.
    let unit = if (1e-140..1e140).contains(&largest) { 1.0 } else { largest };
    let mut squares = 0.0;
    for (_, payload) in gradients.iter() {
        payload.for_each(&mut |element| {
            let element = element.to_f64() / unit;
            squares += element * element;
        });
    }
    [Elementary::sqrt(&squares), unit]
}

/// A gradient that cannot be clipped.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipError {
    parameter: String,
    element: f64,
}

impl ClipError {
    /// The path of the first parameter whose gradient is at fault.
    #[must_use]
    pub fn parameter(&self) -> &str {
        &self.parameter
    }
}

impl fmt::Display for ClipError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { parameter, element } = self;
        write!(
            f,
            "clip: the gradient of `{parameter}` holds {element}; `Gradients::first_nonfinite` says \
             where it comes from"
        )
    }
}
impl Error for ClipError {}
