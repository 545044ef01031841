//! The tape as text: the printer, the parser, and the fingerprints of what is printed.
//!
//! One line stands for one node, and the full form reads back as the same network, bits included.
//! The grammar stands in the documentation of [`Network::parse`](crate::Network::parse); the
//! printer writes no more than it and the parser reads no less.
//!
//! INVARIANT: text is a function of the network alone: no address, clock or machine shows in it.

mod cursor;
mod error;
mod fingerprint;
mod node;
mod parse;
mod payload;
mod print;
mod quote;
mod shape;

pub use error::{ParseError, ParseErrorKind};
pub use fingerprint::Fingerprint;

/// The version of the format that this crate prints and reads.
pub(crate) const VERSION: usize = 1;
