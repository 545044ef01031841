//! Random tapes with their recorded gradients: every value of every form within its bound.

use super::steps::{symbols, violation};
use super::tools::{Bench, Tool};
use crate::properties::tape_bytes;
use poorgrad::{Compile, Elementary, Emit, EmitForm, Network, Tensor, Tensorial};
use testkit::emission::{Accuracy, Apart, spread};
use testkit::{RandomTape, generate};

/// A tape that is small enough for an interpreter of a million operations a second.
fn small<P: Tensorial>(seed: u64) -> Option<RandomTape<P>> {
    let tape = generate::<P>(&tape_bytes(seed));
    let volume = |value: poorgrad::Value<'_, P>| value.shape().volume().unwrap_or(0);
    let work = tape.network.values().map(volume).fold(0, |sum, volume| sum + volume);
    (work < 40_000).then_some(tape)
}

/// The forms in turns: exact, as recorded, and raised with what the training plan hands out.
fn check<P: Tensorial>(seeds: std::ops::Range<u64>, test: &'static str) {
    let Some(mut bench) = Bench::open(Tool::Evaluator, test) else { return };
    let mut validator = Bench::open(Tool::Validator, test);
    let mut found = Vec::new();
    let mut bounded = Bounded::default();
    for seed in seeds {
        let Some(tape) = small::<P>(seed) else { continue };
        let problem = match seed % 4 {
            0 | 1 => {
                let _ = tape.network.differentiate(tape.target, &tape.sources);
                let (form, accuracy) = match seed % 4 {
                    0 => (EmitForm::Exact, Accuracy::EXACT),
                    _ => (EmitForm::Recorded, Accuracy::INTERPRETER),
                };
                let module = super::steps::observed(&tape.network, form);
                let validated = validator.as_mut().map(|validator| validator.validate(&module));
                validated
                    .and_then(Result::err)
                    .or_else(|| violation(&mut bench, &tape.network, form, &accuracy))
            }
            2 => {
                let form = EmitForm::Raised;
                let module = super::steps::observed(&tape.network, form);
                let validated = validator.as_mut().map(|validator| validator.validate(&module));
                validated
                    .and_then(Result::err)
                    .or_else(|| violation(&mut bench, &tape.network, form, &Accuracy::INTERPRETER))
            }
            _ => {
                raised(&mut bench, validator.as_mut(), &tape, &Accuracy::INTERPRETER, &mut bounded)
            }
        };
        if let Some(problem) = problem {
            found.push(format!("seed {seed} of {}: {problem}", P::Element::NAME));
            if found.len() > 3 {
                break;
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n\n"));
    bounded.hold(test);
}

/// How many numbers had a bound that means something.
#[derive(Default)]
struct Bounded {
    numbers: usize,
    without: usize,
}

impl Bounded {
    /// Most have one: where a decision is close or magnitudes overflow there is none.
    fn hold(self, test: &str) {
        let Self { numbers, without } = self;
        println!("{test}: {numbers} numbers of raised programs, {without} without a bound");
        assert!(2 * without < numbers || numbers < 100, "{without} of {numbers} have no bound");
    }
}

/// A training plan's joint program, raised: what it hands out is within what the tape can make of the
/// bounds of its operations.
fn raised<P: Tensorial>(
    bench: &mut Bench,
    validator: Option<&mut Bench>,
    tape: &RandomTape<P>,
    accuracy: &Accuracy,
    bounded: &mut Bounded,
) -> Option<String> {
    let plan = Compile::new(&tape.network).loss(tape.target);
    let plan = tape.sources.iter().fold(plan, |plan, source| plan.gradients_of(source)).plan();
    let module = Emit::new(&plan).module().unwrap_or_else(|error| panic!("{error}"));
    if let Some(Err(error)) = validator.map(|validator| validator.validate(&module)) {
        return Some(error);
    }
    let found = match bench.run(&module, &tape.network, &[]) {
        Ok(found) => found,
        Err(error) => return Some(error),
    };
    let results = plan.forward(&tape.network, []);
    let gradients = results.backward(tape.target);
    // The same chain rule on the tape itself, where its nodes can be bounded.
    let recorded = tape.network.differentiate(tape.target, &tape.sources);
    let mut nodes = vec![tape.target];
    nodes.extend(recorded.iter().map(|value| value.symbol()));
    let of = tape.sources.iter().map(|source| gradients.of(source));
    let expected: Vec<P> = std::iter::once(results.of(tape.target)).chain(of).collect();
    let names: Vec<String> = module.results().iter().map(|result| result.name.clone()).collect();
    let text = tape.network.to_text();
    let network = Network::<Tensor<P::Element>>::parse(&text).expect("a tape of tensors");
    let evaluation = network.reference().forward();
    let values: Vec<_> = symbols(&network).iter().map(|symbol| evaluation.of(symbol)).collect();
    let bounds = spread(&Apart::new(&network), &values, accuracy);
    let position = |symbol| {
        let all = symbols(&tape.network);
        all.iter().position(|found| *found == symbol).expect("a node of the tape")
    };
    for (number, found) in found.iter().enumerate() {
        // A source that the loss does not depend on has no gradient, and no result.
        let name = &names[number];
        let which = (0..nodes.len()).find(|&at| match at {
            0 => number == 0,
            _ => {
                let source = tape.network.resolve(tape.sources[at - 1]);
                let label = source.label().unwrap_or(format!("%{}", position(source.symbol())));
                *name == format!("gradient with respect to {label}")
            }
        });
        let which = which.unwrap_or_else(|| panic!("{name} is no source of\n{text}"));
        let (mut wanted, bounds) = (Vec::new(), &bounds[position(nodes[which])]);
        expected[which].for_each(&mut |x| wanted.push(x.to_f64()));
        for (at, found) in found.to_vec().iter().map(Elementary::to_f64).enumerate() {
            let (wanted, bound) = (wanted[at], bounds[at]);
            bounded.numbers += 1;
            bounded.without += usize::from(bound == f64::INFINITY);
            let fits = found == wanted
                || found.is_nan() && wanted.is_nan()
                || (found - wanted).abs() <= bound
                || bound == f64::INFINITY;
            if !fits {
                return Some(format!("{name} at {at}: {found} is not {wanted} by {bound}\n{text}"));
            }
        }
    }
    None
}

#[test]
fn tapes_evaluate() {
    check::<Tensor<f32>>(0..8, "tapes");
    check::<f64>(8..12, "tapes");
}

#[test]
#[ignore = "heavy: 800 tapes by the reference interpreter"]
fn heavy_tapes_of_f32_evaluate() {
    check::<Tensor<f32>>(100..900, "tapes_f32");
}

#[test]
#[ignore = "heavy: 800 tapes by the reference interpreter"]
fn heavy_tapes_of_f64_evaluate() {
    check::<Tensor<f64>>(1000..1600, "tapes_f64");
    check::<f32>(2000..2100, "tapes_scalar");
    check::<f64>(2100..2200, "tapes_scalar");
}

#[test]
#[ignore = "heavy: 200 tapes compiled by XLA"]
fn heavy_tapes_run() {
    let Some(mut bench) = Bench::open(Tool::Runner, "tapes_run") else { return };
    let mut bounded = Bounded::default();
    let mut found = Vec::new();
    for seed in 3000..3200 {
        let Some(tape) = small::<Tensor<f32>>(seed) else { continue };
        let problem = raised(&mut bench, None, &tape, &Accuracy::XLA_CPU, &mut bounded);
        found.extend(problem.map(|problem| format!("seed {seed}: {problem}")));
    }
    assert!(found.is_empty(), "{} fail: {}", found.len(), found.join("\n\n"));
    bounded.hold("tapes_run");
}
