//! `sin`: the sine of radians.

use super::card_macros::{unary, unary_method};
use crate::graph::error::Violation;
use crate::kernel::{Kernels, Unary};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

unary! {
    Sin "sin" "the sine of radians",
    Unary::Sin,
    Reads::FIRST,
    |cx, site| cx.absorb(site.cotangent, &cx.cos(site.operands[0]))
}

unary_method! { Sin, sin, "The sine of radians", "0.0" => "0.0" }
