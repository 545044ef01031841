//! The maximum of elements, and where it first is.

use super::View;
use super::view::each_line;
use crate::kernel::Elementary;
use std::cmp::Ordering;

/// The maximum of a slice by [`Elementary::maximum`]: NaN where any element is NaN, and
/// `-0 < +0`. `None` of nothing: a maximum has no identity here.
#[must_use]
pub fn max_of<E: Elementary>(elements: &[E]) -> Option<E> {
    let (first, rest) = elements.split_first()?;
    Some(rest.iter().fold(first.clone(), |max, x| max.maximum(x)))
}

/// The position of the first maximum of a slice; a tie compares equal (so do the two zeros), and
/// the first NaN counts as the maximum where there is one.
#[must_use]
pub fn first_max_of<E: Elementary>(elements: &[E]) -> Option<usize> {
    if elements.is_empty() {
        return None;
    }
    let mut best = 0;
    for (i, x) in elements.iter().enumerate() {
        if x.is_nan() {
            return Some(i);
        }
        if elements[best].order(x) == Some(Ordering::Less) {
            best = i;
        }
    }
    Some(best)
}

/// The maximum over the ascending `axes`. The result has the other axes.
///
/// # Panics
///
/// Panics where a maximum of no elements is asked for; recording refuses it.
#[must_use]
pub fn max<E: Elementary>(x: View<'_, E>, axes: &[usize]) -> Vec<E> {
    let mut out = Vec::new();
    each_line(x, axes, |line, _| {
        out.push(max_of(line).expect("max: an empty axis has no maximum"))
    });
    out
}

/// 1 at the first maximum over the ascending `axes`, in row-major order over them, else 0.
#[must_use]
pub fn first_max<E: Elementary>(x: View<'_, E>, axes: &[usize]) -> Vec<E> {
    let mut out = vec![E::zero(); x.count()];
    each_line(x, axes, |line, positions| {
        if let Some(first) = first_max_of(line) {
            out[positions[first]] = E::one();
        }
    });
    out
}
