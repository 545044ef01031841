//! Right operands that are laid out before.

use super::super::gemm_at;
use super::super::panels::packed_at;
use crate::kernel::Numerics;
use crate::kernel::simd::{Level, Native};
use crate::kernel::task::{GemmTask, Matrix};
use crate::kernel::testing::{Random, assert_same, taken};
use crate::kernel::threads::testing::eagerly;

/// With and without, at every level, exact and fast; the paths that were taken.
fn check<E: Native>(random: &mut Random, [m, k, n]: [usize; 3]) -> Vec<&'static str> {
    let specials = random.below(5) == 0;
    let mut list = |count: usize| (0..count).map(|_| random.value(specials)).collect::<Vec<E>>();
    let (x, y) = (list(m * k), list(k * n));
    let a = Matrix::new(&x, k, 1);
    let mut paths = Vec::new();
    for b in [Matrix::new(&y, n, 1), Matrix::new(&y, 1, k)] {
        for level in Level::all() {
            let packed = packed_at(level, b, [k, n]);
            for threads in [1, 2, 3] {
                for numerics in [Numerics::Exact, Numerics::Fast] {
                    let (mut expected, mut out) = (vec![E::zero(); m * n], vec![E::one(); m * n]);
                    let task = GemmTask::new([m, k, n], a, b, &mut expected).numerics(numerics);
                    gemm_at(level, || threads, &mut { task });
                    let task = GemmTask::new([m, k, n], a, b, &mut out).numerics(numerics);
                    paths.extend(taken(|| {
                        gemm_at(level, || threads, &mut { task }.packed(&packed));
                    }));
                    let what =
                        format!("{m} x {k} x {n}, {level:?}, {threads} threads, {numerics:?}");
                    assert_same(&out, &expected, &what);
                }
            }
        }
    }
    paths
}

#[test]
fn what_is_laid_out_before_changes_no_bit() {
    let mut random = Random(38);
    let mut paths = Vec::new();
    eagerly(|| {
        for m in [1, 2, 3, 5, 6, 7, 13, 24, 40] {
            for n in [1, 7, 8, 16, 31, 33, 64, 65, 127, 150, 513, 600] {
                for k in [1, 2, 19, 255, 256, 257, 515] {
                    // A few of all: each has twelve runs and more.
                    if (m + n + k) % 5 == 0 || m * k * n < 1 << 12 {
                        paths.extend(check::<f32>(&mut random, [m, k, n]));
                        paths.extend(check::<f64>(&mut random, [m, k, n]));
                    }
                }
            }
        }
    });
    // On two and three threads blocks of terms are split, and panels are not alike.
    eagerly(|| {
        for sizes in [[4, 2100, 40], [7, 1700, 17], [5, 40, 320], [8, 30, 448]] {
            paths.extend(check::<f32>(&mut random, sizes));
            paths.extend(check::<f64>(&mut random, sizes));
        }
    });
    for path in [
        "right operand packed before",
        "columns over threads",
        "rows over threads",
        "terms over threads",
    ] {
        assert!(paths.contains(&path), "nothing took {path:?}");
    }
}

#[test]
fn what_another_level_laid_out_is_not_read() {
    let (x, y) = (vec![1.0_f32; 20 * 30], vec![2.0_f32; 30 * 40]);
    let (a, b) = (Matrix::new(&x, 30, 1), Matrix::new(&y, 40, 1));
    let levels = Vec::from_iter(Level::all());
    for &level in &levels {
        for &other in &levels {
            let packed = packed_at(other, b, [30, 40]);
            let own = packed_at(level, b, [30, 40]).panel == packed.panel;
            let mut out = vec![0.0; 20 * 40];
            let mut task = GemmTask::new([20, 30, 40], a, b, &mut out).packed(&packed);
            let paths = taken(|| gemm_at(level, || 1, &mut task));
            assert_eq!(paths.contains(&"right operand packed before"), own, "{level:?}, {other:?}");
            assert_eq!(out, vec![60.0; 20 * 40]);
        }
    }
}

#[test]
#[should_panic(expected = "other extents")]
fn a_stranger_is_refused() {
    use crate::kernel::Elementary;
    let y = vec![2.0_f32; 12];
    let packed = f32::pack(Matrix::new(&y, 4, 1), [3, 4]).expect("a kernel of its own");
    let mut out = [0.0; 6];
    let _ = GemmTask::new([2, 4, 3], Matrix::new(&y, 4, 1), Matrix::new(&y, 3, 1), &mut out)
        .packed(&packed);
}
