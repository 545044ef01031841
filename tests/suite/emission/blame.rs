//! Blame, proved on runners that are wrong on purpose: XLA-CPU with a fault in between.

use super::tools::{Bench, Tool};
use poorgrad::{EmitForm, Network, Symbol, Tensor};
use testkit::emission::{Accuracy, Blame, Report, Verdict};
use zoo::models::{Recorded, residual, transformer};

/// What a runner is given instead of a text.
type Fault<'f> = &'f dyn Fn(&str) -> String;

/// The text of a module with the lines that state `operation` replaced: `fault` gets the name that
/// the line defines, its operands, its type, and what stands behind.
fn with_fault(
    text: &str,
    operation: &str,
    fault: impl Fn(&str, &str, &str, &str) -> String,
) -> String {
    let mut changed = String::new();
    for line in text.lines() {
        let stated = line.split_once(&format!(" = {operation} ")).and_then(|(name, rest)| {
            let (operands, rest) = rest.split_once(" : ")?;
            let (of, place) = rest.split_once(" loc(")?;
            Some(fault(name.trim(), operands, of, &format!(" loc({place}")))
        });
        changed += &stated.unwrap_or_else(|| line.to_string());
        changed += "\n";
    }
    changed
}

/// What blame finds on a runner that is given texts with a fault.
fn found(
    bench: &mut Bench,
    network: &Network<Tensor>,
    form: EmitForm,
    fault: Fault<'_>,
) -> Option<Report> {
    let mut run = |module: &poorgrad::EmittedModule<Tensor>, network: &Network<Tensor>| {
        bench.run_text(&fault(module.text()), module, network, &[])
    };
    let blame = Blame::new(network, Accuracy::XLA_CPU, form, &mut run);
    blame.report().unwrap_or_else(|error| panic!("{error}"))
}

/// A model with its gradients.
fn trained(model: Recorded) -> Network<Tensor> {
    let network = model.network;
    let parameters: Vec<Symbol> = network.parameters().map(|(_, w)| w.symbol()).collect();
    let _ = network.differentiate(model.loss, &parameters);
    network
}

#[test]
fn a_right_runner_is_not_blamed() {
    let Some(mut bench) = Bench::open(Tool::Runner, "blame") else { return };
    let network = trained(transformer(4, 8, 2));
    for form in [EmitForm::Recorded, EmitForm::Raised] {
        assert!(found(&mut bench, &network, form, &str::to_string).is_none());
    }
}

#[test]
fn one_operation_perturbed_is_found_and_made_small() {
    let Some(mut bench) = Bench::open(Tool::Runner, "blame") else { return };
    let network = trained(residual(3, 3, 8));
    // A part in 10,000 too large.
    let fault = |text: &str| {
        with_fault(text, "stablehlo.tanh", |name, x, of, place| {
            format!(
                "    %wrong{0} = stablehlo.constant dense<1.0001> : {of}\n    \
                 %right{0} = stablehlo.tanh {x} : {of}\n    \
                 {name} = stablehlo.multiply %right{0}, %wrong{0} : {of}{place}",
                &name[1..]
            )
        })
    };
    let report = found(&mut bench, &network, EmitForm::Recorded, &fault).expect("a wrong runner");
    let first = network.values().position(|value| value.operation() == "tanh");
    let line = network.to_text().lines().nth(1 + first.expect("a tanh")).map(str::to_string);
    assert_eq!(Some(report.line.clone()), line, "{report}");
    assert_eq!(report.verdict, Verdict::Operation, "{report}");
    // One number is enough.
    assert!(report.tape.ends_with("%1 = tanh %0 : [1, 1]\n"), "{report}");
    assert!(report.violation.as_ref().is_some_and(|found| found.ulps > 500.0), "{report}");
}

