//! Operands that lie across the rows: transposes in registers, and operands by tiles.

use crate::kernel::reference::{SB, View};
use crate::kernel::simd::{Level, Native};
use crate::kernel::testing::{Random, Strided, assert_same, taken};
use crate::kernel::{Binary, Elementary, TransposeTask, native, reference};

fn at_every_level<E: Native>(random: &mut Random, [rows, columns]: [usize; 2]) {
    let (stride, pitch) = (rows + random.below(3), columns + random.below(3));
    let elements: Vec<E> = (0..stride * columns).map(|_| random.value(true)).collect();
    for level in Level::all() {
        let mut out = vec![E::from_f64(7.0); rows * pitch];
        let extents = [rows, columns];
        let elements = &elements[..];
        let task = &mut TransposeTask { elements, stride, extents, out: &mut out, pitch };
        native::transpose::transpose_at(level, task);
        let element = |at: usize| match [at / pitch, at % pitch] {
            [i, j] if j < columns => elements[i + j * stride],
            _ => E::from_f64(7.0),
        };
        let expected: Vec<E> = (0..rows * pitch).map(element).collect();
        assert_same(&out, &expected, &format!("{rows} x {columns} at {level:?}"));
    }
}

#[test]
fn transposes_move_every_element_and_touch_no_other() {
    let mut random = Random(60);
    for rows in [4, 5, 6, 7, 15, 16, 17, 18, 31, 33, 63, 64, 65, 130] {
        for columns in [1, 2, 7, 8, 9, 16, 31, 32, 40, 63, 64, 65, 100, 513] {
            at_every_level::<f32>(&mut random, [rows, columns]);
            at_every_level::<f64>(&mut random, [rows, columns]);
        }
    }
}

/// A view whose axes lie in this order in its buffer, with room between.
fn lying<E: Elementary>(random: &mut Random, extents: &[usize], order: &[usize]) -> Strided<E> {
    let mut strides = vec![0; extents.len()];
    let mut stride = 1;
    for &axis in order.iter().rev() {
        strides[axis] = stride;
        stride *= extents[axis] + random.below(2);
    }
    let elements = (0..stride).map(|_| random.value(false)).collect();
    Strided { elements, extents: extents.to_vec(), strides, offset: 0 }
}

#[test]
fn every_order_of_axes_is_copied_and_combined_as_defined() {
    fn check<E: Elementary>(random: &mut Random, extents: &[usize; 3]) {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let y = lying::<E>(random, extents, &[0, 1, 2]);
        let mut repeated = lying::<E>(random, extents, &[0, 1, 2]);
        repeated.strides[random.below(3)] = 0;
        for order in orders {
            let x = lying::<E>(random, extents, &order);
            let (x, y, z) = (x.view(), y.view(), repeated.view());
            let what = format!("{extents:?} in the order {order:?} of {}", E::NAME);
            assert_same(&native::copy(x), &x.to_vec(), &what);
            for (a, b) in [(x, y), (y, x), (x, x), (x, z), (z, x)] {
                let expected = reference::zip(Binary::Sub, a, b);
                assert_same(&native::zip(Binary::Sub, a, b), &expected, &what);
                let expected = reference::select(z, a, b);
                assert_same(&native::select(z, a, b), &expected, &what);
            }
        }
    }
    let mut random = Random(61);
    for extents in [[2, 70, 300], [3, 5, 9], [65, 1, 64], [1, 20, 20], [260, 3, 66], [7, 8, 0]] {
        check::<f32>(&mut random, &extents);
        check::<f64>(&mut random, &extents);
        check::<super::ordered::Ordered>(&mut random, &extents);
    }
}

