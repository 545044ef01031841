//! Optimisers: what they do at zero, what they write down and take up again, clipping.

use crate::refusal::caught;
use poorgrad::{
    Activation, Adam, AdamW, Batches, Compile, Field, Layer, Mlp, Network, Optimizer,
    OptimizerState, RmsProp, Schedule, Sgd, Shape, StateProblem, Symbol, Tensor, clip_by_norm,
    clip_by_value, init,
};
use testkit::bits::identical;

type Net = Network<Tensor<f32>>;

/// Every optimiser, as new.
fn all() -> Vec<Box<dyn Optimizer<Tensor<f32>>>> {
    vec![
        Box::new(Sgd::new(0.1)),
        Box::new(Sgd::new(0.05).momentum(0.9)),
        Box::new(Sgd::new(0.05).momentum(0.9).nesterov()),
        Box::new(Adam::new(0.01)),
        Box::new(AdamW::new(0.01).decay(0.1)),
        Box::new(RmsProp::new(0.01)),
        Box::new(RmsProp::new(0.01).momentum(0.5)),
    ]
}

/// A model, its input, its targets and its loss.
fn model() -> (Net, [Symbol; 3]) {
    let network = Net::new();
    let model = Mlp::new(&network, &[3, 6, 2], init::xavier(1));
    let x = network.input(Tensor::zeros([4, 3]));
    let y = network.input(Tensor::zeros([4, 2]));
    let loss = model.express(&network, x).mean_squared_error(y);
    let symbols = [x.symbol(), y.symbol(), loss.symbol()];
    (network, symbols)
}

fn parameters(network: &Net) -> Vec<Tensor<f32>> {
    network.parameters().map(|(_, w)| w.payload().expect("a parameter has a payload")).collect()
}

fn same(a: &Net, b: &Net) -> bool {
    parameters(a).iter().zip(&parameters(b)).all(|(a, b)| identical(a, b))
}

/// Steps of a training that depend on their numbers alone.
fn train(
    mut network: Net,
    [x, y, loss]: [Symbol; 3],
    optimizer: &mut dyn Optimizer<Tensor<f32>>,
    steps: std::ops::Range<usize>,
    plan: Option<&poorgrad::Plan<Tensor<f32>>>,
) -> Net {
    let inputs: Tensor<f32> = init::normal(0.0, 1.0, 2)(&Shape::from([19, 3]));
    let targets: Tensor<f32> = init::normal(0.0, 1.0, 3)(&Shape::from([19, 2]));
    let mut batches = Batches::new(19, 4, 7);
    let schedule = Schedule::cosine(optimizer.learning_rate(), 1e-3, 60).warmed_up(5);
    let schedule = if steps.start == 0 { schedule } else { Schedule::constant(0.02) };
    for step in steps {
        let picks = batches.at(step).to_vec();
        let rows = |from: &Tensor<f32>, width| {
            Tensor::from_fn([4, width], |at| from.get(&[picks[at[0]], at[1]]).expect("a row"))
        };
        let feeds = [(x, rows(&inputs, 3)), (y, rows(&targets, 2))];
        let gradients = match plan {
            Some(plan) => plan.forward(&network, feeds).backward(loss),
            None => network.forward_with(feeds).backward(loss),
        };
        optimizer.set_learning_rate(schedule.at(step));
        network = optimizer.step(network, &gradients);
    }
    network
}

#[test]
fn gradients_of_a_plan_drive_the_same_trajectory_to_the_bit() {
    for (mut by_engine, mut by_plan) in all().into_iter().zip(all()) {
        let (network, symbols) = model();
        let plan = network.compile_training(network.resolve(symbols[2]), []);
        let twin = network.clone();
        let engine = train(network, symbols, &mut *by_engine, 0..30, None);
        let planned = train(twin, symbols, &mut *by_plan, 0..30, Some(&plan));
        let name = by_engine.state(&engine).unwrap().optimizer().to_owned();
        assert!(same(&engine, &planned), "{name}");
        assert_eq!(by_engine.state(&engine).unwrap(), by_plan.state(&planned).unwrap());
    }
}