#[test]
fn accumulation_in_bf16_is_found() {
    let Some(mut bench) = Bench::open(Tool::Runner, "blame") else { return };
    let network = trained(transformer(4, 8, 2));
    let fault = |text: &str| {
        with_fault(text, "stablehlo.dot_general", |name, rest, of, place| {
            let (a, rest) = rest.split_once(", ").expect("two operands");
            let (b, attributes) = rest.split_once(", ").expect("attributes");
            let (from, result) = of.split_once(" -> ").expect("a function");
            let (left, right) =
                from.trim_matches(['(', ')']).split_once(", ").expect("two operands");
            let half = |of: &str| of.replace("f32", "bf16");
            let n = &name[1..];
            format!(
                "    %l{n} = stablehlo.convert {a} : ({left}) -> {0}\n    \
                 %r{n} = stablehlo.convert {b} : ({right}) -> {1}\n    \
                 %p{n} = stablehlo.dot_general %l{n}, %r{n}, {attributes} : ({0}, {1}) -> {2}\n    \
                 {name} = stablehlo.convert %p{n} : ({2}) -> {result}{place}",
                half(left),
                half(right),
                half(result)
            )
        })
    };
    let report = found(&mut bench, &network, EmitForm::Raised, &fault).expect("a wrong runner");
    assert!(report.line.contains(" = matmul "), "{report}");
    assert_eq!(report.verdict, Verdict::Operation, "{report}");
    // The products of some rows are few numbers.
    assert!(report.tape.lines().count() == 4 && report.tape.len() < 400, "{report}");
}

#[test]
fn a_maximum_that_drops_nan_is_found() {
    let Some(mut bench) = Bench::open(Tool::Runner, "blame") else { return };
    let network = Network::new();
    let x = network.input(Tensor::from([[0.5_f32, f32::NAN, 2.0], [1.0, 3.0, -1.0]]));
    let y = network.input(Tensor::from([[1.0_f32, 0.0, 0.0], [2.0, 0.5, 1.0]]));
    let _ = ((x * y) + y).maximum(x - y).exp().sum();
    let fault = |text: &str| {
        with_fault(text, "stablehlo.maximum", |name, operands, of, place| {
            let (a, b) = operands.split_once(", ").expect("two operands");
            let truth = of.replace("f32", "i1");
            format!(
                "    %more{0} = stablehlo.compare GT, {a}, {b}, FLOAT : ({of}, {of}) -> {truth}\n    \
                 %nan{0} = stablehlo.compare NE, {b}, {b}, FLOAT : ({of}, {of}) -> {truth}\n    \
                 %take{0} = stablehlo.or %more{0}, %nan{0} : {truth}\n    \
                 %some{0} = stablehlo.select %take{0}, {a}, {b} : {truth}, {of}\n    \
                 %zero{0} = stablehlo.constant dense<0.0> : {of}\n    \
                 %none{0} = stablehlo.compare NE, %some{0}, %some{0}, FLOAT : ({of}, {of}) -> {truth}\n    \
                 {name} = stablehlo.select %none{0}, %zero{0}, %some{0} : {truth}, {of}{place}",
                &name[1..]
            )
        })
    };
    let report = found(&mut bench, &network, EmitForm::Recorded, &fault).expect("a wrong runner");
    assert!(report.line.contains(" = maximum "), "{report}");
    assert_eq!(report.verdict, Verdict::Operation, "{report}");
    assert!(report.violation.as_ref().is_some_and(|found| found.expected.is_nan()), "{report}");
}

#[test]
fn fast_math_is_found() {
    // NaN is assumed away, and with it the test for one.
    let options = "xla_cpu_enable_fast_math=true xla_cpu_fast_math_honor_nans=false \
                   xla_cpu_fast_math_honor_infs=false xla_cpu_fast_math_honor_division=false \
                   xla_cpu_fast_math_honor_functions=false";
    let Some(mut bench) = Bench::open_with(options, "blame") else { return };
    let network = Network::new();
    let x =
        network.input(Tensor::from([0.5_f32, f32::NAN, 2.0, f32::INFINITY, -1.0, 3.0, 1.0, 0.0]));
    let y = (x * x).ne(x * x);
    let _ = (y.select(x, x - x) + x.sqrt() / x.exp()).sum();
    let report = found(&mut bench, &network, EmitForm::Recorded, &str::to_string);
    let report = report.expect("a wrong runner");
    assert!(report.line.contains(" = compare ") && report.line.contains("blame.rs:"), "{report}");
    assert!(report.violation.is_some(), "{report}");
}

