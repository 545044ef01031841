//! `concat`: values behind one another along one axis.

use crate::graph::error::Violation;
use crate::kernel::Kernels;
use crate::kernel::call::Call;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Site, rule};
use crate::payload::{Shape, Tensorial};
use std::collections::BTreeSet;

/// The operands behind one another along `axis`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Concat {
    pub(crate) axis: usize,
}

impl Concat {
    /// The rule of shapes, for any number of operands without a list of them.
    pub(crate) fn infer_each<'s>(
        &self,
        operands: impl Iterator<Item = &'s Shape> + Clone,
    ) -> Result<Shape, Violation> {
        let first = operands.clone().next().expect("invariant: an operation has an operand");
        rule::axis(1, self.axis, first)?;
        if !self.agree(first, operands.clone()) {
            let problem = format!("extents differ outside axis {}", self.axis);
            let same = operands.clone().all(|shape| shape.rank() == first.rank());
            let help = match same {
                true => format!("only axis {} may differ", self.axis),
                false => "the ranks are equal, too; `unsqueeze` adds an axis".to_owned(),
            };
            return Err(Violation::new(2, problem).help(help));
        }
        let mut extent = 0_usize;
        for shape in operands {
            extent = extent
                .checked_add(shape[self.axis])
                .ok_or_else(|| Violation::new(3, "the joint extent overflows"))?;
        }
        rule::volume(3, first.with_extent(self.axis, extent))
    }

    /// Whether all extents but those of the axis are equal.
    fn agree<'s>(
        &self,
        first: &Shape,
        mut operands: impl Iterator<Item = &'s Shape> + Clone,
    ) -> bool {
        let (before, after) = (..self.axis, self.axis + 1..);
        let fits = |shape: &Shape| {
            shape.rank() == first.rank()
                && shape[before] == first[before]
                && shape[after.clone()] == first[after.clone()]
        };
        if operands.clone().nth(8).is_none() {
            return operands.all(fits);
        }
        // COST: each shape is looked at once, however often a value is named: the time that a line
        // of text takes is in proportion to the text.
        let mut seen = BTreeSet::new();
        operands.all(|shape| !seen.insert(std::ptr::from_ref(shape).addr()) || fits(shape))
    }
}

impl Operation for Concat {
    const NAME: &'static str = "concat";
    const SUMMARY: &'static str = "the operands behind one another along `axis`";
    const CONSTRAINTS: &'static [&'static str] = &[
        "C1: the axis is in range",
        "C2: the operands agree in all other extents",
        "C3: the result fits the address space",
        "C4: there is at least one operand",
    ];
    const ARITY: Option<usize> = None;

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        self.infer_each(operands.iter().copied())
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        P::concat(operands, self.axis, kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::Call(Call::Concat(self.axis))
    }
    fn counts(&self, _: usize, axis: usize, _: usize) -> bool {
        axis == self.axis
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, position: usize) -> A::Value {
        let extent = |operand: &A::Value| cx.shape(operand)[self.axis];
        let start = site.operands[..position].iter().fold(0, |start, part| start + extent(part));
        cx.narrow(site.cotangent, self.axis, start, extent(site.operands[position]))
    }
    fn vjp_each<A: Algebra>(
        &self,
        cx: &A,
        site: &Site<'_, A::Value>,
        asked: impl Fn(usize) -> bool,
        mut take: impl FnMut(usize, A::Value),
    ) {
        // COST: one count along the parts, where one for each part would be quadratic.
        let mut start = 0;
        for (position, part) in site.operands.iter().enumerate() {
            let extent = cx.shape(part)[self.axis];
            if asked(position) {
                take(position, cx.narrow(site.cotangent, self.axis, start, extent));
            }
            start += extent;
        }
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![("axis", Attribute::Integer(self.axis as i64))]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self { axis: attributes.integer("axis")? })
    }
}