#[test]
fn a_run_goes_on_from_a_state_as_if_it_had_never_stopped() {
    for (mut whole, (mut before, mut after)) in all().into_iter().zip(all().into_iter().zip(all()))
    {
        let (network, symbols) = model();
        let twin = network.clone();
        let straight = train(network, symbols, &mut *whole, 0..12, None);
        let straight = train(straight, symbols, &mut *whole, 12..25, None);
        let half = train(twin, symbols, &mut *before, 0..12, None);
        let state = before.state(&half).unwrap();
        // Nothing but names and numbers goes over: a network of another process has other symbols.
        let (other, symbols) = model();
        let saved = parameters(&half);
        let mut at = 0;
        let none = Field::new(&other, std::iter::empty::<(Symbol, _)>());
        let other = other.update(&none, |_, _| {
            at += 1;
            saved[at - 1].clone()
        });
        after.restore(&other, &state).unwrap();
        assert_eq!(after.learning_rate(), before.learning_rate());
        let resumed = train(other, symbols, &mut *after, 12..25, None);
        assert!(same(&straight, &resumed), "{}", state.optimizer());
    }
}

#[test]
fn a_recorded_step_has_the_bits_and_the_state_of_a_step() {
    for mut optimizer in all() {
        let (network, [x, y, loss]) = model();
        let feeds = [
            (x, init::normal(0.0, 1.0, 5)(&Shape::from([4, 3]))),
            (y, init::normal(0.0, 1.0, 6)(&Shape::from([4, 2]))),
        ];
        let tape = network.clone();
        let wrt = Vec::from_iter(tape.parameters().map(|(_, w)| w));
        let gradients = tape.differentiate(tape.resolve(loss), wrt.clone());
        let pairs = wrt.iter().zip(&gradients).map(|(w, g)| (w.symbol(), g.symbol()));
        let pairs = Vec::from_iter(pairs);
        let mut network = network;
        // Begun in the middle, with a state.
        for _ in 0..3 {
            let gradients = network.forward_with(feeds.clone()).backward(loss);
            network = optimizer.step(network, &gradients);
        }
        let mut recorded = optimizer.record(&tape, &pairs).unwrap();
        let compile = recorded.results().fold(Compile::new(&tape).target(loss), Compile::target);
        let plan = compile.plan();
        let saved = parameters(&network);
        let (mut planned, mut at) = (tape, 0);
        let none = Field::new(&planned, std::iter::empty::<(Symbol, _)>());
        planned = planned.update(&none, |_, _| {
            at += 1;
            saved[at - 1].clone()
        });
        for step in 0..8 {
            let rate = 0.01 + 0.001 * f64::from(step);
            optimizer.set_learning_rate(rate);
            recorded.set_learning_rate(rate);
            let gradients = network.forward_with(feeds.clone()).backward(loss);
            network = optimizer.step(network, &gradients);
            let all = feeds.iter().cloned().chain(recorded.feeds());
            let results = plan.forward(&planned, all.collect::<Vec<_>>());
            planned = recorded.advance(planned, &results);
            let state = optimizer.state(&network).unwrap();
            assert!(same(&network, &planned), "{} at {step}", state.optimizer());
            assert_eq!(state, recorded.state().unwrap());
        }
    }
}

#[test]
fn a_recorded_step_of_some_parameters_has_the_state_of_all() {
    for (mut optimizer, mut again) in all().into_iter().zip(all()) {
        let (network, [x, y, loss]) = model();
        let idle = {
            let _scope = network.scope("idle");
            network.parameter(Tensor::ones([2, 3])).named("weight").symbol()
        };
        let feeds = [(x, Tensor::ones([4, 3])), (y, Tensor::ones([4, 2]))];
        let tape = network.clone();
        // The loss does not reach the last parameter.
        let wrt = Vec::from_iter(tape.parameters().map(|(_, w)| w).filter(|w| w.symbol() != idle));
        let gradients = tape.differentiate(tape.resolve(loss), wrt.clone());
        let pairs = wrt.iter().zip(&gradients).map(|(w, g)| (w.symbol(), g.symbol()));
        let mut recorded = optimizer.record(&tape, &Vec::from_iter(pairs)).unwrap();
        assert_eq!(recorded.state().unwrap(), optimizer.state(&network).unwrap());
        let compile = recorded.results().fold(Compile::new(&tape).target(loss), Compile::target);
        let plan = compile.plan();
        let (mut network, mut planned) = (network, tape);
        for _ in 0..3 {
            let gradients = network.forward_with(feeds.clone()).backward(loss);
            network = optimizer.step(network, &gradients);
            let all = feeds.iter().cloned().chain(recorded.feeds());
            let results = plan.forward(&planned, all.collect::<Vec<_>>());
            planned = recorded.advance(planned, &results);
        }
        let state = recorded.state().unwrap();
        assert_eq!(state, optimizer.state(&network).unwrap());
        again.restore(&planned, &state).unwrap();
        assert_eq!(again.state(&planned).unwrap(), state);
        // A step leaves alone what it was not given; what it was given is to the bit the same.
        let left = planned.resolve(idle).payload().unwrap();
        assert!(identical(&left, &Tensor::ones([2, 3])), "{}", state.optimizer());
        assert!(
            parameters(&network)[..4]
                .iter()
                .zip(&parameters(&planned))
                .all(|(a, b)| identical(a, b))
        );
    }
}

