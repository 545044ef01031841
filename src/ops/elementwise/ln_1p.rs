//! `ln_1p`: `ln(1 + x)`, accurate near 0.

use super::card_macros::{unary, unary_method};
use crate::graph::error::Violation;
use crate::kernel::{Kernels, Unary};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

unary! {
    Ln1p "ln_1p" "`ln(1 + x)`, accurate near 0",
    Unary::Ln1p,
    Reads::FIRST,
    |cx, site| {
        let x = site.operands[0];
        cx.absorb_div(site.cotangent, &cx.add(&cx.literal_like(1.0, x), x))
    }
}

unary_method! { Ln1p, ln_1p, "`ln(1 + x)`, accurate near 0", "0.0" => "0.0" }
