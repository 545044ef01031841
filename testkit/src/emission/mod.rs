//! What a runner of emitted modules may do: each operation's bound, by itself and through a tape.
//!
//! A tape is taken [`Apart`], so that one operation can be computed on operands from elsewhere: the
//! oracle's definition on the very operands that a runner computed says what the runner should have
//! made of them, and no error of the operands is held against it. [`Accuracy`] says how far it may be
//! from that; `docs/emission.md` derives the numbers. [`spread`] carries the same bounds along a tape,
//! for a runner that shows no more than the end of it. [`Blame`] finds the first operation that leaves
//! its bound.

mod accuracy;
mod apart;
mod blame;
mod check;
mod flush;
mod known;
mod piece;
mod report;
mod shrink;
mod spread;

pub use accuracy::Accuracy;
pub use apart::Apart;
pub use blame::{Blame, Run};
pub use check::{Violation, check, ulps};
pub use report::{Report, Verdict};
pub use spread::spread;
