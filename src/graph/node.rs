//! `Node`: one line of the tape.

use super::chain::Branch;
use super::measured::Measured;
use super::scope;
use super::sync::OnceLock;
use crate::ops::Function;
use crate::payload::Shape;
use std::panic::Location;
use std::sync::Arc;

/// The positions of a node's operands; no allocation up to three.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operands {
    Inline(u8, [u32; 3]),
    Heap(Box<[u32]>),
}

impl Operands {
    pub(crate) fn new(operands: &[u32]) -> Self {
        if operands.len() <= 3 {
            let mut inline = [0; 3];
            inline[..operands.len()].copy_from_slice(operands);
            Self::Inline(operands.len() as u8, inline)
        } else {
            Self::Heap(operands.into())
        }
    }
}

impl From<Vec<u32>> for Operands {
    fn from(operands: Vec<u32>) -> Self {
        if operands.len() <= 3 { Self::new(&operands) } else { Self::Heap(operands.into()) }
    }
}

impl std::ops::Deref for Operands {
    type Target = [u32];
    #[inline]
    fn deref(&self) -> &[u32] {
        match self {
            Self::Inline(count, operands) => &operands[..*count as usize],
            Self::Heap(operands) => operands,
        }
    }
}

/// One recorded operation: what, of which operands, with which result shape, and where from.
pub(crate) struct Node<P> {
    pub(crate) function: Function,
    pub(crate) operands: Operands,
    /// COST: shared with the operand that has the same, as most nodes' is: a node is smaller by a
    /// fifth.
    pub(crate) shape: Arc<Shape>,
    /// A leaf's constant or an input's default. A parameter's payload is state, not structure.
    /// COST: boxed, as few nodes have one, and a tensor would make every node larger by half.
    pub(crate) payload: Option<Box<P>>,
    pub(crate) location: Place,
    pub(crate) scope: Option<Arc<String>>,
    pub(crate) name: OnceLock<Arc<String>>,
    /// Whose extents its numbers are, where nobody asked for them as numbers.
    pub(crate) measured: Measured,
    /// Whether a cotangent can reach a parameter or an input through this node.
    pub(crate) differentiable: bool,
    /// Whether the payload is a selection in every run.
    pub(crate) selection: bool,
}

/// The source line that recorded a node: the caller's, or one that a tape's text carries.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Source(&'static Location<'static>),
    Text(Arc<TextPlace>),
}

/// A source line as text has it.
#[derive(Debug, PartialEq)]
pub(crate) struct TextPlace {
    // Shared by all lines of the text that name it.
    pub(crate) file: Arc<String>,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// Where a node comes from: its source line and the scope that was open there, and what its numbers
/// were read off.
pub(crate) struct Origin {
    pub(crate) place: Place,
    pub(crate) scope: Option<Arc<String>>,
    pub(crate) measured: Measured,
}

impl Origin {
    /// At `place`, in the scope that this thread has open on `branch`.
    pub(crate) fn new(place: Place, branch: Branch) -> Self {
        Self { place, scope: scope::current(branch), measured: Measured::Nothing }
    }

    /// With numbers that were read off somewhere.
    pub(crate) fn measured(self, measured: Measured) -> Self {
        Self { measured, ..self }
    }
}

impl Place {
    pub(crate) fn parts(&self) -> (&str, u32, u32) {
        match self {
            Self::Source(location) => (location.file(), location.line(), location.column()),
            Self::Text(place) => (&place.file, place.line, place.column),
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (file, line, column) = self.parts();
        write!(f, "{file}:{line}:{column}")
    }
}

impl<P> Node<P> {
    /// The path of scopes and name, where the node has a name.
    pub(crate) fn label(&self) -> Option<String> {
        let name = self.name.get()?;
        Some(match &self.scope {
            Some(scope) => format!("{scope}.{name}"),
            None => name.to_string(),
        })
    }
}

impl<P: Clone> Clone for Node<P> {
    fn clone(&self) -> Self {
        let name = OnceLock::new();
        if let Some(text) = self.name.get() {
            let _ = name.set(text.clone());
        }
        Self {
            function: self.function.clone(),
            operands: self.operands.clone(),
            shape: self.shape.clone(),
            payload: self.payload.clone(),
            location: self.location.clone(),
            scope: self.scope.clone(),
            name,
            measured: self.measured,
            differentiable: self.differentiable,
            selection: self.selection,
        }
    }
}
