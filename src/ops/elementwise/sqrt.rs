//! `sqrt`: the square root; its derivative at 0 is `+inf`.

use super::card_macros::{unary, unary_method};
use crate::graph::error::Violation;
use crate::kernel::{Kernels, Unary};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

unary! {
    Sqrt "sqrt" "the square root; its derivative at 0 is `+inf`",
    Unary::Sqrt,
    Reads::OUTPUT,
    |cx, site| cx.absorb_div(site.cotangent, &cx.add(site.output, site.output))
}

unary_method! { Sqrt, sqrt, "The square root; its derivative at 0 is `+inf`", "9.0" => "3.0" }
