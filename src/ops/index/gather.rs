//! `gather`: rows of a table, chosen by a selection.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::kernel::call::Call;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Reads, Site, rule};
use crate::payload::{Shape, Tensorial};

/// Rows of a table `[rows, ..]` by a selection `[.., rows]`: `[.., ..]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Gather;

impl Operation for Gather {
    const NAME: &'static str = "gather";
    const SUMMARY: &'static str = "rows of a table `[rows, ..]` chosen by a selection `[.., rows]`";
    const CONSTRAINTS: &'static [&'static str] = &[
        "C1: the table and the selection have an axis each",
        "C2: the selection's last extent is the number of rows",
        "C3: the result fits the address space",
        "C4: the last operand is a selection",
    ];
    const ARITY: Option<usize> = Some(2);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        let [table, selection] = operands else { unreachable!("invariant: arity 2") };
        if table.rank() == 0 || selection.rank() == 0 {
            return Err(Violation::new(1, "the table or the selection has no axis"));
        }
        let last = selection.rank() - 1;
        if selection[last] != table[0] {
            let problem = format!(
                "the selection is over {} rows, the table has {}",
                selection[last], table[0]
            );
            let help = format!("`Tensor::selection(&rows, {})` is one of this table", table[0]);
            return Err(Violation::new(2, problem).help(help));
        }
        let shape = Shape::from_fn(last + table.rank() - 1, |to| match to < last {
            true => selection[to],
            false => table[to - last + 1],
        });
        rule::volume(3, shape)
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        operands[0].gather(operands[1], kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::Call(Call::Gather)
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
        cx.scatter(site.cotangent, site.operands[1])
    }
    fn from_attributes(_: &Attributes) -> Option<Self> {
        Some(Self)
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// Rows of this table `[rows, ..]` chosen by a selection `[.., rows]` (one-hot rows): an
    /// embedding. Rows that are not chosen cannot influence the result; the gradient of a row is the
    /// sum over every position that chose it.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let table = network.parameter(Tensor::from([[1.0_f32, 2.0], [3.0, 4.0]]));
    /// let rows = network.input(Tensor::selection(&[1, 1, 0], 2));
    /// let y = table.gather(rows);
    /// assert_eq!(network.forward().of(y).to_vec(), [3.0, 4.0, 3.0, 4.0, 1.0, 2.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where one of them has no axis (C1), the selection is over another number of rows (C2), the
    /// result overflows the address space (C3) or `selection` is none (C4).
    #[must_use]
    #[track_caller]
    pub fn gather(self, selection: Self) -> Self {
        self.apply(Gather, &[selection])
    }

    /// The twin of [`Value::gather`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where one of them has no axis (C1), the selection is over another number of rows (C2), the
    /// result overflows the address space (C3) or `selection` is none (C4).
    #[track_caller]
    pub fn try_gather(self, selection: Self) -> Result<Self, ShapeError> {
        self.try_apply(Gather, &[selection])
    }
}
