//! `scatter`: the adjoint of `gather`.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::kernel::call::Call;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Reads, Site, rule};
use crate::payload::{Shape, Tensorial};

/// Rows `[.., ..]` added, in source order, onto zero rows where a selection `[.., rows]` says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scatter;

impl Operation for Scatter {
    const NAME: &'static str = "scatter";
    const SUMMARY: &'static str =
        "the adjoint of `gather`: rows added, in source order, where a selection says";
    const CONSTRAINTS: &'static [&'static str] = &[
        "C1: the selection has an axis",
        "C2: the source begins with the selection's leading extents",
        "C3: the result fits the address space",
        "C4: the last operand is a selection",
    ];
    const ARITY: Option<usize> = Some(2);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        let [source, selection] = operands else { unreachable!("invariant: arity 2") };
        let Some((&rows, lead)) = selection.split_last() else {
            return Err(Violation::new(1, "the selection has no axis"));
        };
        if !source.starts_with(lead) {
            return Err(Violation::new(
                2,
                "the source does not begin with the selection's extents",
            ));
        }
        let rest = &source[lead.len()..];
        rule::volume(
            3,
            Shape::from_fn(1 + rest.len(), |to| if to == 0 { rows } else { rest[to - 1] }),
        )
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        operands[0].scatter(operands[1], kernels)
    }
    fn lower(&self, operands: &[&Shape]) -> Lowered {
        let (&rows, leading) =
            operands[1].split_last().expect("invariant: a selection has an axis");
        Lowered::Call(Call::Scatter { rows, leading: leading.len() })
    }
    fn differentiable(&self, position: usize) -> bool {
        position == 0
    }
    fn selection(&self) -> Option<(usize, u8)> {
        Some((1, 4))
    }
    fn reads(&self, _: usize) -> Reads {
        Reads::SECOND
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, _: usize) -> A::Value {
        cx.gather(site.cotangent, site.operands[1])
    }
    fn from_attributes(_: &Attributes) -> Option<Self> {
        Some(Self)
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// The adjoint of [`Value::gather`]: the rows `[.., ..]` of `self` added, in source order, onto
    /// `rows` zero rows where the selection `[.., rows]` says.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let rows = network.leaf(Tensor::from([[1.0_f32], [2.0]]));
    /// let at = network.input(Tensor::selection(&[1, 1], 3));
    /// let y = rows.scatter(at);
    /// assert_eq!(network.forward().of(y).to_vec(), [0.0, 3.0, 0.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where the selection has no axis (C1), the extents do not fit (C2), the result overflows the
    /// address space (C3) or `selection` is none (C4).
    #[must_use]
    #[track_caller]
    pub fn scatter(self, selection: Self) -> Self {
        self.apply(Scatter, &[selection])
    }

    /// The twin of [`Value::scatter`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where the selection has no axis (C1), the extents do not fit (C2), the result overflows the
    /// address space (C3) or `selection` is none (C4).
    #[track_caller]
    pub fn try_scatter(self, selection: Self) -> Result<Self, ShapeError> {
        self.try_apply(Scatter, &[selection])
    }
}