#[test]
fn short_rows_are_copied_as_defined_and_take_their_paths() {
    fn check<E: Elementary>(random: &mut Random, extents: &[usize], order: &[usize]) {
        let x = lying::<E>(random, extents, order);
        let what = format!("{extents:?} in the order {order:?} of {}", E::NAME);
        assert_same(&native::copy(x.view()), &x.view().to_vec(), &what);
    }
    let mut random = Random(64);
    for length in 1..=10 {
        for count in [1, 7, 8, 9, 33, 130] {
            for order in [[0, 1, 2], [0, 2, 1], [2, 0, 1], [1, 0, 2]] {
                for extents in [[2, count, length], [count, 3, length]] {
                    check::<f32>(&mut random, &extents, &order);
                    check::<f64>(&mut random, &extents, &order);
                    check::<super::ordered::Ordered>(&mut random, &extents, &order);
                }
            }
        }
    }
    // Windows over two axes, which overlap.
    let image = Strided::<f32>::contiguous(&mut random, &[3, 20, 21], false).elements;
    for (window, step) in [(3, 1), (3, 2), (2, 2), (5, 1)] {
        let [high, wide] = [20, 21].map(|extent| (extent - window) / step + 1);
        let extents = [3, high, wide, window, window];
        let strides = [420, 21 * step, step, 21, 1];
        let x = View::new(&image, &extents, &strides, 0);
        assert_same(&native::copy(x), &x.to_vec(), &format!("{window} of step {step}"));
        assert_eq!(taken(|| drop(native::copy(x))), ["short runs"]);
    }
    let x = lying::<f32>(&mut random, &[4, 100, 3], &[0, 2, 1]);
    assert_eq!(taken(|| drop(native::copy(x.view()))), ["interleaved"]);
}

#[test]
fn operands_across_the_rows_take_their_paths() {
    let random = &mut Random(62);
    let x = lying::<f32>(random, &[40, 50], &[1, 0]);
    let (copied, little) = (["transposed in registers"], lying::<f32>(random, &[3, 3], &[1, 0]));
    assert_eq!(taken(|| drop(native::copy(x.view()))), copied);
    assert_eq!(taken(|| drop(native::copy(little.view()))), [""; 0]);
    let zipped = taken(|| drop(native::zip(Binary::Add, x.view(), x.view())));
    assert_eq!(zipped, ["by tiles", "transposed in registers"]);
}

#[test]
fn reductions_down_columns_agree_and_take_their_paths() {
    fn check<E: Elementary>(random: &mut Random, extents: &[usize], axes: &[usize]) {
        for order in [vec![0, 1, 2], vec![1, 0, 2]] {
            let x = lying::<E>(random, extents, &order);
            let exact = Strided::<E>::contiguous(random, extents, false);
            for x in [x.view(), exact.view()] {
                let what = format!("{extents:?} over {axes:?} of {}", E::NAME);
                assert_same(&native::sum(x, axes), &reference::sum(x, axes), &what);
                assert_same(&native::max(x, axes), &reference::max(x, axes), &what);
            }
        }
    }
    let mut random = Random(63);
    for columns in [6, 7, 16, 63, 255, 256, 257, 1030] {
        for rows in [1, 2, 15, 16, 17, 33, 100] {
            check::<f32>(&mut random, &[1, rows, columns], &[0, 1]);
            check::<f64>(&mut random, &[3, rows, columns], &[1]);
            check::<super::ordered::Ordered>(&mut random, &[2, rows, columns], &[0, 1]);
        }
    }
    for rows in [SB - 1, SB, SB + 1, 2 * SB + 5] {
        check::<f32>(&mut random, &[1, rows, 9], &[0, 1]);
        check::<f64>(&mut random, &[1, rows, 300], &[1]);
    }
    let wide = Strided::<f32>::contiguous(&mut random, &[2200, 2100], false);
    let paths = taken(|| {
        assert_same(&native::sum(wide.view(), &[0]), &reference::sum(wide.view(), &[0]), "wide");
        assert_same(&native::max(wide.view(), &[0]), &reference::max(wide.view(), &[0]), "wide");
    });
    let expected = ["sums down columns", "maxima down columns", "maxima down columns in registers"];
    assert_eq!(paths, expected);
}
