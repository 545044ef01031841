//! A plan survives what happens to its network: generations, forks, and what is recorded later.

use poorgrad::{Network, PlanError, Tensor, Value};
use testkit::bits::identical;
use testkit::training::{Training, scalars, tensors};

/// Planned and interpreted training, side by side over generations, by `update` and by `step`.
fn trains_alike<P: poorgrad::Tensorial>(name: &str, make: impl Fn() -> Training<P>) {
    let (mut interpreted, start) = (make(), make());
    let plan = start.network.compile_training(start.loss, []);
    let Training { network, loss, batches, rate } = start;
    let mut planned = Training { network, loss, batches, rate };
    for step in 0..12 {
        let results = plan.forward(&planned.network, planned.feeds(step));
        let gradients = results.backward(planned.loss);
        let lost = interpreted.step(step);
        assert!(identical(&results.of(planned.loss), &lost), "{name}, step {step}");
        let rule = |w: &P, g: &P| {
            let rate = P::full(&g.shape(), poorgrad::Elementary::from_f64(rate));
            let native = poorgrad::Kernels::Native;
            w.zip(poorgrad::Binary::Sub, &g.zip(poorgrad::Binary::Mul, &rate, native), native)
        };
        planned.network = match step % 2 {
            0 => planned.network.update(&gradients, rule),
            // In place where nobody else holds the parameters.
            _ => planned.network.step(&gradients, |w, g| rule(&w, g)),
        };
    }
    for ((_, left), (_, right)) in
        planned.network.parameters().zip(interpreted.network.parameters())
    {
        let (left, right) = (left.payload(), right.payload());
        assert!(identical(&left.expect("a parameter"), &right.expect("a parameter")), "{name}");
    }
}

#[test]
fn a_plan_trains_through_generations_with_the_interpreters_bits() {
    trains_alike("scalars", scalars::<f64>);
    for at in 0..tensors::<f32>().len() {
        let make = || tensors::<f32>().swap_remove(at).1;
        trains_alike(tensors::<f32>()[at].0, make);
    }
}

type Payload = Tensor<f64>;

/// `tanh(x * w)` and its sum.
fn network() -> (Network<Payload>, [poorgrad::Symbol; 4]) {
    let network = Network::new();
    let x = network.input(Tensor::from([1.0, 2.0]));
    let w = network.parameter(Tensor::from([0.5, -0.25]));
    let hidden = (x * w).tanh();
    let symbols = [x, w, hidden, hidden.sum()].map(Value::symbol);
    (network, symbols)
}

#[test]
fn a_plan_runs_on_a_fork_and_on_what_is_recorded_afterwards() {
    let (network, [x, w, hidden, loss]) = network();
    let plan = network.compile_training(loss, [hidden]);
    let feeds = || [(x, Tensor::from([-0.5, 3.0]))];
    let expected = network.reference().forward_with(feeds());
    let gradient = expected.backward(loss).of(w);
    let holds = |network: &Network<Payload>| {
        let results = plan.forward(network, feeds());
        assert!(identical(&results.of(loss), &expected.of(loss)));
        assert!(identical(&results.of(hidden), &expected.of(hidden)));
        assert!(identical(&results.backward(loss).of(w), &gradient));
    };
    // The network itself grows, by parameters too.
    let more = network.parameter(Tensor::scalar(7.0));
    let _ = more * more;
    holds(&network);
    let fork = network.clone();
    let extra = fork.resolve(hidden).exp().symbol();
    holds(&fork);
    holds(&network);
    // What is fed may have been recorded after the plan: nothing of it reads it.
    let late = fork.input(Tensor::scalar(0.0)).symbol();
    let fed = [(x, Tensor::from([-0.5, 3.0])), (late, Tensor::scalar(1.0))];
    assert!(identical(&plan.forward(&fork, fed).of(loss), &expected.of(loss)));
    // A field of the plan updates a fork that has parameters of its own: they stay.
    let results = plan.forward(&fork, feeds());
    let error = results.try_of(extra).unwrap_err();
    assert!(matches!(error, PlanError::NotHanded { .. }), "{error}");
    let next = fork.update(&results.backward(loss), |w, g| w - 0.5 * g);
    let planned = plan.forward(&next, feeds()).of(loss);
    assert!(identical(&planned, &next.reference().forward_with(feeds()).of(loss)));
    // The first generation is as it was.
    holds(&network);
}

#[test]
fn a_plan_of_a_fork_runs_where_the_fork_shares_what_it_needs() {
    let (network, [_, _, hidden, loss]) = network();
    let fork = network.clone();
    let own = (fork.resolve(hidden) + 1.0).sum().symbol();
    let shared = fork.compile([loss], []);
    let further = fork.compile([own], []);
    assert!(shared.try_forward(&network, []).is_ok(), "the network has all that the loss needs");
    let error = further.try_forward(&network, []).unwrap_err();
    assert!(matches!(error, PlanError::OtherNetwork { shared: 5, .. }), "{error:?}");
    // Compaction keeps what is recorded, and who recorded it.
    let compact = network.compacted();
    drop(network);
    let results = shared.forward(&compact, []);
    assert!(identical(&results.of(loss), &compact.reference().forward().of(loss)));
}

#[test]
fn a_plan_outlives_the_network_that_it_was_compiled_from() {
    let (network, [_, _, _, loss]) = network();
    let generation = network.clone();
    let expected = network.forward().of(loss);
    let plan = network.compile([loss], []);
    drop(network);
    assert!(identical(&plan.forward(&generation, []).of(loss), &expected));
}

#[test]
fn results_are_not_changed_by_later_runs_and_steps() {
    let (network, [x, w, hidden, loss]) = network();
    let plan = network.compile_training(loss, [hidden, w, x]);
    let results = plan.forward(&network, []);
    let values = |results: &poorgrad::Results<Payload>| {
        [loss, hidden, w, x].map(|of| results.of(of).to_vec())
    };
    let (before, gradient) = (values(&results), results.backward(loss).of(w).to_vec());
    // The parameter is a result, so that `step` may not overwrite it.
    let next = network.step(&results.backward(loss), |w, g| w - 0.5 * g);
    for number in 0..3 {
        let other = plan.forward(&next, [(x, Tensor::from([f64::from(number), 9.0]))]);
        assert_ne!(values(&other), before);
    }
    assert_eq!(values(&results), before);
    assert_eq!(results.backward(loss).of(w).to_vec(), gradient);
}
