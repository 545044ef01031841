//! Emission: what a plan is as a module, checked by toolchains that the crate never links.
//!
//! `POORGRAD_STABLEHLO_VALIDATOR`, `_EVALUATOR` and `_RUNNER` name the tools of `tools/stablehlo`
//! (parser and verifier, reference interpreter, XLA-CPU); where they are not set, these tests say that
//! they are skipped. Each says how many modules were checked, and `cargo xtask ci --stablehlo` fails
//! where they are too few.

mod blame;
mod bounds;
mod cases;
mod labels;
mod models;
mod operations;
mod pairs;
mod raised;
mod server;
mod steps;
mod tapes;
mod tools;
mod windows;
