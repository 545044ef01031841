//! What a plan refuses, in which words, and what it accepts at the edges.

use poorgrad::{Compile, Network, NetworkError, PlanError, Symbol, Tensor, Value};
use std::error::Error;
use testkit::bits::identical;

type Payload = Tensor<f64>;

struct Model {
    network: Network<Payload>,
    x: Symbol,
    w: Symbol,
    constant: Symbol,
    hidden: Symbol,
    loss: Symbol,
}

fn model() -> Model {
    let network = Network::new();
    let x = network.input(Tensor::from([1.0, 2.0])).named("x");
    let w = network.parameter(Tensor::from([3.0, 4.0])).named("w");
    let constant = network.leaf(Tensor::from([0.5, 0.25])).named("constant");
    let hidden = (x * w + constant).named("hidden");
    let loss = hidden.sum().named("loss");
    let [x, w, constant, hidden, loss] = [x, w, constant, hidden, loss].map(Value::symbol);
    Model { network, x, w, constant, hidden, loss }
}

#[track_caller]
fn told<T>(result: Result<T, PlanError>, parts: &[&str]) -> PlanError {
    let Err(error) = result else { panic!("it is accepted") };
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "no {part:?} in {message:?}");
    }
    error
}

#[test]
fn a_value_that_is_not_handed_back_is_refused_with_the_way_out() {
    let m = model();
    let results = m.network.compile([m.loss], []).forward(&m.network, []);
    let error = told(
        results.try_of(m.hidden),
        &[
            "results: %",
            "add",
            "\"hidden\"",
            "plans_refused.rs",
            "neither a target",
            "Compile::keep",
        ],
    );
    assert!(matches!(error, PlanError::NotHanded { .. }));
    assert!(error.source().is_none());
    // The panic stands at the caller's line.
    let (message, file, line) = crate::refusal::caught(|| results.of(m.hidden));
    assert!(message.contains("neither a target of the plan nor kept"), "{message}");
    assert_eq!((&*file, line), (file!(), line!() - 2));
}

#[test]
fn backward_of_a_plan_of_values_names_the_call_that_has_gradients() {
    let m = model();
    let results = m.network.compile([m.loss], []).forward(&m.network, []);
    let error = told(
        results.try_backward(m.loss),
        &["backward: ", "compiled for values alone", "`compile_training`", "`Compile::loss`"],
    );
    assert_eq!(error, PlanError::ForwardOnly);
}

#[test]
fn backward_of_another_value_names_the_option_to_add() {
    let m = model();
    let square = (m.network.resolve(m.loss) * m.network.resolve(m.loss)).symbol();
    let results = m.network.compile_training(m.loss, [square]).forward(&m.network, []);
    let error = told(
        results.try_backward(square),
        &["backward: %", "mul", "is no loss of the plan", "`Compile::loss`"],
    );
    assert!(matches!(error, PlanError::NotALoss { .. }));
    let both = Compile::new(&m.network).loss(m.loss).loss(square).plan();
    let results = both.forward(&m.network, []);
    let run = m.network.forward();
    for loss in [m.loss, square] {
        let (planned, oracle) = (results.backward(loss).of(m.w), run.backward(loss).of(m.w));
        assert!(identical(&planned, &oracle));
    }
}

#[test]
fn another_network_is_refused_with_what_is_shared_and_needed() {
    let m = model();
    let plan = m.network.compile_training(m.loss, []);
    let other = model().network;
    let parts = ["forward: ", "first 6 nodes", "shares 0 of them", "or compile this one"];
    let error = told(plan.try_forward(&other, []), &parts);
    assert_eq!(error, PlanError::OtherNetwork { shared: 0, needed: 6 });
    told(plan.try_check(&other, []), &parts);
    // A fork that parted before the loss was recorded.
    let start = Network::<Payload>::new();
    let x = start.input(Tensor::from([1.0])).symbol();
    let fork = start.clone();
    let here = (start.resolve(x) * start.resolve(x)).symbol();
    let _ = fork.resolve(x) + fork.resolve(x);
    let plan = start.compile([here], []);
    let error = told(plan.try_forward(&fork, []), &["first 2 nodes", "shares 1 of them"]);
    assert_eq!(error, PlanError::OtherNetwork { shared: 1, needed: 2 });
}

#[test]
fn what_the_network_refuses_a_plan_refuses_in_the_same_words() {
    let m = model();
    let foreign = model();
    let fork = m.network.clone();
    let divergent = fork.leaf(Tensor::scalar(1.0)).symbol();
    let is_network = |error: PlanError| {
        let PlanError::Network(inner) = &error else { panic!("{error:?}") };
        assert_eq!(inner.to_string(), error.to_string());
        assert!(error.source().is_some_and(|source| source.is::<NetworkError>()));
    };
    let compile = || Compile::new(&m.network);
    is_network(told(compile().target(foreign.loss).try_plan(), &["compile: ", "another network"]));
    is_network(told(compile().loss(foreign.loss).try_plan(), &["compile: ", "another network"]));
    is_network(told(compile().keep(divergent).try_plan(), &["compile: value %6", "fork"]));
    is_network(told(compile().gradients_of(divergent).try_plan(), &["compile: value %6"]));
    let error = told(
        compile().target(m.loss).gradients_of(m.x).try_plan(),
        &["compile: ", "\"x\"", "`Compile::loss`"],
    );
    assert!(matches!(error, PlanError::NoLoss { .. }) && error.source().is_none());
    let parts = ["compile: ", "\"hidden\"", "[2]"];
    is_network(told(m.network.try_compile_training(m.hidden, []), &parts));
    let plan = m.network.compile([m.loss], []);
    let feed = |symbol, payload: Payload| plan.try_forward(&m.network, [(symbol, payload)]);
    is_network(told(feed(m.x, Tensor::from([1.0])), &["feed: ", "\"x\"", "[2]", "[1]"]));
    is_network(told(feed(m.w, Tensor::from([1.0, 2.0])), &["feed: ", "\"w\""]));
    is_network(told(feed(foreign.x, Tensor::from([1.0, 2.0])), &["feed: ", "another network"]));
    let twice = [1.0, 2.0].map(|value| (m.x, Tensor::from([value, value])));
    is_network(told(plan.try_forward(&m.network, twice), &["feed: ", "twice"]));
    let results = plan.forward(&m.network, []);
    is_network(told(results.try_of(foreign.loss), &["results: ", "another network"]));
    is_network(told(results.try_backward(foreign.loss), &["backward: ", "another network"]));
}

