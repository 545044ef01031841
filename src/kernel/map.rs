//! Element-wise functions as data: the interpreter, the reference kernels and later fused chains
//! all dispatch on these.

use super::element::Elementary;
use std::cmp::Ordering;

/// A function of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant is the method of `Elementary` of that name")]
pub enum Unary {
    Neg,
    Exp,
    ExpM1,
    Ln,
    Ln1p,
    Sqrt,
    Tanh,
    Sigmoid,
    Sin,
    Cos,
    Erf,
    Relu,
    Powi(i32),
}

/// A function of two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant is the method of `Elementary` of that name")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Absorb,
    AbsorbDiv,
    Powf,
    Maximum,
    Compare(Comparison),
}

/// An element-wise function of one, two or three arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pointwise {
    Unary(Unary),
    Binary(Binary),
    /// The second where the first is not 0, else the third.
    Select,
}

impl Pointwise {
    /// The number of its arguments.
    pub(crate) fn arity(self) -> usize {
        match self {
            Self::Unary(_) => 1,
            Self::Binary(_) => 2,
            Self::Select => 3,
        }
    }
}

/// A relation between two elements. All are false on NaN, except `Ne`, which is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the six relations")]
pub enum Comparison {
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

impl Comparison {
    /// All six, in the order of their declaration.
    pub const ALL: [Self; 6] = [Self::Lt, Self::Le, Self::Gt, Self::Ge, Self::Eq, Self::Ne];

    /// The name that text prints.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lt => "lt",
            Self::Le => "le",
            Self::Gt => "gt",
            Self::Ge => "ge",
            Self::Eq => "eq",
            Self::Ne => "ne",
        }
    }

    /// Whether the relation holds.
    #[inline(always)]
    pub fn holds<E: Elementary>(self, lhs: &E, rhs: &E) -> bool {
        match (self, lhs.order(rhs)) {
            (Self::Ne, order) => order != Some(Ordering::Equal),
            (_, None) => false,
            (Self::Lt, Some(order)) => order == Ordering::Less,
            (Self::Le, Some(order)) => order != Ordering::Greater,
            (Self::Gt, Some(order)) => order == Ordering::Greater,
            (Self::Ge, Some(order)) => order != Ordering::Less,
            (Self::Eq, Some(order)) => order == Ordering::Equal,
        }
    }
}

impl Unary {
    /// The function of one element.
    #[inline(always)]
    pub fn apply<E: Elementary>(self, x: &E) -> E {
        match self {
            Self::Neg => x.neg(),
            Self::Exp => x.exp(),
            Self::ExpM1 => x.exp_m1(),
            Self::Ln => x.ln(),
            Self::Ln1p => x.ln_1p(),
            Self::Sqrt => x.sqrt(),
            Self::Tanh => x.tanh(),
            Self::Sigmoid => x.sigmoid(),
            Self::Sin => x.sin(),
            Self::Cos => x.cos(),
            Self::Erf => x.erf(),
            Self::Relu => x.relu(),
            Self::Powi(n) => x.powi(n),
        }
    }
}

impl Binary {
    /// The function of two elements.
    #[inline(always)]
    pub fn apply<E: Elementary>(self, a: &E, b: &E) -> E {
        match self {
            Self::Add => a.add(b),
            Self::Sub => a.sub(b),
            Self::Mul => a.mul(b),
            Self::Div => a.div(b),
            Self::Absorb => a.absorb(b),
            Self::AbsorbDiv => a.absorb_div(b),
            Self::Powf => a.powf(b),
            Self::Maximum => a.maximum(b),
            Self::Compare(relation) => {
                if relation.holds(a, b) {
                    E::one()
                } else {
                    E::zero()
                }
            }
        }
    }
}
