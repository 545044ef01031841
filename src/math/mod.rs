//! The crate's own elementary functions.
//!
//! Invariant: each is a function of its input alone, a fixed sequence of IEEE 754
//! operations without fused multiply-add and without the platform's libm, so its
//! bits are the same on every platform and at every vector width. Place: the
//! lowest stratum; it knows nothing of the rest of the crate.
//!
//! Each function is written once over a lane token ([`lanes::Lanes`]). The modules
//! [`f32`](mod@f32) and [`f64`](mod@f64) are its scalar form, one lane wide; the
//! kernels run the same code in registers.

pub mod erf;
pub mod exact;
pub mod exp;
pub mod extrema;
pub mod f32;
pub mod f64;
pub mod format;
pub mod lanes;
pub mod ln;
pub(crate) mod mix;
pub mod pow;
mod reduction;
pub mod scalar;
pub mod tanh;
pub mod trigonometry;
pub mod unrolled;
pub mod value;

#[cfg(test)]
mod tests;
