//! Runs of plain functions folded into one pass: what one hands to the next stays in registers.
//!
//! A pass works on an accumulator, a few registers wide. Each function is applied to it with one more
//! slot, so that a value which only the next function reads is never written.
//!
//! BITS: every function has its arguments in their order; where it is told apart which of them the
//! accumulator is, it is so that this holds.

use super::{Instruction, Summed};
use crate::kernel::map::{Binary, Comparison, Pointwise, Unary};

/// What a pass does with its accumulator, `a`, and the elements of one slot, `x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// `a = x`
    Load,
    /// `x = a`
    Store,
    /// The sum of two slots, in the place of `a`.
    Sum,
    /// Their difference.
    Difference,
    /// Their product.
    Product,
    /// `a + x`
    Add,
    /// `a - x`
    Sub,
    /// `x - a`
    SubFrom,
    /// `a * x`
    Mul,
    /// `a * a`
    Square,
    /// `a / x`
    Div,
    /// `x / a`
    DivInto,
    /// `a.absorb(x)`
    Absorb,
    /// `x.absorb(a)`
    AbsorbedBy,
    /// `a.absorb_div(x)`
    AbsorbDiv,
    /// `x.absorb_div(a)`
    AbsorbDivInto,
    /// `a.maximum(x)`
    Maximum,
    /// 1 where `a < x`, else 0.
    Lt,
    /// 1 where `a <= x`, else 0.
    Le,
    /// 1 where `a > x`, else 0.
    Gt,
    /// 1 where `a >= x`, else 0.
    Ge,
    /// 1 where `a == x`, else 0.
    Eq,
    /// 1 where `a != x`, else 0.
    Ne,
    /// `-a`
    Neg,
    /// The square root of `a`.
    Sqrt,
    /// `a.relu()`
    Relu,
    /// `a.exp()`, and so on.
    Exp,
    ExpM1,
    Ln,
    Ln1p,
    Tanh,
    Sigmoid,
    Erf,
    /// The first slot where `a` is not 0, else the second.
    Choose,
    /// `a` where the first slot is not 0, else the second.
    ChosenOn,
    /// The second slot where the first is not 0, else `a`.
    ChosenOff,
}

impl Act {
    /// How many slots it names.
    #[inline(always)]
    pub(crate) fn takes(self) -> usize {
        match self {
            Self::Square | Self::Neg | Self::Sqrt | Self::Relu => 0,
            Self::Exp | Self::ExpM1 | Self::Ln | Self::Ln1p => 0,
            Self::Tanh | Self::Sigmoid | Self::Erf => 0,
            Self::Choose | Self::ChosenOn | Self::ChosenOff => 2,
            Self::Sum | Self::Difference | Self::Product => 2,
            _ => 1,
        }
    }
}

/// A part of a chain's program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    /// A loop of its own over the tile.
    Alone(Instruction),
    /// A step of a pass: neighbours of this kind are one pass.
    Folded(Act, [u32; 2]),
}

impl Op {
    /// Whether both are of one pass, where they are neighbours.
    pub(crate) fn joins(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Folded(..), Self::Folded(..)))
    }

    /// The slots that it reads.
    pub(crate) fn reads(&self) -> &[u32] {
        match self {
            Self::Alone(of) => &of.arguments[..of.function.arity()],
            Self::Folded(Act::Store, _) => &[],
            Self::Folded(act, slots) => &slots[..act.takes()],
        }
    }

    /// The slot that it writes.
    pub(crate) fn writes(&self) -> Option<u32> {
        match self {
            Self::Alone(of) => Some(of.to),
            Self::Folded(Act::Store, slots) => Some(slots[0]),
            Self::Folded(..) => None,
        }
    }

    /// Every slot that it names, to be written anew.
    pub(crate) fn slots_mut(&mut self) -> impl Iterator<Item = &mut u32> {
        let (arguments, slot): (&mut [u32], _) = match self {
            Self::Alone(of) => (&mut of.arguments, Some(&mut of.to)),
            Self::Folded(_, slots) => (slots, None),
        };
        arguments.iter_mut().chain(slot)
    }
}

/// Whether a pass has the function: all but powers, and those of which a lane may take a long way.
pub(crate) fn folds(function: Pointwise) -> bool {
    match function {
        Pointwise::Unary(op) => !matches!(op, Unary::Sin | Unary::Cos | Unary::Powi(_)),
        Pointwise::Binary(op) => op != Binary::Powf,
        Pointwise::Select => true,
    }
}