#[test]
fn a_state_that_does_not_fit_is_told_of_at_once() {
    let (network, symbols) = model();
    let mut adam = Adam::new(0.01);
    let network = train(network, symbols, &mut adam, 0..2, None);
    let state = adam.state(&network).unwrap();
    let error = Sgd::new(0.1).restore(&network, &state).unwrap_err();
    assert_eq!(error.to_string(), "state of Sgd: the state is that of `Adam`");

    let other = Net::new();
    let _ = Layer::new(&other, 3, 6, Activation::Tanh, init::xavier(1));
    let _late = {
        let _scope = other.scope("layer1");
        Layer::new(&other, 6, 3, Activation::Tanh, init::xavier(1))
    };
    let before = adam.state(&network).unwrap();
    let error = adam.restore(&other, &state).unwrap_err();
    let missing = |name: &str| StateProblem::Missing { name: name.to_owned() };
    let problems = error.problems();
    for kind in ["first", "second"] {
        for part in ["weight", "bias"] {
            assert!(problems.contains(&missing(&format!("{kind}.{part}"))), "{error}");
            let name = format!("{kind}.layer0.{part}");
            assert!(problems.contains(&StateProblem::Unexpected { name }), "{error}");
        }
        let (expected, found) = (Shape::from([6, 3]), Shape::from([6, 2]));
        let name = format!("{kind}.layer1.weight");
        assert!(problems.contains(&StateProblem::Shape { name, expected, found }), "{error}");
    }
    assert_eq!(problems.len(), 12);
    assert_eq!(adam.state(&network).unwrap(), before);

    // Two parameters of one path have no names of their own.
    let twins = Net::new();
    let (a, b) =
        (twins.parameter(Tensor::ones([1])).named("w"), twins.parameter(Tensor::ones([1])));
    let b = b.named("w");
    let total = (a + b).sum();
    let gradients = twins.forward().backward(total);
    let mut adam = Adam::new(0.01);
    let twins = adam.step(twins, &gradients);
    let error = adam.state(&twins).unwrap_err();
    assert!(error.to_string().contains("two parameters are called `w`"), "{error}");
}

#[test]
fn a_state_that_lost_entries_is_refused_and_none_of_them_goes_unsaid() {
    for (steps, mut optimizer) in
        (0..3).flat_map(|steps| all().into_iter().map(move |o| (steps, o)))
    {
        let (network, symbols) = model();
        let network = train(network, symbols, &mut *optimizer, 0..steps, None);
        let whole = optimizer.state(&network).unwrap();
        // Before the first step there is as much to write down as after it.
        optimizer.restore(&network, &whole).unwrap();
        assert_eq!(optimizer.state(&network).unwrap(), whole);
        let names = Vec::from_iter(whole.payloads().map(|(name, _)| name.to_owned()));
        let kinds = Vec::from_iter(names.iter().map(|name| name.split('.').next().unwrap()));
        let every = names.iter().map(|_| true).collect::<Vec<_>>();
        let one =
            (0..names.len()).map(|lost| Vec::from_iter((0..names.len()).map(|at| at == lost)));
        let kind = kinds.iter().map(|lost| Vec::from_iter(kinds.iter().map(|kind| kind == lost)));
        let moments = Vec::from_iter(kinds.iter().map(|kind| *kind != "power"));
        for lost in one.chain(kind).chain([every, moments]) {
            if !lost.contains(&true) {
                continue;
            }
            let mut part = OptimizerState::new(whole.optimizer());
            for (name, number) in whole.numbers() {
                part = part.with_number(name, number);
            }
            let kept = whole.payloads().zip(&lost).filter(|(_, lost)| !**lost);
            for ((name, payload), _) in kept {
                part = part.with_payload(name, payload.clone());
            }
            let error = optimizer.restore(&network, &part).unwrap_err();
            let mut said = Vec::from_iter(error.problems().iter().map(|problem| match problem {
                StateProblem::Missing { name } => name.clone(),
                other => panic!("{other}"),
            }));
            said.sort_unstable();
            let gone = names.iter().zip(&lost).filter(|(_, lost)| **lost).map(|(name, _)| name);
            assert_eq!(said, Vec::from_iter(gone.cloned()), "{steps}: {error}");
            assert_eq!(optimizer.state(&network).unwrap(), whole);
        }
    }
}

