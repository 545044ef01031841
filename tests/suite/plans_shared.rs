//! One plan under many runs at once: bits, generations and pools of threads.

use super::plans::plans_agree;
use super::properties::for_tapes;
use poorgrad::{Network, Plan, Symbol, Tensor, Tensorial, set_threads};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use testkit::bits::bytes_of;
use testkit::training::{Training, scalars, tensors};

/// How many feeds there are; a run's bits depend on which it is given.
const FEEDS: usize = 4;

/// The bits of a run: the loss, then every parameter's gradient.
fn bits<P: Tensorial>(
    plan: &Plan<P>,
    network: &Network<P>,
    loss: Symbol,
    feeds: Vec<(Symbol, P)>,
) -> Vec<Vec<u8>> {
    let results = plan.forward(network, feeds);
    let gradients = results.backward(loss);
    let parameters = network.parameters().map(|(_, parameter)| bytes_of(&gradients.of(parameter)));
    std::iter::once(bytes_of(&results.of(loss))).chain(parameters).collect()
}

/// 8 threads run one plan, each on feeds of its own, while another makes generation after generation
/// and runs the same plan on these.
fn shared<P: Tensorial>(training: &Training<P>, runs: usize) {
    let Training { network, loss, rate, .. } = training;
    let plan = network.compile_training(*loss, []);
    let serial: Vec<_> =
        (0..FEEDS).map(|step| bits(&plan, network, *loss, training.feeds(step))).collect();
    for (step, expected) in serial.iter().enumerate() {
        let oracle = network.reference().forward_with(training.feeds(step));
        assert_eq!(expected[0], bytes_of(&oracle.of(*loss)));
    }
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|worker| {
                let (plan, serial) = (&plan, &serial);
                scope.spawn(move || {
                    for step in 0..runs {
                        let number = (worker * 3 + step) % FEEDS;
                        let found = bits(plan, network, *loss, training.feeds(number));
                        assert_eq!(found, serial[number]);
                    }
                })
            })
            .collect();
        let updater = scope.spawn(|| {
            let (mut generation, mut generations) = (network.clone(), 0);
            // One generation at least, also where the workers are done first.
            while generations == 0 || !done.load(Ordering::Relaxed) {
                let gradients = plan.forward(&generation, training.feeds(generations));
                let rate = P::full(&poorgrad::Shape::scalar(), element::<P>(*rate));
                generation = generation.update(&gradients.backward(*loss), |w, g| {
                    let rate = P::full(&g.shape(), first(&rate));
                    w.zip(SUB, &g.zip(MUL, &rate, NATIVE), NATIVE)
                });
                generations += 1;
            }
            generation
        });
        for worker in workers {
            worker.join().expect("a run equals its twin");
        }
        done.store(true, Ordering::Relaxed);
        let last = updater.join().expect("generations go on");
        let planned = plan.forward(&last, training.feeds(0)).of(*loss);
        let oracle = last.reference().forward_with(training.feeds(0)).of(*loss);
        assert_eq!(bytes_of(&planned), bytes_of(&oracle));
    });
}

const NATIVE: poorgrad::Kernels = poorgrad::Kernels::Native;
const SUB: poorgrad::Binary = poorgrad::Binary::Sub;
const MUL: poorgrad::Binary = poorgrad::Binary::Mul;

fn element<P: Tensorial>(value: f64) -> P::Element {
    poorgrad::Elementary::from_f64(value)
}

/// The one element of a scalar payload.
fn first<P: Tensorial>(payload: &P) -> P::Element {
    let mut found = element::<P>(0.0);
    payload.for_each(&mut |value| found = value.clone());
    found
}

fn classifier() -> Training<Tensor<f32>> {
    tensors().swap_remove(0).1
}

#[test]
fn runs_of_one_plan_equal_their_serial_twins() {
    shared(&classifier(), 300);
    shared(&scalars::<f64>(), 300);
}

#[test]
#[ignore = "heavy: 160,000 runs"]
fn heavy_runs_of_one_plan_equal_their_serial_twins() {
    shared(&classifier(), 10_000);
    shared(&scalars::<f64>(), 10_000);
}

/// The property of random tapes inside a pool of the caller's, under a limit of threads.
fn in_pools(tapes: std::ops::Range<u64>) {
    for count in [1, 2, 8] {
        set_threads(count);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("a pool");
        pool.install(|| {
            for_tapes(tapes.clone(), plans_agree::<Tensor<f32>>);
            for_tapes(tapes.clone(), plans_agree::<f64>);
        });
        set_threads(0);
    }
}

#[test]
fn any_number_of_threads_gives_the_interpreters_bits() {
    in_pools(20_000..20_020);
}

#[test]
#[ignore = "heavy: 3,000 tapes"]
fn heavy_any_number_of_threads_gives_the_interpreters_bits() {
    in_pools(20_000..20_500);
}

/// Plans that are worth splitting, run side by side inside a pool that they split over.
#[test]
fn plans_split_inside_a_callers_pool() {
    use rayon::prelude::*;
    let number = |at: &[usize]| ((at[0] * 31 + at[1] * 17) % 113) as f32 * 0.01 - 0.5;
    let network = Network::new();
    let x = network.input(Tensor::<f32>::from_fn([300, 700], number));
    let w = network.parameter(Tensor::<f32>::from_fn([700, 500], number));
    let hidden = (x.matmul(w).tanh() * 1.5).exp();
    let loss = (hidden.log_softmax(1).sum() + hidden.sum_along(&[0]).sum()).symbol();
    let plan = network.compile_training(loss, []);
    plan.check(&network, []).expect("the oracle's bits");
    let run = || bits(&plan, &network, loss, Vec::new());
    let expected = run();
    for count in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("a pool");
        let found: Vec<_> = pool.install(|| (0..6).into_par_iter().map(|_| run()).collect());
        assert!(found.iter().all(|found| *found == expected), "in a pool of {count} threads");
    }
}