/// The program of the instructions: two and more plain functions in a row are a pass. `outputs` are the
/// slots that are written for good.
pub(super) fn folded(
    instructions: &[Instruction],
    outputs: std::ops::Range<u32>,
    sums: &[Summed],
) -> Vec<Op> {
    let (mut program, readers) = (Vec::new(), readers(instructions));
    let mut at = 0;
    for run in instructions.chunk_by(|a, b| folds(a.function) && folds(b.function)) {
        if let [alone] = run {
            program.push(Op::Alone(*alone));
        } else {
            let end = at + run.len();
            let mut held = None;
            for i in at..end {
                apply(&mut program, &instructions[i], held);
                let to = instructions[i].to;
                let kept = outputs.contains(&to) || sums.iter().any(|sum| sum.from == to);
                let held_alone = |readers: Readers| {
                    let next = &instructions[readers.first];
                    let squares = next.function == Pointwise::Binary(Binary::Mul);
                    let here = readers.first == i + 1 && i + 1 < end;
                    here && !readers.more && (readers.times == 1 || squares && readers.times == 2)
                };
                if kept || readers[i].is_some_and(|readers| !held_alone(readers)) {
                    program.push(Op::Folded(Act::Store, [to; 2]));
                }
                held = Some(to);
            }
        }
        at += run.len();
    }
    program
}

/// Near slots that stay in the first-level cache together. Of more each has a tile, which is no longer than the
/// space: a chain of a hundred thousand functions over two elements keeps half of its values at a time.
const MOST: usize = 64;

/// The program with its registers, the slots from `first`, numbered anew; how many there are of tiles, and
/// how many that come behind those hold what one pass alone writes and reads. What only the accumulator
/// holds needs none.
pub(super) fn compact(
    mut program: Vec<Op>,
    sums: &mut [Summed],
    first: u32,
) -> (Box<[Op]>, [usize; 2]) {
    let written = program.iter().filter_map(Op::writes);
    let count = written.max().map_or(first, |last| first.max(last + 1)) as usize - first as usize;
    // The registers, by their numbers: whether they are written at all, whether they need a tile, and
    // the pass that wrote each last.
    let mut kept = vec![false; count];
    let mut far = vec![false; count];
    let mut home = vec![usize::MAX; count];
    let register = |slot: u32| slot.checked_sub(first).map(|number| number as usize);
    sums.iter().filter_map(|sum| register(sum.from)).for_each(|summed| far[summed] = true);
    for (number, pass) in program.chunk_by(Op::joins).enumerate() {
        for op in pass {
            for read in op.reads().iter().filter_map(|&slot| register(slot)) {
                far[read] |= home[read] != number;
            }
            if let Some(to) = op.writes().and_then(register) {
                (kept[to], home[to]) = (true, number);
                far[to] |= matches!(op, Op::Alone(_));
            }
        }
    }
    if kept.iter().zip(&far).filter(|(kept, far)| **kept && !**far).count() > MOST {
        far.fill(true);
    }
    let of = |tiled: bool| {
        let (kept, far) = (&kept, &far);
        (0..count).filter(move |&number| kept[number] && far[number] == tiled)
    };
    let mut places = vec![0; count];
    of(true).chain(of(false)).zip(first..).for_each(|(from, place)| places[from] = place);
    let named = program.iter_mut().flat_map(Op::slots_mut);
    let named = named.chain(sums.iter_mut().map(|sum| &mut sum.from));
    for slot in named {
        // What no function reads is named as well.
        if let Some(number) = register(*slot)
            && kept.get(number) == Some(&true)
        {
            *slot = places[number];
        }
    }
    (program.into(), [of(true).count(), of(false).count()])
}

fn arguments(of: &Instruction) -> &[u32] {
    &of.arguments[..of.function.arity()]
}

/// Who reads what an instruction writes.
#[derive(Clone, Copy)]
struct Readers {
    first: usize,
    /// How many of the first one's arguments it is.
    times: usize,
    /// Whether there are others behind the first.
    more: bool,
}

