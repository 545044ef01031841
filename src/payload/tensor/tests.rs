//! Tensors: constructors, views, storage forms against their dense twins, operators, text.

mod forms;
mod text;

use super::*;
use crate::kernel::testing::Random;
use crate::kernel::{Binary, Kernels, Unary};
use crate::payload::{Shape, Tensorial};
use std::panic::catch_unwind;

/// The message of a panic.
fn message(run: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = catch_unwind(run).expect_err("should panic");
    match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(panic) => (*panic.downcast::<&str>().unwrap()).to_string(),
    }
}

fn counted(shape: impl Into<Shape>) -> Tensor<f64> {
    let shape = shape.into();
    Tensor::arange(shape.count()).reshape(shape)
}

#[test]
fn tensors_cross_threads() {
    fn crosses<T: Send + Sync>() {}
    crosses::<Tensor<f32>>();
    crosses::<TensorError>();
    crosses::<Shape>();
}

#[test]
fn constructors() {
    assert_eq!(Tensor::<f32>::eye(2), Tensor::from([[1.0, 0.0], [0.0, 1.0]]));
    assert_eq!(Tensor::<f64>::arange(3).to_vec(), [0.0, 1.0, 2.0]);
    assert_eq!(Tensor::zeros([2, 2]), Tensor::full([2, 2], 0.0_f32));
    assert_eq!(Tensor::<f32>::ones([3]).sum(), 3.0);
    assert_eq!(Tensor::scalar(2.5).item(), 2.5);
    assert_eq!(Tensor::from(vec![1.0, 2.0]).shape(), &Shape::from([2]));
    assert_eq!(Tensor::from([1.0, 2.0].as_slice()).rank(), 1);
    assert_eq!(Tensor::from([[1.0_f64; 3]; 0]).shape(), &Shape::from([0, 3]));
    assert_eq!(Tensor::from_fn([2, 3], |i| (i[0] * 3 + i[1]) as f64), counted([2, 3]));
    assert!(Tensor::<f32>::from_fn([0, 3], |_| unreachable!()).is_empty());
    let labels = Tensor::<f64>::selection_shaped([2, 2], &[0, 1, 2, 1], 3);
    assert_eq!(labels.shape(), &Shape::from([2, 2, 3]));
    assert_eq!(labels.get(&[1, 0, 2]), Some(1.0));
}

#[test]
fn volumes_are_checked_before_anything_is_made() {
    let huge = [1 << 30, 1 << 30, 16];
    let error = Tensor::<f32>::try_new(huge, vec![]).unwrap_err();
    assert_eq!(error, TensorError::Overflow { shape: Shape::from(huge) });
    assert!(error.to_string().contains("[1073741824, 1073741824, 16]"), "{error}");
    assert!(Tensor::<f32>::try_new([4_611_686_018_427_387_906], vec![0.0; 2]).is_err());
    assert!(Tensor::try_full(huge, 0.0_f32).is_err());
    assert!(message(|| drop(Tensor::<f32>::zeros([usize::MAX, 2]))).contains("overflows"));
    assert!(message(|| drop(Tensor::<f32>::eye(1 << 40))).contains("overflows"));
    assert!(message(|| drop(Tensor::<f32>::from_fn(huge, |_| 0.0))).contains("overflows"));
    assert!(Tensor::<f32>::try_selection_shaped(huge, &[], 3).is_err());
    assert!(Tensor::<f32>::try_selection(&[0], usize::MAX).is_err());
    assert!(Tensor::scalar(1.0_f32).try_broadcast_to(huge).is_err());
    assert!(Tensor::<f32>::zeros([6]).try_reshape([2, 2]).is_err());
    let (tall, wide) = (Tensor::<f32>::zeros([1 << 40, 1]), Tensor::zeros([1, 1 << 40]));
    assert!(matches!(tall.try_matmul(&wide), Err(TensorError::Overflow { .. })));
    // A zero extent makes any volume zero.
    assert!(Tensor::<f32>::zeros([usize::MAX, usize::MAX, 0]).is_empty());
}