#[test]
fn a_budget_that_no_plan_keeps_is_refused_with_the_least_there_is() {
    let network = Network::new();
    let w = network.parameter(Tensor::from_fn([16, 16], |at| at[0] as f64 * 0.01));
    let loss = (0..4).fold(w.exp(), |x, _| x.matmul(w).tanh()).sum();
    let compile = || Compile::new(&network).loss(loss);
    let error = told(
        compile().memory_budget(100).try_plan(),
        &["compile: ", "memory budget of 100 bytes", "the least takes "],
    );
    let PlanError::Budget { budget: 100, least } = error else { panic!("{error:?}") };
    let plan = compile().memory_budget(least as usize).plan();
    let memory = plan.describe().memory;
    assert!(memory.arena + memory.results <= least);
    let (planned, oracle) = (plan.forward(&network, []), network.forward());
    assert!(identical(&planned.backward(loss).of(w), &oracle.backward(loss).of(w)));
}

#[test]
fn nothing_is_a_plan_too() {
    let m = model();
    let none: [Symbol; 0] = [];
    let plan = m.network.compile(none, []);
    let results = plan.forward(&m.network, []);
    assert!(results.targets().is_empty());
    assert!(plan.describe().steps.is_empty());
    plan.check(&m.network, []).expect("nothing differs");
    told(results.try_of(m.loss), &["neither a target"]);
    // It needs no node, so that it runs on any network.
    assert!(plan.try_forward(&Network::new(), []).is_ok());
    let empty = Network::<f64>::new();
    assert!(empty.compile(none, []).forward(&empty, []).targets().is_empty());
}

#[test]
fn one_value_may_be_asked_for_in_every_way_at_once() {
    let m = model();
    let plan = Compile::new(&m.network)
        .target(m.loss)
        .target(m.hidden)
        .target(m.loss)
        .loss(m.loss)
        .loss(m.loss)
        .keep(m.loss)
        .keep(m.hidden)
        .plan();
    let (results, run) = (plan.forward(&m.network, []), m.network.forward());
    let expected = [m.loss, m.hidden, m.loss].map(|of| run.of(of));
    assert_eq!(results.targets(), expected);
    assert!(identical(&results.of(m.hidden), &run.of(m.hidden)));
    assert!(identical(&results.backward(m.loss).of(m.w), &run.backward(m.loss).of(m.w)));
}

#[test]
fn sources_are_targets_and_may_be_kept() {
    let m = model();
    let plan = m.network.compile([m.x, m.w, m.constant], [m.x]);
    assert!(plan.describe().steps.is_empty());
    let fed = Tensor::from([7.0, 8.0]);
    let results = plan.forward(&m.network, [(m.x, fed.clone())]);
    let expected = [fed, Tensor::from([3.0, 4.0]), Tensor::from([0.5, 0.25])];
    assert_eq!(results.targets(), expected);
    assert_eq!(results.of(m.x), expected[0]);
}

#[test]
fn a_parameter_may_be_the_loss() {
    let network = Network::new();
    let w = network.parameter(Tensor::from([[3.0_f32]]));
    let plan = network.compile_training(w, []);
    let (results, run) = (plan.forward(&network, []), network.forward());
    assert!(identical(&results.of(w), &run.of(w)));
    assert!(identical(&results.backward(w).of(w), &run.backward(w).of(w)));
    let scalar = Network::new();
    let w = scalar.parameter(3.0_f64);
    let results = scalar.compile_training(w, []).forward(&scalar, []);
    assert_eq!((results.of(w), results.backward(w).of(w)), (3.0, 1.0));
}

/// The plan's gradients with respect to what is named have the support and the bits of the
/// interpreter's `backward_for`.
#[test]
fn gradients_of_constants_inputs_and_selections_are_the_interpreters() {
    let network = Network::new();
    let table = network.parameter(Tensor::from([[1.0_f64, 2.0], [3.0, 4.0], [5.0, 6.0]]));
    let rows = network.input(Tensor::selection(&[2, 0], 3));
    let constant = network.leaf(Tensor::from([[0.5, 0.25], [1.0, -1.0]]));
    let unused = network.input(Tensor::from([1.0]));
    let hidden = table.gather(rows) * constant;
    let loss = hidden.sum();
    let asked = [table, rows, constant, unused, hidden, loss];
    let compile = Compile::new(&network).loss(loss);
    let plan = asked.into_iter().fold(compile, Compile::gradients_of).plan();
    let planned = plan.forward(&network, []).backward(loss);
    let oracle = network.forward().backward_for(loss, asked);
    for value in asked {
        assert_eq!(planned.contains(value), oracle.contains(value), "{value:?}");
        match (planned.try_of(value), oracle.try_of(value)) {
            (Ok(planned), Ok(oracle)) => assert!(identical(&planned, &oracle), "{value:?}"),
            (planned, oracle) => assert_eq!(planned.is_ok(), oracle.is_ok(), "{value:?}"),
        }
    }
}
