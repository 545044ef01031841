//! `+ - * /` and unary `-` on values and literals.
//!
//! A literal is recorded as a scalar leaf, and repeated by name where the other operand has
//! axes: the tape shows what was written.

use crate::graph::{ShapeError, Value, error::recorded};
use crate::kernel::Elementary;
use crate::ops::{Add, BroadcastLike, Div, Function, Leaf, Mul, Neg, Sub};
use crate::payload::{Differentiable, Shape, Tensorial};
use std::ops;
use std::panic::Location;

impl<'n, P: Tensorial> Value<'n, P> {
    /// `value` as a constant in the shape of `self`.
    #[must_use]
    #[track_caller]
    pub fn literal(self, value: f64) -> Self {
        self.constant(P::Element::from_f64(value))
    }

    #[track_caller]
    pub(crate) fn constant(self, value: P::Element) -> Self {
        let place = crate::graph::node::Place::Source(Location::caller());
        let payload = P::full(&Shape::scalar(), value);
        let leaf = self.network.source(Function::Leaf(Leaf), payload, false, place);
        if self.shape().rank() == 0 { leaf } else { leaf.apply(BroadcastLike, &[self]) }
    }
}

impl<P: Tensorial> ops::Neg for Value<'_, P> {
    type Output = Self;
    #[track_caller]
    fn neg(self) -> Self {
        self.apply(Neg, &[])
    }
}

macro_rules! operator {
    ($Trait:ident $method:ident $try_method:ident $Op:ident $symbol:literal) => {
        impl<P: Tensorial> ops::$Trait for Value<'_, P> {
            type Output = Self;
            #[track_caller]
            fn $method(self, rhs: Self) -> Self {
                recorded(self.$try_method(rhs))
            }
        }

        impl<P: Tensorial> Value<'_, P> {
            #[doc = concat!("The twin of `self ", $symbol, " rhs` that returns what it would panic with.")]
            ///
            /// # Errors
            ///
            /// Where the shapes differ (C1).
            #[track_caller]
            pub fn $try_method(self, rhs: Self) -> Result<Self, ShapeError> {
                self.try_apply($Op, &[rhs])
            }
        }

        operator!(literal $Trait $method f32);
        operator!(literal $Trait $method f64);
    };
    (literal $Trait:ident $method:ident $literal:ty) => {
        impl<P: Tensorial + Differentiable<Element = $literal>> ops::$Trait<$literal> for Value<'_, P> {
            type Output = Self;
            #[track_caller]
            fn $method(self, rhs: $literal) -> Self {
                ops::$Trait::$method(self, self.constant(rhs))
            }
        }
        impl<'n, P: Tensorial + Differentiable<Element = $literal>> ops::$Trait<Value<'n, P>> for $literal {
            type Output = Value<'n, P>;
            #[track_caller]
            fn $method(self, rhs: Value<'n, P>) -> Value<'n, P> {
                ops::$Trait::$method(rhs.constant(self), rhs)
            }
        }
    };
}
operator!(Add add try_add Add "+");
operator!(Sub sub try_sub Sub "-");
operator!(Mul mul try_mul Mul "*");
operator!(Div div try_div Div "/");
