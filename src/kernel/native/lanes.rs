//! Functions of one element over whole registers.
//!
//! BITS: each register runs the very code whose one-lane form is the definition; a last partial
//! register is filled up with ones, whose results are dropped.

use crate::kernel::simd::{Level, Native, Registers, WIDEST, Work};
use crate::kernel::{MapTask, Unary};
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
        ($x:ident => $value:expr) => {{
            struct Map<'a, E> {
                from: &'a [E],
                to: &'a mut [E],
            }
            impl<E: Native> Work<E> for Map<'_, E> {
                type Output = ();
                #[inline(always)]
                fn run<R: Registers<Element = E>>(self, token: R) {
                    each(
                        token,
                        self.from,
                        self.to,
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
        Unary::Sin => run!(x => trigonometry::sin(x)),
        Unary::Cos => run!(x => trigonometry::cos(x)),
        Unary::Erf => run!(x => erf::erf(x)),
        Unary::Relu => run!(x => extrema::relu(x)),
        // `power` has it: `map` does not take it.
        Unary::Powi(n) => from.iter().zip(to).for_each(|(x, y)| *y = x.powi(n)),
    }
}

/// `f` of each register of `from` into `to`.
#[inline(always)]
fn each<R: Registers>(
    token: R,
    from: &[R::Element],
    to: &mut [R::Element],
    f: impl Fn(Value<R>) -> Value<R>,
) {
    let (registers, rest) = R::split(from);
    let (results, rest_of_results) = R::split_mut(to);
    for (x, y) in registers.iter().zip(results) {
        *y = f(Value::new(token, *x)).lanes();
    }
    if rest.is_empty() {
        return;
    }
    use crate::math::format::Format;
    let mut padded = [R::Element::exact(1.0); WIDEST];
    padded[..rest.len()].copy_from_slice(rest);
    let (registers, _) = R::split_mut(&mut padded);
    registers[0] = f(Value::new(token, registers[0])).lanes();
    rest_of_results.copy_from_slice(&padded[..rest.len()]);
}
