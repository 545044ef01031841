//! The executor over slices: one arena, a block for every result, no copy of what is there.
//!
//! INVARIANT: a step's pieces are cut out of the arena one behind the other, so that what it writes
//! and what it reads are borrowed side by side.

use super::bind::{Elements, Given, elements, rows};
use crate::kernel::memory::Block;
use crate::kernel::native::chain::{Outputs, Place, prepared, run};
use crate::kernel::reference::View;
use crate::kernel::{Elementary, Numerics, Packed, native};
use crate::payload::Tensorial;
use crate::plan::program::{From, Handed, Kernel, Line, Operand, Piece, Program};
use smallvec::SmallVec;
use std::mem::take;
use std::sync::{Mutex, PoisonError};

/// What a run works in, and the next one again.
struct State<E: Elementary> {
    arena: Block<E>,
    /// The list of what sources are bound to, empty: it is kept for its memory.
    bound: Vec<Bound<'static, E>>,
}

/// What sees the outputs of each step: the step's number, and a slice for each.
pub(in crate::plan) type Observer<'o, E> = dyn FnMut(usize, &[&[E]]) + 'o;

/// A plan over slices.
pub(in crate::plan) struct Arena<P: Tensorial> {
    pub(in crate::plan) program: Program<P>,
    /// The states of runs that ended. The lock is held while one is taken or put back, never during
    /// a run.
    idle: Mutex<Vec<State<P::Element>>>,
}

/// A source as a run reads it.
pub(super) struct Bound<'a, E: Elementary> {
    pub(super) elements: Elements<'a, E>,
    rows: &'a [usize],
    /// The elements once more, as products read them.
    packed: Option<&'a Packed<E>>,
}

impl<P: Tensorial> Arena<P> {
    pub(in crate::plan) fn new(program: Program<P>) -> Self {
        Self { program, idle: Mutex::new(Vec::new()) }
    }

    /// The results of a run.
    pub(in crate::plan) fn run(&self, given: &Given<'_, P>) -> Vec<P> {
        self.run_observed(given, None)
    }

    /// The results of a run; `observe` sees the outputs of each step when it is done.
    pub(in crate::plan) fn run_observed(
        &self,
        given: &Given<'_, P>,
        mut observe: Option<&mut Observer<'_, P::Element>>,
    ) -> Vec<P> {
        let program = &self.program;
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let state = idle().pop();
        let mut state = state
            .unwrap_or_else(|| State { arena: Block::stale(program.arena), bound: Vec::new() });
        let mut blocks: Vec<Block<P::Element>> =
            program.blocks.iter().map(|&count| Block::stale(count)).collect();
        {
            let mut bound = emptied(take(&mut state.bound));
            bound.extend(program.sources.iter().map(|source| bind(source, given)));
            if cfg!(debug_assertions) {
                // Whoever reads what no step of this run wrote shows.
                state.arena.fill(P::Element::from_f64(f64::NAN));
            }
            let mut bands = program.bands.iter().peekable();
            let mut done = 0;
            while done < program.lines.len() {
                let lines = match bands.next_if(|band| band.lines.start == done) {
                    Some(band) => {
                        let pieces = cut(&band.pieces, &mut state.arena, &mut blocks);
                        super::band::run(band, program.numerics, &bound, pieces);
                        band.lines.clone()
                    }
                    None => {
                        let line = &program.lines[done];
                        step(line, program.numerics, &bound, &mut state, &mut blocks);
                        done..done + 1
                    }
                };
                done = lines.end;
                for number in lines {
                    let Some(observe) = observe.as_deref_mut() else { break };
                    let line = &program.lines[number];
                    let pieces = cut(&line.pieces, &mut state.arena, &mut blocks);
                    let outputs = line.outputs.iter().map(|&piece| &*pieces[piece]);
                    observe(number, &outputs.collect::<Vec<_>>());
                }
            }
            state.bound = emptied(bound);
        }
        idle().push(state);
        self.handed(given, blocks)
    }

    fn handed(&self, given: &Given<'_, P>, blocks: Vec<Block<P::Element>>) -> Vec<P> {
        let mut blocks: Vec<Option<Block<P::Element>>> = blocks.into_iter().map(Some).collect();
        let mut payloads: Vec<P> = Vec::with_capacity(blocks.len());
        let results = &self.program.results;
        for (index, result) in results.iter().enumerate() {
            payloads.push(match result {
                Handed::Source(number) => {
                    let source = &self.program.sources[*number];
                    given.payload(source.origin, &source.definition).clone()
                }
                Handed::Block(number, _) if *number < index => payloads[*number].clone(),
                Handed::Block(number, shape) => blocks[*number]
                    .take()
                    .and_then(|block| P::from_block(shape, block))
                    .expect("invariant: a tensor is made of as many elements as its shape has"),
            });
        }
        payloads
    }
}

