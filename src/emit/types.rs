//! The types of a module, and its values.

use std::fmt;
use std::rc::Rc;

/// What a tensor of the module holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    F32,
    F64,
    Truth,
    Index,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Truth => "i1",
            Self::Index => "i32",
        }
    }

    /// How `compare` is told to order elements.
    pub(super) fn order(self) -> &'static str {
        match self {
            Self::F32 | Self::F64 => "FLOAT",
            Self::Truth => "UNSIGNED",
            Self::Index => "SIGNED",
        }
    }
}

/// The type of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Type {
    pub(super) kind: Kind,
    pub(super) extents: Vec<usize>,
}

impl Type {
    pub(super) fn new(kind: Kind, extents: &[usize]) -> Self {
        Self { kind, extents: extents.to_vec() }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        for extent in &self.extents {
            write!(f, "{extent}x")?;
        }
        write!(f, "{}>", self.kind.name())
    }
}

/// A value of the module: its name, without `%`, and its type.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) name: Rc<str>,
    pub(super) of: Type,
}

impl Value {
    pub(super) fn extents(&self) -> &[usize] {
        &self.of.extents
    }

    pub(super) fn rank(&self) -> usize {
        self.of.extents.len()
    }

    pub(super) fn count(&self) -> usize {
        self.of.extents.iter().product()
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.name)
    }
}

/// A list as attributes have it: `[1, 2]`, or what stands inside of `array<i64: 1, 2>`.
pub(super) fn list(items: &[usize]) -> String {
    items.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// `array<i64: 1, 2>`.
pub(super) fn array(items: &[usize]) -> String {
    if items.is_empty() { "array<i64>".into() } else { format!("array<i64: {}>", list(items)) }
}
