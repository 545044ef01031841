//! `Wrapped`: a payload that a plan knows nothing of, whatever its elements.
//!
//! It hands every operation on to the tensor inside and keeps the default [`Form`] of a payload, so
//! that plans run it by its own operations.
//!
//! [`Form`]: poorgrad::Form

use poorgrad::{
    Binary, Differentiable, Elementary, Kernels, Shape, Stored, Tensor, Tensorial, Unary,
};

/// A tensor behind a type of its own.
///
/// ```
/// use poorgrad::{Differentiable, Form, Network, Tensor};
/// use testkit::Wrapped;
///
/// assert_eq!(Wrapped::<f32>::form(), Form::Opaque);
/// let network = Network::new();
/// let x = network.input(Wrapped(Tensor::from([1.0_f32, 2.0])));
/// let y = x * x;
/// let plan = network.compile([y], []);
/// assert_eq!(plan.forward(&network, []).of(y).0.to_vec(), [1.0, 4.0]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Wrapped<E: Elementary>(pub Tensor<E>);

impl<E: Elementary> Differentiable for Wrapped<E> {
    type Element = E;

    fn shape(&self) -> Shape {
        Differentiable::shape(&self.0)
    }
    fn full(shape: &Shape, value: E) -> Self {
        Self(<Tensor<E> as Differentiable>::full(shape, value))
    }
    fn stored(&self) -> Stored<E> {
        self.0.stored()
    }
    fn from_stored(shape: &Shape, stored: Stored<E>) -> Option<Self> {
        Tensor::from_stored(shape, stored).map(Self)
    }
    fn for_each(&self, visit: &mut dyn FnMut(&E)) {
        self.0.for_each(visit);
    }
    fn is_selection(&self) -> bool {
        self.0.is_selection()
    }
    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

/// Methods that hand their arguments on, and wrap what comes back.
macro_rules! handed_on {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {$(
        fn $name(&self, $($argument: $type),*) -> Self {
            Self(Tensorial::$name(&self.0, $($argument),*))
        }
    )*};
}

impl<E: Elementary> Tensorial for Wrapped<E> {
    handed_on! {
        map(op: Unary, kernels: Kernels);
        reshape(shape: &Shape, kernels: Kernels);
        permute(axes: &[usize]);
        narrow(axis: usize, start: usize, length: usize);
        broadcast(shape: &Shape, axes: &[usize]);
        pad(axis: usize, before: usize, after: usize, value: &E, kernels: Kernels);
        unfold(axis: usize, size: usize, step: usize, dilation: usize);
        fold(axis: usize, extent: usize, step: usize, dilation: usize, kernels: Kernels);
        sum(axes: &[usize], kernels: Kernels);
        max(axes: &[usize], kernels: Kernels);
        first_max(axes: &[usize], kernels: Kernels);
        log_sum_exp(axis: usize, kernels: Kernels);
        log_softmax(axis: usize, kernels: Kernels);
        softmax(axis: usize, kernels: Kernels);
    }

    fn zip(&self, op: Binary, rhs: &Self, kernels: Kernels) -> Self {
        Self(Tensorial::zip(&self.0, op, &rhs.0, kernels))
    }
    fn select(&self, on: &Self, off: &Self, kernels: Kernels) -> Self {
        Self(Tensorial::select(&self.0, &on.0, &off.0, kernels))
    }
    fn matmul(&self, rhs: &Self, kernels: Kernels) -> Self {
        Self(Tensorial::matmul(&self.0, &rhs.0, kernels))
    }
    fn concat(parts: &[&Self], axis: usize, kernels: Kernels) -> Self {
        let parts: Vec<&Tensor<E>> = parts.iter().map(|part| &part.0).collect();
        Self(<Tensor<E> as Tensorial>::concat(&parts, axis, kernels))
    }
    fn gather(&self, selection: &Self, kernels: Kernels) -> Self {
        Self(Tensorial::gather(&self.0, &selection.0, kernels))
    }
    fn scatter(&self, selection: &Self, kernels: Kernels) -> Self {
        Self(Tensorial::scatter(&self.0, &selection.0, kernels))
    }
    fn row_update(&self, source: &Self, selection: &Self, kernels: Kernels) -> Self {
        Self(Tensorial::row_update(&self.0, &source.0, &selection.0, kernels))
    }
}
