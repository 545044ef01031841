//! A storage form never shows: constants, selections, `bf16` and views give the bits of their
//! dense twins, under both tables of kernels.

use super::*;
use crate::kernel::{Binary, Comparison, Unary};
use crate::payload::{Differentiable, Stored};

fn dense<E: Elementary>(x: &Tensor<E>) -> Tensor<E> {
    Tensor::new(x.shape(), x.to_vec())
}

/// A tensor of the shape in some storage form.
fn form(random: &mut Random, shape: &Shape) -> Tensor<f32> {
    let rank = shape.rank();
    match random.below(6) {
        0 => Tensor::full(shape, random.value(true)),
        1 if rank > 0 && shape[rank - 1] > 0 => {
            let leading = Shape::new(&shape[..rank - 1]);
            let columns = (0..leading.count()).map(|_| random.below(shape[rank - 1]));
            let columns = columns.collect::<Vec<_>>();
            Tensor::selection_shaped(leading, &columns, shape[rank - 1])
        }
        2 => Tensor::from_fn(shape, |_| random.value(true)).to_bf16(),
        3 => {
            let order = random.shuffled(rank);
            let mut back = vec![0; rank];
            order.iter().enumerate().for_each(|(i, &axis)| back[axis] = i);
            let turned = Shape::from_fn(rank, |i| shape[order[i]]);
            Tensor::from_fn(turned, |_| random.value(true)).permute(&back)
        }
        4 if rank > 0 => {
            let axis = random.below(rank);
            let one = shape.with_extent(axis, 1);
            Tensor::from_fn(one, |_| random.value(true)).broadcast_to(shape)
        }
        _ => Tensor::from_fn(shape, |_| random.value(true)),
    }
}

fn shape_of(random: &mut Random, least: usize) -> Shape {
    let rank = least + random.below(4 - least);
    Shape::from_fn(rank, |_| if random.below(15) == 0 { 0 } else { 1 + random.below(5) })
}

#[track_caller]
fn same(what: &str, results: [Tensor<f32>; 3]) {
    let [expected, rest @ ..] = results;
    for got in rest {
        assert!(got.is_identical(&expected), "{what}: {got:?} instead of {expected:?}");
    }
}

/// The dense twins by the definitions, then the forms by both tables.
macro_rules! forms {
    ($kernels:ident, $($x:ident),+ => $run:expr) => {{
        let plain = {
            $(let $x = &dense(&$x);)+
            let $kernels = Kernels::Reference;
            $run
        };
        $(let $x = &$x;)+
        let results = [plain, { let $kernels = Kernels::Reference; $run }, { let $kernels = Kernels::Native; $run }];
        same(stringify!($run), results);
    }};
}

#[test]
fn element_wise() {
    let mut random = Random(51);
    for _ in 0..1500 {
        let shape = shape_of(&mut random, 0);
        let (x, y, z) =
            (form(&mut random, &shape), form(&mut random, &shape), form(&mut random, &shape));
        let op =
            random.pick(&[Unary::Neg, Unary::Exp, Unary::Relu, Unary::Sigmoid, Unary::Powi(2)]);
        forms!(kernels, x => Tensorial::map(x, op, kernels));
        let op = random.pick(&[
            Binary::Add,
            Binary::Sub,
            Binary::Div,
            Binary::Absorb,
            Binary::Maximum,
            Binary::Compare(Comparison::Le),
        ]);
        forms!(kernels, x, y => x.zip(op, y, kernels));
        forms!(kernels, x, y, z => x.select(y, z, kernels));
    }
}

#[test]
fn movement() {
    let mut random = Random(52);
    for _ in 0..1500 {
        let shape = shape_of(&mut random, 1);
        let rank = shape.rank();
        let (x, y) = (form(&mut random, &shape), form(&mut random, &shape));
        let (order, axis) = (random.shuffled(rank), random.below(rank));
        forms!(_kernels, x => Tensorial::permute(x, &order));
        let start = random.below(shape[axis] + 1);
        let length = random.below(shape[axis] - start + 1);
        forms!(_kernels, x => Tensorial::narrow(x, axis, start, length));
        forms!(kernels, x => Tensorial::reshape(x, &Shape::from([shape.count()]), kernels));
        forms!(kernels, x => Tensorial::reshape(x, &shape.with_axis(axis, 1), kernels));
        let (wide, axes) = (shape.with_axis(axis, 3), (0..=rank).filter(|&i| i != axis));
        let axes = axes.collect::<Vec<_>>();
        forms!(_kernels, x => x.broadcast(&wide, &axes));
        let value = random.value(true);
        let (before, after) = (random.below(2), random.below(3));
        forms!(kernels, x => x.pad(axis, before, after, &value, kernels));
        forms!(kernels, x, y => Tensorial::concat(&[x, y, x], axis, kernels));
        if shape[axis] > 0 {
            let (size, step) = (1 + random.below(shape[axis]), 1 + random.below(2));
            forms!(_kernels, x => x.unfold(axis, size, step, 1));
            let windows = x.unfold(axis, size, step, 1);
            let y = form(&mut random, windows.shape());
            forms!(kernels, y => y.fold(axis, shape[axis], step, 1, kernels));
        }
    }
}

