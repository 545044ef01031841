//! What can go wrong when an expression is recorded or a symbol resolved.

mod network;
mod shape;

pub use network::NetworkError;
pub(crate) use network::{describe, resolved};
pub use shape::ShapeError;
pub(crate) use shape::{Violation, recorded};
