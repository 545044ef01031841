//! Faults that other emitters have had, by their numbers.

use super::steps::violation;
use super::tools::{Bench, Tool};
use poorgrad::{Emit, EmitForm, Network, Tensor, Value, Window};
use testkit::emission::{Accuracy, Blame, Verdict};
use testkit::{Dual, Wrapped};

/// The module of values of `f32` and of `f64`.
fn texts(record: fn(&Network<Tensor<f32>>), wide: fn(&Network<Tensor<f64>>)) -> [String; 2] {
    fn text<E: poorgrad::Elementary>(record: fn(&Network<Tensor<E>>)) -> String {
        let network = Network::new();
        record(&network);
        let last = network.values().last().expect("a value").symbol();
        network.compile([last], []).emit_stablehlo().unwrap_or_else(|error| panic!("{error}"))
    }
    [text(record), text(wide)]
}

#[test]
fn b77_constants_that_are_not_finite_have_the_width_of_their_type() {
    fn record<E: poorgrad::Elementary>(network: &Network<Tensor<E>>) {
        let leaf = |x: f64| network.leaf(Tensor::full([2], E::from_f64(x)));
        let [nan, high, low] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(leaf);
        let x = network.input(Tensor::full([2], E::one()));
        let _ = Value::concat(&[x, nan, high, low], 0);
    }
    let [single, double] = texts(record, record);
    for bits in ["0x7FC00000>", "0x7F800000>", "0xFF800000>"] {
        assert!(single.contains(bits), "{bits} in {single}");
    }
    for bits in ["0x7FF8000000000000>", "0x7FF0000000000000>", "0xFFF0000000000000>"] {
        assert!(double.contains(bits), "{bits} in {double}");
    }
}

#[test]
fn b78_literals_have_a_point_and_what_cannot_lower_is_an_error() {
    fn record<E: poorgrad::Elementary>(network: &Network<Tensor<E>>) {
        let x = network.input(Tensor::full([2], E::one()));
        let _ = x * x.literal(3.0) + x.literal(1e20);
    }
    for text in texts(record, record) {
        assert!(text.contains("dense<3.0>") && text.contains("dense<1.0e20>"), "{text}");
    }
    // An element, and a payload, of a user's own.
    let network = Network::new();
    let x = network.input(Dual::new(1.0, 1.0));
    let error = network.compile([x * x], []).emit_stablehlo().unwrap_err();
    let told = error.to_string();
    assert!(
        told.starts_with("emit: %1 = mul (recorded at tests/suite/emission/cases.rs:"),
        "{told}"
    );
    assert!(told.contains("`dual`"), "{told}");
    let network = Network::new();
    let x = network.input(Wrapped(Tensor::from([1.0_f32])));
    assert!(network.compile([x * x], []).emit_stablehlo().is_err());
    // Buffers that cannot be given away.
    let network = Network::new();
    let x = network.input(Tensor::from([1.0_f32, 2.0]));
    let (sum, next) = (x.sum(), x * x);
    let plan = network.compile([sum, next], []);
    let told = |from, into| Emit::new(&plan).donate(from, into).module().unwrap_err().to_string();
    assert!(told(x, sum).contains("not of one shape"), "{}", told(x, sum));
    assert!(told(sum, next).contains("no argument"), "{}", told(sum, next));
    let network = Network::new();
    let table = network.leaf(Tensor::from([1.0_f32, 2.0]));
    let next = table * network.input(Tensor::from([3.0, 4.0]));
    let plan = network.compile([next], []);
    let error = Emit::new(&plan).constants_up_to(0).donate(table, next).module().unwrap_err();
    assert!(error.to_string().contains("a constant is the same in every run"), "{error}");
    // Each extent may be named, the positions of both together may not.
    let network = Network::new();
    let far = network.input(Tensor::full([50_000_usize, 60_000], 1.0_f32));
    let error = network.compile([far.first_max_along(&[0, 1])], []).emit_stablehlo().unwrap_err();
    assert!(error.to_string().contains("3000000000 positions"), "{error}");
}

#[test]
fn b80_splats_and_empty_constants_parse() {
    fn record<E: poorgrad::Elementary>(network: &Network<Tensor<E>>) {
        let x = network.input(Tensor::full([1], E::one()));
        let empty = network.input(Tensor::full([0, 3], E::one()));
        let few =
            network.leaf(Tensor::new([2, 2], [-3.0, 0.5, -0.0, 1e-45].map(E::from_f64).to_vec()));
        let y = (x * x.literal(-3.0)).sum() + (empty * empty.literal(2.0)).sum() + few.sum();
        let _ = y + network.leaf(Tensor::full([2, 0], E::one())).sum();
    }
    let Some(mut validator) = Bench::open(Tool::Validator, "cases") else { return };
    fn check<E: poorgrad::Elementary>(validator: &mut Bench, record: fn(&Network<Tensor<E>>)) {
        let network = Network::new();
        record(&network);
        let last = network.values().last().expect("a value").symbol();
        let plan = network.compile([last], []);
        for form in [EmitForm::Raised, EmitForm::Recorded] {
            let module = Emit::new(&plan).form(form).module().expect("a module");
            validator.validate(&module).unwrap_or_else(|error| panic!("{error}"));
        }
    }
    check::<f32>(&mut validator, record);
    check::<f64>(&mut validator, record);
}

