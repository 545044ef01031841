//! `mul`: the product, rounded once.

use super::card_macros::binary;
use crate::graph::error::Violation;
use crate::kernel::{Binary, Kernels};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

binary! {
    Mul "mul" "the product, rounded once",
    Binary::Mul,
    [Reads::SECOND, Reads::FIRST],
    |cx, site| cx.absorb(site.cotangent, site.operands[1]),
    |cx, site| cx.absorb(site.cotangent, site.operands[0])
}