#[test]
fn errors_name_what_does_not_fit() {
    assert_eq!(
        Tensor::try_new([2, 3], vec![1.0_f32]).unwrap_err().to_string(),
        "tensor: shape [2, 3] has 6 elements, but 1 came"
    );
    assert_eq!(
        Tensor::<f32>::try_selection(&[1, 3], 3).unwrap_err().to_string(),
        "selection: row 1 names column 3 of 3 classes"
    );
    assert_eq!(
        message(|| drop(counted([2, 3]).matmul(&counted([4, 5])))),
        "matmul: shapes do not fit: [2, 3] and [4, 5]"
    );
    assert_eq!(
        message(|| drop(counted([2, 3]) + counted([3]))),
        "add: shapes do not fit: [2, 3] and [3]; nothing broadcasts silently, call `broadcast_to` by name"
    );
    assert!(message(|| drop(counted([2]) / &counted([3]))).starts_with("div: "));
    assert_eq!(
        counted([2, 3]).try_item().unwrap_err().to_string(),
        "item: shape [2, 3] does not have exactly one element"
    );
    assert!(counted([2, 3]).try_permute(&[0, 0]).is_err());
    assert!(counted([2, 3]).try_permute(&[0]).is_err());
    assert!(counted([2, 3]).try_permute(&[0, 2]).is_err());
    assert_eq!(
        counted([2, 3]).try_narrow(1, 2, 2).unwrap_err().to_string(),
        "narrow: 2 positions of axis 1 from 2 is not part of [2, 3]"
    );
    assert!(counted([2, 3]).try_narrow(2, 0, 1).is_err());
    assert!(counted([2, 3]).try_narrow(0, usize::MAX, 2).is_err());
    assert!(counted([2, 3]).try_broadcast_to([2, 4]).is_err());
    assert!(counted([2, 3]).try_broadcast_to([3]).is_err());
    assert!(message(|| drop(counted([3]).transpose())).contains("transpose"));
    assert!(message(|| drop(counted([2, 3]).squeeze(0))).contains("squeeze"));
    assert!(message(|| drop(counted([2, 3]).unsqueeze(3))).contains("unsqueeze"));
    assert!(message(|| drop(counted([2, 3]).sum_along(&[0, 0]))).contains("sum_along"));
    let empty = Tensor::<f64>::zeros([2, 0]);
    assert!(message(move || drop(empty.max_along(&[1]))).contains("no maximum"));
    let empty = Tensor::<f64>::zeros([2, 0]);
    assert!(message(move || drop(empty.argmax_along(1))).contains("no maximum"));
}

#[test]
fn reading() {
    let x = counted([2, 3]);
    assert_eq!((x.len(), x.rank(), x.is_empty()), (6, 2, false));
    assert_eq!(x.get(&[1, 2]), Some(5.0));
    assert_eq!((x.get(&[2, 0]), x.get(&[0]), x.get(&[0, 0, 0])), (None, None, None));
    assert!(x.as_slice().is_some() && x.transpose().as_slice().is_none());
    assert_eq!(x.narrow(0, 1, 1).as_slice(), Some(&[3.0, 4.0, 5.0][..]));
    assert_eq!(x.narrow(0, 2, 0).as_slice(), Some(&[][..]));
    assert_eq!(x.iter().len(), 6);
    assert_eq!((&x).into_iter().collect::<Vec<_>>(), x.to_vec());
    assert_eq!(x.unsqueeze(1).squeeze(1), x);
    assert_eq!(x.to_f32().to_f64(), x);
    assert_ne!(x, x.reshape([3, 2]));
    assert_eq!(Tensor::from([0.0_f64]), Tensor::from([-0.0]));
}

#[test]
fn iteration_is_logical_on_any_view() {
    let mut random = Random(41);
    for _ in 0..500 {
        let shape = Shape::from_fn(random.below(6), |_| random.below(4));
        let rank = shape.rank();
        let x = counted(&*shape).permute(&random.shuffled(rank));
        let x = if rank > 0 && x.shape()[0] > 1 { x.narrow(0, 1, x.shape()[0] - 1) } else { x };
        let expected = Tensor::from_fn(x.shape(), |index| x.get(index).unwrap());
        assert_eq!(x.iter().collect::<Vec<_>>(), expected.to_vec());
        assert_eq!(x.to_vec(), expected.to_vec());
        let mut iter = x.iter();
        for left in (0..x.len()).rev() {
            assert!(iter.next().is_some());
            assert_eq!(iter.len(), left);
        }
        assert!(iter.next().is_none() && iter.next().is_none());
        let mut iter = x.iter();
        let mut halves = iter.by_ref().take(x.len() / 2).collect::<Vec<_>>();
        iter.for_each(|element| halves.push(element));
        assert_eq!(halves, expected.to_vec());
    }
}

