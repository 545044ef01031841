//! A pass of folded functions over a tile, in registers.
//!
//! BITS: each act is the definition's own formula, lane by lane.

use crate::kernel::chain::{Act, Op, Slot};
use crate::kernel::native::lanes::TOGETHER;
use crate::kernel::simd::{Level, Native, Registers, Work};
use crate::kernel::task::ChainTask;
use crate::math::format::Format;
use crate::math::unrolled::Unrolled;
use crate::math::value::Value;
use crate::math::{erf, exp, extrema, ln, tanh};
use std::ops::Range;

/// The pass in registers: see `Elementary::chain`.
pub(crate) fn fused<E: Native>(task: &mut ChainTask<'_, '_, E>) -> bool {
    takes!("a pass of folded functions");
    fused_at(Level::best(), task);
    true
}

/// The pass with the instructions of `level`.
pub(crate) fn fused_at<E: Native>(level: Level, task: &mut ChainTask<'_, '_, E>) {
    E::at(level, Pass { ops: task.ops, slots: task.slots, count: task.count });
}

struct Pass<'t, 's, E> {
    ops: &'t [Op],
    slots: &'t mut [Slot<'s, E>],
    count: usize,
}

/// Registers of the accumulator where a machine has 32, or 16.
///
/// COST: an act is found by its number, which is as much work as one to two registers' functions are.
const MANY: usize = 8;
const FEW: usize = 4;

impl<E: Native> Work<E> for Pass<'_, '_, E> {
    type Output = ();
    #[inline(always)]
    fn run<R: Registers<Element = E>>(self, token: R) {
        let Self { ops, slots, count } = self;
        if R::MANY {
            passes::<R, MANY, 4>(token, ops, slots, count);
        } else {
            passes::<R, FEW, 2>(token, ops, slots, count);
        }
    }
}

