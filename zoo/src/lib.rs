//! What the examples of `poorgrad` share, so that each of them shows its subject and little else.
//!
//! | module | what it gives |
//! | --- | --- |
//! | [`cli`] | `--help`, `--steps`, `--seed`, `--data FILE`, the same in every example |
//! | [`corpus`] | names to learn from: the built-in ones or any file with a name a line |
//! | [`vocabulary`] | characters as tokens, and the windows a model is trained on |
//! | [`bigram`] | the counting model: the loss a bigram network has to reach |
//! | [`makemore`] | the model of the makemore examples, from raw parameters |
//! | [`moons`] | points of two half circles that reach into each other |
//! | [`models`] | networks that benches and tests train: plain, residual, LeNet, VGG |
//! | [`convnet`] | LeNet and VGG with named parameters, for examples |
//! | [`images`] | images with a class each: [`mnist`] (by [`idx`]), [`cifar`] and [`synthetic`] ones |
//! | `download` | files that are fetched once, verified and kept |
//! | [`spelling`] | what the makemore examples of ready parts share round their models |
//! | [`transformer`] | one block that reads whole names |
//! | [`progress`] | a progress bar that vanishes where there is no terminal |
//! | [`chart`] | line charts in the terminal |
//! | [`stablehlo`] | processes that check and run emitted modules |
//! | [`plane`] | maps of the plane: points, labels, curves and borders |
//! | [`table`] | numbers in columns, from a file |
//! | [`stopwatch`] | seconds that went by, for the last line of a training |
//!
//! The members of this workspace outside the `poorgrad` crate may read files and clocks; the crate may not.

/// A number of things in words: `1 name`, `2 names`.
///
/// ```
/// assert_eq!((zoo::counted(1, "name"), zoo::counted(0, "step")), ("1 name".into(), "0 steps".into()));
/// ```
pub fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

pub mod bigram;
pub mod chart;
pub mod cifar;
pub mod cli;
pub mod convnet;
pub mod corpus;
#[cfg(feature = "download")]
pub mod download;
pub mod idx;
pub mod images;
pub mod makemore;
pub mod mnist;
pub mod models;
pub mod moons;
pub mod plane;
pub mod progress;
pub mod spelling;
pub mod stablehlo;
pub mod stopwatch;
pub mod synthetic;
pub mod table;
pub mod transformer;
pub mod vocabulary;
pub mod workloads;
