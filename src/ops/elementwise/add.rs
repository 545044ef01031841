//! `add`: the sum, rounded once.

use super::card_macros::binary;
use crate::graph::error::Violation;
use crate::kernel::{Binary, Kernels};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

binary! {
    Add "add" "the sum, rounded once",
    Binary::Add,
    [Reads::NOTHING, Reads::NOTHING],
    |_cx, site| site.cotangent.clone(),
    |_cx, site| site.cotangent.clone()
}
