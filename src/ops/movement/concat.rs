//! `concat`: values behind one another along one axis.

use crate::graph::error::Violation;
use crate::kernel::Kernels;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::{Attribute, Attributes};
use crate::ops::{Operation, Site, rule};
use crate::payload::{Shape, Tensorial};

/// The operands behind one another along `axis`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Concat {
    pub(crate) axis: usize,
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
        let Some(first) = operands.first() else {
            return Err(Violation::new(4, "nothing to concatenate"));
        };
        rule::axis(1, self.axis, first)?;
        let mut extent = 0_usize;
        for shape in operands {
            if shape.rank() != first.rank()
                || shape.with_extent(self.axis, 0) != first.with_extent(self.axis, 0)
            {
                let problem = format!("extents differ outside axis {}", self.axis);
                return Err(Violation::new(2, problem));
            }
            extent = extent
                .checked_add(shape[self.axis])
                .ok_or_else(|| Violation::new(3, "the joint extent overflows"))?;
        }
        rule::volume(3, first.with_extent(self.axis, extent))
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], _: Kernels) -> P {
        P::concat(operands, self.axis)
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, position: usize) -> A::Value {
        let extent = |operand: &A::Value| cx.shape(operand)[self.axis];
        // COST: positions ascend, so that counting on from the last one is linear in the parts.
        let (counted, start) = site.progress.get();
        let (counted, start) = if counted <= position { (counted, start) } else { (0, 0) };
        let between = &site.operands[counted..position];
        let start = between.iter().fold(start, |start, part| start + extent(part));
        site.progress.set((position, start));
        cx.narrow(site.cotangent, self.axis, start, extent(site.operands[position]))
    }
    fn attributes(&self) -> Vec<(&'static str, Attribute)> {
        vec![("axis", Attribute::Integer(self.axis as i64))]
    }
    fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self { axis: attributes.integer("axis")? })
    }
}