#[test]
fn reductions() {
    let mut random = Random(53);
    for _ in 0..1500 {
        let shape = shape_of(&mut random, 1);
        let x = form(&mut random, &shape);
        let axes = (0..shape.rank()).filter(|_| random.below(2) == 0).collect::<Vec<_>>();
        forms!(kernels, x => Tensorial::sum(x, &axes, kernels));
        if axes.iter().all(|&axis| shape[axis] > 0) {
            forms!(kernels, x => Tensorial::max(x, &axes, kernels));
        }
        forms!(kernels, x => x.first_max(&axes, kernels));
        let axis = random.below(shape.rank());
        forms!(kernels, x => x.log_sum_exp(axis, kernels));
        forms!(kernels, x => x.log_softmax(axis, kernels));
        forms!(kernels, x => x.softmax(axis, kernels));
    }
}

#[test]
fn a_long_constant_sums_as_its_dense_twin() {
    for count in [1, 16, 17, 4095, 4096, 4097, 8197, 100_000] {
        let x = Tensor::full([count], 0.1_f32);
        forms!(kernels, x => Tensorial::sum(x, &[0], kernels));
        let x = Tensor::full([3, count], 0.1_f32);
        forms!(kernels, x => Tensorial::sum(x, &[1], kernels));
        assert!(matches!(x.sum_along(&[1]).stored(), Stored::Constant(_)));
    }
    let empty = Tensor::full([2, 0], 7.0_f64).sum_along(&[1]);
    assert_eq!(empty.iter().map(f64::to_bits).collect::<Vec<_>>(), [0, 0]);
}

#[test]
fn products_and_rows() {
    let mut random = Random(54);
    for _ in 0..1500 {
        let (batch, sizes) = (random.below(3), [0; 3].map(|_| random.below(6)));
        let [m, k, n] = sizes;
        let leading = |m: usize, n: usize| match batch {
            0 => Shape::from([m, n]),
            batch => Shape::from([batch, m, n]),
        };
        let (a, b) = (form(&mut random, &leading(m, k)), form(&mut random, &leading(k, n)));
        forms!(kernels, a, b => Tensorial::matmul(a, b, kernels));

        let rows = 1 + random.below(5);
        let columns = (0..m * k).map(|_| random.below(rows)).collect::<Vec<_>>();
        let s = Tensor::<f32>::selection_shaped([m, k], &columns, rows);
        let table = form(&mut random, &Shape::from([rows, n]));
        forms!(kernels, table, s => table.gather(s, kernels));
        let source = form(&mut random, &Shape::from([m, k, n]));
        forms!(kernels, source, s => source.scatter(s, kernels));
        let (flat, source) = (s.reshape([m * k, rows]), source.reshape([m * k, n]));
        assert!(flat.is_selection());
        forms!(kernels, table, source, flat => table.row_update(source, flat, kernels));
    }
}

#[test]
fn rows_that_are_not_selected_are_not_read() {
    let table = Tensor::from([[f64::NAN, f64::INFINITY], [1.0, 2.0]]);
    let selection = Tensor::selection(&[1, 1], 2);
    assert_eq!(table.gather(&selection, Kernels::Native), Tensor::from([[1.0, 2.0], [1.0, 2.0]]));
    // As a product, the same selection is poisoned.
    assert!(selection.matmul(&table).iter().all(|x| x.is_nan()));
}

#[test]
fn views_of_constants_are_constants() {
    let x = Tensor::full([2, 3], 1.5_f32);
    let views = [
        x.transpose(),
        x.narrow(1, 1, 2),
        x.reshape([6]),
        x.broadcast_to([4, 2, 3]),
        Tensorial::unfold(&x, 1, 2, 1, 1),
        Tensorial::map(&x, Unary::Neg, Kernels::Native),
        &x + &x,
        x.gather(&Tensor::selection(&[0], 2), Kernels::Native),
        x.sum_along(&[0]),
        x.max_along(&[0]),
    ];
    for view in views {
        assert!(matches!(view.stored(), Stored::Constant(_)), "{view:?}");
        assert_eq!((view.bytes(), view.storage_id()), (0, None));
    }
}

