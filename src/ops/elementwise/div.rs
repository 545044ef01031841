//! `div`: the quotient, rounded once.

use super::card_macros::binary;
use crate::graph::error::Violation;
use crate::kernel::{Binary, Kernels};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

binary! {
    Div "div" "the quotient, rounded once",
    Binary::Div,
    [Reads::SECOND, Reads::SECOND.and(Reads::OUTPUT)],
    |cx, site| cx.absorb_div(site.cotangent, site.operands[1]),
    |cx, site| cx.neg(&cx.absorb(site.cotangent, &cx.div(site.output, site.operands[1])))
}
