//! Products at every level against the definition, to the bit.

mod packed;

use super::gemm_at;
use crate::kernel::Numerics;
use crate::kernel::reference::{self, View};
use crate::kernel::simd::{Level, Native};
use crate::kernel::task::{GemmTask, Matrix};
use crate::kernel::testing::{Random, Strided, assert_same, taken};
use crate::kernel::threads::testing::eagerly;
use std::sync::atomic::{AtomicUsize, Ordering};

fn check<E: Native>(random: &mut Random, [m, k, n]: [usize; 3]) {
    let specials = random.below(6) == 0;
    let a = Strided::<E>::random(random, &[m, k], specials);
    let b = Strided::<E>::random(random, &[k, n], specials);
    let expected = reference::product(a.view(), b.view());
    fn matrix<E>(of: &Strided<E>) -> Matrix<'_, E> {
        let start = of.offset.min(of.elements.len());
        Matrix::new(&of.elements[start..], of.strides[0], of.strides[1])
    }
    for level in Level::all() {
        for threads in [1, 2, 3, 8] {
            let mut out = vec![E::zero(); m * n];
            let task = &mut GemmTask::new([m, k, n], matrix(&a), matrix(&b), &mut out);
            gemm_at(level, || threads, task);
            let strides = (&a.strides, &b.strides);
            let what = format!("{m} x {k} x {n}, {strides:?}, {level:?}, {threads} threads");
            assert_same(&out, &expected, &what);
            if m * k * n < 1 << 22 {
                break;
            }
        }
    }
}

#[test]
fn products_agree_on_small_sizes() {
    let mut random = Random(31);
    for m in 0..14 {
        for n in [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 64, 65] {
            for k in [0, 1, 2, 5, 19] {
                check::<f32>(&mut random, [m, k, n]);
                check::<f64>(&mut random, [m, k, n]);
            }
        }
    }
}

#[test]
fn products_agree_at_block_boundaries() {
    let mut random = Random(32);
    for k in [255, 256, 257, 511, 512, 515] {
        for [m, n] in [
            [1, 1],
            [1, 70],
            [13, 9],
            [7, 130],
            [40, 1],
            [300, 1],
            [1, 333],
            [2, 513],
            [5, 1030],
            [25, 70],
        ] {
            check::<f32>(&mut random, [m, k, n]);
            check::<f64>(&mut random, [m, k, n]);
        }
    }
}

#[test]
fn products_agree_on_any_number_of_threads() {
    let mut random = Random(33);
    // By columns, by rows, by terms, and one that is not split.
    eagerly(|| {
        for sizes in [[40, 130, 1030], [1500, 40, 80], [5, 40_000, 25], [700, 3100, 2], [3, 5, 3]] {
            check::<f32>(&mut random, sizes);
            check::<f64>(&mut random, sizes);
        }
    });
}

#[test]
fn each_path_is_taken_by_the_products_that_it_is_for() {
    let path = |[m, k, n]: [usize; 3], a: [usize; 2], b: [usize; 2], threads: usize| {
        let (x, y) = (vec![0.5_f32; m * k], vec![0.25_f32; k * n]);
        let mut out = vec![0.0; m * n];
        let (a, b) = (Matrix::new(&x, a[0], a[1]), Matrix::new(&y, b[0], b[1]));
        let task = &mut GemmTask::new([m, k, n], a, b, &mut out);
        taken(|| gemm_at(Level::best(), || threads, task))
    };
    let plain = |[m, k, n]: [usize; 3], threads| path([m, k, n], [k, 1], [n, 1], threads);
    assert_eq!(plain([32, 30, 200], 1), ["right operand in place"]);
    assert_eq!(plain([4, 4, 4], 1), ["tiny"]);
    assert_eq!(plain([64, 300, 512], 1), ["right operand packed"]);
    assert_eq!(path([512, 64, 3], [1, 512], [3, 1], 1)[0], "flipped");
    assert_eq!(path([36, 50, 40], [50, 1], [1, 50], 1)[1], "right operand turned");
    assert_eq!(path([1, 50, 40], [50, 1], [1, 50], 1), ["dots"]);
    assert_eq!(path([40, 50, 1], [50, 1], [1, 1], 1), ["column as a row", "dots"]);
    assert_eq!(plain([1, 50, 300], 1), ["rows"]);
    assert_eq!(path([300, 50, 1], [1, 300], [1, 1], 1), ["column as a row", "rows"]);
    assert!(plain([40, 50, 6], 1).contains(&"rows over one another"));
    assert!(plain([40, 600, 30], 1).contains(&"rows once"));
    assert!(plain([5000, 1000, 8], 1).contains(&"asked for ahead"));
    assert!(path([3, 1100, 90], [1100, 1], [1, 1100], 1).contains(&"right operand turned"));
    assert!(path([90, 1100, 3], [1, 90], [3, 1], 1).contains(&"turned at the end"));
    assert!(path([1, 4096, 2048], [4096, 1], [1, 4096], 1).contains(&"asked for ahead"));
    // Halves of what no cache holds come from memory too.
    let halves = path([140_000, 50, 1], [50, 1], [1, 1], 2);
    assert!(halves.contains(&"columns over threads") && halves.contains(&"asked for ahead"));
    assert_eq!(plain([64, 256, 2048], 2)[0], "columns over threads");
    assert_eq!(plain([2048, 256, 64], 2)[0], "rows over threads");
    assert_eq!(plain([4, 800_000, 8], 2)[0], "terms over threads");
    assert!(!plain([64, 256, 2048], 1).contains(&"columns over threads"));
}

