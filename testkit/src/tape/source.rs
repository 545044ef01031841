//! Sources of random tapes: parameters, inputs and constants in every storage.

use super::{Builder, Profile};
use poorgrad::{Kernels, Shape, Stored, Tensorial, Value};

/// Small extents, the plainest first.
const EXTENTS: [usize; 8] = [2, 3, 1, 4, 5, 7, 2, 3];

/// Extents beside the lanes of vectors and of sums.
const LONG: [usize; 8] = [16, 17, 15, 33, 31, 32, 67, 64];

/// What a source is on the tape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Parameter,
    Input,
    Constant,
}

impl<'n, P: Tensorial> Builder<'n, '_, '_, P> {
    pub(super) fn shape(&mut self) -> Shape {
        if self.scalar {
            return Shape::scalar();
        }
        let rank = [2, 1, 2, 3, 0, 2, 1, 4][self.decisions.below(8)];
        let mut extents = Vec::new();
        for _ in 0..rank {
            let empty = self.hollow && self.decisions.one_in(6);
            extents.push(if empty { 0 } else { self.extent() });
        }
        if (1..3).contains(&rank) && self.decisions.one_in(8) {
            let axis = self.decisions.below(rank);
            extents[axis] = LONG[self.decisions.below(LONG.len())];
        }
        Shape::from(extents)
    }

    pub(super) fn extent(&mut self) -> usize {
        EXTENTS[self.decisions.below(EXTENTS.len())]
    }

    /// A number for a literal or an attribute.
    pub(super) fn number(&mut self) -> f64 {
        let seed = u64::from(self.decisions.byte());
        self.profile.number(seed, 0)
    }

    /// A source of any kind.
    pub(super) fn source(&mut self, shape: &Shape) -> Value<'n, P> {
        let kinds = [Kind::Parameter, Kind::Input, Kind::Parameter, Kind::Input, Kind::Constant];
        let kind = kinds[self.decisions.below(kinds.len())];
        let payload = self.payload(shape, kind != Kind::Constant);
        match kind {
            Kind::Parameter => {
                let value = self.network.parameter(payload);
                self.sources.push(value.symbol());
                value
            }
            Kind::Input => {
                let differentiable = !payload.is_selection();
                let value = self.network.input(payload);
                if differentiable {
                    self.sources.push(value.symbol());
                }
                value
            }
            Kind::Constant => self.network.leaf(payload),
        }
    }

    /// A constant of the shape.
    pub(super) fn constant(&mut self, shape: &Shape) -> Value<'n, P> {
        let payload = self.payload(shape, false);
        self.network.leaf(payload)
    }

    /// A selection `[.., rows]` with these leading extents: an input or a constant.
    pub(super) fn selection(&mut self, leading: &[usize], rows: usize) -> Option<Value<'n, P>> {
        let count = leading.iter().product::<usize>();
        if rows == 0 && count > 0 {
            return None;
        }
        let columns = (0..count).map(|_| self.decisions.below(rows)).collect();
        let shape = Shape::from([leading, &[rows]].concat());
        let payload = P::from_stored(&shape, Stored::Selection(columns))?;
        let input = self.decisions.one_in(2);
        Some(if input { self.network.input(payload) } else { self.network.leaf(payload) })
    }

    fn dense(&mut self, shape: &Shape, differentiable: bool) -> P {
        let seed = u64::from(self.decisions.byte());
        let volume = shape.volume().expect("invariant: extents are small");
        let (profile, lift) = (self.profile, &mut *self.lift);
        let elements =
            (0..volume).map(|index| lift(profile.number(seed, index), differentiable)).collect();
        if self.scalar {
            let elements: Vec<P::Element> = elements;
            return P::full(shape, elements[0].clone());
        }
        P::from_stored(shape, Stored::Dense(elements)).expect("invariant: one element per index")
    }

    /// A payload of the shape in one of the storages, perhaps a view of a view of a larger one.
    fn payload(&mut self, shape: &Shape, differentiable: bool) -> P {
        if self.scalar {
            return self.dense(shape, differentiable);
        }
        match self.decisions.below(12) {
            0..=4 => self.dense(shape, differentiable),
            5 => {
                let number = self.number();
                let element = (self.lift)(number, differentiable);
                P::full(shape, element)
            }
            6 => self.halved(shape, differentiable),
            7 if !differentiable || self.profile != Profile::Smooth => {
                self.one_hot(shape).unwrap_or_else(|| self.dense(shape, differentiable))
            }
            _ => self.view(shape, differentiable),
        }
    }

    /// `bf16` storage of a constant, where the element type has it.
    fn halved(&mut self, shape: &Shape, differentiable: bool) -> P {
        let seed = u64::from(self.decisions.byte());
        let volume = shape.volume().expect("invariant: extents are small");
        let bits = (0..volume).map(|index| {
            let number = self.profile.number(seed, index) as f32;
            (number.to_bits() >> 16) as u16
        });
        let stored = Stored::Bfloat16(bits.collect());
        let halved = if differentiable { None } else { P::from_stored(shape, stored) };
        halved.unwrap_or_else(|| self.dense(shape, differentiable))
    }

    fn one_hot(&mut self, shape: &Shape) -> Option<P> {
        let (&classes, leading) = shape.split_last()?;
        let rows = leading.iter().product::<usize>();
        if classes == 0 && rows > 0 {
            return None;
        }
        let columns = (0..rows).map(|_| self.decisions.below(classes)).collect();
        P::from_stored(shape, Stored::Selection(columns))
    }

    /// The shape as a view: a permutation, a part, a repetition or windows of something else.
    fn view(&mut self, shape: &Shape, differentiable: bool) -> P {
        let rank = shape.rank();
        if rank == 0 {
            let line = self.dense(&Shape::from([3]), differentiable);
            return line.narrow(0, 1, 1).reshape(shape, Kernels::Native);
        }
        let axis = self.decisions.below(rank);
        match self.decisions.below(4) {
            0 => {
                // Stored with the axes reversed and one longer, then cut and turned.
                let mut extents: Vec<usize> = shape.iter().rev().copied().collect();
                extents[axis] += 2;
                let whole = self.dense(&Shape::from(extents), differentiable);
                let turned: Vec<usize> = (0..rank).rev().collect();
                whole.narrow(axis, 1, shape[rank - 1 - axis]).permute(&turned)
            }
            1 => {
                let mut extents = shape.to_vec();
                extents[axis] += 3;
                let whole = self.dense(&Shape::from(extents), differentiable);
                whole.narrow(axis, 2, shape[axis])
            }
            2 => {
                let mut extents = shape.to_vec();
                extents.remove(axis);
                let kept: Vec<usize> = (0..rank).filter(|other| *other != axis).collect();
                let line = self.dense(&Shape::from(extents), differentiable);
                line.broadcast(shape, &kept)
            }
            _ => {
                // The last axis as overlapping windows of a line.
                let (windows, size) =
                    (shape[..rank - 1].iter().product::<usize>(), shape[rank - 1]);
                if windows == 0 || size == 0 {
                    return self.dense(shape, differentiable);
                }
                let line = self.dense(&Shape::from([windows + size - 1]), differentiable);
                line.unfold(0, size, 1, 1).reshape(shape, Kernels::Native)
            }
        }
    }
}
