//! `relu`: `x` where positive, else `+0`; its derivative at 0 is 0, NaN stays NaN.

use super::card_macros::{unary, unary_method};
use crate::graph::error::Violation;
use crate::kernel::{Comparison, Kernels, Unary};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

unary! {
    Relu "relu" "`x` where positive, else `+0`; its derivative at 0 is 0, NaN stays NaN",
    Unary::Relu,
    Reads::FIRST,
    |cx, site| {
        let x = site.operands[0];
        let positive = cx.compare(Comparison::Gt, x, &cx.literal_like(0.0, x));
        cx.route(&positive, site.cotangent)
    }
}

unary_method! { Relu, relu, "`x` where positive, else `+0`; its derivative at 0 is 0, NaN stays NaN", "-1.5" => "0.0" }
