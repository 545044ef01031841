//! `absorb_div`: the quotient, or `+0` where the first operand is zero.

use super::card_macros::{binary, binary_method};
use crate::graph::error::Violation;
use crate::kernel::{Binary, Kernels};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

binary! {
    AbsorbDiv "absorb_div" "the quotient, or `+0` where the first operand is zero",
    Binary::AbsorbDiv,
    [Reads::SECOND, Reads::FIRST.and(Reads::SECOND)],
    |cx, site| cx.absorb_div(site.cotangent, site.operands[1]),
    |cx, site| {
        let (g, d) = (site.operands[0], site.operands[1]);
        let slope = cx.absorb_div(&cx.absorb_div(g, d), d);
        cx.neg(&cx.absorb(site.cotangent, &slope))
    }
}

binary_method! {
    AbsorbDiv, absorb_div, try_absorb_div,
    "The quotient, or `+0` where `self` is zero",
    "0.0", "0.0" => "0.0"
}
