//! `Field`: a buffer aligned with the values of a network's lineage, such as a gradient.

use super::nonfinite::{NonFinite, first_nonfinite_cotangent};
use crate::graph::Symbol;
use crate::graph::error::{NetworkError, describe, resolved};
use crate::graph::tape::Tape;
use crate::kernel::{Binary, Elementary, Kernels, Unary};
use crate::payload::Tensorial;
use std::sync::Arc;
use std::{fmt, ops};

/// A payload for some values of a lineage (the support), and an implicit `+0` for all others.
///
/// Fields belong to a lineage and not to one generation: a gradient of one generation updates
/// it, and an optimiser's state made of fields lives through all of them.
///
/// # Example
///
/// ```
/// use poorgrad::Network;
///
/// let network = Network::new();
/// let (a, b) = (network.parameter(2.0_f64), network.parameter(3.0));
/// let y = a * a;
/// let gradients = network.forward().backward(y);
/// let doubled = &gradients + &gradients;
/// assert_eq!(doubled.of(a), 8.0);
/// assert_eq!(doubled.of(b), 0.0);
/// ```
///
/// The zero of this algebra is the field without a support, `gradients.restricted(none)` of no
/// symbols: whatever is added to it comes back, and an update by it changes no parameter.
///
/// ```
/// use poorgrad::{Network, Symbol};
///
/// let network = Network::new();
/// let a = network.parameter(2.0_f64);
/// let gradients = network.forward().backward(a);
/// let none: [Symbol; 0] = [];
/// let zero = gradients.restricted(none);
/// assert_eq!((&zero + &gradients).of(a), 1.0);
/// assert_eq!(network.update(&zero, |a, g| a - g).resolve(a).payload(), Some(2.0));
/// ```
pub struct Field<P> {
    pub(crate) tape: Tape<P>,
    /// By ascending position. Shared, as a plan hands the same gradients out again and again.
    entries: Arc<Vec<(u32, P)>>,
    /// Of a gradient, the node that it is of; gone once the payloads are cotangents no more.
    target: Option<usize>,
}

/// A gradient: a cotangent for each differentiable ancestor of its target.
pub type Gradients<P> = Field<P>;

impl<P> Clone for Field<P>
where
    P: Clone,
{
    fn clone(&self) -> Self {
        Self { tape: self.tape.clone(), entries: self.entries.clone(), target: self.target }
    }
}

/// In one line, without the payloads.
impl<P: Tensorial> fmt::Debug for Field<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Field")
            .field("element", &P::Element::NAME)
            .field("nodes", &self.tape.len())
            .field("support", &self.iter().count())
            .finish()
    }
}

impl<P: Tensorial> Field<P> {
    /// The gradient of a target: entries by ascending position.
    pub(crate) fn of_target(tape: Tape<P>, entries: Vec<(u32, P)>, target: usize) -> Self {
        Self { tape, entries: Arc::new(entries), target: Some(target) }
    }

    /// Any values: entries by ascending position.
    pub(crate) fn of_values(tape: Tape<P>, entries: Vec<(u32, P)>) -> Self {
        Self { tape, entries: Arc::new(entries), target: None }
    }

    pub(crate) fn entry(&self, index: usize) -> Option<&P> {
        let found = self.entries.binary_search_by_key(&index, |(at, _)| *at as usize);
        found.ok().map(|at| &self.entries[at].1)
    }

    /// The payload of a value: zero, in the value's shape, outside the support.
    ///
    /// Of a gradient by [`Evaluation::backward`] that is zero for a constant, and for an input that
    /// takes selections, also where the target depends on it: [`Evaluation::backward_for`] gives
    /// their gradients where it names them. [`Field::contains`] tells the two zeros apart.
    ///
    /// [`Evaluation::backward`]: crate::Evaluation::backward
    /// [`Evaluation::backward_for`]: crate::Evaluation::backward_for
    ///
    /// # Panics
    ///
    /// Where [`Field::try_of`] errs.
    #[must_use]
    #[track_caller]
    pub fn of(&self, value: impl Into<Symbol>) -> P {
        resolved(self.try_of(value))
    }

    /// The payload of a value: zero, in the value's shape, outside the support.
    ///
    /// # Errors
    ///
    /// Where the value is not of this field's lineage, or younger than the field.
    pub fn try_of(&self, value: impl Into<Symbol>) -> Result<P, NetworkError> {
        let index = self.tape.position(value.into(), "field")?;
        Ok(match self.entry(index) {
            Some(payload) => payload.clone(),
            None => P::full(&self.tape.node(index).shape, P::Element::zero()),
        })
    }

