//! Composites: methods that record several operations.

mod activation;
mod operators;
mod pooling;
mod shaping;
mod statistics;
mod window;
