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
        let mut out = vec![E::zero(); m * n];
        let task = &mut GemmTask { m, k, n, a: matrix(&a), b: matrix(&b), out: &mut out };
        gemm_at(level, task);
        let what = format!("{m} x {k} x {n}, strides {:?} {:?}, {level:?}", a.strides, b.strides);
        assert_same(&out, &expected, &what);
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