#[test]
fn unit_axes_do_not_hide_a_transposition() {
    let x = counted([3, 1, 2]).permute(&[1, 2, 0]);
    assert_eq!(x.reshape([1, 6]).to_vec(), [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
}

#[test]
fn softmax_of_a_transposed_tensor() {
    let x = (counted([3, 4]) + 1.0).transpose();
    let expected =
        [0.000_329_320_438_963_892_93_f64, 0.017_980_286_735_531_547, 0.981_690_392_825_504_5];
    for kernels in [Kernels::Reference, Kernels::Native] {
        let rows = Tensorial::softmax(&x, 1, kernels).to_vec();
        for (a, b) in rows.iter().zip(expected.iter().cycle()) {
            assert!(a.to_bits().abs_diff(b.to_bits()) <= 2, "{a} {b}");
        }
    }
}

#[test]
fn odd_products() {
    let a = counted([45, 33]);
    assert_eq!(a.matmul(&Tensor::eye(33)), a);
    assert_eq!(a.get(&[44, 32]), Some(1484.0));
    for n in [7, 8] {
        let b = Tensor::from([1.0, 2.0, 3.0]).broadcast_to([n, 3]);
        let by = n as f64;
        let expected = Tensor::from([by, 2.0 * by, 3.0 * by]).broadcast_to([3, 3]);
        assert_eq!(Tensor::<f64>::ones([3, n]).matmul(&b), expected);
    }
    let row = Tensor::from([[1.0, 2.0]]);
    assert_eq!(row.matmul(&row.transpose()).item(), 5.0);
    assert_eq!(Tensor::<f32>::zeros([2, 0]).matmul(&Tensor::zeros([0, 2])), Tensor::zeros([2, 2]));

    let rows = [
        ([7, 5, 3], 11.0, 3.0, 0.0, 938.0),
        ([1, 1, 1], 6.0, 6.0, 6.0, 36.0),
        ([17, 1, 33], 6.0, 0.0, 0.0, 4810.0),
        ([1, 257, 1], 5.0, 5.0, 5.0, 25.0),
        ([13, 31, 29], -4.0, -6.0, -2.0, 14276.0),
    ];
    for ([m, k, n], first, last, sum, squares) in rows {
        let a = Tensor::from_fn([m, k], |i| ((3 * i[0] + 5 * i[1]) % 7) as f64 - 3.0);
        let b = Tensor::from_fn([k, n], |i| ((2 * i[0] + 11 * i[1]) % 5) as f64 - 2.0);
        let turned = |x: &Tensor<f64>| {
            let columns = Tensor::new([x.shape()[1], x.shape()[0]], x.transpose().to_vec());
            columns.transpose()
        };
        for a in [&a, &turned(&a)] {
            for b in [&b, &turned(&b)] {
                for kernels in [Kernels::Reference, Kernels::Native] {
                    let c = Tensorial::matmul(a, b, kernels);
                    assert_eq!(c.get(&[0, 0]), Some(first));
                    assert_eq!(c.get(&[m - 1, n - 1]), Some(last));
                    assert_eq!((c.sum(), (&c * &c).sum()), (sum, squares));
                    assert_eq!(Tensorial::matmul(&a.to_f32(), &b.to_f32(), kernels).to_f64(), c);
                }
            }
        }
    }
}

#[test]
fn unfolding_and_folding() {
    let ones = Tensor::<f64>::ones([3, 3]);
    let dense = Tensor::new([3, 3], vec![1.0; 9]);
    for x in [&ones, &dense] {
        let windows = x.unfold(0, 2, 1, 1).unfold(1, 2, 1, 1);
        assert_eq!(windows.shape(), &Shape::from([2, 2, 2, 2]));
        let back = windows.fold(1, 3, 1, 1, Kernels::Native).fold(0, 3, 1, 1, Kernels::Native);
        assert_eq!(back, Tensor::from([[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]));
    }
    // Fold is the adjoint of unfold, exactly on integers.
    let mut random = Random(42);
    for _ in 0..100 {
        let (size, step, dilation) =
            (1 + random.below(3), 1 + random.below(3), 1 + random.below(2));
        let extent = dilation * (size - 1) + 1 + random.below(6);
        let mut integers =
            |shape: &Shape| Tensor::from_fn(shape, |_| random.below(19) as f64 - 9.0);
        let x = integers(&Shape::from([2, extent, 3]));
        let unfolded = x.unfold(1, size, step, dilation);
        let y = integers(unfolded.shape());
        let folded = y.fold(1, extent, step, dilation, Kernels::Reference);
        assert_eq!((unfolded * y).sum(), (x * folded).sum());
    }
}

#[test]
fn argmax_and_maximum() {
    assert_eq!(Tensor::from([1.0, 3.0, 3.0, 2.0]).argmax_along(0), [1]);
    assert_eq!(Tensor::from([[1.0, f64::NAN], [5.0, f64::NAN]]).argmax_along(0), [1, 0]);
    assert_eq!(counted([2, 2, 2]).argmax_along(1), [1, 1, 1, 1]);
    assert_eq!(counted([2, 3]).max_along(&[1, 0]).item(), 5.0);
    assert_eq!(Tensor::<f32>::zeros([0, 3]).argmax_along(1), [0; 0]);
    assert_eq!(Tensor::<f32>::zeros([0, 3]).max_along(&[1]).shape(), &Shape::from([0]));
}

#[test]
fn sampling_is_a_function_of_the_seed() {
    let weights = Tensor::from([0.5, 0.0, 0.25, 0.25]).broadcast_to([4000, 4]);
    let drawn = weights.categorical(5).unwrap();
    assert_eq!(drawn, weights.categorical(5).unwrap());
    assert_ne!(drawn, weights.categorical(6).unwrap());
    let count = |of| drawn.iter().filter(|&&position| position == of).count();
    assert_eq!(count(1), 0);
    assert!(count(0).abs_diff(2000) < 150 && count(2).abs_diff(1000) < 150, "{}", count(0));
    // The first draws of seed 0, pinned for good.
    let uniform = Tensor::<f64>::ones([8, 10]).categorical(0).unwrap();
    assert_eq!(uniform, PINNED);
    assert_eq!(Tensor::<f32>::zeros([0, 3]).categorical(1), Ok(vec![]));
    assert_eq!(Tensor::from([f64::MAX; 4]).categorical(1).map(|x| x.len()), Ok(1));
    assert_eq!(Tensor::from([5e-324, 0.0]).categorical(1), Ok(vec![0]));
}

const PINNED: [usize; 8] = [6, 7, 3, 6, 7, 1, 7, 2];

#[test]
fn sampling_refuses_what_is_no_weight() {
    let problem = |weights: Tensor<f64>| weights.categorical(1).unwrap_err().to_string();
    assert_eq!(problem(Tensor::from([0.0, -0.0])), "categorical: row 0 has no positive weight");
    let rows = Tensor::from([[1.0, 1.0], [1.0, -1.0]]);
    assert_eq!(problem(rows), "categorical: row 1 has a negative weight");
    assert_eq!(problem(Tensor::from([f64::NAN, 1.0])), "categorical: row 0 has a NaN weight");
    assert_eq!(problem(Tensor::from([f64::INFINITY])), "categorical: row 0 has an infinite weight");
    assert!(problem(Tensor::scalar(1.0)).contains("last axis"));
    assert!(problem(Tensor::zeros([2, 0])).contains("no positive weight"));
}

#[test]
fn operators_in_every_combination_give_the_same_bits() {
    let mut random = Random(43);
    let mut make = || Tensor::from_fn([3, 5], |_| random.value::<f64>(true));
    let (a, b) = (make(), make());
    let turned = Tensor::new([5, 3], b.transpose().to_vec()).transpose();
    macro_rules! check {
        ($op:tt) => {
            let expected = &a $op &b;
            for (i, (x, y)) in a.iter().zip(b.iter()).enumerate() {
                let (got, want) = (expected.get(&[i / 5, i % 5]).unwrap(), x $op y);
                assert!(got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()));
            }
            // Shared, unique on the left, unique on the right, unique on both, strided.
            let unique = |x: &Tensor<f64>| Tensor::new([3, 5], x.to_vec());
            for got in [
                a.clone() $op &b, &a $op b.clone(), a.clone() $op b.clone(),
                unique(&a) $op &b, &a $op unique(&b), unique(&a) $op unique(&b),
                unique(&a) $op turned.clone(), unique(&a) $op &turned, &a $op &turned,
            ] {
                assert!(got.is_identical(&expected));
            }
            let (left, right) = (2.5 $op &a, &a $op 2.5);
            assert!((2.5 $op unique(&a)).is_identical(&left));
            assert!((unique(&a) $op 2.5).is_identical(&right));
            assert!(left.is_identical(&a.map(|x| 2.5 $op x)));
            assert!(right.is_identical(&a.map(|x| x $op 2.5)));
        };
    }
    check!(+);
    check!(-);
    check!(*);
    check!(/);
    assert!((-&a).is_identical(&a.map(|x| -x)) && (-a.clone()).is_identical(&-&a));
    let f = Tensor::from([1.0_f32, 2.0]);
    assert_eq!(&f - 0.5 * &f, Tensor::from([0.5, 1.0]));
}

#[test]
fn an_owned_operand_lends_its_buffer_only_when_alone() {
    let x = Tensor::from(vec![1.0_f64, 2.0]);
    let at = x.as_slice().unwrap().as_ptr();
    let y = x + &Tensor::from([1.0, 1.0]);
    assert_eq!(y.as_slice().unwrap().as_ptr(), at);
    let kept = y.clone();
    let z = -(y * 2.0);
    assert_eq!((kept.to_vec(), z.to_vec()), (vec![2.0, 3.0], vec![-4.0, -6.0]));
    // A part, alone in its buffer or not.
    let whole = Tensor::from(vec![1.0_f64, 2.0, 3.0]);
    let part = whole.narrow(0, 1, 2);
    assert_eq!((part.clone() + 1.0).to_vec(), [3.0, 4.0]);
    drop(whole);
    assert_eq!((part + 1.0).to_vec(), [3.0, 4.0]);
}

#[test]
fn v12_a_constant_of_any_size_reduces_without_memory() {
    let most = isize::MAX as usize / 16;
    for kernels in [Kernels::Native, Kernels::Reference] {
        let ones = Tensor::<f64>::ones([most]);
        assert_eq!(Tensorial::max(&ones, &[0], kernels).item(), 1.0);
        // 2^59 - 1, rounded in the sums of blocks.
        assert_eq!(Tensorial::sum(&ones, &[0], kernels).item(), most as f64);
        let rows = Tensor::<f64>::full([1 << 20, 3, 1 << 30], 0.5);
        let sums = Tensorial::sum(&rows, &[0, 2], kernels);
        assert_eq!(sums.to_vec(), [(1_u64 << 49) as f64; 3]);
    }
}

#[test]
fn an_empty_tensor_works_whatever_its_other_extents_are() {
    for kernels in [Kernels::Native, Kernels::Reference] {
        let shape = [0, 1 << 62, 8];
        let x = Tensor::<f64>::new(shape, Vec::new());
        assert!(x.pad(2, 1, 1, &0.0, kernels).is_empty());
        assert!(Tensor::concat(&[&x, &x], 0, kernels).is_empty());
        assert!(Tensorial::map(&x, Unary::Exp, kernels).is_empty());
        assert!(x.zip(Binary::Add, &x, kernels).is_empty());
        assert!(x.select(&x, &x, kernels).is_empty());
        assert!(x.softmax(1, kernels).is_empty() && x.log_softmax(2, kernels).is_empty());
        assert!(x.log_sum_exp(2, kernels).is_empty() && x.first_max(&[1, 2], kernels).is_empty());
        assert!(Tensorial::sum(&x, &[1], kernels).is_empty());
        assert!(Tensorial::max(&x, &[1], kernels).is_empty());
        // The other way round: nothing is summed, and what is left is not empty.
        let y = Tensor::<f64>::new([2, 1 << 62, 8, 0], Vec::new());
        assert_eq!(Tensorial::sum(&y, &[1, 2, 3], kernels).to_vec(), [0.0, 0.0]);
        let (a, b) = (Tensor::<f64>::new([1 << 62, 8, 0], Vec::new()), [1 << 62, 0, 0]);
        assert!(a.matmul(&Tensor::new(b, Vec::new())).is_empty());
        // A loop over the outer extent would not end.
        let z = Tensor::<f64>::new([1 << 50, 3, 0], Vec::new());
        assert!(z.pad(1, 2, 0, &0.0, kernels).is_empty());
        assert!(Tensor::concat(&[&z, &z], 1, kernels).is_empty());
    }
    let x = Tensor::<f32>::new([0, 10, 1 << 61, 4], Vec::new());
    assert_eq!(*x.narrow(1, 5, 3).shape(), [0, 3, 1 << 61, 4]);
    assert!(x.transpose().to_vec().is_empty() && x.iter().next().is_none());
    assert!(Tensor::<f64>::ones([1 << 61, 8, 0]).categorical(3).is_err());
}
