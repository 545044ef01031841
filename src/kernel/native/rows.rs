//! Rows of the sum rule's sixteen lanes, in as many registers as they fill.

use crate::kernel::order::LANES;
use crate::kernel::simd::Registers;
use crate::math::format::Format;
use std::array::from_fn;

/// Sixteen elements from `at`; those past the end have any value.
#[inline(always)]
pub(super) fn load<R: Registers, const PER: usize>(
    elements: &[R::Element],
    at: usize,
) -> [R::Float; PER] {
    if let Some(row) = elements[at..].first_chunk::<LANES>() {
        return from_fn(
            #[inline(always)]
            |p| R::split(row).0[p],
        );
    }
    let mut padded = [R::Element::exact(0.0); LANES];
    padded[..elements.len() - at].copy_from_slice(&elements[at..]);
    from_fn(
        #[inline(always)]
        |p| R::split(&padded).0[p],
    )
}

/// Sixteen elements to `at`; those past the end are dropped.
#[inline(always)]
pub(super) fn store<R: Registers, const PER: usize>(
    row: &[R::Float; PER],
    out: &mut [R::Element],
    at: usize,
) {
    if let Some(to) = out[at..].first_chunk_mut::<LANES>() {
        return R::split_mut(to).0.copy_from_slice(row);
    }
    let left = out.len() - at;
    out[at..].copy_from_slice(&R::elements(row)[..left]);
}

/// Which lanes the first `count` elements of a row are in.
#[inline(always)]
pub(super) fn inside<R: Registers, const PER: usize>(token: R, count: usize) -> [R::Mask; PER] {
    let numbers: [R::Element; LANES] = from_fn(|l| R::Element::exact(l as f64));
    let end = token.splat(R::Element::exact(count as f64));
    load::<R, PER>(&numbers, 0).map(
        #[inline(always)]
        |number| token.lt(number, end),
    )
}

/// The lanes joined by the tree of the sum rule: each with the one half the width further on.
#[inline(always)]
pub(super) fn joined<R: Registers, const PER: usize>(
    lanes: [R::Float; PER],
    f: impl Fn(R::Element, R::Element) -> R::Element,
) -> R::Element {
    let mut spilled = [R::Element::exact(0.0); LANES];
    R::split_mut(&mut spilled).0.copy_from_slice(&lanes);
    let mut width = LANES / 2;
    while width > 0 {
        for l in 0..width {
            spilled[l] = f(spilled[l], spilled[l + width]);
        }
        width /= 2;
    }
    spilled[0]
}