/// The readers of what each instruction writes; none where nothing reads it before it is written again.
fn readers(instructions: &[Instruction]) -> Vec<Option<Readers>> {
    let slots = instructions.iter().flat_map(|of| arguments(of).iter().chain([&of.to]));
    let count = slots.max().map_or(0, |&last| last as usize + 1);
    // Of each slot, behind the instruction that is looked at.
    let mut known: Vec<Option<Readers>> = vec![None; count];
    let mut all = vec![None; instructions.len()];
    for (at, of) in instructions.iter().enumerate().rev() {
        all[at] = known[of.to as usize].take();
        for &slot in arguments(of) {
            let times = arguments(of).iter().filter(|&&argument| argument == slot).count();
            let of_slot = &mut known[slot as usize];
            let more = of_slot.is_some_and(|readers| readers.first != at || readers.more);
            *of_slot = Some(Readers { first: at, times, more });
        }
    }
    all
}

/// Applies a function, with the accumulator where it holds one of the arguments.
fn apply(program: &mut Vec<Op>, of: &Instruction, held: Option<u32>) {
    let arguments = arguments(of);
    let mut push = |act, slots: [u32; 2]| program.push(Op::Folded(act, slots));
    let mut place = held.and_then(|held| arguments.iter().position(|&slot| slot == held));
    let both = match of.function {
        Pointwise::Binary(Binary::Add) => Some(Act::Sum),
        Pointwise::Binary(Binary::Sub) => Some(Act::Difference),
        Pointwise::Binary(Binary::Mul) => Some(Act::Product),
        _ => None,
    };
    if let (None, Some(act), &[a, b]) = (place, both, arguments) {
        return push(act, [a, b]);
    }
    if place.is_none() {
        push(Act::Load, [arguments[0]; 2]);
        place = Some(0);
    }
    let first = place == Some(0);
    match (of.function, arguments) {
        (Pointwise::Unary(op), _) => push(
            match op {
                Unary::Neg => Act::Neg,
                Unary::Sqrt => Act::Sqrt,
                Unary::Relu => Act::Relu,
                Unary::Exp => Act::Exp,
                Unary::ExpM1 => Act::ExpM1,
                Unary::Ln => Act::Ln,
                Unary::Ln1p => Act::Ln1p,
                Unary::Tanh => Act::Tanh,
                Unary::Sigmoid => Act::Sigmoid,
                Unary::Erf => Act::Erf,
                _ => unreachable!("invariant: such a function stands alone"),
            },
            [0; 2],
        ),
        (Pointwise::Binary(op), &[a, b]) => {
            let other = if first { b } else { a };
            push(
                match (op, first) {
                    (Binary::Mul, _) if a == b => Act::Square,
                    // Sums and products round alike either way round; which of two NaN they give is nobody's.
                    (Binary::Add, _) => Act::Add,
                    (Binary::Sub, true) => Act::Sub,
                    (Binary::Sub, false) => Act::SubFrom,
                    (Binary::Mul, _) => Act::Mul,
                    (Binary::Div, true) => Act::Div,
                    (Binary::Div, false) => Act::DivInto,
                    (Binary::Absorb, true) => Act::Absorb,
                    (Binary::Absorb, false) => Act::AbsorbedBy,
                    (Binary::AbsorbDiv, true) => Act::AbsorbDiv,
                    (Binary::AbsorbDiv, false) => Act::AbsorbDivInto,
                    // Of two NaN either is one; of two zeros the sign is told by both.
                    (Binary::Maximum, _) => Act::Maximum,
                    (Binary::Compare(Comparison::Lt), true) => Act::Lt,
                    (Binary::Compare(Comparison::Le), true) => Act::Le,
                    (Binary::Compare(Comparison::Gt), true) => Act::Gt,
                    (Binary::Compare(Comparison::Ge), true) => Act::Ge,
                    (Binary::Compare(Comparison::Lt), false) => Act::Gt,
                    (Binary::Compare(Comparison::Le), false) => Act::Ge,
                    (Binary::Compare(Comparison::Gt), false) => Act::Lt,
                    (Binary::Compare(Comparison::Ge), false) => Act::Le,
                    (Binary::Compare(Comparison::Eq), _) => Act::Eq,
                    (Binary::Compare(Comparison::Ne), _) => Act::Ne,
                    (Binary::Powf, _) => unreachable!("invariant: a power stands alone"),
                },
                [other; 2],
            );
        }
        (Pointwise::Select, &[condition, on, off]) => match place {
            Some(0) => push(Act::Choose, [on, off]),
            Some(1) => push(Act::ChosenOn, [condition, off]),
            _ => push(Act::ChosenOff, [condition, on]),
        },
        _ => unreachable!("invariant: a function has as many arguments as it takes"),
    }
}
