//! The arithmetic of an optimiser's rule, over payloads now or as values on the tape.
//!
//! INVARIANT: a rule is written once, over this trait. What a step computes and what it records can
//! so not differ, operation by operation.

use crate::{Binary, Elementary, Kernels, Network, Shape, Tensorial, Unary, Value};

/// Element-wise arithmetic on operands of one shape, each operation rounded once.
pub(super) trait Algebra {
    /// An operand.
    type Operand: Clone;

    /// A number, of shape `[]`.
    #[track_caller]
    fn number(&self, number: f64) -> Self::Operand;
    /// A number of shape `[]` for every element of another operand.
    #[track_caller]
    fn spread(&self, number: &Self::Operand, like: &Self::Operand) -> Self::Operand;
    #[track_caller]
    fn add(&self, a: &Self::Operand, b: &Self::Operand) -> Self::Operand;
    #[track_caller]
    fn sub(&self, a: &Self::Operand, b: &Self::Operand) -> Self::Operand;
    #[track_caller]
    fn mul(&self, a: &Self::Operand, b: &Self::Operand) -> Self::Operand;
    #[track_caller]
    fn div(&self, a: &Self::Operand, b: &Self::Operand) -> Self::Operand;
    #[track_caller]
    fn sqrt(&self, a: &Self::Operand) -> Self::Operand;

    /// `number x`, with a number for all elements.
    #[track_caller]
    fn scaled(&self, number: f64, x: &Self::Operand) -> Self::Operand {
        self.mul(&self.spread(&self.number(number), x), x)
    }
}

/// On payloads, at once.
pub(super) struct Now<P>(std::marker::PhantomData<P>);

impl<P> Now<P> {
    pub(super) fn new() -> Self {
        Self(std::marker::PhantomData)
    }
}

/// The one element of a payload of shape `[]`.
pub(super) fn element<P: Tensorial>(scalar: &P) -> P::Element {
    let mut element = P::Element::zero();
    scalar.for_each(&mut |found| element = found.clone());
    element
}

/// A payload of shape `[]`.
pub(super) fn scalar<P: Tensorial>(number: f64) -> P {
    P::full(&Shape::scalar(), P::Element::from_f64(number))
}

impl<P: Tensorial> Algebra for Now<P> {
    type Operand = P;

    fn number(&self, number: f64) -> P {
        scalar(number)
    }

    fn spread(&self, number: &P, like: &P) -> P {
        P::full(&like.shape(), element(number))
    }

    fn add(&self, a: &P, b: &P) -> P {
        a.zip(Binary::Add, b, Kernels::Native)
    }

    fn sub(&self, a: &P, b: &P) -> P {
        a.zip(Binary::Sub, b, Kernels::Native)
    }

    fn mul(&self, a: &P, b: &P) -> P {
        a.zip(Binary::Mul, b, Kernels::Native)
    }

    fn div(&self, a: &P, b: &P) -> P {
        a.zip(Binary::Div, b, Kernels::Native)
    }

    fn sqrt(&self, a: &P) -> P {
        a.map(Unary::Sqrt, Kernels::Native)
    }
}

/// As values of a network.
pub(super) struct Taped<'n, P: Tensorial>(pub(super) &'n Network<P>);

impl<'n, P: Tensorial> Algebra for Taped<'n, P> {
    type Operand = Value<'n, P>;

    fn number(&self, number: f64) -> Value<'n, P> {
        self.0.leaf(scalar(number))
    }

    fn spread(&self, number: &Value<'n, P>, like: &Value<'n, P>) -> Value<'n, P> {
        // Of a parameter of shape `[]` the number is of its shape already.
        if like.shape().rank() == 0 { *number } else { number.broadcast_like(*like) }
    }

    fn add(&self, a: &Value<'n, P>, b: &Value<'n, P>) -> Value<'n, P> {
        *a + *b
    }

    fn sub(&self, a: &Value<'n, P>, b: &Value<'n, P>) -> Value<'n, P> {
        *a - *b
    }

    fn mul(&self, a: &Value<'n, P>, b: &Value<'n, P>) -> Value<'n, P> {
        *a * *b
    }

    fn div(&self, a: &Value<'n, P>, b: &Value<'n, P>) -> Value<'n, P> {
        *a / *b
    }

    fn sqrt(&self, a: &Value<'n, P>) -> Value<'n, P> {
        Value::sqrt(*a)
    }
}
