//! Scaled dot-product attention.

use crate::{Elementary, Shape, ShapeError, Stored, Tensorial, Value};

/// What refusals are said by.
const NAME: &str = "scaled_dot_product_attention";

/// The attention of queries `[.., t, d]` to keys `[.., s, d]` and values `[.., s, e]`: `[.., t, e]`,
/// `softmax(q k^T / sqrt(d) + mask) v` (Vaswani et al., "Attention is all you need", 2017).
///
/// The mask, where there is one, is added to the scores and broadcasts to their shape `[.., t, s]`:
/// 0 lets a key be seen, `-inf` hides it. See [`causal_mask`], which hides no row wholly.
///
/// A query from which every key is hidden has no weights to attend by: its row of the result is NaN, as
/// the softmax of `-inf` alone is, and the other rows are what they are without it. The gradient of the
/// values is NaN then, whatever the loss makes of that row, as its weights are factors there; those of
/// queries and keys are not where the loss leaves the row alone. Let such a query see one key, and leave
/// its row out behind.
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
/// Where [`try_scaled_dot_product_attention`] errs.
#[must_use]
#[track_caller]
pub fn scaled_dot_product_attention<'n, P: Tensorial>(
    queries: Value<'n, P>,
    keys: Value<'n, P>,
    values: Value<'n, P>,
    mask: Option<Value<'n, P>>,
) -> Value<'n, P> {
    match try_scaled_dot_product_attention(queries, keys, values, mask) {
        Ok(output) => output,
        Err(error) => error.raise(),
    }
}

/// The twin of [`scaled_dot_product_attention`] that returns what it would panic with.
///
/// # Errors
///
/// Where the shapes do not fit one another, in the words of the operation that refuses, or something is a
/// handle into another network; nothing is recorded then.
///
/// # Example
///
/// ```
/// use poorgrad::{Network, Tensor, try_scaled_dot_product_attention};
///
/// let network = Network::new();
/// let queries = network.input(Tensor::<f32>::zeros([5, 4]));
/// let keys = network.input(Tensor::zeros([6, 3]));
/// let error = try_scaled_dot_product_attention(queries, keys, keys, None).unwrap_err();
/// let message = "scaled_dot_product_attention: inner dimensions differ: [5, 4] x [3, 6]";
/// assert!(error.to_string().starts_with(message));
/// ```
#[track_caller]
pub fn try_scaled_dot_product_attention<'n, P: Tensorial>(
    queries: Value<'n, P>,
    keys: Value<'n, P>,
    values: Value<'n, P>,
    mask: Option<Value<'n, P>>,
) -> Result<Value<'n, P>, ShapeError> {
    let network = queries.network();
    for operand in [keys, values].into_iter().chain(mask) {
        if !std::ptr::eq(operand.network(), network) {
            let problem = "the operands are handles into different networks (or generations); \
                           resolve their symbols in one of them first";
            return Err(ShapeError::refusal(NAME, problem, &[queries, operand]));
        }
    }
    // On a fork first, which costs nothing: what refuses there leaves nothing here.
    let fork = network.clone();
    let twins = [queries, keys, values].map(|operand| fork.resolve(operand));
    match attend(twins, mask.map(|mask| fork.resolve(mask))) {
        Ok(_) => attend([queries, keys, values], mask),
        Err(error) => Err(error.named(NAME)),
    }
}

/// Records the attention. Something may have been recorded where it is refused.
#[track_caller]
fn attend<'n, P: Tensorial>(
    [queries, keys, values]: [Value<'n, P>; 3],
    mask: Option<Value<'n, P>>,
) -> Result<Value<'n, P>, ShapeError> {
    let rank = keys.shape().rank();
    if rank < 2 {
        return Err(ShapeError::refusal(NAME, "keys need two axes", &[keys]));
    }
    let mut axes: Vec<usize> = (0..rank).collect();
    axes.swap(rank - 2, rank - 1);
    let scores = queries.try_matmul(keys.try_permute(&axes)?)?;
    // On the tape, so that the factor follows keys of another depth; a plan computes it beforehand.
    let depth = keys.try_count_along(&[rank - 1])?;
    let one = scores.network().leaf(P::full(&Shape::scalar(), P::Element::one()));
    let scores = scores * (one / depth.sqrt()).broadcast_like(scores);
    let scores = match mask {
        Some(mask) => scores + mask.try_broadcast_like(scores)?,
        None => scores,
    };
    scores.try_softmax(rank - 1)?.try_matmul(values)
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
/// Where the payload cannot hold a matrix: scalars. Where a matrix of this size does not fit the address
/// space.
#[must_use]
#[track_caller]
pub fn causal_mask<P: Tensorial>(count: usize) -> P {
    let shape = Shape::from([count, count]);
    let Some(volume) = shape.volume() else {
        panic!("causal_mask: {shape} does not fit the address space")
    };
    let element = |at: usize| {
        P::Element::from_f64(if at % count <= at / count { 0.0 } else { f64::NEG_INFINITY })
    };
    let elements = (0..volume).map(element).collect();
    P::from_stored(&shape, Stored::Dense(elements))
        .expect("causal_mask: a tensor payload holds a matrix")
}
