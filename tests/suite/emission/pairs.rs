//! Two operations in a row at the corners, on XLA-CPU: what a simplifier makes of them is held to the bound
//! of the second one. What does not hold is listed here, and in `docs/emission.md`.

use super::operations::corners;
use super::steps::violations;
use super::tools::{Bench, Tool};
use poorgrad::{EmitForm, Network, Tensor, Value};
use std::collections::BTreeMap;
use testkit::emission::Accuracy;

type Of<'n> = Value<'n, Tensor>;

type Unary = for<'n> fn(Of<'n>) -> Of<'n>;
type Binary = for<'n> fn(Of<'n>, Of<'n>) -> Of<'n>;

const UNARY: [(&str, Unary); 15] = [
    ("neg", |x| -x),
    ("exp", |x| x.exp()),
    ("exp_m1", |x| x.exp_m1()),
    ("ln", |x| x.ln()),
    ("ln_1p", |x| x.ln_1p()),
    ("sqrt", |x| x.sqrt()),
    ("tanh", |x| x.tanh()),
    ("sigmoid", |x| x.sigmoid()),
    ("softplus", |x| x.softplus()),
    ("sin", |x| x.sin()),
    ("erf", |x| x.erf()),
    ("relu", |x| x.relu()),
    ("powi 2", |x| x.powi(2)),
    ("powi -1", |x| x.powi(-1)),
    ("lt", |x| x.lt(x.literal(0.5))),
];

const BINARY: [(&str, Binary); 8] = [
    ("add", |a, b| a + b),
    ("sub", |a, b| a - b),
    ("mul", |a, b| a * b),
    ("div", |a, b| a / b),
    ("absorb", |a, b| a.absorb(b)),
    ("absorb_div", |a, b| a.absorb_div(b)),
    ("maximum", |a, b| a.maximum(b)),
    ("powf", |a, b| a.powf(b)),
];

const LITERALS: [f64; 9] = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, f64::INFINITY, f64::NAN];

/// What XLA-CPU makes otherwise, by what `docs/emission.md` lists: quotients of quotients and of exponentials,
/// quotients by the greatest numbers, sums of products that are infinite, inverse pairs, sums with `+0`.
const KNOWN: [&str; 40] = [
    "(div) absorb_div a",
    "(div) absorb_div b",
    "(div) div a",
    "(div) div b",
    "(mul) add a",
    "(mul) add b",
    "(mul) sub a",
    "(mul) sub b",
    "0.0 add x",
    "a absorb_div (div)",
    "a add (mul)",
    "a div (div)",
    "a sub (mul)",
    "b absorb_div (div)",
    "b absorb_div exp",
    "b absorb_div exp_m1",
    "b absorb_div neg",
    "b absorb_div powi -1",
    "b add (mul)",
    "b div (div)",
    "b div exp",
    "b div exp_m1",
    "b div neg",
    "b div powi -1",
    "b sub (mul)",
    "exp absorb_div exp",
    "exp div exp",
    "exp_m1 absorb_div exp_m1",
    "exp_m1 div exp_m1",
    "ln of exp",
    "neg absorb_div neg",
    "neg div neg",
    "powi -1 absorb_div powi -1",
    "powi -1 div powi -1",
    "powi -1 of exp",
    "powi -1 of powi -1",
    "sqrt of powi 2",
    "sum_along of broadcast",
    "x add 0.0",
    "x sub -0.0",
];

/// What is recorded: of the node of each pair its name.
type Names = BTreeMap<usize, String>;

fn note(names: &mut Names, value: Of<'_>, name: String) {
    // It was recorded last.
    names.insert(value.network().len() - 1, name);
}

fn functions(network: &Network<Tensor>, names: &mut Names) {
    let x = network.input(Tensor::new([30], corners()));
    for (first, f) in UNARY {
        let inner = f(x);
        for (second, g) in UNARY {
            note(names, g(inner), format!("{second} of {first}"));
        }
    }
    for (name, op) in BINARY {
        for literal in LITERALS {
            note(names, op(x, x.literal(literal)), format!("x {name} {literal:?}"));
            note(names, op(x.literal(literal), x), format!("{literal:?} {name} x"));
        }
        note(names, op(x, x), format!("x {name} x"));
    }
}

