//! Contractions: products that sum over an axis.

mod matmul;

pub(crate) use matmul::Matmul;
