//! Native loops and definitions agree to the bit: random shapes, strides and values, all small
//! sizes, block boundaries, zero extents, specials.

mod in_place;
mod lines;
mod maxima;
mod ordered;
mod strided;

use crate::kernel::reference::{KB, SB, View};
use crate::kernel::testing::{Random, Strided, assert_same};
use crate::kernel::{Binary, Comparison, Elementary, Unary, native, reference};
use std::hint::black_box;

const UNARY: [Unary; 15] = [
    Unary::Neg,
    Unary::Exp,
    Unary::ExpM1,
    Unary::Ln,
    Unary::Ln1p,
    Unary::Sqrt,
    Unary::Tanh,
    Unary::Sigmoid,
    Unary::Sin,
    Unary::Cos,
    Unary::Erf,
    Unary::Relu,
    Unary::Powi(3),
    Unary::Powi(-2),
    Unary::Powi(0),
];

fn binaries() -> Vec<Binary> {
    let plain = [
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::Div,
        Binary::Absorb,
        Binary::AbsorbDiv,
        Binary::Powf,
        Binary::Maximum,
    ];
    plain.into_iter().chain(Comparison::ALL.map(Binary::Compare)).collect()
}

/// Every kernel on one random operand set of one shape.
fn check<E: Elementary>(random: &mut Random, extents: &[usize]) {
    let specials = random.below(2) == 0;
    let [x, y, z] = [0; 3].map(|_| Strided::<E>::random(random, extents, specials));
    let (x, y, z) = black_box((x.view(), y.view(), z.view()));
    let what = format!("{} {x:?} {y:?}", E::NAME);
    let op = random.pick(&UNARY);
    assert_same(&native::map(op, x), &reference::map(op, x), &format!("{op:?} {what}"));
    let op = random.pick(&binaries());
    let expected = reference::zip(op, x, y);
    assert_same(&native::zip(op, x, y), &expected, &format!("{op:?} {what}"));
    let mut in_place = reference::copy(x);
    native::zip_in_place(op, &mut in_place, y, false);
    assert_same(&in_place, &expected, &format!("{op:?} in place {what}"));
    let mut in_place = reference::copy(y);
    native::zip_in_place(op, &mut in_place, x, true);
    assert_same(&in_place, &expected, &format!("{op:?} in place of the second {what}"));
    assert_same(&native::select(x, y, z), &reference::select(x, y, z), &what);
    assert_same(&native::copy(x), &reference::copy(x), &what);

    let axes = (0..extents.len()).filter(|_| random.below(2) == 0).collect::<Vec<_>>();
    let what = format!("axes {axes:?} {what}");
    assert_same(&native::sum(x, &axes), &reference::sum(x, &axes), &format!("sum {what}"));
    if axes.iter().all(|&axis| extents[axis] > 0) {
        assert_same(&native::max(x, &axes), &reference::max(x, &axes), &format!("max {what}"));
    }
    let marks = (native::first_max(x, &axes), reference::first_max(x, &axes));
    assert_same(&marks.0, &marks.1, &format!("first_max {what}"));

    if extents.is_empty() {
        return;
    }
    let axis = random.below(extents.len());
    let what = format!("axis {axis} {what}");
    assert_same(&native::log_sum_exp(x, axis), &reference::log_sum_exp(x, axis), &what);
    assert_same(&native::log_softmax(x, axis), &reference::log_softmax(x, axis), &what);
    assert_same(&native::softmax(x, axis), &reference::softmax(x, axis), &what);
    let (before, after, value) = (random.below(3), random.below(3), random.value(true));
    let padded = native::pad(x, axis, before, after, &value);
    assert_same(&padded, &reference::pad(x, axis, before, after, &value), &what);
    let parts = [x, y, x];
    assert_same(&native::concat(&parts, axis), &reference::concat(&parts, axis), &what);
    if extents[0] > 0 {
        let columns = (0..random.below(5)).map(|_| random.below(extents[0])).collect::<Vec<_>>();
        assert_same(&native::gather(x, &columns), &reference::gather(x, &columns), &what);
        let mut extents = extents.to_vec();
        extents[0] = columns.len();
        let source = Strided::<E>::random(random, &extents, specials);
        let (updated, expected) = (
            native::row_update(x, source.view(), &columns),
            reference::row_update(x, source.view(), &columns),
        );
        assert_same(&updated, &expected, &what);
    }
    let rows = 1 + random.below(4);
    let columns = (0..extents[0]).map(|_| random.below(rows)).collect::<Vec<_>>();
    let scattered = native::scatter(x, &columns, rows);
    assert_same(&scattered, &reference::scatter(x, &columns, rows), &what);
    if extents.len() > 1 {
        let axis = random.below(extents.len() - 1);
        let (step, dilation) = (1 + random.below(3), 1 + random.below(2));
        let (windows, size) = (extents[axis], extents[extents.len() - 1]);
        let reach = windows.saturating_sub(1) * step + size.saturating_sub(1) * dilation + 1;
        let extent = reach + random.below(2);
        let folded = native::fold(x, axis, extent, step, dilation);
        assert_same(&folded, &reference::fold(x, axis, extent, step, dilation), &what);
    }
}

