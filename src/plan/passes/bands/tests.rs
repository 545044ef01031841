//! Models whose steps take turns, against the oracle: by blocks of several sizes, on one thread and on some.

use crate::graph::{Network, Symbol};
use crate::kernel::numerics::Numerics;
use crate::kernel::testing::taken;
use crate::kernel::threads::testing::eagerly;
use crate::payload::Tensor;
use crate::payload::layout::Layout;
use crate::plan::band::stays_in_row;
use crate::plan::run::Executor;
use crate::plan::schedule::Access;
use crate::plan::{Compile, Pass, Plan};

type T = Tensor<f64>;

fn numbers(extents: &[usize]) -> T {
    let mut at = 0_usize;
    Tensor::from_fn(extents, |_| {
        at += 1;
        (at * 7919 % 1013) as f64 / 500.0 - 1.0
    })
}

/// The steps that take turns, for each band, and the rows of a block.
fn bands(plan: &Plan<T>) -> Vec<(usize, usize)> {
    plan.schedule.bands.iter().map(|band| (band.steps.len(), band.block)).collect()
}

/// Plans of a loss within caches of these sizes, checked on 1 and 3 threads: the bands of each.
fn checked(
    network: &Network<T>,
    loss: Symbol,
    keep: &[Symbol],
    caches: &[usize],
) -> Vec<Vec<(usize, usize)>> {
    let bands = caches.iter().map(|&cache| {
        let compile = keep.iter().fold(Compile::new(network).loss(loss), Compile::keep);
        let plan = compile.cache(cache).plan();
        let check = || plan.check(network, []).unwrap_or_else(|found| panic!("{found}"));
        check();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
        pool.install(|| eagerly(check));
        bands(&plan)
    });
    bands.collect()
}

/// Logistic regression: its loss, and the values on the way.
fn logistic(rows: usize, columns: usize) -> (Network<T>, Symbol, Vec<Symbol>) {
    let network = Network::new();
    let x = network.input(numbers(&[rows, columns]));
    let y = network.input(numbers(&[rows]));
    let w = network.parameter(numbers(&[columns, 1]));
    let b = network.parameter(Tensor::scalar(0.1));
    let z = x.matmul(w).reshape([rows]);
    let z = z + b.broadcast_like(z);
    let loss = (z.softplus() - y * z).mean();
    let (loss, inside) = (loss.symbol(), vec![z.symbol()]);
    (network, loss, inside)
}

#[test]
fn a_matrix_is_read_once_for_the_product_and_its_gradient() {
    for rows in [257, 512, 5000] {
        let (network, loss, inside) = logistic(rows, 3);
        for keep in [&[][..], &inside] {
            let found = checked(&network, loss, keep, &[0, 40_000]);
            // The product, its functions with their sums, and the product summed over the rows.
            assert_eq!(found[0], [(3, 256)], "{rows} rows");
            let one_block = rows < 512;
            assert_eq!(found[1].is_empty(), one_block || rows * 6 * 8 < 16 * 40_000, "{rows} rows");
        }
    }
    // As large as it takes, with the cache that there is.
    let (network, loss, _) = logistic(70_000, 50);
    let plan = network.compile_training(loss, []);
    assert_eq!(bands(&plan), [(3, 1024)]);
    assert!(plan.describe().to_string().contains("by blocks of 1024 of 70000 rows"));
    let without = Compile::new(&network).loss(loss).without(Pass::Bands).plan();
    assert!(bands(&without).is_empty());
    let gradients = [&plan, &without].map(|plan| plan.forward(&network, []).backward(loss));
    for (_, w) in network.parameters() {
        assert_eq!(gradients[0].of(w), gradients[1].of(w));
    }
}

