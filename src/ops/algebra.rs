//! `Algebra`: what a derivative rule may do with values, whatever they are.
//!
//! A rule is written once over this trait. Over payloads it computes the gradient now; over
//! positions on a tape it records it. `backward` and `differentiate` are the same code with two
//! algebras, so that they cannot disagree.

use super::movement::{
    BroadcastAlong, BroadcastLike, Narrow, Pad, Permute, ReshapeLike, Squeeze, SumLike, Unsqueeze,
};
use super::*;
use crate::kernel::Comparison;
use crate::payload::Shape;

pub(crate) trait Algebra {
    type Value: Clone;

    /// The rule of the node at `index` comes next.
    fn enter(&self, index: usize) {
        let _ = index;
    }
    /// The result of an operation that respects its constraints.
    fn apply(&self, function: Function, operands: &[&Self::Value]) -> Self::Value;
    fn shape(&self, value: &Self::Value) -> Shape;
    /// `value` in the shape of `like`.
    fn literal_like(&self, value: f64, like: &Self::Value) -> Self::Value;
    /// Zeros.
    fn zeros(&self, shape: &Shape) -> Self::Value;
    /// The integers `0..count` as a column `[count, 1]`.
    fn iota(&self, count: usize) -> Self::Value;

    fn neg(&self, x: &Self::Value) -> Self::Value {
        self.apply(Neg.into(), &[x])
    }
    fn add(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        self.apply(Add.into(), &[a, b])
    }
    fn sub(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        self.apply(Sub.into(), &[a, b])
    }
    fn mul(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        self.apply(Mul.into(), &[a, b])
    }
    fn div(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        self.apply(Div.into(), &[a, b])
    }
    /// Cotangent times local derivative: `+0` where the cotangent is zero.
    fn absorb(&self, g: &Self::Value, d: &Self::Value) -> Self::Value {
        self.apply(Absorb.into(), &[g, d])
    }
    fn absorb_div(&self, g: &Self::Value, d: &Self::Value) -> Self::Value {
        self.apply(AbsorbDiv.into(), &[g, d])
    }
    fn exp(&self, x: &Self::Value) -> Self::Value {
        self.apply(Exp.into(), &[x])
    }
    fn ln(&self, x: &Self::Value) -> Self::Value {
        self.apply(Ln.into(), &[x])
    }
    fn sin(&self, x: &Self::Value) -> Self::Value {
        self.apply(Sin.into(), &[x])
    }
    fn cos(&self, x: &Self::Value) -> Self::Value {
        self.apply(Cos.into(), &[x])
    }
    fn sigmoid(&self, x: &Self::Value) -> Self::Value {
        self.apply(Sigmoid.into(), &[x])
    }
    fn powf(&self, x: &Self::Value, y: &Self::Value) -> Self::Value {
        self.apply(Powf.into(), &[x, y])
    }
    fn powi(&self, x: &Self::Value, exponent: i32) -> Self::Value {
        self.apply(Powi { exponent }.into(), &[x])
    }
    fn compare(&self, relation: Comparison, a: &Self::Value, b: &Self::Value) -> Self::Value {
        self.apply(Compare { relation }.into(), &[a, b])
    }
    fn select(&self, condition: &Self::Value, on: &Self::Value, off: &Self::Value) -> Self::Value {
        self.apply(Select.into(), &[condition, on, off])
    }
    /// The cotangent where the condition holds, else `+0`.
    fn route(&self, condition: &Self::Value, g: &Self::Value) -> Self::Value {
        self.select(condition, g, &self.literal_like(0.0, g))
    }
    /// The cotangent where the condition does not hold, else `+0`.
    fn route_else(&self, condition: &Self::Value, g: &Self::Value) -> Self::Value {
        self.select(condition, &self.literal_like(0.0, g), g)
    }
    fn matmul(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        self.apply(Matmul.into(), &[a, b])
    }
    fn permute(&self, x: &Self::Value, axes: Vec<usize>) -> Self::Value {
        self.apply(Permute { axes: axes.into() }.into(), &[x])
    }
    /// The last two axes exchanged.
    fn transpose(&self, x: &Self::Value) -> Self::Value {
        let rank = self.shape(x).rank();
        let mut axes: Vec<usize> = (0..rank).collect();
        axes.swap(rank - 2, rank - 1);
        self.permute(x, axes)
    }
    fn reshape_like(&self, x: &Self::Value, like: &Self::Value) -> Self::Value {
        self.apply(ReshapeLike.into(), &[x, like])
    }
    fn unsqueeze(&self, x: &Self::Value, axis: usize) -> Self::Value {
        self.apply(Unsqueeze { axis }.into(), &[x])
    }
    fn squeeze(&self, x: &Self::Value, axis: usize) -> Self::Value {
        self.apply(Squeeze { axis }.into(), &[x])
    }
    fn narrow(&self, x: &Self::Value, axis: usize, start: usize, length: usize) -> Self::Value {
        self.apply(Narrow { axis, start, length }.into(), &[x])
    }
    fn pad(&self, x: &Self::Value, axis: usize, before: usize, after: usize) -> Self::Value {
        self.apply(Pad { axis, before, after, value: 0.0 }.into(), &[x])
    }
    fn broadcast_like(&self, x: &Self::Value, like: &Self::Value) -> Self::Value {
        self.apply(BroadcastLike.into(), &[x, like])
    }
    fn sum_like(&self, x: &Self::Value, like: &Self::Value) -> Self::Value {
        self.apply(SumLike.into(), &[x, like])
    }
    /// `axes` of `like` added to `x`, repeated.
    fn broadcast_along(&self, x: &Self::Value, axes: &[usize], like: &Self::Value) -> Self::Value {
        self.apply(BroadcastAlong { axes: axes.into() }.into(), &[x, like])
    }
    fn sum_along(&self, x: &Self::Value, axes: &[usize]) -> Self::Value {
        self.apply(SumAlong { axes: axes.into() }.into(), &[x])
    }
    fn softmax(&self, x: &Self::Value, axis: usize) -> Self::Value {
        self.apply(Softmax { axis }.into(), &[x])
    }
    fn gather(&self, table: &Self::Value, selection: &Self::Value) -> Self::Value {
        self.apply(Gather.into(), &[table, selection])
    }
    fn scatter(&self, source: &Self::Value, selection: &Self::Value) -> Self::Value {
        self.apply(Scatter.into(), &[source, selection])
    }
    fn row_update(
        &self,
        table: &Self::Value,
        source: &Self::Value,
        selection: &Self::Value,
    ) -> Self::Value {
        self.apply(RowUpdate.into(), &[table, source, selection])
    }
}
