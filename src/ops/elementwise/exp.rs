//! `exp`: `e` to the power of `self`.

use super::card_macros::{unary, unary_method};
use crate::graph::error::Violation;
use crate::kernel::{Kernels, Unary};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

unary! {
    Exp "exp" "`e` to the power of `self`",
    Unary::Exp,
    Reads::OUTPUT,
    |cx, site| cx.absorb(site.cotangent, site.output)
}

unary_method! { Exp, exp, "`e` to the power of `self`", "0.0" => "1.0" }