#[test]
fn the_state_of_another_network_is_not_zero() {
    let (network, symbols) = model();
    let mut adam = Adam::new(0.01);
    let network = train(network, symbols, &mut adam, 0..1, None);
    let (other, _) = model();
    let error = adam.state(&other).unwrap_err();
    let foreign = |problem: &StateProblem| matches!(problem, StateProblem::Foreign { .. });
    assert!(error.problems().len() == 4 && error.problems().iter().all(foreign), "{error}");
    assert!(error.to_string().contains("`layer0.weight`: "), "{error}");
    // A parameter that is younger than the last step has not begun.
    let late = network.parameter(Tensor::ones([2])).named("late");
    let state = adam.state(&network).unwrap();
    let (_, payload) = state.payloads().find(|(name, _)| *name == "second.late").unwrap();
    assert!(identical(payload, &Tensor::zeros([2])) && late.shape().rank() == 1);
}

#[test]
fn an_optimiser_that_says_nothing_of_its_state_is_not_lost_silently() {
    struct Silent;
    impl Optimizer<f64> for Silent {
        fn step(&mut self, network: Network<f64>, _: &Field<f64>) -> Network<f64> {
            network
        }
        fn learning_rate(&self) -> f64 {
            0.0
        }
        fn set_learning_rate(&mut self, _: f64) {}
    }
    let network = Network::new();
    let error = Silent.state(&network).unwrap_err();
    assert_eq!(error.problems(), [StateProblem::Unsupported]);
    let state = Sgd::new(0.1).state(&network).unwrap();
    assert!(Silent.restore(&network, &state).is_err());
}

#[test]
fn a_step_on_a_fork_that_parted_is_refused() {
    let network = Network::new();
    let w = network.parameter(1.0_f64);
    let (w, loss) = (w.symbol(), (w * w).symbol());
    let fork = network.clone();
    let mut optimizer = Sgd::new(0.1).momentum(0.9);
    // Parameters that each has recorded by itself.
    let [late, other] = [&network, &fork].map(|network| network.parameter(2.0).symbol());
    let gradients = network.forward().backward(loss);
    let network = optimizer.step(network, &gradients);
    assert_eq!(network.resolve(late).payload(), Some(2.0));
    let gradients = fork.forward().backward(loss);
    let (message, ..) = caught(|| optimizer.step(fork.clone(), &gradients));
    assert!(message.contains("parted"), "{message}");
    assert_eq!(fork.resolve(other).payload(), Some(2.0));
    assert!(optimizer.velocity().is_some_and(|velocity| velocity.of(w) == 2.0));
}

#[test]
fn adam_takes_the_documented_steps() {
    let (rate, [b1, b2], eps) = (0.05, [0.9, 0.999], 1e-8);
    let (mut w, mut m, mut v, mut p1, mut p2) = (0.7_f64, 0.0, 0.0, 1.0, 1.0);
    let network = Network::new();
    let parameter = network.parameter(w);
    let loss = (parameter * parameter).symbol();
    let (parameter, mut network) = (parameter.symbol(), network);
    let mut optimizer = Adam::new(rate);
    for _ in 0..20 {
        let gradients = network.forward().backward(loss);
        network = optimizer.step(network, &gradients);
        let g = w + w;
        m = b1 * m + (1.0 - b1) * g;
        v = b2 * v + (1.0 - b2) * (g * g);
        (p1, p2) = (p1 * b1, p2 * b2);
        w -= rate * ((m / (1.0 - p1)) / ((v / (1.0 - p2)).sqrt() + eps));
        assert_eq!(network.resolve(parameter).payload().map(f64::to_bits), Some(w.to_bits()));
    }
}

