//! `erf`: the error function.

use super::card_macros::{unary, unary_method};
use crate::graph::error::Violation;
use crate::kernel::{Kernels, Unary};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

unary! {
    Erf "erf" "the error function",
    Unary::Erf,
    Reads::FIRST,
    |cx, site| {
        let x = site.operands[0];
        let bell = cx.exp(&cx.neg(&cx.mul(x, x)));
        let slope = cx.mul(&cx.literal_like(std::f64::consts::FRAC_2_SQRT_PI, x), &bell);
        cx.absorb(site.cotangent, &slope)
    }
}

unary_method! { Erf, erf, "The error function", "0.0" => "0.0" }