#[test]
fn products_agree_where_memory_is_asked_for_ahead() {
    fn check<E: Native>([m, k, n]: [usize; 3], [a, b]: [[usize; 2]; 2]) {
        let mut random = Random(39);
        let mut operand = |count| (0..count).map(|_| random.value(false)).collect::<Vec<E>>();
        let (x, y) = (operand(m * k), operand(k * n));
        let (ae, be) = ([m, k], [k, n]);
        let (left, right) = (View::new(&x, &ae, &a, 0), View::new(&y, &be, &b, 0));
        let expected = reference::product(left, right);
        for level in Level::all() {
            let mut out = vec![E::zero(); m * n];
            let (a, b) = (Matrix::new(&x, a[0], a[1]), Matrix::new(&y, b[0], b[1]));
            let task = &mut GemmTask::new([m, k, n], a, b, &mut out);
            let paths = taken(|| gemm_at(level, || 1, task));
            assert!(paths.contains(&"asked for ahead"), "{paths:?}");
            let what = format!("{m} x {k} x {n} of {} at {level:?}", E::NAME);
            assert_same(&out, &expected, &what);
        }
    }
    check::<f32>([4501, 1000, 16], [[1000, 1], [16, 1]]);
    check::<f32>([7, 700, 3100], [[700, 1], [3100, 1]]);
    check::<f32>([1, 301, 21_003], [[301, 1], [1, 301]]);
    check::<f64>([4501, 500, 8], [[500, 1], [8, 1]]);
    check::<f64>([7, 350, 3100], [[350, 1], [3100, 1]]);
    check::<f64>([1, 151, 21_003], [[151, 1], [1, 151]]);
}

/// Every extent to 67 on every side, and strides of every kind.
#[test]
#[ignore = "heavy: 28,000 products at every level"]
fn heavy_products_agree_on_all_sizes_to_67() {
    let mut random = Random(34);
    for m in 0..=67 {
        for n in 0..=67 {
            for k in [random.below(8), 8 + random.below(24), 32 + random.below(36)] {
                check::<f32>(&mut random, [m, k, n]);
                check::<f64>(&mut random, [m, k, n]);
            }
        }
    }
}

#[test]
#[ignore = "deep: every triple of extents"]
fn deep_products_agree_on_every_triple_to_67() {
    let mut random = Random(35);
    for m in 0..=67 {
        for k in 0..=67 {
            for n in 0..=67 {
                check::<f32>(&mut random, [m, k, n]);
                check::<f64>(&mut random, [m, k, n]);
            }
        }
    }
}

