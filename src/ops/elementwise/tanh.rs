//! `tanh`: the hyperbolic tangent.

use super::card_macros::{unary, unary_method};
use crate::graph::error::Violation;
use crate::kernel::{Kernels, Unary};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

unary! {
    Tanh "tanh" "the hyperbolic tangent",
    Unary::Tanh,
    Reads::OUTPUT,
    |cx, site| {
        // `(1 - t)(1 + t)` keeps its relative accuracy where `t` is near 1; `1 - t * t` does not.
        let (t, one) = (site.output, cx.literal_like(1.0, site.output));
        cx.absorb(site.cotangent, &cx.mul(&cx.sub(&one, t), &cx.add(&one, t)))
    }
}

unary_method! { Tanh, tanh, "The hyperbolic tangent", "0.0" => "0.0" }
