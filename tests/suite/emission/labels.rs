//! Labels of every kind: what a module defines has one name each, and no label is more than a name.

use super::tools::{Bench, Tool};
use poorgrad::{Emit, EmitForm, EmittedModule, Network, Tensor, Window};
use std::collections::BTreeSet;

const FORMS: [EmitForm; 3] = [EmitForm::Raised, EmitForm::Recorded, EmitForm::Exact];

/// The names that a module defines, arguments among them, but those inside of regions.
fn defined(text: &str) -> Vec<String> {
    let name = |rest: &str| rest.split([':', ' ']).next().unwrap_or_default().to_string();
    let lines = text.lines().filter_map(|line| line.strip_prefix("    %"));
    lines.filter(|line| line.contains(": tensor") || line.contains(" = ")).map(name).collect()
}

/// Every line is a comment or stands inside the one module, and no name is defined twice.
fn hold(module: &EmittedModule<Tensor>) {
    let text = module.text();
    let comments = module.arguments().len() + module.results().len();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[..comments].iter().all(|line| line.starts_with("// ")), "{text}");
    assert_eq!(lines[comments], "module @poorgrad {", "{text}");
    assert_eq!(text.matches("module @").count(), 1, "{text}");
    let names = defined(text);
    assert!(names.len() > module.arguments().len(), "{text}");
    let distinct: BTreeSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), names.len(), "{text}");
}

/// A pool with its gradient, a mean over windows and a scatter: all that has regions, with the names
/// that those once had, those of temporaries, and those that a module's own names lead to.
fn regions() -> (Network<Tensor>, Vec<poorgrad::Symbol>) {
    let network = Network::new();
    let images = network.input(Tensor::from_fn([1, 1, 4, 4], |i| (i[2] * 3 % 5 + i[3]) as f32));
    let images = images.named("a");
    let weights = network.input(Tensor::full([1, 1, 3, 3], 0.5)).named("b");
    let pooled = images.max_pool([2, 2], &Window::new()).named("r");
    let scaled = (pooled * weights).named("p");
    let averaged = images.average_pool([2, 2], &Window::new()).named("q");
    let rows = network.input(Tensor::selection(&[1, 0, 1], 2)).named("t3");
    let scattered = weights.reshape([3, 3]).scatter(rows).named("c0");
    let loss = (scaled.sum() + averaged.tanh().sum() + scattered.tanh().sum()).named("t9");
    let gradients = network.differentiate(loss, [images, weights]);
    let targets = [loss, averaged, scattered].into_iter().chain(gradients);
    let targets = targets.map(|value| value.symbol()).collect();
    (network, targets)
}

/// Labels that give one name, that name a node's fallback, that end lines and comments.
fn clashes() -> (Network<Tensor>, Vec<poorgrad::Symbol>) {
    let network = Network::new();
    let first = network.input(Tensor::from([1.0_f32, 2.0])).named("a_b");
    let second = network.input(Tensor::from([3.0_f32, 4.0])).named("a_b.2");
    let third = (first * second).named("a b");
    let fourth = (third + first).named("a-b");
    let names =
        ["", "1", "%1", "a\"b\\", "x\n}\nmodule @other {", "y\r// z", "\u{e9}\0", "t1", "t1.7"];
    let mut targets = vec![third.symbol(), fourth.symbol()];
    for name in names {
        let last = network.resolve(targets[targets.len() - 1]);
        targets.push((last * first).named(name).symbol());
    }
    (network, targets)
}

#[test]
fn labels_are_names_and_no_more() {
    let mut validator = Bench::open(Tool::Validator, "labels");
    for (network, targets) in [regions(), clashes()] {
        let plan = targets.iter().fold(poorgrad::Compile::new(&network), poorgrad::Compile::target);
        let plan = plan.plan();
        for form in FORMS {
            let module = Emit::new(&plan).form(form).module().expect("a module");
            hold(&module);
            if let Some(validator) = &mut validator {
                validator.validate(&module).unwrap_or_else(|error| panic!("{error}"));
            }
        }
    }
    let (network, targets) = regions();
    let plan = targets.iter().fold(poorgrad::Compile::new(&network), poorgrad::Compile::target);
    let text = plan.plan().emit_stablehlo().expect("a module");
    for name in ["reduce_window", "select_and_scatter", "scatter"] {
        assert!(text.contains(&format!("\"stablehlo.{name}\"")), "{name} in {text}");
    }
}

#[test]
fn a_label_on_several_lines_stays_in_its_comment() {
    let (network, targets) = clashes();
    let plan = targets.iter().fold(poorgrad::Compile::new(&network), poorgrad::Compile::target);
    let module = Emit::new(&plan.plan()).module().expect("a module");
    let told: Vec<String> = module.results().iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|line| line.starts_with("x\\n}\\nmodule @other {: %")), "{told:?}");
    // The data has the label as it is.
    assert!(module.results().iter().any(|result| result.name == "x\n}\nmodule @other {"));
}
