//! What a run is given: the generation's parameters and the feeds, as the executors read them.

use crate::engine::feeds::Bound;
use crate::graph::Network;
use crate::kernel::Elementary;
use crate::kernel::memory::Block;
use crate::payload::{Stored, Tensorial};
use crate::plan::item::Definition;

/// A run's sources of payloads.
pub(in crate::plan) struct Given<'r, P: Tensorial> {
    pub(in crate::plan) network: &'r Network<P>,
    pub(in crate::plan) feeds: &'r Bound<P>,
}

impl<P: Tensorial> Given<'_, P> {
    /// The payload of a source.
    pub(super) fn payload<'a>(&'a self, origin: u32, definition: &'a Definition<P>) -> &'a P {
        match definition {
            Definition::Parameter(slot) => self.network.parameter_payload(*slot as usize),
            Definition::Input(default) => self.feeds.get(origin as usize).unwrap_or(default),
            Definition::Constant(payload) => payload,
            Definition::Operation(..) => unreachable!("invariant: a source is no operation"),
        }
    }
}

/// A payload's elements in row-major order: there, or put together for this run.
pub(super) enum Elements<'a, E: Elementary> {
    There(&'a [E]),
    Own(Block<E>),
}

impl<E: Elementary> Elements<'_, E> {
    #[inline]
    pub(super) fn as_slice(&self) -> &[E] {
        match self {
            Self::There(elements) => elements,
            Self::Own(block) => block,
        }
    }
}

/// The elements of a payload.
pub(super) fn elements<P: Tensorial>(payload: &P) -> Elements<'_, P::Element> {
    if let Some(elements) = payload.as_elements() {
        return Elements::There(elements);
    }
    let count = payload.shape().count();
    Elements::Own(match payload.stored() {
        Stored::Dense(elements) => Block::from(elements),
        Stored::Constant(value) => {
            let mut block = Block::stale(count);
            block.fill(value);
            block
        }
        Stored::Selection(columns) => {
            let mut block = Block::zeros(count);
            let classes = count.checked_div(columns.len()).unwrap_or(0);
            for (row, column) in columns.into_iter().enumerate() {
                block[row * classes + column] = P::Element::one();
            }
            block
        }
        Stored::Bfloat16(_) => {
            let mut elements = Vec::with_capacity(count);
            payload.for_each(&mut |element| elements.push(element.clone()));
            Block::from(elements)
        }
    })
}

/// The rows that a selection names.
pub(super) fn rows<P: Tensorial>(payload: &P) -> &[usize] {
    payload.as_selection().expect("invariant: a selection is declared, and fed as one")
}
