//! `absorb`: the product, or `+0` where the first operand is zero.

use super::card_macros::{binary, binary_method};
use crate::graph::error::Violation;
use crate::kernel::{Binary, Kernels};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

binary! {
    Absorb "absorb" "the product, or `+0` where the first operand is zero",
    Binary::Absorb,
    [Reads::SECOND, Reads::FIRST],
    |cx, site| cx.absorb(site.cotangent, site.operands[1]),
    |cx, site| cx.absorb(site.cotangent, site.operands[0])
}

binary_method! {
    Absorb, absorb, try_absorb,
    "The product, or `+0` where `self` is zero",
    "0.0", "f64::INFINITY" => "0.0"
}