fn bind<'a, P: Tensorial>(
    source: &'a crate::plan::program::Source<P>,
    given: &'a Given<'_, P>,
) -> Bound<'a, P::Element> {
    let payload = given.payload(source.origin, &source.definition);
    let rows = if source.rows { rows(payload) } else { &[] };
    let elements = match &source.one {
        Some(one) => Elements::There(std::slice::from_ref(one)),
        None if source.dense => elements(payload),
        None => Elements::There(&[]),
    };
    let packed = source.right.and_then(|right| payload.as_packed(right.extents, right.turned));
    Bound { elements, rows, packed }
}

fn step<E: Elementary>(
    line: &Line,
    numerics: Numerics,
    bound: &[Bound<'_, E>],
    state: &mut State<E>,
    blocks: &mut [Block<E>],
) {
    let mut pieces = cut(&line.pieces, &mut state.arena, blocks);
    let mut outputs: Outputs<'_, E> =
        line.outputs.iter().map(|&piece| take(&mut pieces[piece])).collect();
    let slice = |operand: &Operand| match operand.from {
        From::Source(number) => bound[number].elements.as_slice(),
        From::Piece(number) => &*pieces[number],
        From::Output(_) => unreachable!("invariant: only chains work in place"),
    };
    let packed = line.packed.and_then(|number| bound[number].packed);
    match &line.kernel {
        Kernel::Call(call) => {
            let [out] = &mut outputs[..] else { unreachable!("invariant: a call has one result") };
            if out.is_empty() {
                return;
            }
            let rows = line.rows.map_or(&[][..], |number| bound[number].rows);
            match &line.operands[..] {
                [a, b] if packed.is_some() => {
                    let (a, b) = (view(a, slice(a)), view(b, slice(b)));
                    native::matmul_into(a, b, numerics, packed, None, out);
                }
                [a] => call.run(&[view(a, slice(a))], rows, numerics, out),
                [a, b] => call.run(&[view(a, slice(a)), view(b, slice(b))], rows, numerics, out),
                all => {
                    let views = all.iter().map(|operand| view(operand, slice(operand)));
                    call.run(&views.collect::<Vec<_>>(), rows, numerics, out);
                }
            }
        }
        Kernel::Chain(chain) => {
            let place = |operand: &Operand| match operand.from {
                From::Output(number) => Place::Output(number),
                _ => Place::Slice(slice(operand)),
            };
            let places: SmallVec<[Place<'_, E>; 8]> = line.operands.iter().map(place).collect();
            run(chain, &places, outputs);
        }
        Kernel::Followed(call, kernel, chain) => {
            let [out] = &mut outputs[..] else { unreachable!("invariant: a call has one result") };
            if out.is_empty() {
                return;
            }
            let (read, others) = line.operands.split_at(*kernel);
            let others = others.iter().map(|operand| Place::Slice(slice(operand)));
            let places: SmallVec<[Place<'_, E>; 8]> =
                std::iter::once(Place::Output(0)).chain(others).collect();
            let views: SmallVec<[View<'_, E>; 2]> =
                read.iter().map(|operand| view(operand, slice(operand))).collect();
            prepared(chain, &places, |ready| {
                let finish = |start, run: &mut [E]| ready.finish(start, run);
                if packed.is_some() {
                    let (a, b) = (views[0], views[1]);
                    return native::matmul_into(a, b, numerics, packed, Some(&finish), out);
                }
                call.run_followed(&views, numerics, out, &finish);
            });
        }
    }
}

/// An empty list of bindings, for other lifetimes, in the memory of one.
fn emptied<'b, E: Elementary>(mut list: Vec<Bound<'_, E>>) -> Vec<Bound<'b, E>> {
    list.clear();
    // The same layout: collecting in place keeps the allocation.
    list.into_iter().map(|_| unreachable!("invariant: the list is empty")).collect()
}

/// An operand's elements through its layout.
pub(super) fn view<'a, E>(operand: &'a Operand, elements: &'a [E]) -> View<'a, E> {
    let layout = &operand.layout;
    let (extents, strides) = (layout.shape(), layout.strides());
    View { elements, extents, strides, offset: layout.offset() }
}

/// The pieces, cut out of the arena and the results' blocks.
fn cut<'a, E: Elementary>(
    pieces: &[Piece],
    arena: &'a mut Block<E>,
    blocks: &'a mut [Block<E>],
) -> SmallVec<[&'a mut [E]; 8]> {
    let mut parts = SmallVec::with_capacity(pieces.len());
    let mut blocks = blocks.iter_mut();
    let (mut region, mut at) = (0, 0);
    let mut rest: &mut [E] = arena;
    for piece in pieces {
        if piece.region != region {
            let block = blocks.nth(piece.region - region - 1);
            rest = block.expect("invariant: a region for every result");
            (region, at) = (piece.region, 0);
        }
        let (_, tail) = take(&mut rest).split_at_mut(piece.start - at);
        let (part, tail) = tail.split_at_mut(piece.length);
        parts.push(part);
        rest = tail;
        at = piece.start + piece.length;
    }
    parts
}
