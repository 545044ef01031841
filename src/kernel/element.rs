//! What an element of a payload offers: arithmetic, elementary functions, order, bytes.
//!
//! The trait is open. A type from outside the crate (a dual number, an interval, an integer
//! modulo a prime) that implements it runs through recording, interpretation and
//! differentiation, as a scalar payload and inside a tensor. The hooks at the end let `f32` and
//! `f64` take native kernels; they have defaults, so that no outside implementation ever breaks.

use super::task::{
    ChainTask, ColumnsTask, GemmTask, MapTask, Matrix, Packed, ReduceTask, SoftmaxTask,
    TransposeTask, WindowTask,
};
use std::cmp::Ordering;
use std::fmt::Debug;

/// Which table of kernels computes: the definitions, or the fast code with the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Kernels {
    /// The generic scalar definitions of `poorgrad::reference`.
    Reference,
    /// The fast kernels where the element has them, the definitions elsewhere.
    #[default]
    Native,
}

/// How far an element can be lowered by a compiler stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Lowering {
    /// IEEE 754 binary32: native kernels exist.
    F32,
    /// IEEE 754 binary64: native kernels exist.
    F64,
    /// Any other element: the generic loops run it.
    Generic,
}

fn unsupported(function: &str, element: &str) -> ! {
    panic!(
        "{function}: the element type `{element}` does not define it; implement `Elementary::{function}`"
    )
}