#[test]
fn threads_share_the_rows_of_a_band_and_its_sums() {
    // Tails behind blocks of terms, of sums and of rows.
    let (network, loss, inside) = logistic(20_011, 3);
    let plan = Compile::new(&network).loss(loss).keep(inside[0]).cache(0).plan();
    assert_eq!(bands(&plan), [(3, 256)]);
    for count in [2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("a pool");
        let check = || plan.check(&network, []).unwrap_or_else(|found| panic!("{found}"));
        let paths = pool.install(|| eagerly(|| taken(check)));
        let shared = paths.contains(&"a band over threads");
        assert!(shared || cfg!(not(feature = "parallel")), "{count} threads: {paths:?}");
    }
}

/// Least squares of two columns: its loss and its parameter.
fn least_squares(rows: usize, columns: usize) -> (Network<T>, Symbol, Symbol) {
    let network = Network::new();
    let x = network.input(numbers(&[rows, columns]));
    let y = network.input(numbers(&[rows, 2]));
    let w = network.parameter(numbers(&[columns, 2]));
    let error = x.matmul(w) - y;
    let (loss, w) = ((error * error).mean().symbol(), w.symbol());
    (network, loss, w)
}

#[test]
fn least_squares_and_fast_products_go_by_rows_too() {
    let (network, loss, w) = least_squares(900, 5);
    assert_eq!(checked(&network, loss, &[], &[0]), [[(3, 256)]]);
    let fast = || Compile::new(&network).loss(loss).numerics(Numerics::Fast).cache(0).plan();
    let of = |plan: Plan<T>| plan.forward(&network, []).backward(loss).of(w);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
    assert_eq!(of(fast()), pool.install(|| eagerly(|| of(fast()))));
    let exact = network.forward().backward(loss).of(w);
    let worst =
        of(fast()).to_vec().iter().zip(exact.to_vec()).fold(0.0, |worst: f64, (a, b)| {
            if (a - b).abs() > worst { (a - b).abs() } else { worst }
        });
    assert!(worst < 1e-12, "{worst}");
}

#[test]
fn threads_share_sums_of_rows_of_several_elements() {
    let (network, loss, _) = least_squares(9001, 3);
    assert_eq!(checked(&network, loss, &[], &[0]), [[(3, 256)]]);
}

#[test]
fn what_a_band_costs_is_what_its_steps_do() {
    // A product of 5 terms, the functions and sums of 2 elements, and a product that is summed.
    let (network, loss, _) = least_squares(40_000, 5);
    for (cache, block) in [(0, 256), (100_000, 512)] {
        let plan = Compile::new(&network).loss(loss).cache(cache).plan();
        let Executor::Arena(arena) = &plan.executor else { panic!("tensors have an arena") };
        let [band] = &arena.program.bands[..] else { panic!("one band") };
        let products = 2 * (2 * 5 * 2 * 40_000);
        assert_eq!(band.block, block);
        assert!((products..2 * products).contains(&band.cost), "{} of {products}", band.cost);
    }
}

#[test]
fn only_what_lies_in_a_row_stays_there() {
    let rows = Layout::contiguous([4, 6].into());
    let stays = |layout: &Layout, width| {
        stays_in_row(&Access { base: 0, layout: layout.clone() }, 0, width)
    };
    assert!(stays(&rows, 6) && stays(&rows.narrow(1, 2, 4), 6));
    // The next row, rows of another width, and columns.
    assert!(!stays(&rows.narrow(0, 1, 3), 6));
    assert!(!stays(&rows, 12) && !stays(&rows.narrow(1, 0, 5), 5));
    assert!(!stays(&rows.permute(&[1, 0]), 6));
}

#[test]
fn rows_of_a_normalisation_are_read_once() {
    let network = Network::new();
    let x = network.input(numbers(&[37, 24]));
    let gain = network.parameter(numbers(&[24]));
    let mean = x.mean_along(&[1]);
    let apart = x - mean.unsqueeze(1).broadcast_like(x);
    let variance = (apart * apart).mean_along(&[1]);
    let scaled = apart / (variance + 1e-5).sqrt().unsqueeze(1).broadcast_like(x);
    let out = scaled * gain.broadcast_like(x);
    let chances = out.log_softmax(1);
    let loss = (chances * x).sum().symbol();
    let found = checked(&network, loss, &[chances.symbol()], &[0, 1000, 3000]);
    for bands in &found {
        assert!(!bands.is_empty() && bands.iter().all(|&(steps, _)| steps > 1), "{found:?}");
    }
    assert!(found[0].iter().all(|&(_, block)| block == 1), "{found:?}");
}

