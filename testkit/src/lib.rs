//! What the tests of `poorgrad` share: generators of random tapes, oracles and test payloads.
//!
//! Everything here uses the public surface alone, so that what it proves is what a user has.
//! Nothing depends on a clock, an environment or a global random state: a byte string determines
//! a tape, and a seed determines a byte string.
#![forbid(unsafe_code)]

pub mod allocation;
pub mod bits;
pub mod decisions;
pub mod dual;
pub mod emission;
pub mod gradient;
pub mod modular;
pub mod shrink;
pub mod spread;
pub mod tape;
pub mod timing;
pub mod training;
pub mod wrapped;

pub use allocation::Counting;
pub use decisions::{Decisions, seeded};
pub use dual::Dual;
pub use modular::Modular;
pub use spread::Spread;
pub use tape::{RandomTape, generate, generate_smooth};
pub use wrapped::Wrapped;
