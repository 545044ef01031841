//! What a card says of its operation to a compiler: data, so that a stage above needs to know no
//! particular operation.

use crate::kernel::call::Call;
use crate::kernel::map::Pointwise;
use crate::kernel::{Binary, Unary};

/// What computes an operation's result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lowered {
    /// The engine has it: a parameter, an input, a constant.
    Source,
    /// Functions element by element over operands of the result's shape; the last is the result.
    Pointwise(Vec<Micro>),
    /// The first operand read in another order: nothing moves.
    View(Rearrangement),
    /// The first operand, row-major, under the result's shape.
    Reshape,
    /// One number, by its bits, which the operands' shapes determine.
    Number(u64),
    /// A kernel over the operands that are no selection.
    Call(Call),
}

/// One function of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Micro {
    pub(crate) function: Pointwise,
    /// As many as the function takes.
    pub(crate) arguments: [Argument; 3],
}

/// What an element-wise function reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Argument {
    /// The operation's operand at a position.
    Operand(usize),
    /// The result of an earlier function of the same operation.
    Earlier(usize),
}

/// Another order of reading the first operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Rearrangement {
    /// Axis `i` of the result is axis `axes[i]`.
    Permute(Box<[usize]>),
    Narrow {
        axis: usize,
        start: usize,
        length: usize,
    },
    /// Axis `i` of the operand is axis `axes[i]` of the result, whose others repeat.
    Broadcast(Box<[usize]>),
    Unfold {
        axis: usize,
        size: usize,
        step: usize,
        dilation: usize,
    },
}

impl Lowered {
    /// Whether the elements of the operand at a position are read, not its shape alone.
    pub(crate) fn reads(&self, position: usize) -> bool {
        match self {
            Self::Source | Self::Number(_) => false,
            Self::View(_) | Self::Reshape | Self::Call(Call::Sum(_)) => position == 0,
            Self::Pointwise(_) | Self::Call(_) => true,
        }
    }

    /// A function of the operands in their order.
    pub(crate) fn pointwise(function: Pointwise) -> Self {
        let arguments = [0, 1, 2].map(Argument::Operand);
        Self::Pointwise(vec![Micro { function, arguments }])
    }
    pub(crate) fn unary(op: Unary) -> Self {
        Self::pointwise(Pointwise::Unary(op))
    }
    pub(crate) fn binary(op: Binary) -> Self {
        Self::pointwise(Pointwise::Binary(op))
    }
}
