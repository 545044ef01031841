//! Where a NaN or an infinity first appeared.

use super::chain_rule::ancestors;
use crate::graph::Symbol;
use crate::graph::error::describe;
use crate::graph::tape::Tape;
use crate::kernel::Elementary;
use crate::payload::Tensorial;
use std::fmt;

/// The first non-finite element of a run or of a gradient: the operation that made it, its
/// operands, the element's position, the source line and the name.
///
/// Of a run it is an element of the operation's result; of a gradient it is one that the
/// operation's derivative rule handed to an operand, the [receiver](Self::receiver).
#[derive(Clone, Debug, PartialEq)]
pub struct NonFinite {
    operation: &'static str,
    symbol: Symbol,
    label: Option<String>,
    place: String,
    value: String,
    position: usize,
    element: f64,
    receiver: Option<(Symbol, String)>,
    others: Vec<String>,
    operands: Vec<Operand>,
}

#[derive(Clone, Debug, PartialEq)]
struct Operand {
    symbol: Symbol,
    value: String,
    element: Option<f64>,
}

impl NonFinite {
    /// The operation that produced it.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        self.operation
    }
    /// The value that the operation computes.
    #[must_use]
    pub fn symbol(&self) -> Symbol {
        self.symbol
    }
    /// The label of that value, where it has one.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }
    /// The source line that recorded it, as `file:line:column`.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }
    /// The row-major position of the element in its payload: the operation's result or, of a
    /// gradient, the receiver's cotangent.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }
    /// The element: NaN or an infinity.
    #[must_use]
    pub fn element(&self) -> f64 {
        self.element
    }
    /// Of a gradient, the operand whose cotangent holds the element.
    #[must_use]
    pub fn receiver(&self) -> Option<Symbol> {
        self.receiver.as_ref().map(|(symbol, _)| *symbol)
    }
    /// The operands of the operation. With each, of a run, its element at the same position, where
    /// it has the result's shape.
    pub fn operands(&self) -> impl Iterator<Item = (Symbol, Option<f64>)> {
        self.operands.iter().map(|operand| (operand.symbol, operand.element))
    }
}

impl fmt::Display for NonFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value, element, position, .. } = self;
        match &self.receiver {
            None => write!(f, "{value} holds {element} at position {position}")?,
            Some((_, receiver)) => write!(
                f,
                "{value} hands the cotangent {element} at position {position} to {receiver}"
            )?,
        }
        for other in &self.others {
            write!(f, "\n  or it comes from {other}, whose cotangent is added there")?;
        }
        for Operand { value, element, .. } in &self.operands {
            write!(f, "\n  operand {value}")?;
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

/// The first non-finite element of a payload.
fn in_payload<P: Tensorial>(payload: &P) -> Option<(usize, f64)> {
    let (mut at, mut found) = (0, None);
    payload.for_each(&mut |element| {
        if found.is_none() && !element.is_finite() {
            found = Some((at, element.to_f64()));
        }
        at += 1;
    });
    found
}

fn report<P: Tensorial>(
    tape: &Tape<P>,
    index: usize,
    (position, element): (usize, f64),
    held: impl Fn(usize) -> Option<f64>,
) -> NonFinite {
    let node = tape.node(index);
    let operands = node.operands.iter().map(|&operand| {
        let operand = operand as usize;
        let (symbol, value) = (tape.symbol(operand), describe(operand, tape.node(operand)));
        Operand { symbol, value, element: held(operand) }
    });
    NonFinite {
        operation: node.function.name(),
        symbol: tape.symbol(index),
        label: node.label(),
        place: node.location.to_string(),
        value: describe(index, node),
        position,
        element,
        receiver: None,
        others: Vec::new(),
        operands: operands.collect(),
    }
}

/// The first payload of a run, in tape order, with a non-finite element.
pub(crate) fn first_nonfinite<'v, P: Tensorial>(
    tape: &Tape<P>,
    length: usize,
    value: &dyn Fn(usize) -> Option<&'v P>,
) -> Option<NonFinite> {
    let found = |index| Some((index, value(index)?, in_payload(value(index)?)?));
    let (index, payload, (position, element)) = (0..length).find_map(found)?;
    Some(report(tape, index, (position, element), |operand| {
        // Only an operand of the same shape has an element at the same place.
        let held = value(operand).filter(|held| held.shape() == payload.shape())?;
        element_at(held, position)
    }))
}

/// The first cotangent, from the target backwards, with a non-finite element, in the name of the
/// operation whose rule handed it on.
pub(crate) fn first_nonfinite_cotangent<'v, P: Tensorial>(
    tape: &Tape<P>,
    target: Option<usize>,
    length: usize,
    cotangent: &dyn Fn(usize) -> Option<&'v P>,
) -> Option<NonFinite> {
    let found = |index| Some((index, in_payload(cotangent(index)?)?));
    let (index, element) = (0..length).rev().find_map(found)?;
    let Some(target) = target else { return Some(report(tape, index, element, |_| None)) };
    let leads = ancestors(tape, &[target]);
    let hands_on = |consumer: usize| {
        let node = tape.node(consumer);
        let mut operands = node.operands.iter().enumerate();
        leads[consumer]
            && operands.any(|(position, &operand)| {
                operand as usize == index && node.function.differentiable(position)
            })
    };
    // In the order in which contributions are added.
    let mut consumers = (index + 1..=target).rev().filter(|&consumer| hands_on(consumer));
    let Some(first) = consumers.next() else {
        return Some(report(tape, index, element, |_| None));
    };
    let others = consumers.map(|consumer| describe(consumer, tape.node(consumer))).collect();
    let receiver = Some((tape.symbol(index), describe(index, tape.node(index))));
    Some(NonFinite { receiver, others, ..report(tape, first, element, |_| None) })
}