#[test]
fn native_is_reference_on_random_views() {
    let mut random = Random(1);
    for case in 0..3000 {
        let rank = random.below(6);
        let extents = (0..rank)
            .map(|_| match random.below(25) {
                0 => 0,
                1 => 17 + random.below(30),
                _ => 1 + random.below(5),
            })
            .collect::<Vec<_>>();
        if extents.iter().product::<usize>() > 20_000 {
            continue;
        }
        if case % 2 == 0 {
            check::<f32>(&mut random, &extents);
        } else {
            check::<f64>(&mut random, &extents);
        }
    }
}

#[test]
fn walks_of_high_rank_spill() {
    let mut random = Random(9);
    for _ in 0..60 {
        let extents = (0..9).map(|_| 1 + random.below(3)).collect::<Vec<_>>();
        check::<f64>(&mut random, &extents);
    }
}

#[test]
fn sums_agree_at_block_boundaries() {
    let mut random = Random(2);
    let lengths = [0, 1, 15, 16, 17, SB - 1, SB, SB + 1, 2 * SB - 1, 2 * SB + 5, 3 * SB + 5];
    for length in lengths {
        let x = Strided::<f32>::contiguous(&mut random, &[length], false);
        assert_same(&native::sum(x.view(), &[0]), &reference::sum(x.view(), &[0]), "a line");
        let x = Strided::<f64>::contiguous(&mut random, &[length, 3], false);
        assert_same(&native::sum(x.view(), &[0]), &reference::sum(x.view(), &[0]), "columns");
        assert_same(&native::sum(x.view(), &[0, 1]), &reference::sum(x.view(), &[0, 1]), "all");
    }
    // Wide enough for whole and partial groups of columns.
    let x = Strided::<f32>::contiguous(&mut random, &[SB + 3, 70], false);
    assert_same(&native::sum(x.view(), &[0]), &reference::sum(x.view(), &[0]), "70 columns");
    // Blocks of blocks.
    let ones = vec![0.1_f32; SB * 40 + 7];
    let whole = View::new(&ones, &[SB * 40 + 7], &[1], 0);
    assert_same(&native::sum(whole, &[0]), &reference::sum(whole, &[0]), "many blocks");
}

fn check_product<E: Elementary>(random: &mut Random, batch: &[usize], [m, k, n]: [usize; 3]) {
    let specials = random.below(6) == 0;
    let a = Strided::<E>::random(random, &[batch, &[m, k]].concat(), specials);
    let b = Strided::<E>::random(random, &[batch, &[k, n]].concat(), specials);
    let (a, b) = black_box((a.view(), b.view()));
    assert_same(&native::product(a, b), &reference::product(a, b), &format!("{a:?} x {b:?}"));
}

#[test]
fn products_agree_on_all_small_sizes() {
    let mut random = Random(3);
    for m in 0..10 {
        for k in 0..5 {
            for n in 0..19 {
                check_product::<f32>(&mut random, &[], [m, k, n]);
                check_product::<f64>(&mut random, &[], [m, k, n]);
            }
        }
    }
}

#[test]
fn products_agree_at_block_boundaries() {
    let mut random = Random(4);
    for k in [KB - 1, KB, KB + 1, 2 * KB - 1, 2 * KB, 2 * KB + 3] {
        for [m, n] in [[1, 1], [1, 20], [3, 9], [5, 8], [9, 17], [4, 1], [19, 1]] {
            check_product::<f32>(&mut random, &[], [m, k, n]);
            check_product::<f64>(&mut random, &[], [m, k, n]);
        }
    }
    for n in [511, 512, 513, 1030] {
        check_product::<f32>(&mut random, &[], [5, 7, n]);
        check_product::<f64>(&mut random, &[], [2, 7, n]);
    }
}

#[test]
fn batched_products_agree() {
    let mut random = Random(5);
    for _ in 0..200 {
        let batch = (0..1 + random.below(2)).map(|_| random.below(4)).collect::<Vec<_>>();
        let sizes = [0; 3].map(|_| random.below(12));
        check_product::<f32>(&mut random, &batch, sizes);
        check_product::<f64>(&mut random, &batch, sizes);
    }
}
