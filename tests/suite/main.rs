//! The integration suite: one binary, one module for each promise or part.

mod engine;