    /// Whether the value is in the support.
    #[must_use]
    pub fn contains(&self, value: impl Into<Symbol>) -> bool {
        let index = self.tape.position(value.into(), "field");
        index.is_ok_and(|index| self.entry(index).is_some())
    }

    /// The values of the support, in tape order, with their payloads.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, &P)> {
        self.entries.iter().map(|(index, entry)| (self.tape.symbol(*index as usize), entry))
    }

    /// The field on these values only.
    ///
    /// # Panics
    ///
    /// Where [`Field::try_restricted`] errs.
    #[must_use]
    #[track_caller]
    pub fn restricted<S: Into<Symbol>>(&self, values: impl IntoIterator<Item = S>) -> Self {
        resolved(self.try_restricted(values))
    }

    /// The field on these values only.
    ///
    /// # Errors
    ///
    /// Where a value is not of this field's lineage, or younger than the field.
    pub fn try_restricted<S: Into<Symbol>>(
        &self,
        values: impl IntoIterator<Item = S>,
    ) -> Result<Self, NetworkError> {
        let mut entries: Vec<(u32, P)> = Vec::new();
        for value in values {
            let index = self.tape.position(value.into(), "field")?;
            entries.extend(self.entry(index).map(|entry| (index as u32, entry.clone())));
        }
        entries.sort_by_key(|(index, _)| *index);
        entries.dedup_by_key(|(index, _)| *index);
        let entries = Arc::new(entries);
        Ok(Self { tape: self.tape.clone(), entries, target: self.target })
    }

    /// `f` of each payload of the support. It must keep shapes.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let (a, b) = (network.parameter(2.0_f64), network.parameter(9.0));
    /// let loss = a * a;
    /// let clipped = network.forward().backward(loss).map(|g| g.min(1.0));
    /// assert_eq!((clipped.of(a), clipped.of(b)), (1.0, 0.0));
    /// ```
    ///
    /// # Panics
    ///
    /// Where `f` changes a shape.
    #[must_use]
    #[track_caller]
    pub fn map(&self, mut f: impl FnMut(&P) -> P) -> Self {
        let mut entries = Vec::with_capacity(self.entries.len());
        for (index, entry) in &*self.entries {
            let mapped = f(entry);
            let (before, after) = (entry.shape(), mapped.shape());
            assert!(before == after, "map: the function turned shape {before} into {after}");
            entries.push((*index, mapped));
        }
        let entries = Arc::new(entries);
        Self { tape: self.tape.clone(), entries, target: None }
    }

    /// Each payload of the support times `factor`.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let a = network.parameter(2.0_f64);
    /// let loss = a * a;
    /// assert_eq!(network.forward().backward(loss).scale(0.5).of(a), 2.0);
    /// ```
    #[must_use]
    pub fn scale(&self, factor: f64) -> Self {
        self.map(|payload| {
            let factor = P::full(&payload.shape(), P::Element::from_f64(factor));
            payload.zip(Binary::Mul, &factor, Kernels::Native)
        })
    }

    /// `f` of the payloads of two fields wherever one of them has one; the other counts as zero.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let (a, b) = (network.parameter(2.0_f64), network.parameter(3.0));
    /// let (first, second) = (a * a, a * b);
    /// let run = network.forward();
    /// let larger = run.backward(first).zip(&run.backward(second), |x, y| x.max(*y));
    /// assert_eq!((larger.of(a), larger.of(b)), (4.0, 2.0)); // of 4 and 3, of 0 and 2
    /// ```
    ///
    /// # Panics
    ///
    /// Where the fields belong to forks that parted, or `f` changes a shape.
    #[must_use]
    #[track_caller]
    pub fn zip(&self, other: &Self, f: impl FnMut(&P, &P) -> P) -> Self {
        resolved(self.try_zip(other, f))
    }

    /// `f` of the payloads of two fields wherever one of them has one; the other counts as zero.
    /// The operators `+` and `-` are this with the sum and the difference.
    ///
    /// # Errors
    ///
    /// Where the fields belong to forks that parted, and where a value of the support has another
    /// shape in one of them, as one network was reinferred for other inputs.
    ///
    /// # Panics
    ///
    /// Where `f` changes a shape.
    #[track_caller]
    pub fn try_zip(
        &self,
        other: &Self,
        mut f: impl FnMut(&P, &P) -> P,
    ) -> Result<Self, NetworkError> {
        let tape = self.joint_tape(other)?;
        if !self.tape.has_shapes_of(&other.tape) {
            // Of networks reinferred for other shapes: what both stand for must have one.
            let shapes = |(index, _): &(u32, P)| {
                let index = *index as usize;
                let shape =
                    |tape: &Tape<P>| (index < tape.len()).then(|| tape.node(index).shape.clone());
                match (shape(&self.tape), shape(&other.tape)) {
                    (Some(left), Some(right)) if left != right => Some((index, [left, right])),
                    _ => None,
                }
            };
            let entries = self.entries.iter().chain(&*other.entries);
            if let Some((index, shapes)) = entries.filter_map(shapes).next() {
                let value = describe(index, tape.node(index));
                let shapes = shapes.map(|shape| (*shape).clone());
                return Err(NetworkError::FieldShapes { value, shapes });
            }
        }
        let zero = |like: &P| P::full(&like.shape(), P::Element::zero());
        let mut entries = Vec::with_capacity(self.entries.len().max(other.entries.len()));
        let (mut left, mut right) =
            (self.entries.iter().peekable(), other.entries.iter().peekable());
        // Two ascending lists, merged.
        loop {
            let at = |entry: Option<&&(u32, P)>| entry.map_or(u32::MAX, |(index, _)| *index);
            let index = at(left.peek()).min(at(right.peek()));
            let left = left.next_if(|(at, _)| *at == index).map(|(_, entry)| entry);
            let right = right.next_if(|(at, _)| *at == index).map(|(_, entry)| entry);
            let zipped = match (left, right) {
                (None, None) => break,
                (Some(left), None) => f(left, &zero(left)),
                (None, Some(right)) => f(&zero(right), right),
                (Some(left), Some(right)) => f(left, right),
            };
            let (before, after) = (&*tape.node(index as usize).shape, zipped.shape());
            assert!(*before == after, "zip: the function turned shape {before} into {after}");
            entries.push((index, zipped));
        }
        let entries = Arc::new(entries);
        Ok(Self { tape, entries, target: None })
    }

    /// The longer of the two tapes, where one continues the other.
    fn joint_tape(&self, other: &Self) -> Result<Tape<P>, NetworkError> {
        let common = self.tape.common_prefix(&other.tape);
        if common < self.tape.len().min(other.tape.len()) {
            let lengths = [self.tape.len(), other.tape.len()];
            return Err(NetworkError::FieldsDiverge { common, lengths });
        }
        Ok(if self.tape.len() >= other.tape.len() { self.tape.clone() } else { other.tape.clone() })
    }

    /// The first cotangent, from the target backwards, that holds a NaN or an infinity, and the
    /// operation whose derivative rule handed it on. Costs nothing unless called.
    ///
    /// A value that has several consumers adds up what they hand on. All are listed then, and the
    /// first to be added is named. Of a gradient for some values only ([`Evaluation::backward_for`])
    /// the search sees no cotangent but theirs. A field that is no gradient any more (by
    /// [`Field::map`] or [`Field::zip`]) names the value that holds the element.
    ///
    /// [`Evaluation::backward_for`]: crate::Evaluation::backward_for
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let x = network.input(0.0_f64);
    /// let norm = (x * x).sqrt();
    /// let found = network.forward().backward(norm).first_nonfinite().unwrap();
    /// assert_eq!(found.operation(), "sqrt");
    /// assert_eq!(found.symbol(), norm.symbol());
    /// ```
    #[must_use]
    pub fn first_nonfinite(&self) -> Option<NonFinite> {
        let length = self.entries.last().map_or(0, |(index, _)| *index as usize + 1);
        first_nonfinite_cotangent(&self.tape, self.target, length, &|index| self.entry(index))
    }
}

macro_rules! field_operator {
    ($Trait:ident $method:ident $op:ident) => {
        impl<P: Tensorial> ops::$Trait for &Field<P> {
            type Output = Field<P>;
            /// On the union of the supports.
            #[track_caller]
            fn $method(self, rhs: Self) -> Field<P> {
                self.zip(rhs, |left, right| left.zip(Binary::$op, right, Kernels::Native))
            }
        }
        impl<P: Tensorial> ops::$Trait for Field<P> {
            type Output = Field<P>;
            /// On the union of the supports.
            #[track_caller]
            fn $method(self, rhs: Self) -> Field<P> {
                ops::$Trait::$method(&self, &rhs)
            }
        }
    };
}
field_operator!(Add add Add);
field_operator!(Sub sub Sub);

impl<P: Tensorial> ops::Neg for &Field<P> {
    type Output = Field<P>;
    fn neg(self) -> Field<P> {
        self.map(|payload| payload.map(Unary::Neg, Kernels::Native))
    }
}
