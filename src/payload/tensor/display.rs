//! Text for people: nested brackets, aligned columns, long axes summarised.
//!
//! INVARIANT: an element prints as `Elementary::to_text` does, so that what is shown reads back
//! exactly; a precision (`{:.3}`) rounds instead.

use super::Tensor;
use crate::kernel::Elementary;
use std::fmt;

/// Tensors with more elements show only the ends of their long axes.
const SUMMARISED: usize = 1000;
/// Positions shown at each end of a summarised axis.
const EDGE: usize = 3;

struct Printer<'t, E: Elementary> {
    tensor: &'t Tensor<E>,
    texts: Vec<String>,
    width: usize,
    /// Columns that the first bracket is indented by on later lines.
    indent: usize,
}

impl<E: Elementary> Tensor<E> {
    /// The positions of an axis that are shown; `None` is an ellipsis.
    fn shown(&self, axis: usize) -> impl Iterator<Item = Option<usize>> + use<E> {
        let extent = self.shape()[axis];
        // An empty tensor shows its brackets, of which there may be more than elements.
        let shown = if self.is_empty() { usize::MAX } else { self.len() };
        let (head, tail) = if shown > SUMMARISED && extent > 2 * EDGE {
            (EDGE, extent - EDGE)
        } else {
            (extent, extent)
        };
        let ellipsis = (head < tail).then_some(None);
        (0..head).map(Some).chain(ellipsis).chain((tail..extent).map(Some))
    }

    fn texts(&self, index: &mut Vec<usize>, precision: Option<usize>, out: &mut Vec<String>) {
        if index.len() == self.rank() {
            let element = self.get(index).expect("invariant: shown positions exist");
            out.push(match precision {
                Some(digits) => format!("{:.digits$}", element.to_f64()),
                None => element.to_text(),
            });
            return;
        }
        for position in self.shown(index.len()).flatten() {
            index.push(position);
            self.texts(index, precision, out);
            index.pop();
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, indent: usize) -> fmt::Result {
        let mut texts = Vec::new();
        self.texts(&mut Vec::new(), f.precision(), &mut texts);
        let width = texts.iter().map(String::len).fold(0, Ord::max);
        Printer { tensor: self, texts, width, indent }.write(f, 0, &mut 0)
    }
}

impl<E: Elementary> Printer<'_, E> {
    fn write(&self, f: &mut fmt::Formatter<'_>, axis: usize, next: &mut usize) -> fmt::Result {
        let rank = self.tensor.rank();
        if axis == rank {
            let width = if rank == 0 { 0 } else { self.width };
            write!(f, "{:>width$}", self.texts[*next])?;
            *next += 1;
            return Ok(());
        }
        write!(f, "[")?;
        for (i, position) in self.tensor.shown(axis).enumerate() {
            if i > 0 && axis + 1 == rank {
                write!(f, ", ")?;
            } else if i > 0 {
                // Matrices of a stack stand apart by a blank line for every axis further out.
                let lines = rank - axis - 1;
                write!(
                    f,
                    ",{}{:indent$}",
                    "\n".repeat(lines),
                    "",
                    indent = self.indent + axis + 1
                )?;
            }
            match position {
                Some(_) => self.write(f, axis + 1, next)?,
                None => write!(f, "...")?,
            }
        }
        write!(f, "]")
    }
}

/// The elements in nested brackets.
///
/// # Example
///
/// ```
/// use poorgrad::Tensor;
///
/// let t = Tensor::from([[1.0, -2.5], [10.0, 0.0]]);
/// assert_eq!(t.to_string(), "[[ 1.0, -2.5],\n [10.0,  0.0]]");
/// ```
impl<E: Elementary> fmt::Display for Tensor<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

/// The elements with shape, element type and, where it is not dense, storage.
impl<E: Elementary> fmt::Debug for Tensor<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor(")?;
        self.write(f, "Tensor(".len())?;
        write!(f, ", shape={}, dtype={}", self.shape(), E::NAME)?;
        match self.storage.name() {
            "dense" => write!(f, ")"),
            storage => write!(f, ", storage={storage})"),
        }
    }
}
