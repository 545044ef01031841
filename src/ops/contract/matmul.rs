//! `matmul`: the matrix product, batched over equal leading axes.

use crate::graph::error::Violation;
use crate::graph::{ShapeError, Value};
use crate::kernel::Kernels;
use crate::kernel::call::Call;
use crate::ops::algebra::Algebra;
use crate::ops::attribute::Attributes;
use crate::ops::lower::Lowered;
use crate::ops::{Operation, Reads, Site, rule};
use crate::payload::{Shape, Tensorial};

/// `[.., m, k] x [.., k, n] -> [.., m, n]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matmul;

impl Operation for Matmul {
    const NAME: &'static str = "matmul";
    const SUMMARY: &'static str = "`[.., m, k] x [.., k, n] -> [.., m, n]` over equal leading axes";
    const CONSTRAINTS: &'static [&'static str] = &[
        "C1: the ranks are equal and at least 2",
        "C2: the inner dimensions are equal",
        "C3: the leading extents are equal",
        "C4: the result fits the address space",
    ];
    const ARITY: Option<usize> = Some(2);

    fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
        let [a, b] = operands else { unreachable!("invariant: arity 2") };
        let rank = a.rank();
        if rank < 2 || b.rank() != rank {
            return Err(Violation::new(
                1,
                "the ranks are not equal and at least 2 (`unsqueeze` or `broadcast_to` first)",
            ));
        }
        if a[rank - 1] != b[rank - 2] {
            let violation = Violation::new(2, "inner dimensions differ");
            let leading = a[..rank - 2] == b[..rank - 2];
            let way = match (a[rank - 2] == b[rank - 2], a[rank - 1] == b[rank - 1]) {
                _ if !leading => None,
                (true, true) => Some("`transpose()` of one of the operands"),
                (true, false) => Some("`transpose()` of the left operand"),
                (false, true) => Some("`transpose()` of the right operand"),
                (false, false) if a[rank - 2] == b[rank - 1] => Some("the operands in turn"),
                (false, false) => None,
            };
            return Err(match way {
                Some(way) => violation.help(format!("the inner dimensions would agree with {way}")),
                None => violation,
            });
        }
        if a[..rank - 2] != b[..rank - 2] {
            let mut pairs = a[..rank - 2].iter().zip(&b[..rank - 2]);
            let repeats = pairs.all(|(a, b)| a == b || *a == 1 || *b == 1);
            let violation = Violation::new(3, "leading extents differ");
            return Err(match repeats {
                true => violation.help("`broadcast_to` repeats an operand along an extent of 1"),
                false => violation,
            });
        }
        rule::volume(4, a.with_extent(rank - 1, b[rank - 1]))
    }
    fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
        operands[0].matmul(operands[1], kernels)
    }
    fn lower(&self, _: &[&Shape]) -> Lowered {
        Lowered::Call(Call::Product)
    }
    fn reads(&self, position: usize) -> Reads {
        if position == 0 { Reads::SECOND } else { Reads::FIRST }
    }
    fn vjp<A: Algebra>(&self, cx: &A, site: &Site<'_, A::Value>, position: usize) -> A::Value {
        let (a, b) = (site.operands[0], site.operands[1]);
        if position == 0 {
            cx.matmul(site.cotangent, &cx.transpose(b))
        } else {
            cx.matmul(&cx.transpose(a), site.cotangent)
        }
    }
    fn from_attributes(_: &Attributes) -> Option<Self> {
        Some(Self)
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// The matrix product `[.., m, k] x [.., k, n] -> [.., m, n]` over equal leading axes. Each
    /// element sums over ascending `k` in blocks of 256, without FMA (`docs/spec`).
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let a = network.leaf(Tensor::from([[1.0_f32, 2.0]]));
    /// let b = network.leaf(Tensor::from([[3.0], [4.0]]));
    /// let y = a.matmul(b);
    /// assert_eq!(network.forward().of(y).item(), 11.0);
    /// ```
    ///
    /// # Panics
    ///
    /// Where the ranks are not equal and at least 2 (C1), the inner dimensions (C2) or the leading
    /// extents (C3) differ, or the result overflows the address space (C4).
    #[must_use]
    #[track_caller]
    pub fn matmul(self, rhs: Self) -> Self {
        self.apply(Matmul, &[rhs])
    }

    /// The twin of [`Value::matmul`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where the ranks are not equal and at least 2 (C1), the inner dimensions (C2) or the leading
    /// extents (C3) differ, or the result overflows the address space (C4).
    #[track_caller]
    pub fn try_matmul(self, rhs: Self) -> Result<Self, ShapeError> {
        self.try_apply(Matmul, &[rhs])
    }
}
