//! Scalars: `f32` and `f64` as elements, and every element as a payload of shape `[]`.
//!
//! The two implementations of [`Elementary`] are the only place that joins Rust's operators (one
//! IEEE rounding each) with the crate's own elementary functions. The blanket layer below them
//! gives every element, a user's own too, the semantics of a rank-0 tensor.
//!
//! INVARIANT: an operation that rank 0 cannot have is refused when it is recorded, so that it is
//! unreachable here.

use super::{Differentiable, Form, Shape, Stored, Tensorial};
use crate::kernel::element::bytes_from_hex;
use crate::kernel::task::ChainTask;
use crate::kernel::{
    Binary, ColumnsTask, Elementary, GemmTask, Kernels, Lowering, MapTask, Matrix, Packed,
    ReduceTask, SoftmaxTask, TransposeTask, Unary, WindowTask, native, reference,
};
use std::cmp::Ordering;

#[cfg(test)]
mod tests;

macro_rules! float {
    ($float:ident, $lowering:ident, $view:ident, $digits:literal) => {
        impl Elementary for $float {
            const NAME: &'static str = stringify!($float);
            const BYTES: usize = size_of::<$float>();

            #[inline]
            fn from_f64(value: f64) -> Self {
                value as $float
            }
            #[inline]
            fn to_f64(&self) -> f64 {
                f64::from(*self)
            }
            #[inline]
            fn is_zero(&self) -> bool {
                *self == 0.0
            }
            #[inline]
            fn add(&self, rhs: &Self) -> Self {
                self + rhs
            }
            #[inline]
            fn sub(&self, rhs: &Self) -> Self {
                self - rhs
            }
            #[inline]
            fn mul(&self, rhs: &Self) -> Self {
                self * rhs
            }
            #[inline]
            fn div(&self, rhs: &Self) -> Self {
                self / rhs
            }
            #[inline]
            fn neg(&self) -> Self {
                -self
            }
            #[inline]
            fn order(&self, rhs: &Self) -> Option<Ordering> {
                self.partial_cmp(rhs)
            }
            fn write_bytes(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn read_bytes(bytes: &[u8]) -> Option<Self> {
                Some(Self::from_le_bytes(bytes.try_into().ok()?))
            }
            #[inline]
            fn zero() -> Self {
                0.0
            }
            #[inline]
            fn one() -> Self {
                1.0
            }
            #[inline]
            fn is_nan(&self) -> bool {
                $float::is_nan(*self)
            }
            #[inline]
            fn is_finite(&self) -> bool {
                $float::is_finite(*self)
            }
            #[inline]
            fn maximum(&self, rhs: &Self) -> Self {
                crate::math::$float::maximum(*self, *rhs)
            }
            #[inline]
            fn relu(&self) -> Self {
                crate::math::$float::relu(*self)
            }
            #[inline]
            fn exp(&self) -> Self {
                crate::math::$float::exp(*self)
            }
            #[inline]
            fn exp_m1(&self) -> Self {
                crate::math::$float::exp_m1(*self)
            }
            #[inline]
            fn ln(&self) -> Self {
                crate::math::$float::ln(*self)
            }
            #[inline]
            fn ln_1p(&self) -> Self {
                crate::math::$float::ln_1p(*self)
            }
            #[inline]
            fn sqrt(&self) -> Self {
                // IEEE 754 rounds a square root correctly: std's is the same everywhere.
                $float::sqrt(*self)
            }
            #[inline]
            fn tanh(&self) -> Self {
                crate::math::$float::tanh(*self)
            }
            #[inline]
            fn sigmoid(&self) -> Self {
                crate::math::$float::sigmoid(*self)
            }
            #[inline]
            fn sin(&self) -> Self {
                crate::math::$float::sin(*self)
            }
            #[inline]
            fn cos(&self) -> Self {
                crate::math::$float::cos(*self)
            }
            #[inline]
            fn erf(&self) -> Self {
                crate::math::$float::erf(*self)
            }
            #[inline]
            fn powf(&self, exponent: &Self) -> Self {
                crate::math::$float::powf(*self, *exponent)
            }
            #[inline]
            fn powi(&self, exponent: i32) -> Self {
                crate::math::$float::powi(*self, exponent)
            }

            /// The shortest decimal that reads back exactly, `inf`, `-inf`, or the bits of a NaN
            /// such as `nan:0x7fc00001`.
            fn to_text(&self) -> String {
                if self.is_nan() {
                    format!(concat!("nan:0x{:0", $digits, "x}"), self.to_bits())
                } else {
                    format!("{self:?}")
                }
            }
            fn from_text(text: &str) -> Option<Self> {
                if let Some(digits) = text.strip_prefix("nan:") {
                    let value = Self::read_bytes(&bytes_from_hex(digits, Self::BYTES)?)?;
                    return Some(value).filter(Elementary::is_nan);
                }
                text.parse().ok()
            }
            fn lowering() -> Lowering {
                Lowering::$lowering
            }
            #[inline]
            fn $view(elements: &[Self]) -> Option<&[$float]> {
                Some(elements)
            }
            #[cfg(feature = "simd")]
            #[inline]
            fn cast_bytes(bytes: &[u8]) -> Option<&[Self]> {
                bytemuck::try_cast_slice(bytes).ok()
            }
            #[cfg(feature = "simd")]
            #[inline]
            fn cast_bytes_mut(bytes: &mut [u8]) -> Option<&mut [Self]> {
                bytemuck::try_cast_slice_mut(bytes).ok()
            }
            fn gemm(task: &mut GemmTask<'_, Self>) -> bool {
                native::gemm::gemm(task)
            }
            fn pack(b: Matrix<'_, Self>, extents: [usize; 2]) -> Option<Packed<Self>> {
                Some(native::gemm::packed(b, extents))
            }
            fn reduce(task: &mut ReduceTask<'_, Self>) -> bool {
                native::reduce::reduce(task)
            }
            fn reduce_columns(task: &mut ColumnsTask<'_, Self>) -> bool {
                native::columns::columns(task)
            }
            fn softmax(task: &mut SoftmaxTask<'_, Self>) -> bool {
                native::softmax_lines(task)
            }
            fn window(task: &mut WindowTask<'_, Self>) -> bool {
                native::window(task)
            }
            fn map(task: &mut MapTask<'_, Self>) -> bool {
                native::lanes::map(task)
            }
            fn folds() -> bool {
                true
            }
            fn chain(task: &mut ChainTask<'_, '_, Self>) -> bool {
                native::chain::fused(task)
            }
            fn transpose(task: &mut TransposeTask<'_, Self>) -> bool {
                native::transpose::transpose(task)
            }
        }
    };
}

float!(f32, F32, as_f32s, 8);
float!(f64, F64, as_f64s, 16);

impl<E: Elementary> Differentiable for E {
    type Element = E;

    fn holds(shape: &Shape) -> bool {
        shape.rank() == 0
    }
    fn form() -> Form {
        Form::Scalar
    }

    #[inline]
    fn shape(&self) -> Shape {
        Shape::scalar()
    }
    fn full(shape: &Shape, value: E) -> Self {
        debug_assert!(shape.is_empty(), "invariant: a scalar payload has the shape []");
        value
    }
    fn stored(&self) -> Stored<E> {
        Stored::Dense(vec![self.clone()])
    }
    fn from_stored(shape: &Shape, stored: Stored<E>) -> Option<Self> {
        match stored {
            _ if !shape.is_empty() => None,
            Stored::Constant(value) => Some(value),
            Stored::Dense(elements) => <[E; 1]>::try_from(elements).ok().map(|[value]| value),
            Stored::Selection(_) | Stored::Bfloat16(_) => None,
        }
    }
    fn for_each(&self, visit: &mut dyn FnMut(&E)) {
        visit(self);
    }
    fn bytes(&self) -> usize {
        0
    }
}

/// An operation that no scalar can have reached a scalar.
#[cold]
#[track_caller]
fn refused(op: &str) -> ! {
    unreachable!("invariant: `{op}` of a scalar payload is refused when it is recorded")
}

impl<E: Elementary> Tensorial for E {
    // COST: always, as are the functions' own: a flat program's loop that calls for them takes a quarter longer.
    #[inline(always)]
    fn map(&self, op: Unary, _: Kernels) -> Self {
        op.apply(self)
    }
    #[inline(always)]
    fn zip(&self, op: Binary, rhs: &Self, _: Kernels) -> Self {
        op.apply(self, rhs)
    }
    #[inline(always)]
    fn select(&self, on: &Self, off: &Self, _: Kernels) -> Self {
        if self.is_zero() { off.clone() } else { on.clone() }
    }
    fn matmul(&self, _: &Self, _: Kernels) -> Self {
        refused("matmul")
    }
    fn reshape(&self, shape: &Shape, _: Kernels) -> Self {
        if shape.is_empty() { self.clone() } else { refused("reshape") }
    }
    fn permute(&self, axes: &[usize]) -> Self {
        if axes.is_empty() { self.clone() } else { refused("permute") }
    }
    fn narrow(&self, _: usize, _: usize, _: usize) -> Self {
        refused("narrow")
    }
    fn broadcast(&self, shape: &Shape, _: &[usize]) -> Self {
        if shape.is_empty() { self.clone() } else { refused("broadcast") }
    }
    fn pad(&self, _: usize, _: usize, _: usize, _: &E, _: Kernels) -> Self {
        refused("pad")
    }
    fn concat(_: &[&Self], _: usize, _: Kernels) -> Self {
        refused("concat")
    }
    fn unfold(&self, _: usize, _: usize, _: usize, _: usize) -> Self {
        refused("unfold")
    }
    fn fold(&self, _: usize, _: usize, _: usize, _: usize, _: Kernels) -> Self {
        refused("fold")
    }
    fn gather(&self, _: &Self, _: Kernels) -> Self {
        refused("gather")
    }
    fn scatter(&self, _: &Self, _: Kernels) -> Self {
        refused("scatter")
    }
    fn row_update(&self, _: &Self, _: &Self, _: Kernels) -> Self {
        refused("row_update")
    }
    fn sum(&self, axes: &[usize], kernels: Kernels) -> Self {
        debug_assert!(axes.is_empty(), "invariant: a scalar has no axes");
        match (kernels, E::lowering()) {
            // BITS: lane 0 is `+0 + x`; every absent lane adds `+0`, which changes no float that
            // came out of an addition to `+0`.
            (Kernels::Native, Lowering::F32 | Lowering::F64) => E::zero().add(self),
            _ => reference::sum_of(std::slice::from_ref(self)),
        }
    }
    fn max(&self, axes: &[usize], _: Kernels) -> Self {
        debug_assert!(axes.is_empty(), "invariant: a scalar has no axes");
        self.clone()
    }
    fn first_max(&self, axes: &[usize], _: Kernels) -> Self {
        debug_assert!(axes.is_empty(), "invariant: a scalar has no axes");
        E::one()
    }
    fn log_sum_exp(&self, _: usize, _: Kernels) -> Self {
        refused("log_sum_exp")
    }
    fn log_softmax(&self, _: usize, _: Kernels) -> Self {
        refused("log_softmax")
    }
    fn softmax(&self, _: usize, _: Kernels) -> Self {
        refused("softmax")
    }
}