fn operands(network: &Network<Tensor>, names: &mut Names) {
    let x = network.input(Tensor::new([30], corners()));
    let square = network.leaf(Tensor::full([30, 30], 0.0));
    let a = x.broadcast_like(square);
    let b = a.transpose();
    for (second, op) in BINARY {
        for (first, f) in UNARY {
            note(names, op(f(a), f(b)), format!("{first} {second} {first}"));
            note(names, op(f(a), b), format!("{first} {second} b"));
            note(names, op(b, f(a)), format!("b {second} {first}"));
        }
        for (first, inner) in BINARY {
            let both = inner(a, b);
            note(names, op(both, a), format!("({first}) {second} a"));
            note(names, op(both, b), format!("({first}) {second} b"));
            note(names, op(a, both), format!("a {second} ({first})"));
            note(names, op(b, both), format!("b {second} ({first})"));
            note(names, op(both, a.literal(3.0)), format!("({first}) {second} 3"));
            note(
                names,
                op(inner(a, a.literal(3.0)), a.literal(0.5)),
                format!("({first} 3) {second} 0.5"),
            );
        }
    }
}

fn reduced(network: &Network<Tensor>, names: &mut Names) {
    let x = network.input(Tensor::new([6, 5], corners()));
    let wide = network.leaf(Tensor::full([4, 6, 5], 0.0));
    for (first, f) in UNARY {
        let inner = f(x);
        note(names, inner.sum_along(&[1]), format!("sum_along of {first}"));
        note(names, inner.max_along(&[1]), format!("max_along of {first}"));
        note(names, inner.first_max_along(&[1]), format!("first_max_along of {first}"));
        note(names, inner.softmax(1), format!("softmax of {first}"));
        note(names, inner.log_softmax(1), format!("log_softmax of {first}"));
        note(names, inner.matmul(x.transpose()), format!("matmul of {first}"));
        note(names, f(x.sum_along(&[1])), format!("{first} of sum_along"));
        note(names, f(x.max_along(&[1])), format!("{first} of max_along"));
    }
    let spread = x.broadcast_like(wide);
    note(names, spread.sum_along(&[0]), "sum_along of broadcast".into());
    note(names, spread.max_along(&[0]), "max_along of broadcast".into());
    note(names, x.pad(0, 1, 1, 0.0).sum_along(&[0]), "sum_along of pad".into());
    note(names, x.pad(0, 1, 1, 0.0) * x.pad(0, 1, 1, -0.0), "mul of pads".into());
    note(names, x.sum_along(&[0]).sum(), "sum of sum_along".into());
    note(names, x.max_along(&[0]).max_along(&[0]), "max_along of max_along".into());
}

#[test]
#[ignore = "heavy: 1,200 pairs compiled by XLA"]
fn heavy_pairs_of_operations_run_at_their_corners() {
    let Some(mut bench) = Bench::open(Tool::Runner, "pairs") else { return };
    let mut found = BTreeMap::new();
    for record in [functions, operands, reduced] {
        let (network, mut names) = (Network::new(), Names::new());
        record(&network, &mut names);
        for (node, told) in violations(&mut bench, &network, EmitForm::Recorded, &Accuracy::XLA_CPU)
        {
            let name = names.get(&node).cloned().unwrap_or_else(|| format!("%{node}"));
            found.insert(name, told);
        }
    }
    let told = found.iter().filter(|(name, _)| !KNOWN.contains(&name.as_str()));
    let told: Vec<String> = told.map(|(name, told)| format!("{name}: {told}")).collect();
    assert!(told.is_empty(), "{}", told.join("\n\n"));
    let gone: Vec<&&str> = KNOWN.iter().filter(|&&name| !found.contains_key(name)).collect();
    assert!(gone.is_empty(), "not seen any more: {gone:?}");
}
