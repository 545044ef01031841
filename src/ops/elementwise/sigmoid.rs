//! `sigmoid`: the logistic function `1 / (1 + exp(-x))`, without overflow.

use super::card_macros::{unary, unary_method};
use crate::graph::error::Violation;
use crate::kernel::{Kernels, Unary};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

unary! {
    Sigmoid "sigmoid" "the logistic function `1 / (1 + exp(-x))`, without overflow",
    Unary::Sigmoid,
    Reads::FIRST.and(Reads::OUTPUT),
    |cx, site| {
        // `s(x) s(-x)` and not `s (1 - s)`, which loses the tail.
        let mirrored = cx.sigmoid(&cx.neg(site.operands[0]));
        cx.absorb(site.cotangent, &cx.mul(site.output, &mirrored))
    }
}

unary_method! { Sigmoid, sigmoid, "The logistic function `1 / (1 + exp(-x))`, without overflow", "0.0" => "0.5" }
