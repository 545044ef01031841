//! Maxima at every level, of elements among which NaN, both zeros and infinities are frequent.

use crate::kernel::reference;
use crate::kernel::simd::{Level, Native};
use crate::kernel::testing::{Random, Strided, assert_same, taken};
use crate::kernel::{ColumnsTask, ReduceTask, Reduction, native};

/// Elements of one kind: many zeros, or numbers below zero beside them, so that zeros are maxima; with a NaN
/// of either sign now and then, or infinities.
fn elements<E: Native>(random: &mut Random, count: usize) -> Vec<E> {
    let kinds: [&[f64]; 6] = [
        &[-0.0],
        &[-0.0, -0.0, -0.0, -0.0, 0.0],
        &[-1.5, -0.0, -3.0, -1e-310, -1e-40],
        &[-1.5, -2.5, 1e-40, 7.0, 0.0, -0.0],
        &[f64::NEG_INFINITY, f64::NEG_INFINITY, -1.0],
        &[f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 2.0, -0.0],
    ];
    let (kind, rare) = (random.pick(&kinds), 2 + random.below(200));
    let mut value = || match random.below(rare) {
        0 if rare % 2 == 0 => E::from_f64(random.pick(&[f64::NAN, -f64::NAN])),
        _ => E::from_f64(random.pick(kind)),
    };
    (0..count).map(|_| value()).collect()
}

fn lines<E: Native>(random: &mut Random, length: usize, count: usize) {
    let elements = elements::<E>(random, length * count);
    let extents = [count, length];
    let expected = reference::max(reference::View::new(&elements, &extents, &[length, 1], 0), &[1]);
    for level in Level::all() {
        let (reduction, elements) = (Reduction::Max, &elements[..]);
        let mut out = vec![E::from_f64(7.0); count];
        let task = &mut ReduceTask { reduction, elements, length, out: &mut out };
        native::reduce::reduce_at(level, task);
        assert_same(&out, &expected, &format!("{count} lines of {length} at {level:?}"));
    }
}

fn columns<E: Native>(random: &mut Random, [rows, columns]: [usize; 2]) {
    let pitch = columns + random.below(3);
    let elements = elements::<E>(random, rows * pitch);
    let (extents, strides) = ([rows, columns], [pitch, 1]);
    let view = reference::View::new(&elements, &extents, &strides, 0);
    let expected = reference::max(view, &[0]);
    let starts = (0..rows).map(|row| row * pitch).collect::<Vec<_>>();
    for level in Level::all() {
        let (reduction, elements) = (Reduction::Max, &elements[..]);
        let mut out = vec![E::from_f64(7.0); columns];
        let task = &mut ColumnsTask { reduction, elements, rows: &starts, out: &mut out };
        if native::columns::columns_at(level, task) {
            assert_same(&out, &expected, &format!("{rows} x {columns} at {level:?}"));
        } else {
            assert!(columns < 16 && out.iter().all(|x| x.to_f64() == 7.0), "{columns}");
        }
    }
}

#[test]
fn maxima_agree_at_every_level() {
    let mut random = Random(90);
    for length in [1, 2, 7, 15, 16, 17, 31, 32, 33, 47, 64, 100, 257] {
        for count in [1, 2, 3, 4, 5, 8, 9, 13] {
            lines::<f32>(&mut random, length, count);
            lines::<f64>(&mut random, length, count);
        }
    }
    for rows in [1, 2, 8, 9, 10, 16, 17, 25, 40] {
        for width in [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 70] {
            columns::<f32>(&mut random, [rows, width]);
            columns::<f64>(&mut random, [rows, width]);
        }
    }
}

#[test]
fn first_maxima_over_any_axes_agree_and_take_their_path() {
    let mut random = Random(91);
    let over = [&[0][..], &[1], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2], &[]];
    for extents in [[2, 3, 40], [33, 20, 7], [1, 5, 1], [3, 0, 4], [4, 17, 18]] {
        for axes in over {
            let mut x = Strided::<f32>::random(&mut random, &extents, false);
            x.elements = elements(&mut random, x.elements.len());
            let x = x.view();
            let expected = reference::first_max(x, axes);
            assert_same(&native::first_max(x, axes), &expected, &format!("{x:?} over {axes:?}"));
        }
    }
    let x = Strided::<f64>::contiguous(&mut random, &[20, 30], false);
    let paths = taken(|| drop(native::first_max(x.view(), &[0])));
    assert_eq!(paths, ["first maxima across", "transposed in registers"]);
    assert_eq!(taken(|| drop(native::first_max(x.view(), &[1]))), [""; 0]);
}
