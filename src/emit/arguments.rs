//! What a module takes and gives: its manifest.

use super::literal::one_line;
use crate::payload::{Shape, Tensorial};
use std::fmt;

/// Where an argument's elements come from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ModuleSource<P: Tensorial> {
    /// A parameter of the generation.
    Parameter,
    /// A feed, or this default.
    Input(P),
    /// A constant that is too large to be written into the module.
    Constant(P),
}

/// An argument of a module.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ModuleArgument<P: Tensorial> {
    /// Its name in the text, without `%`: the value's label, or its number on the tape.
    pub name: String,
    /// The position of the value on the plan's tape.
    pub node: usize,
    /// Where its elements come from.
    pub source: ModuleSource<P>,
    /// The type of its elements: `f32`, `f64`, or `i32` for the row numbers of a selection.
    pub element: &'static str,
    /// Its extents; those of a selection lack the last one, of which row numbers are positions.
    pub shape: Shape,
}

/// A result of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModuleResult {
    /// What it is: the value's label, or its number on the tape; of a gradient, what it is of.
    pub name: String,
    /// The position of the value on the plan's tape.
    pub node: usize,
    /// The type of its elements: `f32` or `f64`.
    pub element: &'static str,
    /// Its extents.
    pub shape: Shape,
}

impl<P: Tensorial> fmt::Display for ModuleArgument<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, node, source, element, shape } = self;
        let source = match source {
            ModuleSource::Parameter => "parameter",
            ModuleSource::Input(_) => "input",
            ModuleSource::Constant(_) => "constant",
        };
        write!(f, "%{name}: {source} %{node}, {element} {shape}")
    }
}

impl fmt::Display for ModuleResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, node, element, shape } = self;
        write!(f, "{}: %{node}, {element} {shape}", one_line(name))
    }
}