/// Movement that compilers have folded wrongly, and sums that follow on it: the bits of the oracle, by
/// interpreter and XLA.
#[test]
fn b45_b72_unit_axes_and_crops_are_not_folded_away() {
    let network = Network::new();
    let x = network.input(Tensor::<f32>::arange(6).reshape([3, 1, 2]));
    let lines = x.permute(&[1, 2, 0]).reshape([1, 6]);
    let y = network.input(Tensor::from([669.0_f32, -763.0]));
    let windows = y.narrow(0, 1, 1).pad(0, 1, 0, 0.0).unfold(0, 2, 1, 1).sum_along(&[1]);
    let images = y.reshape([1, 1, 1, 2]).narrow(3, 1, 1).pad(3, 1, 0, 0.0);
    let weights = network.leaf(Tensor::full([1, 1, 1, 2], 1.0));
    let convolved = images.conv2d(weights, &Window::new());
    // b44: a column divided, not a row.
    let table = network.input(Tensor::from([[1.0_f32, 2.0], [3.0, 4.0]]));
    let column = table.narrow(1, 0, 1);
    let divided = Value::concat(&[column / column.literal(10.0), table.narrow(1, 1, 1)], 1);
    let plan = network.compile([lines, windows, convolved, divided], []);
    let expected =
        [vec![0.0, 2.0, 4.0, 1.0, 3.0, 5.0], vec![-763.0], vec![-763.0], vec![0.1, 2.0, 0.3, 4.0]];
    for tool in [Tool::Evaluator, Tool::Runner] {
        let Some(mut bench) = Bench::open(tool, "cases") else { continue };
        for form in [EmitForm::Raised, EmitForm::Recorded, EmitForm::Exact] {
            let module = Emit::new(&plan).form(form).module().expect("a module");
            let found = bench.run(&module, &network, &[]).unwrap();
            for (found, expected) in found.iter().zip(&expected) {
                let close = |(x, y): (f32, &f32)| (x - y).abs() <= 2.0 * f32::EPSILON * y.abs();
                let all = found.to_vec().into_iter().zip(expected).all(close);
                assert!(all, "{tool:?}, {form:?}: {found:?} is not {expected:?}");
            }
        }
    }
}

/// XLA-CPU folds `ln exp x` to `x`, also where the exponential overflows: blame names the logarithm and
/// what it is fused with, and whoever can live with it allows it.
#[test]
fn b68_an_inverse_pair_folded_across_an_overflow_is_named_and_may_be_allowed() {
    let network = Network::new();
    let x = network.input(Tensor::from([89.0_f32, 88.0, 1.0]));
    let y = network.input(Tensor::from([1e20_f32, 3.0, -2.0]));
    let (back, root) = (x.exp().ln(), (y * y).sqrt());
    let plan = network.compile([back, root], []);
    let results = plan.forward(&network, []);
    assert_eq!(results.of(back).to_vec()[0], f32::INFINITY);
    assert_eq!(results.of(root).to_vec()[0], f32::INFINITY);
    let Some(mut bench) = Bench::open(Tool::Runner, "cases") else { return };
    let mut blamed = |accuracy: Accuracy| {
        let mut run = |module: &poorgrad::EmittedModule<Tensor>, network: &Network<Tensor>| {
            bench.run(module, network, &[])
        };
        Blame::new(&network, accuracy, EmitForm::Recorded, &mut run).report()
    };
    let report = blamed(Accuracy::XLA_CPU).unwrap().expect("XLA folds the pair");
    assert!(report.line.contains(" = ln ") && report.line.contains("cases.rs:"), "{report}");
    assert_eq!(report.verdict, Verdict::Fusion(vec![2]), "{report}");
    let allowed = Accuracy::XLA_CPU.allowing("ln").allowing("sqrt");
    assert!(blamed(allowed).unwrap().is_none());
    // The interpreter folds nothing.
    let Some(mut bench) = Bench::open(Tool::Evaluator, "cases") else { return };
    let found = violation(&mut bench, &network, EmitForm::Recorded, &Accuracy::INTERPRETER);
    assert_eq!(found, None);
}

#[test]
fn large_constants_are_arguments_and_the_manifest_lists_them() {
    let network = Network::new();
    let table = network.leaf(Tensor::from_fn([100_usize], |i| i[0] as f32)).named("table");
    let rows = network.leaf(Tensor::selection(&[7; 70], 100));
    let plan = network.compile([table.gather(rows)], []);
    let module = Emit::new(&plan).module().expect("a module");
    let told: Vec<String> = module.arguments().iter().map(ToString::to_string).collect();
    assert_eq!(told, ["%table: constant %0, f32 [100]", "%1: constant %1, i32 [70]"]);
    assert!(module.text().starts_with("// argument 0 %table: constant %0, f32 [100]\n"));
    let bytes = module.bytes(&network, []).expect("bytes");
    assert_eq!((bytes[0].len(), &bytes[1][..4]), (400, &[7, 0, 0, 0][..]));
    let inside = Emit::new(&plan).constants_up_to(100).module().expect("a module");
    assert!(inside.arguments().is_empty());
}
