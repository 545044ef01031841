//! `Value`: a `Copy` handle to a recorded value.

use super::error::{ShapeError, recorded};
use super::measured::{Axes, Measured};
use super::network::Network;
use super::node::{Origin, Place};
use super::symbol::Symbol;
use crate::ops::Function;
use crate::payload::{Shape, Tensorial};
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// A recorded value: a borrow of its network and a position on its tape.
///
/// Operators and methods record further values and never consume their operands. A value cannot
/// outlive its network:
///
/// ```compile_fail,E0597
/// use poorgrad::Network;
///
/// let value = {
///     let network = Network::new();
///     network.parameter(1.0_f64)
/// };
/// println!("{value:?}");
/// ```
pub struct Value<'n, P: Tensorial> {
    pub(crate) network: &'n Network<P>,
    pub(crate) index: u32,
}

impl<P: Tensorial> Clone for Value<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<P: Tensorial> Copy for Value<'_, P> {}

impl<'n, P: Tensorial> Value<'n, P> {
    /// The network that this value is a handle into.
    #[must_use]
    pub fn network(self) -> &'n Network<P> {
        self.network
    }

    /// The detached identity of this value.
    #[must_use]
    pub fn symbol(self) -> Symbol {
        self.network.tape().symbol(self.index as usize)
    }

    /// The extents.
    #[must_use]
    pub fn shape(self) -> &'n Shape {
        &self.network.node(self.index).shape
    }

    /// Whether this is a selection, as `gather` and the targets of a `cross_entropy` are: a leaf or
    /// an input declared with one, or its rows under another shape.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let labels = network.input(Tensor::<f32>::selection(&[2, 0], 3));
    /// assert!(labels.is_selection());
    /// assert!(!(labels * 2.0).is_selection());
    /// ```
    #[must_use]
    pub fn is_selection(self) -> bool {
        self.network.node(self.index).selection
    }

    /// The payload that a leaf, a parameter or an input holds in this generation (an input's is
    /// its default); `None` for a computed value.
    #[must_use]
    pub fn payload(self) -> Option<P> {
        let node = self.network.node(self.index);
        match node.function {
            Function::Parameter(ref parameter) => {
                Some(self.network.parameter_payload(parameter.slot as usize).clone())
            }
            _ => node.payload.as_deref().cloned(),
        }
    }

    /// The name given by [`Value::named`] behind its scopes.
    #[must_use]
    pub fn label(self) -> Option<String> {
        self.network.node(self.index).label()
    }

    /// Names this value, behind the scope that was open when it was recorded, in every
    /// generation and fork that shares it. Messages, drawings and text print the name.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let w = {
    ///     let _layer = network.scope("layer");
    ///     network.parameter(0.5_f64).named("w")
    /// };
    /// assert_eq!(w.label().as_deref(), Some("layer.w"));
    /// assert_eq!(network.find("layer.w").unwrap().symbol(), w.symbol());
    /// ```
    ///
    /// # Panics
    ///
    /// When the value already has another name.
    #[track_caller]
    pub fn named(self, name: &str) -> Self {
        let slot = &self.network.node(self.index).name;
        if slot.set(Arc::new(name.into())).is_err() {
            let given = slot.get().map_or("", |given| given.as_str());
            assert!(given == name, "named: the value is already named `{given}`, not `{name}`");
        }
        self
    }

    /// Records `function` of this value and `others` at the caller's line.
    #[track_caller]
    pub(crate) fn try_apply(
        self,
        function: impl Into<Function>,
        others: &[Self],
    ) -> Result<Self, ShapeError> {
        let function = function.into();
        let location = Location::caller();
        let mut operands = [self.index; 3];
        if others.len() < operands.len() {
            for (slot, other) in operands[1..].iter_mut().zip(others) {
                self.try_together(*other, function.name())?;
                *slot = other.index;
            }
            return self.network.record_at(function, &operands[..=others.len()], location);
        }
        let mut operands = vec![self.index];
        for other in others {
            self.try_together(*other, function.name())?;
            operands.push(other.index);
        }
        self.network.record_at(function, &operands, location)
    }

    /// [`Value::try_apply`] where the function's numbers were read off a shape.
    #[track_caller]
    pub(crate) fn try_measured(
        self,
        function: impl Into<Function>,
        others: &[Self],
        measured: Measured,
    ) -> Result<Self, ShapeError> {
        let origin = Origin::new(Place::Source(Location::caller()), self.network.branch());
        let mut operands = vec![self.index];
        operands.extend(others.iter().map(|other| other.index));
        self.network.record_from(function.into(), operands.into(), origin.measured(measured))
    }

    /// Extents of this value, as what a number was read off.
    pub(crate) fn extents(self, axes: impl IntoIterator<Item = usize>) -> Measured {
        Measured::Extents(self.index, Axes::new(axes))
    }

    /// All extents of this value, as what a number was read off.
    pub(crate) fn all_extents(self) -> Measured {
        self.extents(0..self.shape().rank())
    }

    /// Records `function`, and panics at the caller's line where it is refused.
    #[track_caller]
    pub(crate) fn apply(self, function: impl Into<Function>, others: &[Self]) -> Self {
        recorded(self.try_apply(function, others))
    }

    /// What a composite asks before it records its first part: that none of its operands is a
    /// handle into another network.
    pub(crate) fn try_together(
        self,
        other: Self,
        operation: &'static str,
    ) -> Result<(), ShapeError> {
        if std::ptr::eq(self.network, other.network) {
            return Ok(());
        }
        Err(ShapeError::general(
            operation,
            "the operands are handles into different networks (or generations); resolve their \
             symbols in one of them first",
        ))
    }
}

impl<P: Tensorial> fmt::Debug for Value<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let node = self.network.node(self.index);
        write!(f, "%{} = {} : {}", self.index, node.function.name(), node.shape)
    }
}
