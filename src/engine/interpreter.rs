//! The algebra of payloads: rules and definitions computed now, by one table of kernels.

use crate::kernel::{Elementary, Kernels};
use crate::ops::Function;
use crate::ops::algebra::Algebra;
use crate::payload::{Shape, Stored, Tensorial};
use std::marker::PhantomData;

pub(crate) struct Interpreter<P> {
    kernels: Kernels,
    payload: PhantomData<P>,
}

impl<P> Interpreter<P> {
    pub(crate) fn new(kernels: Kernels) -> Self {
        Self { kernels, payload: PhantomData }
    }
}

impl<P: Tensorial> Algebra for Interpreter<P> {
    type Value = P;

    #[inline]
    fn apply(&self, function: Function, operands: &[&P]) -> P {
        function.eval(operands, self.kernels)
    }
    fn shape(&self, value: &P) -> Shape {
        value.shape()
    }
    fn literal_like(&self, value: f64, like: &P) -> P {
        P::full(&like.shape(), P::Element::from_f64(value))
    }
    fn zeros(&self, shape: &Shape) -> P {
        P::full(shape, P::Element::zero())
    }
    fn iota(&self, count: usize) -> P {
        let numbers = (0..count).map(|number| P::Element::from_f64(number as f64)).collect();
        P::from_stored(&Shape::from([count, 1]), Stored::Dense(numbers))
            .expect("invariant: as many elements as the shape says")
    }
}