#[test]
fn heads_of_attention_are_taken_one_after_the_other() {
    let network = Network::new();
    let [q, k, v] = [(); 3].map(|()| network.parameter(numbers(&[6, 9, 4])));
    let seen =
        crate::scaled_dot_product_attention(q, k, v, Some(network.leaf(crate::causal_mask(9))));
    let loss = (seen * seen).sum().symbol();
    let found = checked(&network, loss, &[], &[0, 200]);
    assert!(found[0].iter().any(|&(steps, block)| steps >= 3 && block == 1), "{found:?}");
}

#[test]
fn what_is_there_only_when_all_rows_are_is_read_behind_the_band() {
    let network = Network::new();
    let x = network.input(numbers(&[600, 3]));
    let w = network.parameter(numbers(&[3, 3]));
    let z = x.matmul(w);
    // The sum of all elements, a column's sums, and a row of another place.
    let total = z.tanh().sum();
    let shifted = z - total.broadcast_like(z);
    let turned = z.narrow(0, 1, 599) * z.narrow(0, 0, 599);
    let columns = z.sum_along(&[0]).broadcast_like(z) * shifted;
    let loss = (columns.sum() + turned.sum()).symbol();
    checked(&network, loss, &[z.symbol(), shifted.symbol()], &[0, 500]);
}

#[test]
fn nothing_is_no_row() {
    for extents in [[0, 3], [3, 0], [600, 0]] {
        let network = Network::new();
        let x = network.input(Tensor::zeros(extents));
        let w = network.parameter(numbers(&[extents[1], 2]));
        let loss = x.matmul(w).tanh().sum().symbol();
        checked(&network, loss, &[], &[0]);
        // Read by columns, of which there is nothing.
        let network = Network::new();
        let x = network.input(T::zeros([0, 600]));
        let w = network.parameter(T::zeros([0, 1]));
        let all = [w, w * w, w + w].map(|w| x.transpose().matmul(w).sum());
        let loss = (all[0] + all[1] + all[2]).symbol();
        checked(&network, loss, &[], &[0]);
    }
    // Rows without elements all lie in one place.
    let network = Network::new();
    let e = network.input(T::zeros([600, 0]));
    let x = network.input(T::zeros([600, 1]));
    let p = e.matmul(network.parameter(T::zeros([0, 0])));
    let y = x.matmul(network.parameter(T::zeros([1, 3])));
    let z = p * x.broadcast_like(p);
    let v = network.parameter(T::zeros([0, 2]));
    let targets = [y, z.matmul(v), p.matmul(v)];
    let compile = targets.iter().fold(Compile::new(&network), |compile, y| compile.target(*y));
    compile.cache(0).plan().check(&network, []).unwrap_or_else(|found| panic!("{found}"));
}

#[test]
fn a_budget_is_kept_where_bands_would_go_past_it() {
    let (network, loss, _) = logistic(5000, 6);
    let lean = Compile::new(&network).loss(loss).without(Pass::Bands).plan().describe().memory;
    let budget = (lean.arena + lean.results) as usize;
    let banded = Compile::new(&network).loss(loss).cache(0).plan();
    assert!(banded.describe().memory.arena as usize > budget && bands(&banded).len() == 1);
    let kept = Compile::new(&network).loss(loss).cache(0).memory_budget(budget).plan();
    assert!(bands(&kept).is_empty());
    let compact = Compile::new(&network).loss(loss).cache(0).compact().plan();
    assert!(compact.describe().memory.arena <= lean.arena);
}