#[test]
fn rows_may_overlap() {
    let mut random = Random(36);
    let elements: Vec<f32> = (0..400).map(|_| random.value(false)).collect();
    for [row, column] in [[1, 1], [2, 1], [0, 1], [1, 0], [3, 2], [5, 1]] {
        for [m, k, n] in [[3, 9, 21], [20, 5, 33], [1, 40, 20], [30, 30, 1]] {
            let view = |rows: usize, columns: usize| {
                let (extents, strides) = ([rows, columns], [row, column]);
                (extents, strides)
            };
            let ((ae, s), (be, _)) = (view(m, k), view(k, n));
            let (a, b) = (View::new(&elements, &ae, &s, 0), View::new(&elements, &be, &s, 0));
            let expected = reference::product(a, b);
            for level in Level::all() {
                let mut out = vec![0.0; m * n];
                let a = Matrix::new(&elements, row, column);
                let task = &mut GemmTask::new([m, k, n], a, a, &mut out);
                gemm_at(level, || 1, task);
                assert_same(&out, &expected, &format!("{m} x {k} x {n} by {row}, {column}"));
            }
        }
    }
}

/// Runs a product with something to follow; checks that it follows once on every element that has
/// its sum, and returns the paths taken.
fn finished(
    [m, k, n]: [usize; 3],
    [a, b]: [[usize; 2]; 2],
    threads: usize,
    level: Level,
) -> Vec<&'static str> {
    const START: usize = 1000;
    let mut random = Random(37);
    let mut operand = |count| (0..count).map(|_| random.value(false)).collect::<Vec<f32>>();
    let (x, y) = (operand(m * k), operand(k * n));
    let (mut plain, mut out) = (vec![0.0; m * n], vec![0.0; m * n]);
    let (a, b) = (Matrix::new(&x, a[0], a[1]), Matrix::new(&y, b[0], b[1]));
    gemm_at(level, || 1, &mut GemmTask::new([m, k, n], a, b, &mut plain));
    let after = |at: usize, x: f32| x * 3.0 + at as f32;
    let seen: Vec<AtomicUsize> = plain.iter().map(|_| AtomicUsize::new(0)).collect();
    let calls = AtomicUsize::new(0);
    let finish = |start: usize, run: &mut [f32]| {
        calls.fetch_add(1, Ordering::Relaxed);
        for (i, x) in run.iter_mut().enumerate() {
            let at = start - START + i;
            seen[at].fetch_add(1, Ordering::Relaxed);
            *x = after(at, *x);
        }
    };
    let task = &mut GemmTask::new([m, k, n], a, b, &mut out).finish(&finish);
    task.start = START;
    let paths = taken(|| eagerly(|| gemm_at(level, || threads, task)));
    assert!(task.finish.is_none(), "taken out");
    let what = format!("{m} x {k} x {n} at {level:?} on {threads} threads");
    assert!(seen.iter().all(|seen| seen.load(Ordering::Relaxed) == 1), "{what}");
    let expected: Vec<f32> = plain.iter().enumerate().map(|(at, x)| after(at, *x)).collect();
    assert_same(&out, &expected, &what);
    assert!(calls.into_inner() <= 2 * m + 2 * n, "{what}: rows, not elements");
    paths
}

#[test]
fn what_follows_a_product_follows_once_on_every_path() {
    for level in Level::all() {
        for threads in [1, 2, 3] {
            let plain =
                |[m, k, n]: [usize; 3]| finished([m, k, n], [[k, 1], [n, 1]], threads, level);
            assert_eq!(plain([4, 4, 4]), ["tiny"]);
            plain([3, 0, 5]);
            let mut all = plain([33, 300, 1100]);
            all.extend(plain([1500, 260, 40]));
            all.extend(finished([512, 64, 3], [[1, 512], [3, 1]], threads, level));
            all.extend(finished([700, 600, 5], [[600, 1], [5, 1]], threads, level));
            all.extend(finished([1, 300, 2500], [[300, 1], [1, 300]], threads, level));
            all.extend(finished([2500, 300, 1], [[300, 1], [1, 1]], threads, level));
            all.extend(plain([1, 300, 2500]));
            all.extend(plain([4, 700_000, 3]));
            let expected = [
                "right operand packed",
                "right operand in place",
                "flipped",
                "dots",
                "rows",
                "column as a row",
                "finished by rows",
                "finished by parts of rows",
            ];
            // Other threads keep tallies of their own.
            let here = threads == 1;
            assert!(!here || expected.iter().all(|path| all.contains(path)), "{all:?}");
            let split = ["columns over threads", "rows over threads", "terms over threads"];
            let found = split.iter().filter(|path| all.contains(path)).count();
            assert_eq!(found, if threads > 1 { 3 } else { 0 }, "{all:?}");
        }
    }
}

