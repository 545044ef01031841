//! `powf`: a power, 1 at `0^0`.

use super::card_macros::{binary, binary_method};
use crate::graph::error::Violation;
use crate::kernel::{Binary, Comparison, Kernels};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::{Reads, Site};
use crate::payload::{Shape, Tensorial};

binary! {
    Powf "powf" "a power, 1 at `0^0`",
    Binary::Powf,
    [Reads::FIRST.and(Reads::SECOND), Reads::FIRST.and(Reads::OUTPUT)],
    |cx, site| {
        // `absorb(y, ..)`: at `y = 0` the power is constant, also where `x^(y - 1)` is infinite.
        let (x, y) = (site.operands[0], site.operands[1]);
        let lower = cx.powf(x, &cx.sub(y, &cx.literal_like(1.0, y)));
        cx.absorb(site.cotangent, &cx.absorb(y, &lower))
    },
    |cx, site| {
        // `absorb(x^y, ..)`: where the power is 0 its logarithm's infinity does not count. There it
        // is that of 1, so that it does not count in derivatives of this one either.
        let (x, power) = (site.operands[0], site.output);
        let positive = cx.compare(Comparison::Ne, power, &cx.literal_like(0.0, power));
        let base = cx.select(&positive, x, &cx.literal_like(1.0, x));
        cx.absorb(site.cotangent, &cx.absorb(power, &cx.ln(&base)))
    }
}

binary_method! {
    Powf, powf, try_powf,
    "`self` to the power `rhs`",
    "2.0", "3.0" => "8.0"
}
