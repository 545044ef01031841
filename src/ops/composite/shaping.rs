//! Shapes by name: explicit broadcasts, `concat` and `stack`.

use crate::graph::measured::Measured;
use crate::graph::node::{Origin, Place};
use crate::graph::{ShapeError, Value, error::Violation, error::recorded};
use crate::kernel::Elementary;
use crate::ops::rule;
use crate::ops::{BroadcastLike, Concat, Leaf, Unsqueeze};
use crate::payload::{Shape, Tensorial};
use std::panic::Location;

/// The NumPy rule: aligned at the last axis, extents equal or one of them 1.
fn joint_shape(a: &Shape, b: &Shape) -> Option<Shape> {
    let rank = a.rank().max(b.rank());
    let extent = |shape: &Shape, axis: usize| {
        let missing = rank - shape.rank();
        if axis < missing { 1 } else { shape[axis - missing] }
    };
    let joint = (0..rank).map(|axis| match (extent(a, axis), extent(b, axis)) {
        (left, right) if left == right => Some(left),
        (1, other) | (other, 1) => Some(other),
        _ => None,
    });
    joint.collect::<Option<Vec<_>>>().map(Shape::from)
}

impl<'n, P: Tensorial> Value<'n, P> {
    /// `self` repeated to `shape` by the NumPy rule.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let row = network.leaf(Tensor::from([1.0_f32, 2.0]));
    /// assert_eq!(*row.broadcast_to([3, 2]).shape(), [3, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where the shape does not broadcast to `shape`.
    #[must_use]
    #[track_caller]
    pub fn broadcast_to(self, shape: impl Into<Shape>) -> Self {
        recorded(self.try_broadcast_to(shape))
    }

    /// The twin of [`Value::broadcast_to`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where the shape does not broadcast to `shape`.
    #[track_caller]
    pub fn try_broadcast_to(self, shape: impl Into<Shape>) -> Result<Self, ShapeError> {
        let shape = shape.into();
        let fits = joint_shape(self.shape(), &shape).is_some_and(|joint| joint == shape);
        let problem = if !fits || !P::holds(&shape) {
            format!("the operand does not broadcast to {shape}")
        } else if shape.volume().is_none() {
            format!("the result's shape {shape} overflows the address space")
        } else {
            String::new()
        };
        if !problem.is_empty() {
            let node = self.network.node(self.index);
            let violation = Violation::new(1, problem);
            let violation = if fits { violation } else { violation.help(rule::BROADCASTS) };
            return Err(ShapeError::new("broadcast_to", violation, &[node]));
        }
        self.repeated(&shape, Measured::Nothing)
    }

    /// `self` repeated to a shape that it broadcasts to.
    #[track_caller]
    fn repeated(self, shape: &Shape, measured: Measured) -> Result<Self, ShapeError> {
        if self.shape() == shape {
            return Ok(self);
        }
        // A constant carries the shape; it takes no storage.
        let place = Place::Source(Location::caller());
        let origin = Origin::new(place, self.network.branch()).measured(measured);
        let payload = P::full(shape, P::Element::zero());
        let like = self.network.source_from(Leaf.into(), payload, false, origin);
        self.try_apply(BroadcastLike, &[like])
    }

    /// Both values repeated to their joint shape by the NumPy rule.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let column = network.leaf(Tensor::from([[1.0_f32], [2.0]]));
    /// let row = network.leaf(Tensor::from([[10.0, 20.0, 30.0]]));
    /// let (a, b) = column.broadcast_pair(row);
    /// assert_eq!(*(a + b).shape(), [2, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where the shapes have no joint shape, or one that overflows the address space.
    #[must_use]
    #[track_caller]
    pub fn broadcast_pair(self, rhs: Self) -> (Self, Self) {
        recorded(self.try_broadcast_pair(rhs))
    }

