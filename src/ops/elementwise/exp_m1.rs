//! `exp_m1`: `exp(x) - 1`, accurate near 0.

use super::card_macros::{unary, unary_method};
use crate::graph::error::Violation;
use crate::kernel::{Kernels, Unary};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

unary! {
    ExpM1 "exp_m1" "`exp(x) - 1`, accurate near 0",
    Unary::ExpM1,
    Reads::FIRST,
    |cx, site| cx.absorb(site.cotangent, &cx.exp(site.operands[0]))
}

unary_method! { ExpM1, exp_m1, "`exp(x) - 1`, accurate near 0", "0.0" => "0.0" }
