//! The models of the curriculum, forward and as a whole step of training: emitted, evaluated, and run
//! on XLA-CPU, every result within what the tape can make of its operations' bounds.

use super::steps::{symbols, violation};
use super::tools::{Bench, Tool};
use poorgrad::{
    Adam, Compile, Elementary, Emit, EmitForm, Network, Optimizer, Sgd, Symbol, Tensor,
};
use testkit::emission::{Accuracy, Apart, spread};
use zoo::makemore::{Loss, Model};
use zoo::models::{Recorded, lenet, plain, residual, transformer, vgg};

#[test]
fn makemore_mlp_is_emitted_and_evaluates() {
    const TEST: &str = "makemore_mlp";
    let network = Network::new();
    let model = Model::new(&network, 27, 1);
    let step = Loss::new(&network, &model, 4);
    let plan = network.compile([step.loss], []);
    let letters: Vec<usize> = (0..12).map(|at| at * 5 % 27).collect();
    let feeds = step.feeds_of(&model, &letters, &[3, 1, 4, 1]);
    let expected = plan.forward(&network, feeds.clone()).of(step.loss).item();
    let forms = [EmitForm::Raised, EmitForm::Recorded, EmitForm::Exact];
    let modules = forms.map(|form| Emit::new(&plan).form(form).module().expect("a module"));
    if let Some(mut validator) = Bench::open(Tool::Validator, TEST) {
        modules.iter().for_each(|module| validator.validate(module).unwrap());
    }
    let symbols = symbols(&network);
    let at = symbols.iter().position(|symbol| *symbol == step.loss).expect("a value");
    for (tool, accuracy) in
        [(Tool::Evaluator, Accuracy::INTERPRETER), (Tool::Runner, Accuracy::XLA_CPU)]
    {
        let Some(mut bench) = Bench::open(tool, TEST) else { continue };
        let (_, bounds) = bounded(&network, &symbols, &feeds, &accuracy);
        let bound = bounds[at][0];
        for module in &modules {
            let found = bench.run(module, &network, &feeds).unwrap()[0].item();
            let apart = (f64::from(found) - f64::from(expected)).abs();
            assert!(apart <= bound, "{tool:?}: {found} is not {expected} by {bound}");
            // What is carried along 13 operations is wide; this is what was seen.
            assert!(apart <= 1e-5 * f64::from(expected), "{tool:?}: {found} is not {expected}");
        }
    }
}

/// What the oracle gives for every node, and how far a runner may be from it there.
fn bounded(
    network: &Network<Tensor>,
    symbols: &[Symbol],
    feeds: &[(Symbol, Tensor)],
    accuracy: &Accuracy,
) -> (Vec<Tensor>, Vec<Vec<f64>>) {
    let evaluation = network.reference().forward_with(feeds.iter().cloned());
    let values: Vec<Tensor> = symbols.iter().map(|symbol| evaluation.of(symbol)).collect();
    let bounds = spread(&Apart::new(network), &values, accuracy);
    (values, bounds)
}

/// The loss and all that a step of training changes, with the feeds that the step takes.
fn training_step(
    model: &Recorded,
    optimizer: &dyn Optimizer<Tensor>,
) -> (Vec<Symbol>, Vec<(Symbol, Tensor)>) {
    let network = &model.network;
    let parameters: Vec<Symbol> = network.parameters().map(|(_, value)| value.symbol()).collect();
    let gradients = network.differentiate(model.loss, &parameters);
    let pairs = parameters.iter().copied().zip(gradients.iter().map(|value| value.symbol()));
    let pairs: Vec<_> = pairs.collect();
    let step = optimizer.record(network, &pairs).expect("the optimiser records steps");
    let targets = std::iter::once(model.loss).chain(step.results()).collect();
    (targets, [&model.feeds[..], &step.feeds()].concat())
}

