//! Scaled dot-product attention.

use crate::{Elementary, Shape, Tensorial, Value};

/// The attention of queries `[.., t, d]` to keys `[.., s, d]` and values `[.., s, e]`: `[.., t, e]`,
/// `softmax(q k^T / sqrt(d) + mask) v` (Vaswani et al., "Attention is all you need", 2017).
///
/// The mask, where there is one, is added to the scores and broadcasts to their shape `[.., t, s]`:
/// 0 lets a key be seen, `-inf` hides it. See [`causal_mask`].
///
/// # Example
///
/// ```
/// use poorgrad::{Network, Tensor, causal_mask, scaled_dot_product_attention};
///
/// let network = Network::new();
/// let x = network.leaf(Tensor::from([[1.0_f64, 0.0], [0.0, 1.0], [1.0, 1.0]]));
/// let mask = network.leaf(causal_mask(3));
/// let y = scaled_dot_product_attention(x, x, x, Some(mask));
/// // The first query sees the first key alone.
/// assert_eq!(network.forward().of(y).to_vec()[..2], [1.0, 0.0]);
/// ```
///
/// # Panics
///
/// Where the shapes do not fit one another, in the words of the operation that refuses.
#[must_use]
#[track_caller]
pub fn scaled_dot_product_attention<'n, P: Tensorial>(
    queries: Value<'n, P>,
    keys: Value<'n, P>,
    values: Value<'n, P>,
    mask: Option<Value<'n, P>>,
) -> Value<'n, P> {
    let rank = keys.shape().rank();
    assert!(rank >= 2, "scaled_dot_product_attention: keys need two axes, not {}", keys.shape());
    let mut axes: Vec<usize> = (0..rank).collect();
    axes.swap(rank - 2, rank - 1);
    let scores = queries.matmul(keys.permute(&axes));
    let depth = keys.shape()[rank - 1] as f64;
    // The factor as the element rounds it, once.
    let factor = P::Element::one().div(&P::Element::from_f64(depth).sqrt());
    let network = scores.network();
    let factor = network.leaf(P::full(&Shape::scalar(), factor)).broadcast_like(scores);
    let scores = scores * factor;
    let scores = match mask {
        Some(mask) => scores + mask.broadcast_like(scores),
        None => scores,
    };
    scores.softmax(rank - 1).matmul(values)
}

/// The mask `[count, count]` that hides from each position what comes after it: 0 up to the
/// diagonal, `-inf` behind it.
///
/// # Example
///
/// ```
/// use poorgrad::{Tensor, causal_mask};
///
/// let mask: Tensor<f32> = causal_mask(2);
/// assert_eq!(mask.to_vec(), [0.0, f32::NEG_INFINITY, 0.0, 0.0]);
/// ```
///
/// # Panics
///
/// Where the payload cannot hold a matrix: scalars.
#[must_use]
pub fn causal_mask<P: Tensorial>(count: usize) -> P {
    let element = |at: usize| {
        P::Element::from_f64(if at % count <= at / count { 0.0 } else { f64::NEG_INFINITY })
    };
    let elements = (0..count * count).map(element).collect();
    P::from_stored(&Shape::from([count, count]), crate::Stored::Dense(elements))
        .expect("causal_mask: a tensor payload holds a matrix")
}
