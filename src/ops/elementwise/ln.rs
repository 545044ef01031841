//! `ln`: the natural logarithm.

use super::card_macros::{unary, unary_method};
use crate::graph::error::Violation;
use crate::kernel::{Kernels, Unary};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

unary! {
    Ln "ln" "the natural logarithm",
    Unary::Ln,
    Reads::FIRST,
    |cx, site| cx.absorb_div(site.cotangent, site.operands[0])
}

unary_method! { Ln, ln, "The natural logarithm", "1.0" => "0.0" }