/// An element: the arithmetic that payloads are made of.
///
/// Required are a name, the four operations, negation, order and bytes. The elementary functions
/// default to a panic that names the missing one, so that an exact type such as an integer modulo
/// a prime implements only what it means. A tape records whatever its operations are, so that such
/// a panic comes from the run and not from the line that recorded the operation: print the network
/// (`println!("{network}")`), where each value of that name stands with its source line.
///
/// # Example
///
/// ```
/// use poorgrad::Elementary;
///
/// assert_eq!(Elementary::mul(&3.0_f64, &4.0), 12.0);
/// assert!(f64::from_f64(0.0).is_zero());
/// ```
pub trait Elementary: Clone + Debug + Send + Sync + 'static {
    /// The name that text and messages print, such as `f32`.
    const NAME: &'static str;
    /// The number of bytes that [`Elementary::write_bytes`] writes.
    const BYTES: usize;

    /// The element nearest to a literal.
    fn from_f64(value: f64) -> Self;
    /// The (primal) value as an `f64`, for printing and for checks.
    fn to_f64(&self) -> f64;
    /// Whether the whole element is zero, of either sign (a dual number with zero primal and
    /// non-zero tangent is not).
    fn is_zero(&self) -> bool;
    /// `self + rhs`, rounded once.
    fn add(&self, rhs: &Self) -> Self;
    /// `self - rhs`, rounded once.
    fn sub(&self, rhs: &Self) -> Self;
    /// `self * rhs`, rounded once.
    fn mul(&self, rhs: &Self) -> Self;
    /// `self / rhs`, rounded once.
    fn div(&self, rhs: &Self) -> Self;
    /// `-self`.
    fn neg(&self) -> Self;
    /// The order of two elements, `None` where there is none (NaN).
    fn order(&self, rhs: &Self) -> Option<Ordering>;
    /// Appends exactly [`Elementary::BYTES`] bytes, little-endian, that determine the element.
    fn write_bytes(&self, out: &mut Vec<u8>);
    /// The element that [`Elementary::write_bytes`] wrote, `None` where the bytes are no element.
    fn read_bytes(bytes: &[u8]) -> Option<Self>;

    /// The additive identity, `+0`.
    fn zero() -> Self {
        Self::from_f64(0.0)
    }
    /// The multiplicative identity.
    fn one() -> Self {
        Self::from_f64(1.0)
    }
    /// Whether the element is not a number.
    fn is_nan(&self) -> bool {
        self.order(self).is_none()
    }
    /// Whether the element is neither infinite nor NaN.
    fn is_finite(&self) -> bool {
        self.to_f64().is_finite()
    }
    /// `+0` where `self` is zero, else `self * rhs`: cotangent times local derivative, so that a
    /// zero cotangent never meets an infinite derivative.
    fn absorb(&self, rhs: &Self) -> Self {
        if self.is_zero() { Self::zero() } else { self.mul(rhs) }
    }
    /// `+0` where `self` is zero, else `self / rhs`.
    fn absorb_div(&self, rhs: &Self) -> Self {
        if self.is_zero() { Self::zero() } else { self.div(rhs) }
    }
    /// IEEE 754-2019 `maximum`: NaN if either is NaN, and `-0 < +0`. The default takes the first
    /// of a tie, which is right for elements without signed zeros.
    fn maximum(&self, rhs: &Self) -> Self {
        match self.order(rhs) {
            Some(Ordering::Less) => rhs.clone(),
            None if !self.is_nan() => rhs.clone(),
            _ => self.clone(),
        }
    }
    /// `self` where positive or NaN, else `+0`.
    fn relu(&self) -> Self {
        match self.order(&Self::zero()) {
            Some(Ordering::Greater) | None => self.clone(),
            _ => Self::zero(),
        }
    }
    /// `e^self`.
    fn exp(&self) -> Self {
        unsupported("exp", Self::NAME)
    }
    /// `e^self - 1`.
    fn exp_m1(&self) -> Self {
        unsupported("exp_m1", Self::NAME)
    }
    /// The natural logarithm.
    fn ln(&self) -> Self {
        unsupported("ln", Self::NAME)
    }
    /// `ln(1 + self)`.
    fn ln_1p(&self) -> Self {
        unsupported("ln_1p", Self::NAME)
    }
    /// The square root, rounded once.
    fn sqrt(&self) -> Self {
        unsupported("sqrt", Self::NAME)
    }
    /// The hyperbolic tangent.
    fn tanh(&self) -> Self {
        unsupported("tanh", Self::NAME)
    }
    /// `e = exp(-|x|)`, `r = 1 / (1 + e)`, then `r` where `x >= 0`, else `e * r`.
    fn sigmoid(&self) -> Self {
        let (zero, one) = (Self::zero(), Self::one());
        let non_negative = matches!(self.order(&zero), Some(Ordering::Greater | Ordering::Equal));
        let e = if non_negative { self.neg().exp() } else { self.exp() };
        let r = one.div(&one.add(&e));
        if non_negative { r } else { e.mul(&r) }
    }
    /// The sine of an angle in radians.
    fn sin(&self) -> Self {
        unsupported("sin", Self::NAME)
    }
    /// The cosine of an angle in radians.
    fn cos(&self) -> Self {
        unsupported("cos", Self::NAME)
    }
    /// The error function.
    fn erf(&self) -> Self {
        unsupported("erf", Self::NAME)
    }
    /// `self` to the power `exponent`, 1 at `0^0`.
    fn powf(&self, exponent: &Self) -> Self {
        let _ = exponent;
        unsupported("powf", Self::NAME)
    }
    /// `self` to an integer power. The default multiplies by repeated squaring.
    fn powi(&self, exponent: i32) -> Self {
        let (mut base, mut left, mut product) =
            (self.clone(), exponent.unsigned_abs(), Self::one());
        while left > 0 {
            if left & 1 == 1 {
                product = product.mul(&base);
            }
            left >>= 1;
            if left > 0 {
                base = base.mul(&base);
            }
        }
        if exponent < 0 { Self::one().div(&product) } else { product }
    }

    /// The text of one element: exact, without spaces. The default is the bytes in hexadecimal.
    fn to_text(&self) -> String {
        let mut bytes = Vec::with_capacity(Self::BYTES);
        self.write_bytes(&mut bytes);
        bytes.iter().rev().fold(String::from("0x"), |text, byte| text + &format!("{byte:02x}"))
    }
    /// The element that [`Elementary::to_text`] printed, bit for bit.
    fn from_text(text: &str) -> Option<Self> {
        Self::read_bytes(&bytes_from_hex(text, Self::BYTES)?)
    }

    /// How far compiler stages may lower this element.
    #[must_use]
    fn lowering() -> Lowering {
        Lowering::Generic
    }
    /// The elements of a slice as `f32`, where that is what they are.
    fn as_f32s(elements: &[Self]) -> Option<&[f32]> {
        let _ = elements;
        None
    }
    /// The elements of a slice as `f64`, where that is what they are.
    fn as_f64s(elements: &[Self]) -> Option<&[f64]> {
        let _ = elements;
        None
    }
    /// The elements that some bytes are, as they lie in memory, where every pattern of bytes is one and
    /// none needs a drop: what is known as plain data. It covers all of the bytes. Large blocks of such
    /// elements lie on large pages where the system has them. `f32` and `f64` answer with
    /// `bytemuck::try_cast_slice(bytes).ok()`.
    fn cast_bytes(bytes: &[u8]) -> Option<&[Self]> {
        let _ = bytes;
        None
    }
    /// [`Elementary::cast_bytes`] for writing: an element has both, or neither is used.
    fn cast_bytes_mut(bytes: &mut [u8]) -> Option<&mut [Self]> {
        let _ = bytes;
        None
    }
    /// Computes a matrix product by a kernel of the element's own. `false`: not taken, and the
    /// crate's loops compute it. Called where [`Kernels::Native`] runs, never by the oracle.
    fn gemm(task: &mut GemmTask<'_, Self>) -> bool {
        let _ = task;
        false
    }
    /// The right operand `b`, `k` by `n`, laid out for the element's own kernel of products. `None`: it has no
    /// use for that.
    fn pack(b: Matrix<'_, Self>, [k, n]: [usize; 2]) -> Option<Packed<Self>> {
        let _ = (b, k, n);
        None
    }
    /// Reduces lines by a kernel of the element's own. `false`: not taken. Called where
    /// [`Kernels::Native`] runs, never by the oracle.
    fn reduce(task: &mut ReduceTask<'_, Self>) -> bool {
        let _ = task;
        false
    }
    /// Reduces columns by a kernel of the element's own. `false`: not taken, and nothing is written.
    /// Called where [`Kernels::Native`] runs, never by the oracle.
    fn reduce_columns(task: &mut ColumnsTask<'_, Self>) -> bool {
        let _ = task;
        false
    }
    /// Takes lines through a function of the softmax family by a kernel of the element's own. `false`:
    /// not taken. Called where [`Kernels::Native`] runs, never by the oracle.
    fn softmax(task: &mut SoftmaxTask<'_, Self>) -> bool {
        let _ = task;
        false
    }
    /// Computes a convolution, a pool or a gradient of one by a kernel of the element's own. `false`:
    /// not taken, and the chain of operations that records it computes it. Called where
    /// [`Kernels::Native`] runs, never by the oracle.
    fn window(task: &mut WindowTask<'_, Self>) -> bool {
        let _ = task;
        false
    }
    /// Computes an element-wise function by a kernel of the element's own. `false`: not taken.
    /// Called where [`Kernels::Native`] runs, never by the oracle.
    fn map(task: &mut MapTask<'_, Self>) -> bool {
        let _ = task;
        false
    }
    /// Whether [`Elementary::chain`] is there. What a pass does is the crate's own business, so that only `f32`
    /// and `f64` have one.
    #[doc(hidden)]
    fn folds() -> bool {
        false
    }
    /// Computes several element-wise functions, one after another, in one pass. Called by plans, and only
    /// where [`Elementary::folds`].
    #[doc(hidden)]
    fn chain(task: &mut ChainTask<'_, '_, Self>) -> bool {
        let _ = task;
        false
    }
    /// Lays out a matrix by rows by a kernel of the element's own. `false`: not taken. Called where
    /// [`Kernels::Native`] runs, never by the oracle.
    fn transpose(task: &mut TransposeTask<'_, Self>) -> bool {
        let _ = task;
        false
    }
}

/// Little-endian bytes from `0x` and `2 * count` hexadecimal digits.
pub(crate) fn bytes_from_hex(text: &str, count: usize) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x")?;
    if digits.len() != 2 * count || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    (0..count).rev().map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).ok()).collect()
}
