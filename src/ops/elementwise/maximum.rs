//! `maximum`: the larger; NaN where either is, `-0 < +0`.

use super::card_macros::{binary, binary_method};
use crate::graph::error::Violation;
use crate::kernel::{Binary, Comparison, Kernels};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

/// Not 0 where the left operand is the maximum: it is not less, or it is the first NaN.
fn takes_left<A: Algebra>(cx: &A, site: &Site<'_, A::Value>) -> A::Value {
    let (a, b) = (site.operands[0], site.operands[1]);
    let first_nan = cx.compare(Comparison::Ne, a, a);
    cx.select(&cx.compare(Comparison::Ge, a, b), &cx.literal_like(1.0, a), &first_nan)
}

binary! {
    Maximum "maximum" "the larger; NaN where either is, `-0 < +0`",
    Binary::Maximum,
    [Reads::FIRST.and(Reads::SECOND), Reads::FIRST.and(Reads::SECOND)],
    |cx, site| cx.route(&takes_left(cx, site), site.cotangent),
    |cx, site| cx.route_else(&takes_left(cx, site), site.cotangent)
}

binary_method! {
    Maximum, maximum, try_maximum,
    "The larger, as IEEE 754-2019 `maximum` (the left one gets the gradient of a tie)",
    "2.0", "3.0" => "3.0"
}
