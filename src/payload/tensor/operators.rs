//! `+ - * /` and unary `-`, for owned and borrowed tensors and for literals of the element type on
//! either side.
//!
//! BITS: each element is one call of the same `Elementary` method, whether the result takes a new
//! buffer or reuses that of an owned operand.

use super::{Tensor, TensorError};
use crate::kernel::{Binary, Elementary, Kernels, Unary, native};
use crate::payload::Tensorial;
use crate::payload::storage::Storage;
use std::ops::{Add, Div, Mul, Neg, Sub};

impl<E: Elementary> Tensor<E> {
    /// The elements for writing, where this is the only handle of a dense buffer and sees all of
    /// it in row-major order.
    fn own_elements(&mut self) -> Option<&mut [E]> {
        if !self.layout.is_contiguous() {
            return None;
        }
        let count = self.layout.count();
        match &mut self.storage {
            Storage::Dense(buffer) if buffer.as_slice().len() == count => buffer.as_mut_slice(),
            _ => None,
        }
    }

    #[track_caller]
    fn fit(op: Binary, lhs: &Self, rhs: &Self) {
        if lhs.shape() != rhs.shape() {
            let op = match op {
                Binary::Add => "add",
                Binary::Sub => "sub",
                Binary::Mul => "mul",
                _ => "div",
            };
            let (lhs, rhs) = (lhs.shape().clone(), rhs.shape().clone());
            TensorError::Shapes { op, lhs, rhs }.raise();
        }
    }

    /// `self op rhs`, in the buffer of `self` where it may be.
    fn with(mut self, op: Binary, rhs: &Self) -> Self {
        if let Some(elements) = self.own_elements() {
            native::zip_in_place(op, elements, rhs.plain().view(), false);
            return self;
        }
        self.zip(op, rhs, Kernels::Native)
    }

    /// `lhs op self`, in the buffer of `self` where it may be.
    fn after(mut self, op: Binary, lhs: &Self) -> Self {
        if let Some(elements) = self.own_elements() {
            native::zip_in_place(op, elements, lhs.plain().view(), true);
            return self;
        }
        lhs.zip(op, &self, Kernels::Native)
    }

    fn literal(&self, value: E) -> Self {
        Self::constant(self.shape().clone(), value)
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl<E: Elementary> $trait<&Tensor<E>> for &Tensor<E> {
            type Output = Tensor<E>;
            #[track_caller]
            fn $method(self, rhs: &Tensor<E>) -> Tensor<E> {
                Tensor::fit(Binary::$trait, self, rhs);
                self.zip(Binary::$trait, rhs, Kernels::Native)
            }
        }
        impl<E: Elementary> $trait<&Tensor<E>> for Tensor<E> {
            type Output = Tensor<E>;
            #[track_caller]
            fn $method(self, rhs: &Tensor<E>) -> Tensor<E> {
                Tensor::fit(Binary::$trait, &self, rhs);
                self.with(Binary::$trait, rhs)
            }
        }
        impl<E: Elementary> $trait<Tensor<E>> for &Tensor<E> {
            type Output = Tensor<E>;
            #[track_caller]
            fn $method(self, rhs: Tensor<E>) -> Tensor<E> {
                Tensor::fit(Binary::$trait, self, &rhs);
                rhs.after(Binary::$trait, self)
            }
        }
        impl<E: Elementary> $trait<Tensor<E>> for Tensor<E> {
            type Output = Tensor<E>;
            #[track_caller]
            fn $method(mut self, rhs: Tensor<E>) -> Tensor<E> {
                Tensor::fit(Binary::$trait, &self, &rhs);
                if self.own_elements().is_some() {
                    self.with(Binary::$trait, &rhs)
                } else {
                    rhs.after(Binary::$trait, &self)
                }
            }
        }
        operator!($trait, $method, f32);
        operator!($trait, $method, f64);
    };
    ($trait:ident, $method:ident, $float:ident) => {
        impl $trait<$float> for Tensor<$float> {
            type Output = Tensor<$float>;
            fn $method(self, rhs: $float) -> Tensor<$float> {
                let rhs = self.literal(rhs);
                self.with(Binary::$trait, &rhs)
            }
        }
        impl $trait<$float> for &Tensor<$float> {
            type Output = Tensor<$float>;
            fn $method(self, rhs: $float) -> Tensor<$float> {
                self.zip(Binary::$trait, &self.literal(rhs), Kernels::Native)
            }
        }
        impl $trait<Tensor<$float>> for $float {
            type Output = Tensor<$float>;
            fn $method(self, rhs: Tensor<$float>) -> Tensor<$float> {
                let lhs = rhs.literal(self);
                rhs.after(Binary::$trait, &lhs)
            }
        }
        impl $trait<&Tensor<$float>> for $float {
            type Output = Tensor<$float>;
            fn $method(self, rhs: &Tensor<$float>) -> Tensor<$float> {
                rhs.literal(self).zip(Binary::$trait, rhs, Kernels::Native)
            }
        }
    };
}

operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

impl<E: Elementary> Neg for &Tensor<E> {
    type Output = Tensor<E>;
    fn neg(self) -> Tensor<E> {
        Tensorial::map(self, Unary::Neg, Kernels::Native)
    }
}

impl<E: Elementary> Neg for Tensor<E> {
    type Output = Self;
    fn neg(mut self) -> Self {
        if let Some(elements) = self.own_elements() {
            elements.iter_mut().for_each(|x| *x = x.neg());
            return self;
        }
        -&self
    }
}
