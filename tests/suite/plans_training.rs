//! Training by plans: whole steps on the tape, memory within a budget, attention.

use poorgrad::{
    Adam, BatchNorm, Compile, Dropout, Elementary, Gradients, Network, Optimizer, Plan, Random,
    RunningStatistics, Sgd, Symbol, Tensor, Tensorial, Window, causal_mask,
    scaled_dot_product_attention,
};
use testkit::bits::identical;
use zoo::models::{Recorded, lenet, plain, residual};

/// A network with two parameters of its own shapes, an input and a loss.
fn small() -> (Network<Tensor<f32>>, [Symbol; 2], Symbol) {
    let network = Network::new();
    let x = network.input(Tensor::from_fn([4, 3], |i| (i[0] * 3 + i[1]) as f32 * 0.2 - 1.0));
    let w = network.parameter(Tensor::from_fn([3, 2], |i| (i[0] + 2 * i[1]) as f32 * 0.3 - 0.5));
    let b = network.parameter(Tensor::from([0.25, 0.0]));
    let product = x.matmul(w);
    let y = (product + b.broadcast_like(product)).tanh();
    let loss = (y * y).sum();
    let symbols = [w, b].map(|value| value.symbol());
    let loss = loss.symbol();
    (network, symbols, loss)
}

/// Twenty steps by `step`, and by a plan of everything: the same bits of parameters each time.
fn agree<P: Tensorial, O: Optimizer<P> + Clone>(
    network: &Network<P>,
    parameters: &[Symbol],
    loss: Symbol,
    optimizer: &O,
) {
    let tape = network.clone();
    let gradients = tape.differentiate(loss, parameters);
    let pairs: Vec<(Symbol, Symbol)> =
        parameters.iter().copied().zip(gradients.iter().map(|g| g.symbol())).collect();
    let mut by_hand = optimizer.clone();
    let mut recorded = optimizer.record(&tape, &pairs).expect("the optimiser has such a form");
    let compile = recorded.results().fold(Compile::new(&tape).target(loss), Compile::target);
    let plan = compile.plan();
    let (mut interpreted, mut planned) = (network.clone(), tape);
    for step in 0..20 {
        let rate = 0.1 / (1.0 + f64::from(step));
        by_hand.set_learning_rate(rate);
        recorded.set_learning_rate(rate);
        let gradients: Gradients<P> = interpreted.forward().backward(loss);
        interpreted = by_hand.step(interpreted, &gradients);
        let results = plan.forward(&planned, recorded.feeds());
        planned = recorded.advance(planned, &results);
        for &parameter in parameters {
            let [a, b] = [&interpreted, &planned]
                .map(|network| network.resolve(parameter).payload().expect("a parameter"));
            assert!(identical(&a, &b), "step {step}: {a:?} against {b:?}");
        }
    }
}

#[test]
fn a_recorded_step_has_the_bits_of_a_step() {
    let (network, parameters, loss) = small();
    agree(&network, &parameters, loss, &Sgd::new(0.1));
    agree(&network, &parameters, loss, &Sgd::new(0.1).momentum(0.9));
    agree(&network, &parameters, loss, &Sgd::new(0.1).momentum(0.9).nesterov());
    agree(&network, &parameters, loss, &Adam::new(0.1));
    agree(&network, &parameters, loss, &Adam::new(0.1).betas(0.8, 0.99).epsilon(1e-3));
}

#[test]
fn a_recorded_step_of_scalars_has_the_bits_of_a_step() {
    let network = Network::new();
    let (w, x) = (network.parameter(0.75_f64), network.input(2.0));
    let error = (w * x).tanh() - 0.5;
    let loss = (error * error).symbol();
    let w = w.symbol();
    agree(&network, &[w], loss, &Sgd::new(0.1).momentum(0.5));
    agree(&network, &[w], loss, &Adam::new(0.1));
}

#[test]
fn adam_takes_its_first_step_by_the_rate_whatever_the_gradient() {
    // m / (1 - b1) is g and sqrt(v / (1 - b2)) its magnitude, up to rounding and eps.
    let network = Network::new();
    let w = network.parameter(1.0_f64);
    let loss = w * 1e-3;
    let gradients = network.forward().backward(loss);
    let w = w.symbol();
    let next = Adam::new(0.25).step(network.clone(), &gradients);
    let moved = 1.0 - next.resolve(w).payload().expect("a parameter");
    assert!((moved - 0.25).abs() < 1e-5, "{moved}");
}

