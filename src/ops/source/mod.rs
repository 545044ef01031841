//! Sources: nodes that hold a payload instead of computing one. The engine reads them; their
//! definitions and rules are never called.

mod input;
mod leaf;
mod parameter;

pub(crate) use input::Input;
pub(crate) use leaf::Leaf;
pub(crate) use parameter::Parameter;
