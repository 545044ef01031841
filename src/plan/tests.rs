//! Plans whose every step is split over threads where it may be, however little there is to do.

use super::Compile;
use crate::graph::{Network, Symbol};
use crate::kernel::testing::taken;
use crate::kernel::threads::testing::eagerly;
use crate::payload::Tensor;
use crate::payload::Tensorial;

/// The plans of a tape, with and without fusion, against the oracle.
fn agrees<P: Tensorial>(text: &str) {
    let network = Network::<P>::parse(text).expect("a tape");
    let is_one = |value: &crate::Value<'_, P>| value.shape().volume() == Some(1);
    let target = network.values().filter(is_one).last().expect("a loss").symbol();
    let keep: Vec<Symbol> = network.values().map(|value| value.symbol()).step_by(3).collect();
    let compile = || Compile::new(&network).loss(target);
    let kept = || keep.iter().fold(compile(), Compile::keep);
    let banded =
        [compile().cache(0), kept().cache(100), compile().without(super::Pass::Fuse).cache(0)];
    let plain = [compile(), kept(), compile().without(super::Pass::Fuse)];
    for plan in plain.into_iter().chain(banded) {
        let divergence = plan.plan().check(&network, []);
        if let Err(divergence) = divergence {
            panic!("{divergence}\n{text}");
        }
    }
}

/// The tapes of some seeds in pools of 1, 2 and 8 threads; the fast paths that they took.
fn in_pools(seeds: std::ops::Range<u64>) -> Vec<&'static str> {
    let mut paths = Vec::new();
    for count in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("a pool");
        let found = pool.install(|| {
            eagerly(|| {
                taken(|| {
                    for seed in seeds.clone() {
                        let bytes = testkit::seeded(seed, 20 + (seed as usize * 37) % 256);
                        agrees::<Tensor<f32>>(&testkit::tape::text(&bytes, true));
                        agrees::<Tensor<f64>>(&testkit::tape::text(&bytes, false));
                    }
                })
            })
        });
        paths.extend(found);
    }
    paths
}

#[test]
fn steps_split_over_threads_have_the_oracles_bits() {
    let paths = in_pools(0..15);
    if cfg!(feature = "parallel") {
        for path in ["a chain over threads", "elements over threads"] {
            assert!(paths.contains(&path), "no tape took {path:?}: {paths:?}");
        }
    }
}

#[test]
#[ignore = "heavy: 1,000 tapes in three pools"]
fn heavy_steps_split_over_threads_have_the_oracles_bits() {
    in_pools(1_000..2_000);
}

/// Sums taken on the way, over blocks that end in the middle of a tile, of a row and of a part.
#[test]
fn sums_of_chains_have_the_oracles_bits() {
    for count in [2, 17, 4095, 4096, 4097, 12_345, 40_000] {
        let network = Network::new();
        let x =
            network.input(Tensor::from_fn([count], |i| (i[0] * 7919 % 1009) as f32 * 0.002 - 1.0));
        let w = network.parameter(Tensor::scalar(0.7_f32));
        let bias = network.parameter(Tensor::from_fn([5], |i| i[0] as f32 * 0.1));
        let rows = x.narrow(0, 0, count / 5 * 5).reshape([count / 5, 5]);
        let loss =
            (x * w.broadcast_like(x)).tanh().sum() + (rows * bias.broadcast_like(rows)).exp().sum();
        let loss = loss.symbol();
        for threads in [1, 3] {
            let plan = Compile::new(&network).loss(loss).threads(threads).plan();
            let check = || plan.check(&network, []);
            let mut found = Ok(());
            let paths = taken(|| eagerly(|| found = check()));
            assert!(found.is_ok(), "{count} elements, {threads} threads: {found:?}");
            assert!(paths.contains(&"sums of a chain"), "{paths:?}");
        }
    }
}

/// What follows on a product reads it through a view of one column, whose stride says nothing.
#[test]
fn an_axis_of_one_position_has_any_stride() {
    let network = Network::new();
    let w = network.parameter(Tensor::from([[1.0_f64], [2.0], [3.0], [4.0]]));
    let s = network.parameter(Tensor::from([[2.0]]));
    let like = network.parameter(Tensor::zeros([4, 1]));
    let y = w.matmul(s).squeeze(1).broadcast_along(&[1], like).exp();
    let v = network.parameter(Tensor::from([1.0, 2.0, 3.0, 4.0]));
    let loss = v.dot((-w).sum_along(&[1]));
    for plan in [network.compile([y], []), network.compile_training(loss, [])] {
        plan.check(&network, []).unwrap_or_else(|found| panic!("{found}"));
    }
}

/// A parameter that is read often is laid out for its products, once; another generation's is another.
#[test]
fn parameters_that_are_read_often_are_laid_out_once() {
    let network = Network::new();
    let element = |i: &[usize]| (i[0] * 31 + i[1] * 7) as f32 % 13.0 * 0.1 - 0.6;
    let w = network.parameter(Tensor::from_fn([40, 70], element));
    let v = network.leaf(Tensor::from_fn([50, 70], element));
    let large = network.leaf(Tensor::from_fn([70, 80], element));
    let x = network.input(Tensor::from_fn([24, 40], element));
    let hidden = x.matmul(w).tanh();
    let by_columns = large.transpose().matmul(network.input(Tensor::from_fn([70, 9], element)));
    let ends = [hidden, x.matmul(w).matmul(v.transpose()), by_columns].map(|y| y.sum().symbol());
    let plans = ends.map(|y| Compile::new(&network).target(y).plan());
    // Of the last product the right operand is a feed.
    let packed = plans.each_ref().map(|plan| plan.describe().memory.packed);
    assert_eq!(packed, [4 * 40 * 70, 4 * (40 * 70 + 70 * 50), 0]);
    // As small as it is worth while.
    let small = network.input(Tensor::from_fn([2, 16], element));
    for (columns, bytes) in [(16, 0), (17, 4 * 16 * 17)] {
        let right = network.leaf(Tensor::from_fn([16, columns], element));
        let plan = network.compile([small.matmul(right)], []);
        assert_eq!(plan.describe().memory.packed, bytes, "{columns} columns");
    }
    let runs = |at: usize, network: &Network<Tensor>| {
        let expected = network.forward().of(ends[at]).item();
        [(); 4].map(|()| {
            let mut found = 0.0;
            let run = || found = plans[at].forward(network, []).of(ends[at]).item();
            let paths = taken(run);
            assert_eq!(found.to_bits(), expected.to_bits());
            paths.contains(&"right operand packed before")
        })
    };
    assert_eq!(runs(0, &network), [false, false, true, true]);
    let next = network.update(&network.forward().backward(ends[0]), |w, g| w - 0.1 * g);
    assert_eq!(runs(0, &next), [false, false, true, true]);
    assert_eq!(runs(0, &network), [true; 4]);
    assert_eq!(runs(2, &network), [false; 4]);
    assert_eq!(runs(1, &network), [true; 4]);
}