/// Gradients of a plan within budgets between the least memory and that of a plan without one: gives
/// both.
fn within_budgets(Recorded { network, loss, feeds, .. }: &Recorded) -> [u64; 2] {
    let memory = |plan: &poorgrad::Plan<Tensor>| {
        let memory = plan.describe().memory;
        memory.arena + memory.results
    };
    let free = network.compile_training(*loss, []);
    let least = network.compile_training_compact(*loss, []);
    let expected = free.forward(network, feeds.clone()).backward(*loss);
    let (most, least) = (memory(&free), memory(&least));
    assert!(least <= most, "{least} of {most} bytes");
    for part in [0, 1, 3] {
        let budget = least + (most - least) * part / 4;
        let plan = Compile::new(network).loss(*loss).memory_budget(budget as usize).plan();
        assert!(memory(&plan) <= budget, "{} of {budget} bytes", memory(&plan));
        let gradients = plan.forward(network, feeds.clone()).backward(*loss);
        for (_, parameter) in network.parameters() {
            assert!(identical(&gradients.of(parameter), &expected.of(parameter)));
        }
        plan.check(network, feeds.clone()).expect("the oracle's bits");
    }
    [least, most]
}

#[test]
fn a_plan_stays_within_its_memory_budget_with_the_same_gradients() {
    let [least, most] = within_budgets(&residual(8, 32, 32));
    assert!(least < most, "{least} of {most} bytes");
    // Nothing is worth computing twice there: biases and relu stand in the convolutions' places.
    within_budgets(&lenet(2));
}

/// The windows of a convolution are no step of the forward half; its gradient by a constant reads them laid out.
#[test]
fn what_gradients_alone_read_is_no_step_before_them() {
    let network = Network::new();
    let image = |i: &[usize]| (i[1] + i[2] * 3 + i[3]) as f32 * 0.01;
    let x = network.input(Tensor::from_fn([1, 3, 30, 30], image));
    let w = network.parameter(Tensor::from_fn([2, 3, 3, 3], |i| i[3] as f32 - 1.0));
    let p = network.parameter(Tensor::from_fn([64, 512], |i| (i[0] + i[1]) as f32 * 0.001));
    let window = Window::new().padding([[1, 1], [1, 1]]);
    let loss = x.conv2d(w, &window).sum() + p.softmax(1).tanh().sum();
    let loss_of = loss.symbol();
    let recorded =
        Recorded { loss: loss_of, scores: loss_of, feeds: Vec::new(), network: network.clone() };
    let compact = network.compile_training_compact(loss, []);
    let steps = compact.describe().steps;
    assert!(steps.iter().all(|step| !step.writes.is_empty()));
    let gradients = compact.forward(&network, []).backward(loss);
    let expected = network.forward().backward(loss);
    assert!([w, p].iter().all(|&of| identical(&gradients.of(of), &expected.of(of))));
    within_budgets(&recorded);
}

