//! Functions of one element over whole registers.
//!
//! BITS: each register runs the very code whose one-lane form is the definition; a last partial
//! group is filled up with ones, whose results are dropped.

use crate::kernel::simd::{Level, Native, Registers, WIDEST, Work};
use crate::kernel::{MapTask, Unary};
use crate::math::format::Format;
use crate::math::unrolled::Unrolled;
use crate::math::value::Value;
use crate::math::{erf, exp, extrema, ln, tanh, trigonometry};

/// The function in registers where it has such a form: see `Elementary::map`.
pub(crate) fn map<E: Native>(task: &mut MapTask<'_, E>) -> bool {
    if matches!(task.op, Unary::Powi(_)) {
        return false;
    }
    map_at(Level::best(), task.op, task.elements, task.out);
    true
}

/// `op` of each element, with the instructions of `level`.
pub(crate) fn map_at<E: Native>(level: Level, op: Unary, from: &[E], to: &mut [E]) {
    macro_rules! run {
        ($x:ident => $value:expr) => {
            run!($x => $value; true)
        };
        ($x:ident => $value:expr; $interleaved:literal) => {{
            struct Map<'a, E> {
                from: &'a [E],
                to: &'a mut [E],
            }
            impl<E: Native> Work<E> for Map<'_, E> {
                type Output = ();
                #[inline(always)]
                fn run<R: Registers<Element = E>>(self, token: R) {
                    each::<R, $interleaved>(
                        token,
                        self.from,
                        self.to,
                        #[inline(always)]
                        |$x| $value,
                        #[inline(always)]
                        |$x| $value,
                    );
                }
            }
            E::at(level, Map { from, to })
        }};
    }
    match op {
        Unary::Neg => run!(x => -x),
        Unary::Exp => run!(x => exp::exp(x)),
        Unary::ExpM1 => run!(x => exp::exp_m1(x)),
        Unary::Ln => run!(x => ln::ln(x)),
        Unary::Ln1p => run!(x => ln::ln_1p(x)),
        Unary::Sqrt => run!(x => x.sqrt()),
        Unary::Tanh => run!(x => tanh::tanh(x)),
        Unary::Sigmoid => run!(x => tanh::sigmoid(x)),
        // Lanes that take the rare way take it one by one: of several registers too many do.
        Unary::Sin => run!(x => trigonometry::sin(x); false),
        Unary::Cos => run!(x => trigonometry::cos(x); false),
        Unary::Erf => run!(x => erf::erf(x)),
        Unary::Relu => run!(x => extrema::relu(x)),
        // `power` has it: `map` does not take it.
        Unary::Powi(n) => from.iter().zip(to).for_each(|(x, y)| *y = x.powi(n)),
    }
}

/// Registers whose operations are interleaved where a machine has many.
///
/// COST: a function of one register waits for itself, operation by operation, and a machine looks
/// no further than two or three of them ahead. Of four at a time `tanh` took 0.73 of the time and
/// `exp` in `f64` 0.72 (bench `map` of the member `peers`, Zen 5); two took 0.78 and 0.85.
pub(super) const TOGETHER: usize = 4;

/// `f` of each register of `from` into `to`; `g` is the same of several, for `INTERLEAVED` ones.
#[inline(always)]
fn each<R: Registers, const INTERLEAVED: bool>(
    token: R,
    from: &[R::Element],
    to: &mut [R::Element],
    f: impl Fn(Value<R>) -> Value<R>,
    g: impl Fn(Value<Unrolled<R, TOGETHER>>) -> Value<Unrolled<R, TOGETHER>>,
) {
    let group = if INTERLEAVED && R::MANY { TOGETHER * R::WIDTH } else { R::WIDTH };
    let whole = from.len() / group * group;
    // The functions' code is long: what fills no group, filled up with ones, goes through the same.
    let (mut padded, mut last) =
        ([R::Element::exact(1.0); TOGETHER * WIDEST], [R::Element::exact(1.0); TOGETHER * WIDEST]);
    padded[..from.len() - whole].copy_from_slice(&from[whole..]);
    for at in (0..from.len()).step_by(group) {
        let (x, y) = match at == whole {
            true => (&padded[..group], &mut last[..group]),
            false => (&from[at..at + group], &mut to[at..at + group]),
        };
        let ((x, _), (y, _)) = (R::split(x), R::split_mut(y));
        if INTERLEAVED && R::MANY {
            if let (Some(x), Some(y)) = (x.first_chunk(), y.first_chunk_mut()) {
                *y = g(Value::new(Unrolled(token), *x)).lanes();
            }
        } else {
            y[0] = f(Value::new(token, x[0])).lanes();
        }
    }
    to[whole..].copy_from_slice(&last[..from.len() - whole]);
}