/// Passes over so many registers at a time, `N` where there are as many, else `REST`.
#[inline(always)]
fn passes<R: Registers, const N: usize, const REST: usize>(
    token: R,
    ops: &[Op],
    slots: &mut [Slot<'_, R::Element>],
    count: usize,
) {
    let whole = count / (N * R::WIDTH) * (N * R::WIDTH);
    for at in (0..whole).step_by(N * R::WIDTH) {
        pass::<R, N, false>(token, ops, slots, at..whole);
    }
    for at in (whole..count).step_by(REST * R::WIDTH) {
        pass::<R, REST, true>(token, ops, slots, at..count);
    }
}

/// All acts on so many registers, from the start of `place`; a `PART` may reach past what is left there.
#[inline(always)]
fn pass<R: Registers, const N: usize, const PART: bool>(
    token: R,
    ops: &[Op],
    slots: &mut [Slot<'_, R::Element>],
    place: Range<usize>,
) {
    let zero = Value::new(token, token.splat(R::Element::exact(0.0)));
    let one = zero.number(1.0);
    let mut sum = [zero.lanes(); N];
    for op in ops {
        let &Op::Folded(act, [slot, second]) = op else { continue };
        // Reading a part is much code, so that it stands here once and not in every act.
        let mut ready = Line::One(zero.lanes());
        if PART && act.takes() > 0 && act != Act::Store {
            ready = read::<R, N, PART>(token, &slots[slot as usize], &place);
        }
        macro_rules! line {
            () => {
                if PART { ready } else { read::<R, N, PART>(token, &slots[slot as usize], &place) }
            };
        }
        macro_rules! alone {
            (|$a:ident| $value:expr) => {
                for lanes in &mut sum {
                    let $a = Value::new(token, *lanes);
                    *lanes = $value.lanes();
                }
            };
        }
        // A few registers at a time, which change places with those to come: so the code stands here once,
        // and what is held stays in registers.
        macro_rules! curved {
            ($f:path) => {
                if R::MANY {
                    for _ in 0..N / TOGETHER {
                        let mut first = [sum[0]; TOGETHER];
                        first.copy_from_slice(&sum[..TOGETHER]);
                        let first = $f(Value::new(Unrolled(token), first)).lanes();
                        for i in 0..N - TOGETHER {
                            sum[i] = sum[i + TOGETHER];
                        }
                        sum[N - TOGETHER..].copy_from_slice(&first);
                    }
                } else {
                    for _ in 0..N {
                        let first = $f(Value::new(token, sum[0])).lanes();
                        for i in 0..N - 1 {
                            sum[i] = sum[i + 1];
                        }
                        sum[N - 1] = first;
                    }
                }
            };
        }
        macro_rules! each {
            (|$a:ident, $x:ident| $value:expr) => {
                match line!() {
                    Line::One(one) => {
                        for i in 0..N {
                            let ($a, $x) = (Value::new(token, sum[i]), Value::new(token, one));
                            sum[i] = $value.lanes();
                        }
                    }
                    Line::Each(other) => {
                        for i in 0..N {
                            let ($a, $x) = (Value::new(token, sum[i]), Value::new(token, other[i]));
                            sum[i] = $value.lanes();
                        }
                    }
                }
            };
        }
        macro_rules! pairs {
            (|$x:ident, $y:ident| $value:expr) => {{
                let other = line!().all();
                let third = read::<R, N, PART>(token, &slots[second as usize], &place).all();
                for i in 0..N {
                    let ($x, $y) = (Value::new(token, other[i]), Value::new(token, third[i]));
                    sum[i] = $value.lanes();
                }
            }};
        }
        macro_rules! chosen {
            (|$a:ident, $x:ident, $y:ident| $value:expr) => {{
                let other = line!().all();
                let third = read::<R, N, PART>(token, &slots[second as usize], &place).all();
                for i in 0..N {
                    let ($a, $x) = (Value::new(token, sum[i]), Value::new(token, other[i]));
                    let $y = Value::new(token, third[i]);
                    sum[i] = $value.lanes();
                }
            }};
        }
        match act {
            Act::Load => sum = line!().all(),
            Act::Store => write::<R, N, PART>(token, &mut slots[slot as usize], &place, sum),
            Act::Sum => pairs!(|x, y| x + y),
            Act::Difference => pairs!(|x, y| x - y),
            Act::Product => pairs!(|x, y| x * y),
            Act::Add => each!(|a, x| a + x),
            Act::Sub => each!(|a, x| a - x),
            Act::SubFrom => each!(|a, x| x - a),
            Act::Mul => each!(|a, x| a * x),
            Act::Square => alone!(|a| a * a),
            Act::Div => each!(|a, x| a / x),
            Act::DivInto => each!(|a, x| x / a),
            Act::Absorb => each!(|a, x| a.eq(zero).select(zero, a * x)),
            Act::AbsorbedBy => each!(|a, x| x.eq(zero).select(zero, x * a)),
            Act::AbsorbDiv => each!(|a, x| a.eq(zero).select(zero, a / x)),
            Act::AbsorbDivInto => each!(|a, x| x.eq(zero).select(zero, x / a)),
            Act::Maximum => each!(|a, x| extrema::maximum(a, x)),
            Act::Lt => each!(|a, x| a.lt(x).select(one, zero)),
            Act::Le => each!(|a, x| a.le(x).select(one, zero)),
            Act::Gt => each!(|a, x| x.lt(a).select(one, zero)),
            Act::Ge => each!(|a, x| x.le(a).select(one, zero)),
            Act::Eq => each!(|a, x| a.eq(x).select(one, zero)),
            Act::Ne => each!(|a, x| a.eq(x).select(zero, one)),
            Act::Neg => alone!(|a| -a),
            Act::Sqrt => alone!(|a| a.sqrt()),
            Act::Relu => alone!(|a| extrema::relu(a)),
            Act::Exp => curved!(exp::exp),
            Act::ExpM1 => curved!(exp::exp_m1),
            Act::Ln => curved!(ln::ln),
            Act::Ln1p => curved!(ln::ln_1p),
            Act::Tanh => curved!(tanh::tanh),
            Act::Sigmoid => curved!(tanh::sigmoid),
            Act::Erf => curved!(erf::erf),
            Act::Choose => chosen!(|a, x, y| a.eq(zero).select(y, x)),
            Act::ChosenOn => chosen!(|a, x, y| x.eq(zero).select(y, a)),
            Act::ChosenOff => chosen!(|a, x, y| x.eq(zero).select(a, y)),
        }
    }
}

/// What a slot holds at a place.
#[derive(Clone, Copy)]
enum Line<V, const N: usize> {
    /// The same in all registers.
    One(V),
    Each([V; N]),
}

impl<V: Copy, const N: usize> Line<V, N> {
    #[inline(always)]
    fn all(self) -> [V; N] {
        match self {
            Self::One(one) => [one; N],
            Self::Each(each) => each,
        }
    }
}

/// The registers of a slot at the start of `place`; what is behind the end of a part is nobody's.
#[inline(always)]
fn read<R: Registers, const N: usize, const PART: bool>(
    token: R,
    slot: &Slot<'_, R::Element>,
    place: &Range<usize>,
) -> Line<R::Float, N> {
    let elements = match slot.read() {
        [one] => return Line::One(token.splat(*one)),
        elements => &elements[slot.from(place.start)..],
    };
    if !PART || place.len() >= N * R::WIDTH {
        let (registers, _) = R::split(&elements[..N * R::WIDTH]);
        return Line::Each(*registers.first_chunk().expect("invariant: as many as were cut"));
    }
    let (registers, rest) = R::split(&elements[..place.len()]);
    let part = token.load_part(rest);
    let mut each = [part; N];
    for i in 0..N {
        if i < registers.len() {
            each[i] = registers[i];
        }
    }
    Line::Each(each)
}

/// Writes registers to the start of `place`, as far as it reaches.
#[inline(always)]
fn write<R: Registers, const N: usize, const PART: bool>(
    token: R,
    slot: &mut Slot<'_, R::Element>,
    place: &Range<usize>,
    from: [R::Float; N],
) {
    let start = slot.from(place.start);
    let elements = &mut slot.write()[start..];
    if !PART || place.len() >= N * R::WIDTH {
        let (registers, _) = R::split_mut(&mut elements[..N * R::WIDTH]);
        *registers.first_chunk_mut().expect("invariant: as many as were cut") = from;
        return;
    }
    let (registers, rest) = R::split_mut(&mut elements[..place.len()]);
    let mut last = from[0];
    for i in 0..N {
        if i < registers.len() {
            registers[i] = from[i];
        } else if i == registers.len() {
            last = from[i];
        }
    }
    token.store_part(rest, last);
}
