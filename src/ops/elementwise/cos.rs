//! `cos`: the cosine of radians.

use super::card_macros::{unary, unary_method};
use crate::graph::error::Violation;
use crate::kernel::{Kernels, Unary};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

unary! {
    Cos "cos" "the cosine of radians",
    Unary::Cos,
    Reads::FIRST,
    |cx, site| cx.neg(&cx.absorb(site.cotangent, &cx.sin(site.operands[0])))
}

unary_method! { Cos, cos, "The cosine of radians", "0.0" => "1.0" }