#[test]
fn b58_no_gradient_moves_nothing_but_by_the_decay() {
    for number in [1.0_f64, -3.5, 0.0, -0.0] {
        let network = Network::new();
        let w = network.parameter(number);
        let loss = w * 0.0;
        let gradients = network.forward().backward(loss);
        let w = w.symbol();
        for mut optimizer in [
            Box::new(Adam::new(0.1)) as Box<dyn Optimizer<f64>>,
            Box::new(RmsProp::new(0.1)),
            Box::new(Sgd::new(0.1).momentum(0.9)),
        ] {
            let next = optimizer.step(network.clone(), &gradients);
            assert_eq!(next.resolve(w).payload().unwrap().to_bits(), number.to_bits());
        }
    }
    let network = Network::new();
    let scalar = network.parameter(Tensor::full([], 1.0_f64));
    let matrix = network.parameter(Tensor::<f64>::ones([2, 1])).named("matrix");
    let bias = network.parameter(Tensor::<f64>::ones([2])).named("bias");
    let loss = (matrix.sum() + bias.sum() + scalar) * 0.0;
    let gradients = network.forward().backward(loss);
    let symbols = [scalar, matrix, bias].map(|value| value.symbol());
    let after = |optimizer: AdamW<Tensor<f64>>| {
        let mut optimizer = optimizer;
        let next = optimizer.step(network.clone(), &gradients);
        symbols.map(|symbol| next.resolve(symbol).payload().unwrap().to_vec()[0])
    };
    let decaying = || AdamW::new(0.1).decay(0.1);
    assert_eq!(after(decaying()), [0.99, 0.99, 1.0]);
    assert_eq!(after(decaying().decays(|path, _| path == "bias")), [1.0, 1.0, 0.99]);
    assert_eq!(after(decaying().decays(|_, shape| shape.rank() == 0)), [0.99, 1.0, 1.0]);
}

/// The gradients of parameters with these numbers as gradients.
fn gradients(parts: &[&[f64]]) -> (Network<Tensor<f64>>, Field<Tensor<f64>>, Vec<Symbol>) {
    let network = Network::new();
    let mut symbols = Vec::new();
    for part in parts {
        symbols.push(network.parameter(Tensor::zeros([part.len()])).symbol());
    }
    let payloads = parts.iter().map(|part| Tensor::new([part.len()], part.to_vec()));
    let field = Field::new(&network, symbols.iter().copied().zip(payloads));
    (network, field, symbols)
}

#[test]
fn b61_clipping_by_the_norm() {
    let clipped = |parts: &[&[f64]], limit| {
        let (network, field, symbols) = gradients(parts);
        let (clipped, norm) = clip_by_norm(&network, &field, limit).unwrap();
        (symbols.iter().map(|&symbol| clipped.of(symbol).to_vec()).collect::<Vec<_>>(), norm)
    };
    assert_eq!(clipped(&[&[3.0, 4.0]], 1.0), (vec![vec![0.6, 0.8]], 5.0));
    assert_eq!(clipped(&[&[3.0], &[4.0]], 1.0), (vec![vec![0.6], vec![0.8]], 5.0));
    assert_eq!(clipped(&[&[0.0, 0.0]], 1.0), (vec![vec![0.0, 0.0]], 0.0));
    let (left, norm) = clipped(&[&[0.3, 0.4, -0.0]], 1.0);
    assert_eq!(
        left[0].iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
        [0.3, 0.4, -0.0_f64].map(f64::to_bits)
    );
    assert!((norm - 0.5).abs() < 1e-16);
    // A norm of exactly the limit is not beyond it.
    assert_eq!(clipped(&[&[3.0, 4.0]], 5.0).0, [[3.0, 4.0]]);
    // Squares would leave the range on both sides.
    for size in [1e200, 1e-200] {
        let (found, norm) = clipped(&[&[3.0 * size, 4.0 * size]], size);
        assert!((norm / (5.0 * size) - 1.0).abs() < 1e-15, "{norm}");
        for (found, expected) in found[0].iter().zip([0.6, 0.8]) {
            assert!((found / (expected * size) - 1.0).abs() < 1e-15, "{found}");
        }
    }
    for bad in [f64::NAN, f64::INFINITY] {
        let (network, field, _) = gradients(&[&[1.0], &[0.0, bad]]);
        let error = clip_by_norm(&network, &field, 1.0).unwrap_err();
        assert_eq!(error.parameter(), "parameter1");
    }
}