#[test]
fn a_fault_of_fusion_is_told_from_one_of_an_operation() {
    let Some(mut bench) = Bench::open(Tool::Runner, "blame") else { return };
    let network = Network::new();
    let x = network.input(Tensor::from_fn([4, 6], |i| 0.11 * (i[0] + 2 * i[1]) as f32 + 0.3));
    let y = network.input(Tensor::from_fn([6], |i| i[0] as f32 - 2.5));
    let _ = (((x * x) + x).tanh() - y.sin().broadcast_like(x)).exp();
    // Wrong only where a module has a product and an exponential.
    let fault = |text: &str| {
        if !text.contains("stablehlo.multiply") {
            return text.to_string();
        }
        with_fault(text, "stablehlo.exponential", |name, x, of, place| {
            format!("    {name} = stablehlo.tanh {x} : {of}{place}")
        })
    };
    let report = found(&mut bench, &network, EmitForm::Recorded, &fault).expect("a wrong runner");
    assert!(report.line.contains(" = exp "), "{report}");
    // The sine is no part of it, nor more than one element.
    assert_eq!(report.verdict, Verdict::Fusion(vec![2, 3, 4, 7]), "{report}");
    let steps = report.tape.lines().filter(|line| !line.contains(" = input ")).skip(1);
    let steps: Vec<&str> = steps.map(|line| line.split(' ').nth(2).unwrap_or_default()).collect();
    assert_eq!(steps, ["mul", "add", "tanh", "sub", "exp"], "{report}");
    assert!(report.tape.ends_with("= exp %5 : [1, 1]\n"), "{report}");
    assert!(report.module.contains("tensor<1x1xf32>"), "{report}");
    assert!(!report.module.contains("tensor<4x6xf32>"), "{report}");
    // What is told shows the fault when it is run as it stands.
    let shown = Network::<Tensor>::parse(&report.tape).expect("a tape");
    let again = found(&mut bench, &shown, EmitForm::Recorded, &fault).expect("a wrong runner");
    assert!(matches!(again.verdict, Verdict::Fusion(_)), "{again}");
}

/// A fault that needs a value which is read by others to be shown: the whole is told, made small.
#[test]
fn a_fault_that_needs_all_values_shown_is_made_small() {
    let Some(mut bench) = Bench::open(Tool::Runner, "blame") else { return };
    let network = Network::new();
    let x = network.input(Tensor::from_fn([3, 5], |i| 0.1 * (2 * i[0] + i[1]) as f32 + 0.2));
    let _ = (x * x).sqrt().tanh().exp() + x.sin();
    // Wrong only where a module gives several values and has an exponential.
    let fault = |text: &str| {
        let several =
            text.lines().any(|line| line.starts_with("    return") && line.contains(", "));
        if !several || !text.contains("stablehlo.exponential") {
            return text.to_string();
        }
        with_fault(text, "stablehlo.tanh", |name, x, of, place| {
            format!("    {name} = stablehlo.cosine {x} : {of}{place}")
        })
    };
    let report = found(&mut bench, &network, EmitForm::Recorded, &fault).expect("a wrong runner");
    assert!(report.line.contains(" = tanh "), "{report}");
    assert_eq!(report.verdict, Verdict::Fusion(vec![4]), "{report}");
    assert_eq!(report.tape.lines().count(), 4, "{report}");
    assert!(report.tape.contains(" = tanh %0 : [1, 1]\n"), "{report}");
    assert!(report.violation.is_some(), "{report}");
    let shown = Network::<Tensor>::parse(&report.tape).expect("a tape");
    let again = found(&mut bench, &shown, EmitForm::Recorded, &fault).expect("a wrong runner");
    assert_eq!(again.verdict, Verdict::Fusion(vec![2]), "{again}");
}

/// A tape for faults of movement and order: a difference, a transposition, a product with it.
fn moved() -> Network<Tensor> {
    let network = Network::new();
    let x = network.input(Tensor::from([[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]]));
    let y = network.input(Tensor::from([[0.5_f32, 1.0], [0.25, -1.0], [2.0, 0.125]]));
    let _ = (x - y.transpose()).matmul(y).exp();
    network
}