/// Runs targets raised, and holds them against the oracle: within bounds that follow from those of
/// the operations, which is what is derived; and closer than `close` of the largest element, which is
/// ten times what was seen, for where what is derived is wide or says nothing.
fn hold(
    bench: &mut Bench,
    network: &Network<Tensor>,
    targets: &[Symbol],
    feeds: &[(Symbol, Tensor)],
    accuracy: &Accuracy,
    close: f64,
) {
    let plan = targets.iter().fold(Compile::new(network), Compile::target).plan();
    let module = Emit::new(&plan).module().expect("a module");
    let found = bench.run(&module, network, feeds).unwrap_or_else(|error| panic!("{error}"));
    let symbols = symbols(network);
    let (values, bounds) = bounded(network, &symbols, feeds, accuracy);
    let (mut worst, mut unknown, mut count) = (0.0_f64, 0, 0);
    // Of all results: a gradient that is nothing but rounding has no size of its own.
    let position = |target: &Symbol| symbols.iter().position(|symbol| symbol == target);
    let all = targets.iter().filter_map(position).flat_map(|at| values[at].to_vec());
    let largest = all.fold(0.0, |most, x| if x.abs() > most { x.abs() } else { most });
    let largest = f64::from(largest);
    for (target, found) in targets.iter().zip(found) {
        let at = position(target).expect("a value");
        let expected: Vec<f64> = values[at].iter().map(|x| x.to_f64()).collect();
        for (place, found) in found.to_vec().into_iter().map(f64::from).enumerate() {
            let (expected, bound) = (expected[place], bounds[at][place]);
            let apart = (found - expected).abs();
            let value = network.resolve(*target);
            assert!(apart <= bound, "{value:?} at {place}: {found}, not {expected} by {bound}");
            assert!(
                close > 1.0 || apart <= close * largest,
                "{value:?} at {place}: {found}, not {expected}"
            );
            worst = if apart / largest > worst { apart / largest } else { worst };
            unknown += usize::from(bound == f64::INFINITY);
            count += 1;
        }
    }
    println!(
        "{count} numbers, at most {worst:.1e} of the largest apart, {unknown} without a bound"
    );
    let lost = (0..values.len()).find(|&at| bounds[at].iter().any(|bound| bound.is_infinite()));
    let lost = lost
        .map(|at| format!("{:?}: {:?} {:?}", network.resolve(symbols[at]), values[at], bounds[at]));
    assert!(unknown * 2 < count, "most results have no bound, first {lost:?}");
}

#[test]
fn small_models_run_within_bounds() {
    const TEST: &str = "models";
    // Adam divides a gradient by its size: one that is nothing but rounding gives any step.
    let models: [(Recorded, Box<dyn Optimizer<Tensor>>, f64); 2] = [
        (residual(2, 2, 8), Box::new(Adam::new(0.01)), f64::INFINITY),
        (transformer(4, 8, 2), Box::new(Sgd::new(0.1)), 1e-5),
    ];
    for (tool, accuracy) in
        [(Tool::Runner, Accuracy::XLA_CPU), (Tool::Evaluator, Accuracy::INTERPRETER)]
    {
        let Some(mut bench) = Bench::open(tool, TEST) else { continue };
        for (model, optimizer, close) in &models {
            let Recorded { network, loss, scores, feeds } = model;
            hold(&mut bench, network, &[*loss, *scores], feeds, &accuracy, 1e-5);
            let fork = Recorded { network: network.clone(), feeds: feeds.clone(), ..*model };
            let (targets, feeds) = training_step(&fork, optimizer.as_ref());
            hold(&mut bench, &fork.network, &targets, &feeds, &accuracy, *close);
        }
    }
}

#[test]
#[ignore = "heavy: convolutions by the definitions"]
fn heavy_models_of_the_curriculum_run_within_bounds() {
    const TEST: &str = "models";
    let Some(mut bench) = Bench::open(Tool::Runner, TEST) else { return };
    for model in [plain(4), lenet(2), vgg(1), transformer(16, 32, 4)] {
        let Recorded { network, loss, scores, feeds } = &model;
        hold(&mut bench, network, &[*loss, *scores], feeds, &Accuracy::XLA_CPU, 1e-5);
        let fork = Recorded { network: network.clone(), feeds: feeds.clone(), ..model };
        let (targets, feeds) = training_step(&fork, &Sgd::new(0.1).momentum(0.9));
        hold(&mut bench, &fork.network, &targets, &feeds, &Accuracy::XLA_CPU, 1e-5);
    }
}

#[test]
fn every_value_of_a_transformer_runs_within_its_bound() {
    let Some(mut bench) = Bench::open(Tool::Runner, "models") else { return };
    let model = transformer(4, 8, 2);
    let parameters: Vec<Symbol> = model.network.parameters().map(|(_, w)| w.symbol()).collect();
    let _ = model.network.differentiate(model.loss, &parameters);
    let found = violation(&mut bench, &model.network, EmitForm::Recorded, &Accuracy::XLA_CPU);
    assert_eq!(found, None);
}
