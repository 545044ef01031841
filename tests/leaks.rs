//! Nothing leaks: live bytes, counted by the allocator, are the same after step 1,020 as after
//! step 20, and return when what was kept is dropped.
//!
//! One test, because the counter is the process's: another test beside it would be counted too.

use poorgrad::{Differentiable, Evaluation, Network, Tensor, Tensorial};
use testkit::Counting;
use testkit::training::{Training, scalars, tensors};

#[global_allocator]
static ALLOCATOR: Counting = Counting::new(std::alloc::System, usize::MAX);

fn live() -> usize {
    ALLOCATOR.allocated()
}

/// Live bytes after each of some numbers of steps.
fn after<P: Tensorial>(
    mut training: Training<P>,
    counts: [usize; 2],
    mut step: impl FnMut(Training<P>, usize) -> Training<P>,
) -> [usize; 2] {
    let mut done = 0;
    counts.map(|count| {
        while done < count {
            // Every feed once a round: buffers of each batch have the same size.
            let taken = std::mem::replace(&mut training, empty());
            training = step(taken, done);
            done += 1;
        }
        live()
    })
}

fn empty<P: Tensorial>() -> Training<P> {
    let network = Network::new();
    let zero = P::full(&poorgrad::Shape::scalar(), poorgrad::Elementary::zero());
    let loss = network.leaf(zero).symbol();
    Training { network, loss, batches: Vec::new(), rate: 0.0 }
}

fn updated<P: Tensorial>(mut training: Training<P>, step: usize) -> Training<P> {
    let _ = training.step(step);
    training
}

fn run<P: Tensorial>(training: &mut Training<P>, steps: std::ops::Range<usize>) {
    for step in steps {
        let _ = training.step(step);
    }
}

fn constant_over_steps<P: Tensorial>(name: &str, make: impl Fn() -> Training<P>) {
    let [early, late] = after(make(), [20, 1_020], updated);
    assert_eq!(early, late, "{name}: update");
    let [early, late] = after(make(), [20, 1_020], Training::stepped);
    assert_eq!(early, late, "{name}: step");
}

/// An old generation, an evaluation and a fork, kept over steps and then dropped.
fn what_is_kept_is_freed_with_its_keeper<P: Tensorial>(name: &str, make: impl Fn() -> Training<P>) {
    let mut training = make();
    run(&mut training, 0..20);
    let before = live();
    let generation = training.network.clone();
    let evaluation: Evaluation<P> = generation.forward_with(training.feeds(0));
    let gradients = evaluation.backward(training.loss);
    let fork = training.network.clone();
    let extended = fork.resolve(training.loss) + fork.resolve(training.loss);
    assert_eq!(extended.shape(), fork.resolve(training.loss).shape());
    run(&mut training, 20..60);
    assert!(live() > before, "{name}: what is kept takes room");
    drop((generation, evaluation, gradients));
    run(&mut training, 60..100);
    drop(fork);
    run(&mut training, 100..140);
    assert_eq!(live(), before, "{name}");
}

/// What a sibling records behind the common part is let go by `compacted`.
fn a_compacted_network_lets_its_siblings_go() {
    let before = live();
    let network = Network::new();
    let x = network.parameter(Tensor::<f32>::ones([8]).map(|x| x + 1.0)).symbol();
    for _ in 0..100 {
        let _ = network.resolve(x) * network.resolve(x);
    }
    let sibling = network.clone();
    let alone = live();
    for _ in 0..10_000 {
        let value = network.resolve(x);
        let _ = network.leaf(Tensor::from(vec![1.0_f32; 64]));
        let _ = value + value;
    }
    let grown = live();
    assert!(grown > alone + 10_000 * 256);
    drop(network);
    assert!(sibling.stats().foreign_nodes >= 20_000);
    let compact = sibling.compacted();
    drop(sibling);
    assert_eq!(compact.stats().foreign_nodes, 0);
    assert_eq!(compact.len(), 101);
    assert!(live() <= alone, "{} bytes live, {alone} before the sibling grew", live());
    let squares = compact.values().last().expect("what was recorded").symbol();
    assert_eq!(compact.forward().of(squares).to_vec(), [4.0; 8]);
    drop(compact);
    assert_eq!(live(), before);
}

/// Ten thousand generations of one line, which share the tape and replace the parameters.
fn a_long_line_of_generations() {
    let network = Network::new();
    let w = network.parameter(Tensor::<f64>::from_fn([32], |at| at[0] as f64));
    let loss = (w * w).sum().symbol();
    let w = w.symbol();
    let mut network = network;
    let step = |network: &Network<Tensor<f64>>| {
        let gradients = network.forward().backward(loss);
        network.update(&gradients, |w, g| w - 0.01 * g)
    };
    for _ in 0..2 {
        network = step(&network);
    }
    let second = live();
    for _ in 0..10_000 {
        network = step(&network);
        assert_eq!(live(), second);
    }
    assert_eq!(network.resolve(w).payload().expect("a parameter").bytes(), 32 * 8);
}

#[test]
fn b90_a_nothing_leaks() {
    testkit::allocation::settle(&ALLOCATOR);
    // Whatever a process does once is done before anything is counted.
    let _ = after(scalars::<f64>(), [1, 2], updated);
    // A thread keeps a buffer for the operands of products, of a bounded size.
    for (_, network) in tensors::<f32>() {
        let _ = after(network, [1, 2], updated);
    }
    let before = live();
    constant_over_steps("scalars", scalars::<f64>);
    for index in 0..tensors::<f32>().len() {
        let name = tensors::<f32>()[index].0;
        let make = || tensors::<f32>().swap_remove(index).1;
        constant_over_steps(name, make);
        what_is_kept_is_freed_with_its_keeper(name, make);
    }
    what_is_kept_is_freed_with_its_keeper("scalars", scalars::<f32>);
    a_compacted_network_lets_its_siblings_go();
    a_long_line_of_generations();
    assert_eq!(live(), before, "all is dropped");
}
