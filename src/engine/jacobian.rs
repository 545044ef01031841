//! Whole matrices of derivatives: Jacobians and Hessians, recorded as more tape.
//!
//! INVARIANT: nothing here differentiates by itself. Every row is a `vjp`, and every column the `vjp`
//! of a pull-back by its cotangent, so that a Jacobian has what a rule has: the conventions at kinks,
//! the absorbing products, and the bits of a run and of a plan.

use super::forward::positions;
use crate::graph::error::{NetworkError, describe, recorded, resolved};
use crate::graph::node::{Origin, Place};
use crate::graph::{Network, Symbol, Value};
use crate::kernel::Elementary;
use crate::ops::{Extent, Leaf, Reshape};
use crate::payload::{Shape, Stored, Tensorial};
use std::panic::Location;

/// More rows and columns than this are refused: the tape could not hold the passes.
const PASSES: usize = 1 << 24;

impl<P: Tensorial> Network<P> {
    /// Records the Jacobian of `target`, of any shape, with respect to each of `wrt`: values of shape
    /// `[target.., value..]`, the extents of the target followed by those of the value. At `[i.., j..]`
    /// stands the derivative of the target's element `i` by the value's element `j`.
    ///
    /// COST: a reverse pass is recorded for each element of the target, or two for each element of the
    /// values where the target has more elements. Everything is more tape: it can be compiled, fed,
    /// and differentiated again.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.input(Tensor::from([3.0_f64, 5.0]));
    /// let area = (x * x).sum();
    /// let [squares, both] = [x * x, area.broadcast_like(x) * x];
    /// let (first, second) = (network.jacobian(squares, [x])[0], network.jacobian(both, [x])[0]);
    /// let plan = network.compile([first, second], []);
    /// let results = plan.forward(&network, []);
    /// assert_eq!(results.of(first), Tensor::from([[6.0, 0.0], [0.0, 10.0]]));
    /// // The first row: 34 + 2 * 3 * 3 and 2 * 5 * 3.
    /// assert_eq!(results.of(second), Tensor::from([[52.0, 30.0], [30.0, 84.0]]));
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Network::try_jacobian`] errs.
    #[must_use]
    #[track_caller]
    pub fn jacobian<S: Into<Symbol>>(
        &self,
        target: impl Into<Symbol>,
        wrt: impl IntoIterator<Item = S>,
    ) -> Vec<Value<'_, P>> {
        resolved(self.try_jacobian(target, wrt))
    }

    /// Records the Jacobian of `target` with respect to each of `wrt`.
    ///
    /// # Errors
    ///
    /// Where a symbol is not of this network, or a Jacobian is too large to be recorded; nothing is
    /// recorded then.
    #[track_caller]
    pub fn try_jacobian<S: Into<Symbol>>(
        &self,
        target: impl Into<Symbol>,
        wrt: impl IntoIterator<Item = S>,
    ) -> Result<Vec<Value<'_, P>>, NetworkError> {
        let wrt: Vec<Symbol> = wrt.into_iter().map(Into::into).collect();
        let target = target.into();
        self.check_jacobian("jacobian", target, target, &wrt)?;
        self.jacobian_recorded(target, &wrt)
    }

    /// Records the Hessian of `target`, of exactly one element: the block `[i][j]` holds the second
    /// derivatives by `wrt[i]` and `wrt[j]`, of shape `[wrt[i].., wrt[j]..]`.
    ///
    /// COST: the gradient, and a reverse pass over it for each element of the values.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let x = network.input(Tensor::from([2.0_f64, 3.0]));
    /// let k = network.input(Tensor::scalar(10.0));
    /// let hessian = network.hessian(k * (x * x * x).sum(), [x, k]);
    /// let run = network.forward();
    /// assert_eq!(run.of(hessian[0][0]), Tensor::from([[120.0, 0.0], [0.0, 180.0]]));
    /// assert_eq!(run.of(hessian[0][1]), Tensor::from([12.0, 27.0]));
    /// assert_eq!(run.of(hessian[1][0]), Tensor::from([12.0, 27.0]));
    /// assert_eq!(run.of(hessian[1][1]), Tensor::scalar(0.0));
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Network::try_hessian`] errs.
    #[must_use]
    #[track_caller]
    pub fn hessian<S: Into<Symbol>>(
        &self,
        target: impl Into<Symbol>,
        wrt: impl IntoIterator<Item = S>,
    ) -> Vec<Vec<Value<'_, P>>> {
        resolved(self.try_hessian(target, wrt))
    }

    /// Records the Hessian of `target`.
    ///
    /// # Errors
    ///
    /// Where a symbol is not of this network, the target has not exactly one element, or a block is
    /// too large to be recorded; nothing is recorded then.
    #[track_caller]
    pub fn try_hessian<S: Into<Symbol>>(
        &self,
        target: impl Into<Symbol>,
        wrt: impl IntoIterator<Item = S>,
    ) -> Result<Vec<Vec<Value<'_, P>>>, NetworkError> {
        let wrt: Vec<Symbol> = wrt.into_iter().map(Into::into).collect();
        let target = target.into();
        for &value in &wrt {
            self.check_jacobian("hessian", target, value, &wrt)?;
        }
        let gradients = self.differentiated(target, wrt.iter(), "hessian")?;
        // A loop and not a closure, through which the caller's line would be lost.
        let mut blocks = Vec::with_capacity(gradients.len());
        for gradient in gradients {
            blocks.push(self.jacobian_recorded(gradient.symbol(), &wrt)?);
        }
        Ok(blocks)
    }

    /// Whether the symbols are of this network, and the Jacobians of what has the shape of `rows` have
    /// a place.
    fn check_jacobian(
        &self,
        operation: &'static str,
        target: Symbol,
        rows: Symbol,
        wrt: &[Symbol],
    ) -> Result<(), NetworkError> {
        let tape = self.tape();
        tape.position(target, operation)?;
        let rows = tape.node(tape.position(rows, operation)?);
        let mut columns = Some(0_usize);
        for index in positions(&tape, wrt.iter(), operation)? {
            let node = tape.node(index);
            let volume = joint(&rows.shape, &node.shape).volume();
            columns = columns.zip(node.shape.volume()).and_then(|(a, b)| a.checked_add(b));
            let passes = rows.shape.volume().zip(columns).map(|(rows, columns)| rows.min(columns));
            if volume.is_none() || passes.is_none_or(|passes| passes > PASSES) {
                return Err(NetworkError::JacobianTooLarge {
                    operation,
                    value: describe(index, node),
                    rows: (*rows.shape).clone(),
                    columns: (*node.shape).clone(),
                });
            }
        }
        Ok(())
    }

    /// The Jacobians, by rows or by columns, whichever are fewer.
    #[track_caller]
    fn jacobian_recorded(
        &self,
        target: Symbol,
        wrt: &[Symbol],
    ) -> Result<Vec<Value<'_, P>>, NetworkError> {
        let target = self.try_resolve(target)?;
        let wrt: Vec<Value<'_, P>> =
            wrt.iter().map(|&value| self.try_resolve(value)).collect::<Result<_, _>>()?;
        let columns = wrt.iter().map(|value| value.shape().count()).fold(0, |sum, n| sum + n);
        if target.shape().count() <= columns {
            self.by_rows(target, &wrt)
        } else {
            self.by_columns(target, &wrt)
        }
    }

    /// One pull-back for each element of the target gives a row of every Jacobian.
    #[track_caller]
    fn by_rows<'n>(
        &'n self,
        target: Value<'n, P>,
        wrt: &[Value<'n, P>],
    ) -> Result<Vec<Value<'n, P>>, NetworkError> {
        let symbols: Vec<Symbol> = wrt.iter().map(|value| value.symbol()).collect();
        let mut rows = vec![Vec::new(); wrt.len()];
        for element in 0..target.shape().count() {
            let cotangent = self.one_at(target, element);
            let pulled = self.try_vjp(target, cotangent, &symbols)?;
            rows.iter_mut().zip(pulled).for_each(|(rows, row)| rows.push(row));
        }
        let mut jacobians = Vec::with_capacity(wrt.len());
        for (rows, value) in rows.iter().zip(wrt) {
            jacobians.push(self.assembled(rows, 0, [target, *value]));
        }
        Ok(jacobians)
    }

    /// A pull-back is linear in its cotangent: its derivative by the cotangent, along one element of a
    /// value, is a column.
    #[track_caller]
    fn by_columns<'n>(
        &'n self,
        target: Value<'n, P>,
        wrt: &[Value<'n, P>],
    ) -> Result<Vec<Value<'n, P>>, NetworkError> {
        let cotangent = target.literal(1.0);
        let symbols: Vec<Symbol> = wrt.iter().map(|value| value.symbol()).collect();
        let pulled = self.try_vjp(target, cotangent, &symbols)?;
        let mut jacobians = Vec::with_capacity(wrt.len());
        for (pulled, value) in pulled.into_iter().zip(wrt) {
            let mut columns = Vec::with_capacity(value.shape().count());
            for element in 0..value.shape().count() {
                let along = self.one_at(*value, element);
                columns.push(self.try_vjp(pulled, along, [cotangent])?[0]);
            }
            let last = target.shape().rank();
            jacobians.push(self.assembled(&columns, last, [target, *value]));
        }
        Ok(jacobians)
    }

    /// 1 at one element, row-major, and 0 at the others.
    #[track_caller]
    fn one_at<'n>(&'n self, value: Value<'n, P>, element: usize) -> Value<'n, P> {
        let shape = value.shape();
        let mut elements = vec![P::Element::zero(); shape.count()];
        elements[element] = P::Element::one();
        let payload = P::from_stored(shape, Stored::Dense(elements));
        let payload = payload.expect("invariant: as many elements as the shape says");
        self.constant(payload, value)
    }

    /// A constant whose shape is of `value`.
    #[track_caller]
    fn constant<'n>(&'n self, payload: P, value: Value<'n, P>) -> Value<'n, P> {
        let origin = Origin::new(Place::Source(Location::caller()), self.branch());
        let origin = origin.measured(value.all_extents());
        self.source_from(Leaf.into(), payload, false, origin)
    }

    /// The parts behind one another along a new axis, under the shape of the derivatives of the one
    /// value by the other.
    #[track_caller]
    fn assembled<'n>(
        &'n self,
        parts: &[Value<'n, P>],
        axis: usize,
        [target, value]: [Value<'n, P>; 2],
    ) -> Value<'n, P> {
        let shape = joint(target.shape(), value.shape());
        if shape.count() == 0 {
            let empty = if target.shape().count() == 0 { target } else { value };
            return self.constant(P::full(&shape, P::Element::zero()), empty);
        }
        let whole = match parts {
            [part] => *part,
            parts => recorded(Value::try_stack(parts, axis)),
        };
        if *whole.shape() == shape {
            return whole;
        }
        // By columns the target's extents stand in front, and are kept: the others are of `value`.
        let extents = (0..shape.rank()).map(|at| match at < axis {
            true => Extent::Keep(at),
            false => Extent::Exactly(shape[at]),
        });
        let extents = extents.collect();
        recorded(whole.try_measured(Reshape { extents }, &[], value.all_extents()))
    }
}

/// The extents of the one followed by those of the other.
fn joint(rows: &Shape, columns: &Shape) -> Shape {
    Shape::new(&[rows.extents(), columns.extents()].concat())
}