#[test]
fn fast_products_are_close_and_the_same_on_any_number_of_threads() {
    fn check<E: Native>([m, k, n]: [usize; 3], [a, b]: [[usize; 2]; 2], eps: f64) {
        let mut random = Random(38);
        let mut operand = |count| (0..count).map(|_| random.value(false)).collect::<Vec<E>>();
        let (x, y) = (operand(m * k), operand(k * n));
        let (a, b) = (Matrix::new(&x, a[0], a[1]), Matrix::new(&y, b[0], b[1]));
        for level in Level::all() {
            let product = |numerics, threads| {
                let mut out = vec![E::zero(); m * n];
                let task = &mut GemmTask::new([m, k, n], a, b, &mut out).numerics(numerics);
                eagerly(|| gemm_at(level, || threads, task));
                out
            };
            let (exact, fast) = (product(Numerics::Exact, 1), product(Numerics::Fast, 1));
            for threads in [2, 3] {
                let what = format!("{m} x {k} x {n} at {level:?} on {threads} threads");
                assert_same(&product(Numerics::Fast, threads), &fast, &what);
            }
            for (at, (exact, fast)) in exact.iter().zip(&fast).enumerate() {
                let size = |t| (a.at(at / n, t).to_f64() * b.at(t, at % n).to_f64()).abs();
                let size = (0..k).fold(0.0, |sum, t| sum + size(t));
                let error = (exact.to_f64() - fast.to_f64()).abs();
                assert!(error <= 2.0 * k as f64 * eps * size, "{error} of {size}");
            }
            if matches!(level, Level::Portable) {
                assert_same(&fast, &exact, "no fused instruction");
            }
        }
    }
    for [m, k, n] in [[5, 300, 33], [70, 513, 600], [600, 300, 24], [3, 600_000, 4], [4, 5, 6]] {
        check::<f32>([m, k, n], [[k, 1], [n, 1]], f64::from(f32::EPSILON) / 2.0);
        check::<f64>([m, k, n], [[1, m], [1, k]], f64::EPSILON / 2.0);
    }
    check::<f32>([1, 800, 3000], [[800, 1], [1, 800]], f64::from(f32::EPSILON) / 2.0);
    check::<f32>([3000, 800, 1], [[800, 1], [1, 1]], f64::from(f32::EPSILON) / 2.0);
    check::<f64>([1, 800, 3003], [[800, 1], [3003, 1]], f64::EPSILON / 2.0);
}

#[test]
fn fast_products_round_once_where_the_machine_can() {
    // 1 + 2^-12 squared is 1 + 2^-11 + 2^-24: the last part is rounded away unless it is kept.
    let (x, y) = ([1.0_f32 + 1.0 / 4096.0, -1.0], [1.0_f32 + 1.0 / 4096.0, 1.0 + 1.0 / 2048.0]);
    for level in Level::all() {
        // The two terms come last first, so that the product meets a sum.
        let a: Vec<f32> = (0..2000).map(|i| x[1 - i % 2]).collect();
        let b: Vec<f32> = (0..2 * 70).map(|i| y[1 - i / 70]).collect();
        let product = |numerics| {
            let mut out = vec![0.0; 1000 * 70];
            let (a, b) = (Matrix::new(&a, 2, 1), Matrix::new(&b, 70, 1));
            let task = &mut GemmTask::new([1000, 2, 70], a, b, &mut out).numerics(numerics);
            let paths = taken(|| gemm_at(level, || 1, task));
            (out, paths.contains(&"fused"))
        };
        let (fast, fused) = product(Numerics::Fast);
        assert_eq!(fused, !matches!(level, Level::Portable));
        let kept = if fused { 1.0 / 16_777_216.0 } else { 0.0 };
        assert!(fast.iter().all(|&x| x == kept), "{level:?}: {}", fast[0]);
        let (exact, fused) = product(Numerics::Exact);
        assert!(!fused && exact.iter().all(|&x| x == 0.0), "exact at {level:?}");
    }
}
