//! Movement that no stride can express: a row-major copy, padding, concatenation.

use super::View;
use super::view::{each_index, position};
use crate::kernel::Elementary;
use crate::kernel::walk::product_of;

/// The elements in row-major order.
#[must_use]
pub fn copy<E: Elementary>(x: View<'_, E>) -> Vec<E> {
    x.to_vec()
}

/// `before` and `after` further positions of `axis`, filled with `value`.
#[must_use]
pub fn pad<E: Elementary>(
    x: View<'_, E>,
    axis: usize,
    before: usize,
    after: usize,
    value: &E,
) -> Vec<E> {
    let mut extents = x.extents.to_vec();
    extents[axis] += before + after;
    let mut out = vec![value.clone(); product_of(&extents)];
    each_index(x.extents, |index| {
        let mut at = index.to_vec();
        at[axis] += before;
        out[position(&extents, &at)] = x.at(index).clone();
    });
    out
}

/// The parts behind one another along `axis`.
///
/// # Panics
///
/// Panics where the parts differ in another axis.
#[must_use]
pub fn concat<E: Elementary>(parts: &[View<'_, E>], axis: usize) -> Vec<E> {
    let Some(first) = parts.first() else { return Vec::new() };
    let mut extents = first.extents.to_vec();
    for part in parts {
        let agree = part.extents.len() == extents.len()
            && (0..extents.len())
                .all(|other| other == axis || part.extents[other] == extents[other]);
        assert!(agree, "concat: {:?} and {extents:?} differ outside axis {axis}", part.extents);
    }
    extents[axis] = parts.iter().fold(0, |extent, part| extent + part.extents[axis]);
    // Every position is written once; the zeros never show.
    let mut out = vec![E::zero(); product_of(&extents)];
    let mut start = 0;
    for part in parts {
        each_index(part.extents, |index| {
            let mut at = index.to_vec();
            at[axis] += start;
            out[position(&extents, &at)] = part.at(index).clone();
        });
        start += part.extents[axis];
    }
    out
}
