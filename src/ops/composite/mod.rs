//! Composites: methods that record several operations.

mod activation;
mod operators;
mod shaping;
mod statistics;
