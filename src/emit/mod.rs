//! Emission: a plan's computation as the text of a StableHLO module, for compilers outside.
//!
//! The module is written from what the cards lower to, not from the cards: an operation that lowers
//! to what is here already is emitted without a line of its own. Nothing below knows StableHLO.
//!
//! INVARIANT: what is emitted computes what the tape says, within the bounds of `docs/emission.md`;
//! what cannot be, is an error that names the operation and its source line. The text is a function
//! of the tape and the options.

mod arguments;
mod error;
mod index;
mod literal;
mod module;
mod movement;
mod options;
mod pointwise;
mod product;
mod program;
mod reduce;
mod softmax;
mod text;
mod types;
mod window;
mod writer;

pub use arguments::{ModuleArgument, ModuleResult, ModuleSource};
pub use error::EmitError;
pub use module::EmittedModule;
pub use options::{Emit, EmitForm};