#[test]
fn selections_keep_their_form_under_leading_axes() {
    let x = Tensor::<f32>::selection(&[2, 0, 1, 1], 3);
    for view in [x.reshape([2, 2, 3]), x.unsqueeze(0), x.unsqueeze(1), x.reshape([4, 3])] {
        assert!(view.is_selection());
        assert_eq!(view.storage_id(), x.storage_id());
    }
    assert_eq!(x.columns(), Some(&[2, 0, 1, 1][..]));
    assert!(!x.reshape([12]).is_selection() && !x.transpose().is_selection());
    assert!(x.to_f64().is_selection());
    // No column, whatever the extents.
    let empty = Tensor::<f32>::selection(&[], 3);
    assert!(empty.reshape([5, 0, 3]).is_selection() && !empty.reshape([3, 0]).is_selection());
}

#[test]
fn stored_forms_round_trip() {
    let mut random = Random(55);
    for _ in 0..500 {
        let shape = shape_of(&mut random, 0);
        let x = form(&mut random, &shape);
        let stored = x.stored();
        let back = Tensor::from_stored(&shape, stored.clone()).unwrap();
        assert!(back.is_identical(&x));
        assert_eq!(format!("{:?}", back.stored()), format!("{stored:?}"));
        let mut elements = Vec::new();
        Differentiable::for_each(&x, &mut |element| elements.push(*element));
        assert!(Tensor::new(&shape, elements).is_identical(&x));
    }
    let shape = Shape::from([2, 3]);
    let none = |stored| Tensor::<f32>::from_stored(&shape, stored).is_none();
    assert!(none(Stored::Dense(vec![0.0; 5])));
    assert!(none(Stored::Selection(vec![0])) && none(Stored::Selection(vec![0, 3])));
    assert!(none(Stored::Bfloat16(vec![0; 7])));
    assert!(Tensor::<f64>::from_stored(&shape, Stored::Bfloat16(vec![0; 6])).is_none());
    assert!(Tensor::<f32>::from_stored(&Shape::scalar(), Stored::Selection(vec![])).is_none());
    let huge = Shape::from([usize::MAX, 2]);
    assert!(Tensor::<f32>::from_stored(&huge, Stored::Constant(0.0)).is_none());
}

#[test]
fn bf16_rounds_to_nearest_even_and_widens() {
    let bits = |x: f32| match Tensor::from([x]).to_bf16().stored() {
        Stored::Bfloat16(bits) => bits[0],
        other => panic!("{other:?}"),
    };
    for (value, expected) in [
        (0x3f80_0000, 0x3f80),
        (0x3f80_8000, 0x3f80), // a tie goes to the even place
        (0x3f81_8000, 0x3f82),
        (0x3f80_8001, 0x3f81),
        (0x7f7f_ffff, 0x7f80), // beyond the largest: infinity
        (0x8000_0000, 0x8000),
        (0xff80_0000, 0xff80),
        (0x0000_8001, 0x0001), // subnormal
    ] {
        assert_eq!(bits(f32::from_bits(value)), expected, "{value:#x}");
    }
    assert!(f32::from_bits(u32::from(bits(f32::from_bits(0x7f80_0001))) << 16).is_nan());
    assert!(f32::from_bits(u32::from(bits(f32::from_bits(0xffff_ffff))) << 16).is_nan());
    let x = Tensor::from([[1.0_f32, 2.0], [3.0, 4.0]]).to_bf16();
    assert_eq!(x.bytes(), 8);
    assert_eq!(x.transpose().to_vec(), [1.0, 3.0, 2.0, 4.0]);
    assert_eq!(x.transpose().stored(), Stored::Bfloat16(vec![0x3f80, 0x4040, 0x4000, 0x4080]));
    assert_eq!(x.get(&[1, 0]), Some(3.0));
    assert_eq!(x.gather(&Tensor::selection(&[1], 2), Kernels::Native).to_vec(), [3.0, 4.0]);
    assert!(x.as_slice().is_none());
}

#[test]
fn storage_is_counted_and_shared() {
    let x = Tensor::<f64>::from_fn([4, 5], |index| index[1] as f64);
    assert_eq!(x.bytes(), 160);
    let row = x.narrow(0, 1, 1);
    assert_eq!((row.bytes(), row.storage_id()), (160, x.storage_id()));
    assert_ne!(x.storage_id(), (&x + &x).storage_id());
    assert_eq!(Tensor::<f32>::selection(&[0, 1], 5).bytes(), 2 * size_of::<usize>());
}
