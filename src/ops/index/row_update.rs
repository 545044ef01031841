//! `row_update`: rows written into a table.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::call::Call;
use crate::kernel::{Comparison, Kernels};
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Reads, Site};
use crate::payload::{Shape, Tensorial};

/// A table `[rows, ..]` with the rows that a selection `[count, rows]` names replaced.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RowUpdate;

impl Operation for RowUpdate {
    const NAME: &'static str = "row_update";
    const SUMMARY: &'static str = "a table with the rows that a selection `[count, rows]` names replaced; the last of equal names stays";
    const CONSTRAINTS: &'static [&'static str] = &[
        "C1: the table, the source and the selection have the ranks that a row needs",
        "C2: the selection is `[count, rows]` for `count` source rows and `rows` table rows",
        "C3: the rows have one shape",
        "C4: the last operand is a selection",
    ];
    const ARITY: Option<usize> = Some(3);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        let [table, source, selection] = operands else { unreachable!("invariant: arity 3") };
        if table.rank() == 0 || source.rank() == 0 || selection.rank() != 2 {
            return Err(Violation::new(1, "a table, rows and a selection of rank 2 are needed"));
        }
        if selection[..] != [source[0], table[0]] {
            let problem = format!("the selection is not [{}, {}]", source[0], table[0]);
            return Err(Violation::new(2, problem));
        }
        if table[1..] != source[1..] {
            return Err(Violation::new(3, "the rows differ in shape"));
        }
        Ok((*table).clone())
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        operands[0].row_update(operands[1], operands[2], kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::Call(Call::RowUpdate)
    }
    fn differentiable(&self, position: usize) -> bool {
        position != 2
    }
    fn selection(&self) -> Option<(usize, u8)> {
        Some((2, 4))
    }
    fn reads(&self, _: usize) -> Reads {
        Reads::THIRD
    }
    fn counts(&self, position: usize, _: usize, _: usize) -> bool {
        position == 2
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, position: usize) -> A::Value {
        let (g, source, selection) = (site.cotangent, site.operands[1], site.operands[2]);
        if position == 0 {
            return cx.row_update(g, &cx.literal_like(0.0, source), selection);
        }
        // A row that a later one overwrote has no influence: each source row asks the table
        // whose number stayed there.
        let numbers = cx.iota(cx.shape(source)[0]);
        let blank = cx.zeros(&Shape::from([cx.shape(selection)[1], 1]));
        let stayed = cx.gather(&cx.row_update(&blank, &numbers, selection), selection);
        let wins = cx.compare(Comparison::Eq, &stayed, &numbers);
        let rows = cx.gather(g, selection);
        let rest: Vec<usize> = (1..cx.shape(&rows).rank()).collect();
        let wins = cx.squeeze(&wins, 1);
        let wins = if rest.is_empty() { wins } else { cx.broadcast_along(&wins, &rest, &rows) };
        cx.route(&wins, &rows)
    }
    fn from_attributes(_: &Attributes) -> Option<Self> {
        Some(Self)
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// This table `[rows, ..]` with the rows that the selection `[count, rows]` names replaced by
    /// those of `source` `[count, ..]`; the last of equal names stays.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let table = network.leaf(Tensor::from([[1.0_f32], [2.0], [3.0]]));
    /// let source = network.leaf(Tensor::from([[9.0]]));
    /// let at = network.input(Tensor::selection(&[1], 3));
    /// let y = table.row_update(source, at);
    /// assert_eq!(network.forward().of(y).to_vec(), [1.0, 9.0, 3.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where the ranks (C1), the selection (C2) or the rows (C3) do not fit, or `selection` is none
    /// (C4).
    #[must_use]
    #[track_caller]
    pub fn row_update(self, source: Self, selection: Self) -> Self {
        self.apply(RowUpdate, &[source, selection])
    }

    /// The twin of [`Value::row_update`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where the ranks (C1), the selection (C2) or the rows (C3) do not fit, or `selection` is none
    /// (C4).
    #[track_caller]
    pub fn try_row_update(self, source: Self, selection: Self) -> Result<Self, ShapeError> {
        self.try_apply(RowUpdate, &[source, selection])
    }
}
