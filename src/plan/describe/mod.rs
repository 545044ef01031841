//! `Description`: a plan as data, to be printed, compared and kept.

mod build;
mod display;
mod units;

pub(super) use build::describe;
pub(super) use display::titled;
pub(super) use units::{bytes, operations};

use super::report::Report;

/// A plan as data. It prints as a table: every step with the nodes that it covers and the lines that
/// recorded them, what it reads, writes and lets go, and what is alive behind it; the passes and
/// what they did; memory and work. `{:#}` adds what depends on the machine.
///
/// # Example
///
/// ```
/// use poorgrad::{Network, Tensor};
///
/// let network = Network::new();
/// let x = network.input(Tensor::from([[1.0_f32, 2.0], [3.0, 4.0]])).named("x");
/// let y = x.matmul(x).tanh().named("y");
/// let description = network.compile([y], []).describe();
/// assert_eq!(description.steps.len(), 1);
/// assert!(description.to_string().contains("product + 1"));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Description {
    /// The element: `f32`, `f64`, or the name of another.
    pub element: String,
    /// What runs it: `arena`, `flat` or `opaque`.
    pub executor: String,
    /// The passes in their order.
    pub passes: Vec<Report>,
    /// What is read and not computed.
    pub sources: Vec<ValueDescription>,
    /// The steps in their order. A flat program has none: its lines are too many and too small.
    pub steps: Vec<StepDescription>,
    /// What is handed back, in order.
    pub results: Vec<ValueDescription>,
    /// The number of functions and of slots of a flat program.
    pub flat: Option<[usize; 2]>,
    /// Memory.
    pub memory: MemoryDescription,
    /// Plain floating-point operations of a run; an elementary function counts as one.
    pub operations: u64,
    /// Bytes that the steps of a run read and write.
    pub bytes: u64,
}

/// The memory of a plan's runs, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MemoryDescription {
    /// The arena, in which all that lives between steps has its place.
    pub arena: u64,
    /// What results take that are handed back.
    pub results: u64,
    /// The most that is alive in the arena at one time.
    pub peak: u64,
    /// What all values that are computed would take if each were kept, views free.
    pub recorded: u64,
    /// What parameters and leaves take at most that are laid out once more for products: those of each generation
    /// that is run more than twice, where they are dense tensors of their own, each in one way, and as long as the
    /// tensor or a clone of it lives. Without what fills up registers.
    pub packed: u64,
    /// What chains take of a thread besides; the thread keeps it, whatever plan it runs next. What
    /// products pack of their operands is not counted.
    pub scratch: u64,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct StepDescription {
    /// The kernel's name: `product`, `sum`, `chain`, ..
    pub kernel: String,
    /// The extents of what it computes.
    pub shape: Vec<usize>,
    /// The nodes that it covers.
    pub nodes: Vec<ValueDescription>,
    /// What it reads.
    pub reads: Vec<ReadDescription>,
    /// What it writes, and where.
    pub writes: Vec<WriteDescription>,
    /// The nodes whose places are free behind it.
    pub frees: Vec<u32>,
    /// Plain floating-point operations.
    pub operations: u64,
    /// Bytes read and written.
    pub bytes: u64,
    /// Bytes alive in the arena while it runs.
    pub live: u64,
    /// What depends on the machine and its threads: tiles and splits.
    pub machine: String,
}

/// A value: a node of the tape.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ValueDescription {
    /// The position of the node on the plan's tape.
    pub node: u32,
    /// Its operation with operands and attributes, as the tape prints it.
    pub text: String,
    /// The name given to it, behind its scopes.
    pub label: Option<String>,
    /// The extents.
    pub shape: Vec<usize>,
    /// The source line that recorded it.
    pub place: String,
    /// Whether the plan recorded it to compute a gradient.
    pub gradient: bool,
    /// Whether it computes again what was dropped.
    pub recomputed: bool,
}

/// What a step reads.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ReadDescription {
    /// The node whose elements are read.
    pub node: u32,
    /// The name given to it.
    pub label: Option<String>,
    /// How they are read, where not one after the other: `broadcast`, `transposed`, strides.
    pub how: Option<String>,
}

/// What a step writes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct WriteDescription {
    /// The node.
    pub node: u32,
    /// The first byte in the arena; `None` for a result that is handed back.
    pub offset: Option<u64>,
    /// The number of bytes.
    pub bytes: u64,
    /// The node whose place it takes over.
    pub in_place_of: Option<u32>,
}