#[test]
fn clipping_by_the_norm_makes_no_zeros_of_the_largest_numbers() {
    // The norm, 4e38, is above what an `f32` holds.
    let network = Net::new();
    let parts = [2e38_f32, -2e38].map(|g| (network.parameter(Tensor::zeros([2])), g));
    let field = Field::new(&network, parts.map(|(w, g)| (w.symbol(), Tensor::full([2], g))));
    for (limit, expected) in [(1.0, 0.5_f32), (1e-30, 5e-31), (2e38, 1e38)] {
        let (clipped, norm) = clip_by_norm(&network, &field, limit).unwrap();
        assert!((norm / (2.0 * f64::from(2e38_f32)) - 1.0).abs() < 1e-15, "{norm}");
        for (w, g) in parts {
            for found in clipped.of(w).iter() {
                let error = (found / expected.copysign(g) - 1.0).abs();
                assert!(error <= 2.0 * f32::EPSILON, "{found} for {expected}");
            }
        }
    }
    // A norm of f64 that is infinite, and ones that are not.
    let root = std::f64::consts::FRAC_1_SQRT_2;
    for (parts, limit, expected) in [
        (vec![1.7e308; 2], 1.0, vec![root; 2]),
        (vec![f64::MAX; 4], 1.0, vec![0.5; 4]),
        (vec![f64::MAX, 0.0, -1.0], 8.0, vec![8.0, 0.0, -8.0 / f64::MAX]),
        (vec![-1.7e308; 2], 1e308, vec![-1e308 * root; 2]),
        (vec![1e200, 1e-300], 1e-200, vec![1e-200, 0.0]),
        (vec![3.0, 4.0], 1e-310, vec![6e-311, 8e-311]),
    ] {
        let (network, field, symbols) = gradients(&[&parts]);
        let (clipped, norm) = clip_by_norm(&network, &field, limit).unwrap();
        assert!(norm >= parts[0].abs(), "{norm}");
        for (found, expected) in clipped.of(symbols[0]).iter().zip(expected) {
            let error = (found - expected).abs();
            assert!(error <= 4.0 * f64::EPSILON * expected.abs() + 1e-323, "{found} {expected}");
        }
    }
    // Within the limit, infinite as it is, nothing changes.
    let (network, field, symbols) = gradients(&[&[1.7e308, -1.7e308]]);
    let (left, norm) = clip_by_norm(&network, &field, f64::INFINITY).unwrap();
    assert_eq!(norm, f64::INFINITY);
    assert!(identical(&left.of(symbols[0]), &field.of(symbols[0])));
}

#[test]
fn clipping_by_value_keeps_what_is_within_to_the_bit() {
    let (network, field, symbols) = gradients(&[&[3.0, -4.0, 0.5, -0.0], &[f64::NEG_INFINITY]]);
    let clipped = clip_by_value(&network, &field, 1.0).unwrap();
    let bits = clipped.of(symbols[0]).iter().map(f64::to_bits).collect::<Vec<_>>();
    assert_eq!(bits, [1.0, -1.0, 0.5, -0.0_f64].map(f64::to_bits));
    assert_eq!(clipped.of(symbols[1]).to_vec(), [-1.0]);
    let (network, field, _) = gradients(&[&[f64::NAN]]);
    assert!(clip_by_value(&network, &field, 1.0).unwrap_err().to_string().contains("NaN"));
}

#[test]
fn only_parameters_count_for_a_norm() {
    let network = Network::new();
    let w = network.parameter(3.0_f64);
    let far = w * 100.0;
    let loss = far * 0.01;
    let gradients = network.forward().backward(loss);
    assert!(gradients.contains(far));
    let (clipped, norm) = clip_by_norm(&network, &gradients, 2.0).unwrap();
    assert!((norm - 1.0).abs() < 1e-15 && identical(&clipped.of(w), &gradients.of(w)));
}

#[test]
fn golden_trajectories_of_adam_w_and_rms_prop() {
    let digest = |mut optimizer: Box<dyn Optimizer<Tensor<f32>>>| {
        let (network, symbols) = model();
        let network = train(network, symbols, &mut *optimizer, 0..100, None);
        let mut digest = testkit::bits::Digest::new();
        parameters(&network).iter().for_each(|w| digest.payload(w));
        digest.text()
    };
    let found = [
        digest(Box::new(Adam::new(0.01))),
        digest(Box::new(AdamW::new(0.01).decay(0.1))),
        digest(Box::new(RmsProp::new(0.01))),
        digest(Box::new(RmsProp::new(0.01).momentum(0.5))),
    ];
    assert_eq!(
        found,
        [
            "037abd1a0b4c367355432a1e0f54c7d7",
            "ab6f6eb41fd4602ee08d406b6112c971",
            "d81dc7f33c5f2924819a9f2a76884710",
            "3e2631b186bfe9042f17254b06f1150d",
        ]
    );
}
