//! Measurements side by side: ours, other libraries and the machine's limits in one run.
//!
//! Machines are shared and noisy. So contenders take turns, each in short runs, and a table quotes
//! medians and their ratios; a limit is measured in the same run as what is held against it.

pub mod limits;
mod race;
mod table;

pub use race::race;
pub use table::Table;
