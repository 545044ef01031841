//! The tape: what is recorded, how it forks, and the handles into it.

pub(crate) mod arena;
pub(crate) mod chain;
pub(crate) mod error;
pub(crate) mod head;
pub(crate) mod inspect;
pub(crate) mod lookup;
#[cfg(all(test, loom))]
mod loom_model;
pub(crate) mod measured;
pub(crate) mod network;
pub(crate) mod node;
mod reinfer;
mod reinfer_error;
pub(crate) mod scope;
pub(crate) mod symbol;
pub(crate) mod sync;
pub(crate) mod tape;
pub(crate) mod value;

pub use error::{NetworkError, ShapeError};
pub use inspect::Stats;
pub use network::Network;
pub use reinfer_error::ReinferError;
pub use scope::Scope;
pub use symbol::Symbol;
pub use value::Value;
