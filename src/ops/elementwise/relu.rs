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
    Reads::OUTPUT,
    |cx, site| {
        // The result is positive where the operand is, and NaN where that is: with it the operand
        // need not be kept.
        let y = site.output;
        let positive = cx.compare(Comparison::Gt, y, &cx.literal_like(0.0, y));
        cx.route(&positive, site.cotangent)
    }
}

unary_method! { Relu, relu, "`x` where positive, else `+0`; its derivative at 0 is 0, NaN stays NaN", "-1.5" => "0.0" }