#[test]
fn b75_what_is_computed_again_sees_the_same_mask_and_moves_no_statistic() {
    const SIZE: usize = 32;
    let network = Network::new();
    let noise = |i: &[usize]| ((i[0] * 31 + i[1] * 7) % 11) as f64 * 0.1 - 0.5;
    // The first feature is 1, 2, 3, 4 and again.
    let first = |i: &[usize]| (i[0] % 4 + 1) as f64;
    let batch = |i: &[usize]| if i[1] == 0 { first(i) } else { noise(i) };
    let x = network.input(Tensor::from_fn([SIZE, SIZE], batch));
    let norm = BatchNorm::new(&network, SIZE);
    let batch = norm.express(&network, x);
    let (dropout, mut random) = (Dropout::new(0.25), Random::new(75));
    let (mut y, mut feeds) = (batch.output, Vec::new());
    for _ in 0..8 {
        let mask = network.input(Tensor::ones([SIZE, SIZE]));
        let w = network.parameter(Tensor::from_fn([SIZE, SIZE], noise));
        y = y + dropout.try_express_with(y.matmul(w).tanh(), mask).expect("a mask of the shape");
        feeds.push((mask.symbol(), dropout.mask(mask.shape(), &mut random)));
    }
    let loss = (y * y).sum();
    let compile = || {
        let compile = Compile::new(&network).loss(loss).gradients_of(x);
        compile.keep(batch.mean).keep(batch.variance)
    };
    let memory = |plan: &Plan<Tensor<f64>>| {
        let memory = plan.describe().memory;
        memory.arena + memory.results
    };
    let (free, compact) = (compile().plan(), compile().compact().plan());
    let (most, least) = (memory(&free), memory(&compact));
    let steps = compact.describe().steps;
    assert!(steps.iter().flat_map(|step| &step.nodes).any(|node| node.recomputed));
    assert!(least < most, "{least} of {most} bytes");

    let parameters = network.parameters().map(|(_, parameter)| parameter.symbol());
    let sources: Vec<Symbol> = parameters.chain([x.symbol()]).collect();
    let oracle = network.forward_with(feeds.clone());
    let expected = oracle.backward(loss);
    let unmasked = network.forward().backward(loss);
    assert!(!identical(&unmasked.of(x), &expected.of(x)), "the masks change nothing");
    let budgets = (0..=8).map(|part| least + (most - least) * part / 8);
    let budgeted = budgets.map(|budget| compile().memory_budget(budget as usize).plan());
    for plan in budgeted.chain([free, compact]) {
        let results = plan.forward(&network, feeds.clone());
        let gradients = results.backward(loss);
        for source in &sources {
            assert!(identical(&gradients.of(source), &expected.of(source)));
        }
        assert!(identical(&results.of(batch.mean), &oracle.of(batch.mean)));
        assert!(identical(&results.of(batch.variance), &oracle.of(batch.variance)));
        let mut running = RunningStatistics::new(SIZE);
        running
            .update(&results.of(batch.mean), &results.of(batch.variance), SIZE)
            .expect("a batch");
        assert_eq!(running.mean().to_vec()[0], 0.25, "one step of a tenth towards 2.5");
    }
}

#[test]
fn the_memory_of_a_forward_plan_is_a_third_of_what_is_recorded_at_most() {
    for Recorded { network, scores, .. } in [residual(64, 32, 64), lenet(16), plain(128)] {
        let memory = network.compile([scores], []).describe().memory;
        assert!(
            100 * (memory.arena + memory.results) <= 35 * memory.recorded,
            "{} + {} of {} bytes",
            memory.arena,
            memory.results,
            memory.recorded
        );
    }
}

#[test]
fn attention_is_the_softmax_of_scaled_scores() {
    let network = Network::new();
    let numbers = |shape: [usize; 3], scale: f64| {
        Tensor::from_fn(shape, move |i| ((i[0] * 7 + i[1] * 3 + i[2]) % 5) as f64 * scale - 0.5)
    };
    let q = network.parameter(numbers([2, 3, 4], 0.3));
    let k = network.parameter(numbers([2, 3, 4], 0.2));
    let v = network.parameter(numbers([2, 3, 5], 0.4));
    let mask = network.leaf(causal_mask(3));
    let y = scaled_dot_product_attention(q, k, v, Some(mask));
    assert_eq!(*y.shape(), [2, 3, 5]);
    let evaluation = network.forward();
    let [q_at, k_at, v_at, y_at] = [q, k, v, y].map(|value| evaluation.of(value));
    for (n, t, e) in (0..30).map(|i| (i / 15, i / 5 % 3, i % 5)) {
        // By hand, in any order: close, not equal.
        let score = |s: usize| {
            let dot = (0..4).fold(0.0, |sum, d| {
                sum + q_at.get(&[n, t, d]).unwrap() * k_at.get(&[n, s, d]).unwrap()
            });
            dot / 2.0
        };
        let weights: Vec<f64> = (0..=t).map(|s| Elementary::exp(&score(s))).collect();
        let total = weights.iter().fold(0.0, |sum, weight| sum + weight);
        let mean = weights
            .iter()
            .enumerate()
            .fold(0.0, |sum, (s, weight)| sum + weight / total * v_at.get(&[n, s, e]).unwrap());
        assert!((mean - y_at.get(&[n, t, e]).unwrap()).abs() < 1e-14);
    }
    let plan = network.compile_training(y.sum(), []);
    plan.check(&network, []).expect("the oracle's bits");
}
