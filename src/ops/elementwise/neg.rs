//! `neg`: the negation.

use super::card_macros::unary;
use crate::graph::error::Violation;
use crate::kernel::{Kernels, Unary};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

unary! {
    Neg "neg" "the negation",
    Unary::Neg,
    Reads::NOTHING,
    |cx, site| cx.neg(site.cotangent)
}