#[test]
fn b81_planted_faults_are_named_at_their_operation() {
    let Some(mut bench) = Bench::open(Tool::Runner, "blame") else { return };
    let network = moved();
    let swapped = |text: &str| {
        with_fault(text, "stablehlo.subtract", |name, operands, of, place| {
            let (a, b) = operands.split_once(", ").expect("two operands");
            format!("    {name} = stablehlo.subtract {b}, {a} : {of}{place}")
        })
    };
    // b42, b44: elements in the order of memory, rows for columns.
    let unmoved = |text: &str| {
        with_fault(text, "stablehlo.transpose", |name, operands, of, place| {
            let (x, _) = operands.split_once(", ").expect("axes");
            format!("    {name} = stablehlo.reshape {x} : {of}{place}")
        })
    };
    assert!(found(&mut bench, &network, EmitForm::Recorded, &str::to_string).is_none());
    let faults: [(Fault<'_>, _); 2] = [(&swapped, " = sub "), (&unmoved, " = permute ")];
    for (fault, name) in faults {
        let report = found(&mut bench, &network, EmitForm::Recorded, fault);
        let report = report.expect("a wrong runner");
        assert!(report.line.contains(name), "{report}");
        assert_eq!(report.verdict, Verdict::Operation, "{report}");
    }
    // A vendor that refuses an operation.
    let refused = |text: &str| text.replace("stablehlo.exponential", "stablehlo.no_such_operation");
    let report = found(&mut bench, &network, EmitForm::Recorded, &refused);
    let report = report.expect("a runner that refuses");
    assert!(report.line.contains(" = exp "), "{report}");
    assert!(matches!(report.verdict, Verdict::Refused(_)), "{report}");
}

#[test]
fn b81_flushed_subnormals_and_a_process_that_ends_are_named() {
    let Some(mut bench) = Bench::open(Tool::Evaluator, "blame") else { return };
    let network = Network::new();
    let x = network.input(Tensor::from([1.0_f32, 3e-39]));
    let _ = (x * x + x * 0.5).exp();
    let flushed = |text: &str| {
        with_fault(text, "stablehlo.multiply", |name, operands, of, place| {
            let truth = of.replace("f32", "i1");
            let n = &name[1..];
            format!(
                "    %p{n} = stablehlo.multiply {operands} : {of}\n    \
                 %m{n} = stablehlo.abs %p{n} : {of}\n    \
                 %l{n} = stablehlo.constant dense<0x00800000> : {of}\n    \
                 %s{n} = stablehlo.compare LT, %m{n}, %l{n}, FLOAT : ({of}, {of}) -> {truth}\n    \
                 %z{n} = stablehlo.constant dense<0.0> : {of}\n    \
                 {name} = stablehlo.select %s{n}, %z{n}, %p{n} : {truth}, {of}{place}"
            )
        })
    };
    // What the interpreter does not know ends its process.
    let ended = |text: &str| {
        with_fault(text, "stablehlo.exponential", |name, x, of, place| {
            let five = [of; 5].join(", ");
            format!(
                "    {name} = \"stablehlo.batch_norm_inference\"({x}, {x}, {x}, {x}, {x}) \
                 <{{epsilon = 0.0 : f32, feature_index = 0 : i64}}> : ({five}) -> {of}{place}"
            )
        })
    };
    let mut blamed = |fault: &dyn Fn(&str) -> String| {
        let mut run = |module: &poorgrad::EmittedModule<Tensor>, network: &Network<Tensor>| {
            bench.run_text(&fault(module.text()), module, network, &[])
        };
        Blame::new(&network, Accuracy::INTERPRETER, EmitForm::Recorded, &mut run).report()
    };
    assert!(blamed(&str::to_string).expect("a run").is_none());
    let report = blamed(&flushed).expect("a run").expect("a wrong runner");
    assert!(report.line.contains(" = mul "), "{report}");
    assert_eq!(report.verdict, Verdict::Operation, "{report}");
    let report = blamed(&ended).expect("a report").expect("a runner that ends");
    assert!(report.line.contains(" = exp "), "{report}");
    assert!(matches!(report.verdict, Verdict::Refused(_)), "{report}");
}
