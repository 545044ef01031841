//! Products at every level against the definition, to the bit.

use super::gemm_at;
use crate::kernel::reference;
use crate::kernel::simd::{Level, Native};
use crate::kernel::task::{GemmTask, Matrix};
use crate::kernel::testing::{Random, Strided, assert_same};

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
            let task = &mut GemmTask { m, k, n, a: matrix(&a), b: matrix(&b), out: &mut out };
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
        for [m, n] in [[1, 1], [1, 70], [13, 9], [7, 130], [40, 1], [2, 513], [5, 1030], [25, 70]] {
            check::<f32>(&mut random, [m, k, n]);
            check::<f64>(&mut random, [m, k, n]);
        }
    }
}

#[test]
fn products_agree_on_any_number_of_threads() {
    let mut random = Random(33);
    // By columns, by rows, by terms, and one that is not split.
    for sizes in [[40, 130, 1030], [1500, 40, 80], [5, 40_000, 25], [700, 3100, 2], [3, 5, 3]] {
        check::<f32>(&mut random, sizes);
        check::<f64>(&mut random, sizes);
    }
}