    /// The twin of [`Value::broadcast_pair`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// Where the shapes have no joint shape, or one that overflows the address space.
    #[track_caller]
    pub fn try_broadcast_pair(self, rhs: Self) -> Result<(Self, Self), ShapeError> {
        self.try_together(rhs, "broadcast_pair")?;
        let refused = |violation| {
            let nodes = [self, rhs].map(|value| value.network.node(value.index));
            ShapeError::new("broadcast_pair", violation, &nodes)
        };
        let Some(joint) = joint_shape(self.shape(), rhs.shape()) else {
            let violation = Violation::new(1, "the shapes have no joint shape");
            return Err(refused(violation.help(rule::BROADCASTS)));
        };
        if joint.volume().is_none() {
            let problem = format!("the joint shape {joint} overflows the address space");
            return Err(refused(Violation::new(1, problem)));
        }
        // One operand often has the joint shape: then it is what the other is broadcast like.
        let left = if *rhs.shape() == joint && *self.shape() != joint {
            self.try_apply(BroadcastLike, &[rhs])?
        } else {
            self.repeated(&joint, self.all_extents())?
        };
        let right = if *rhs.shape() == joint {
            rhs
        } else {
            // Like an operand that is joint already it follows; else it is like what was repeated.
            let read = match *self.shape() == joint {
                true => Measured::Nothing,
                false => rhs.all_extents(),
            };
            rhs.try_measured(BroadcastLike, &[left], read)?
        };
        Ok((left, right))
    }

    /// The values behind one another along `axis`.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor, Value};
    ///
    /// let network = Network::new();
    /// let a = network.leaf(Tensor::from([1.0_f32]));
    /// let b = network.leaf(Tensor::from([2.0, 3.0]));
    /// let y = Value::concat(&[a, b], 0);
    /// assert_eq!(network.forward().of(y).to_vec(), [1.0, 2.0, 3.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where `axis` is out of range (C1), other extents differ (C2), the result overflows (C3)
    /// or there is nothing to concatenate (C4).
    #[must_use]
    #[track_caller]
    pub fn concat(parts: &[Self], axis: usize) -> Self {
        recorded(Self::try_concat(parts, axis))
    }

    /// The twin of [`Value::concat`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// As [`Value::concat`] panics (C1 to C4).
    #[track_caller]
    pub fn try_concat(parts: &[Self], axis: usize) -> Result<Self, ShapeError> {
        match parts {
            [] => Err(ShapeError::new::<P>(
                "concat",
                Violation::new(4, "nothing to concatenate"),
                &[],
            )),
            [first, others @ ..] => first.try_apply(Concat { axis }, others),
        }
    }

    /// Values of one shape along a new axis before `axis`.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor, Value};
    ///
    /// let network = Network::new();
    /// let [a, b] = [[1.0_f64, 2.0], [3.0, 4.0]].map(|numbers| network.leaf(Tensor::from(numbers)));
    /// let columns = Value::stack(&[a, b], 1);
    /// assert_eq!(network.forward().of(columns), Tensor::from([[1.0, 3.0], [2.0, 4.0]]));
    /// ```
    ///
    /// # Panics
    ///
    /// Where `axis` exceeds the rank, the shapes differ, the result overflows the address space, or
    /// there is nothing to stack.
    #[must_use]
    #[track_caller]
    pub fn stack(parts: &[Self], axis: usize) -> Self {
        recorded(Self::try_stack(parts, axis))
    }

    /// The twin of [`Value::stack`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// As [`Value::stack`] panics.
    #[track_caller]
    pub fn try_stack(parts: &[Self], axis: usize) -> Result<Self, ShapeError> {
        // Everything that a part of the recording would refuse is refused here, in front of it.
        let refused = |constraint, problem: &str, values: &[Self]| {
            let nodes = values.iter().map(|value| value.network.node(value.index));
            let violation = Violation::new(constraint, problem);
            ShapeError::new("stack", violation, &nodes.collect::<Vec<_>>())
        };
        let Some(&first) = parts.first() else {
            return Err(refused(4, "nothing to stack", &[]));
        };
        for &part in parts {
            first.try_together(part, "stack")?;
            if part.shape() != first.shape() {
                return Err(refused(2, "the shapes differ", &[first, part]));
            }
        }
        if axis > first.shape().rank() {
            return Err(refused(1, &format!("axis {axis} is beyond the rank"), &[first]));
        }
        if first.shape().with_axis(axis, parts.len()).volume().is_none() {
            return Err(refused(3, "the result overflows the address space", &[first]));
        }
        if !P::holds(&first.shape().with_axis(axis, 1)) {
            return first.try_apply(Unsqueeze { axis }, &[]).map_err(|error| error.named("stack"));
        }
        let mut raised = Vec::with_capacity(parts.len());
        for part in parts {
            raised.push(part.try_apply(Unsqueeze { axis }, &[])?);
        }
        Self::try_concat(&raised, axis)
    }
}
