//! Where a NaN or an infinity first appeared.

use crate::graph::error::describe;
use crate::graph::tape::Tape;
use crate::kernel::Elementary;
use crate::payload::Tensorial;
use std::fmt;

/// The first non-finite element of a run or of a gradient: the operation, its operands, the
/// element's position, the source line and the name.
#[derive(Clone, Debug, PartialEq)]
pub struct NonFinite {
    operation: &'static str,
    value: String,
    position: usize,
    element: f64,
    operands: Vec<(String, Option<f64>)>,
}

impl NonFinite {
    /// The operation that produced it.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        self.operation
    }
    /// The row-major position of the element in its payload.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }
    /// The element: NaN or an infinity.
    #[must_use]
    pub fn element(&self) -> f64 {
        self.element
    }
}

impl fmt::Display for NonFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} holds {} at position {}", self.value, self.element, self.position)?;
        for (operand, element) in &self.operands {
            write!(f, "\n  operand {operand}")?;
            if let Some(element) = element {
                write!(f, " holds {element} there")?;
            }
        }
        Ok(())
    }
}

fn element_at<P: Tensorial>(payload: &P, position: usize) -> Option<f64> {
    let (mut at, mut found) = (0, None);
    payload.for_each(&mut |element| {
        if at == position {
            found = Some(element.to_f64());
        }
        at += 1;
    });
    found
}

/// The first payload, in the order given, with a non-finite element.
pub(crate) fn first_nonfinite<'v, P: Tensorial>(
    tape: &Tape<P>,
    values: impl Iterator<Item = (usize, &'v P)>,
    value: &dyn Fn(usize) -> Option<&'v P>,
) -> Option<NonFinite> {
    for (index, payload) in values {
        let (mut at, mut found) = (0, None);
        payload.for_each(&mut |element| {
            if found.is_none() && !element.is_finite() {
                found = Some((at, element.to_f64()));
            }
            at += 1;
        });
        let Some((position, element)) = found else { continue };
        let node = tape.node(index);
        let operands = node.operands.iter().map(|&operand| {
            let operand = operand as usize;
            // Only an operand of the same shape has an element at the same place.
            let held = value(operand).filter(|held| held.shape() == payload.shape());
            (
                describe(operand, tape.node(operand)),
                held.and_then(|held| element_at(held, position)),
            )
        });
        return Some(NonFinite {
            operation: node.function.name(),
            value: describe(index, node),
            position,
            element,
            operands: operands.collect(),
        });
    }
    None
}
