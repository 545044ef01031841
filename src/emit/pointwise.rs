//! Element-wise functions.

use super::types::{Kind, Type, Value};
use super::writer::Writer;
use crate::kernel::map::Pointwise;
use crate::kernel::{Binary, Unary};

/// A function of elements.
pub(super) fn emit(w: &mut Writer, function: Pointwise, x: &[Value]) -> Value {
    match function {
        Pointwise::Unary(op) => unary(w, op, &x[0]),
        Pointwise::Binary(op) => binary(w, op, &x[0], &x[1]),
        Pointwise::Select => {
            let truth = w.truth_of(&x[0]);
            w.select(&truth, &x[1], &x[2])
        }
    }
}

fn unary(w: &mut Writer, op: Unary, x: &Value) -> Value {
    let name = match op {
        Unary::Neg => "negate",
        Unary::Exp => "exponential",
        Unary::ExpM1 => "exponential_minus_one",
        Unary::Ln => "log",
        Unary::Ln1p => "log_plus_one",
        Unary::Sqrt => "sqrt",
        Unary::Tanh => "tanh",
        Unary::Sin => "sine",
        Unary::Cos => "cosine",
        Unary::Sigmoid => return sigmoid(w, x),
        Unary::Erf => return erf(w, x),
        Unary::Relu => {
            // NaN compares false, and stays.
            let zero = w.full(0.0, x.extents());
            let below = w.compare("LE", x, &zero);
            return w.select(&below, &zero, x);
        }
        Unary::Powi(n) => return powi(w, x, n),
    };
    w.unary(name, x)
}

fn binary(w: &mut Writer, op: Binary, a: &Value, b: &Value) -> Value {
    match op {
        Binary::Add if w.is_splat(b, 0.0) => w.sum_of_one(a),
        Binary::Add if w.is_splat(a, 0.0) => w.sum_of_one(b),
        Binary::Sub if w.is_splat(b, -0.0) => w.sum_of_one(a),
        Binary::Add => w.binary("add", a, b),
        Binary::Sub => w.binary("subtract", a, b),
        Binary::Mul => w.binary("multiply", a, b),
        Binary::Div => w.binary("divide", a, b),
        Binary::Maximum => w.binary("maximum", a, b),
        Binary::Powf => power(w, a, b),
        Binary::Absorb => absorb(w, "multiply", a, b),
        Binary::AbsorbDiv => absorb(w, "divide", a, b),
        Binary::Compare(relation) => {
            let relation = relation.name().to_ascii_uppercase();
            let truth = w.compare(&relation, a, b);
            w.number_of(&truth)
        }
    }
}

/// `+0` where the first operand is zero, else the product or quotient.
fn absorb(w: &mut Writer, op: &str, g: &Value, d: &Value) -> Value {
    let zero = w.full(0.0, g.extents());
    let none = w.compare("EQ", g, &zero);
    let some = w.binary(op, g, d);
    w.select(&none, &zero, &some)
}

/// `e = exp(-|x|)`, `r = 1 / (1 + e)`, `r` where `x >= 0`, else `e * r`: its definition, which keeps
/// the tail that a logistic function of the target may lose.
fn sigmoid(w: &mut Writer, x: &Value) -> Value {
    let [zero, one] = [0.0, 1.0].map(|number| w.full(number, x.extents()));
    let magnitude = w.unary("abs", x);
    let negative = w.unary("negate", &magnitude);
    let e = w.unary("exponential", &negative);
    let below = w.add(&one, &e);
    let r = w.binary("divide", &one, &below);
    let tail = w.binary("multiply", &e, &r);
    let positive = w.compare("GE", x, &zero);
    w.select(&positive, &r, &tail)
}

/// The series' first term where the argument is so small that nothing else remains of it: what a
/// target makes of `chlo.erf` loses subnormal numbers there.
fn erf(w: &mut Writer, x: &Value) -> Value {
    let text = format!("chlo.erf {x} : {} -> {}", x.of, x.of);
    let whole = w.write(x.of.clone(), text);
    // 2^-40 and 2^-70: the cube of either is less than an ulp of it.
    let bits = if x.of.kind == Kind::F32 { 1023 - 40 } else { 1023 - 70 };
    let small = w.full(f64::from_bits(bits << 52), x.extents());
    let slope = w.full(std::f64::consts::FRAC_2_SQRT_PI, x.extents());
    let magnitude = w.unary("abs", x);
    let tiny = w.compare("LT", &magnitude, &small);
    let first = w.binary("multiply", x, &slope);
    w.select(&tiny, &first, &whole)
}

/// A power; `x^0` and `1^y` are 1, NaN or not.
fn power(w: &mut Writer, x: &Value, y: &Value) -> Value {
    let [zero, one] = [0.0, 1.0].map(|number| w.full(number, x.extents()));
    let power = w.binary("power", x, y);
    let unit = w.compare("EQ", x, &one);
    let nought = w.compare("EQ", y, &zero);
    let text = format!("stablehlo.or {unit}, {nought} : {}", unit.of);
    let trivial = w.write(Type::new(Kind::Truth, x.extents()), text);
    w.select(&trivial, &one, &power)
}

/// An integer power; where the element does not hold the exponent, by way of one that does.
fn powi(w: &mut Writer, x: &Value, n: i32) -> Value {
    let exact = |n: i32| f64::from(n as f32) == f64::from(n);
    match n {
        0 => w.full(1.0, x.extents()),
        1 => x.clone(),
        2 => w.binary("multiply", x, x),
        _ if x.of.kind == Kind::F32 && !exact(n) => {
            let wide = w.convert(x, Kind::F64);
            let exponent = w.splat(f64::from(n), Kind::F64, x.extents());
            let power = w.binary("power", &wide, &exponent);
            w.convert(&power, Kind::F32)
        }
        _ => {
            let exponent = w.full(f64::from(n), x.extents());
            w.binary("power", x, &exponent)
        }
    }
}
